/** Heads of days: one row for each day that had events, for ever. */
/** As statements of Kysely's see it. */
export interface DayHeadTables {
  day_head: {
    readonly number: number;
    readonly date: string;
    readonly text: string;
    readonly hash: string;
    readonly is_published: number;
  };
}
