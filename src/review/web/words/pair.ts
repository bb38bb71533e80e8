/** One word in both languages. */

/** English, ไทย. */
export type Pair = readonly [en: string, th: string];

/** Those of a view, by what the view calls them. */
export type Words = Readonly<Record<string, Pair>>;
