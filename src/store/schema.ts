/** The tables as Kysely sees them. Times are epoch milliseconds, flags 0 or 1, lists and objects JSON text. */
import { type Expression, type Insertable, type RawBuilder, sql, type SqlBool } from 'kysely';
import { type HoldReason, holdReasons, type PayoutStatus } from '../core/payout.ts';
import { computeSimilarKey } from '../payout/rules/similar.ts';
import type { JournalRows } from './tables.ts';

export interface Tables extends JournalRows {
  /** The history of the tables themselves. */
  schema_version: { readonly version: number; readonly applied_at_ms: number };
  /** A view of all payouts, with the columns of the table that keeps those which wait for a person. */
  payout_listed: JournalRows['open_payout'];
}

/** Names the claim on an id of a company, a payoutId or a registrationId; claims on like ids have the same similar key. */
export interface ClaimKey {
  readonly companyId: string;
  readonly id: string;
  readonly similarKey: string;
}

/** The same with the row that is or wants to be its holder. */
export interface ClaimOfRow extends ClaimKey {
  readonly seq: number;
}

export const claimKeyOf = (companyId: string, id: string): ClaimKey => ({
  companyId,
  id,
  similarKey: computeSimilarKey(id),
});

/** A row of `payout` on its way in; the columns that are left out have their defaults. */
export type StagedPayout = Omit<
  Insertable<Tables['payout']>,
  'accepted_holds' | 'is_alarm' | 'is_acknowledged' | 'sealed_satang'
>;

/** A status inside the statement's text: a partial index is used only where the statement names its condition. */
export function literal<Status extends PayoutStatus>(status: Status): RawBuilder<Status> {
  return sql.lit(status);
}

const inDoubtStatuses = ['submitted', 'unresolved'] as const satisfies readonly PayoutStatus[];

/** True of a payout that may be with the bank and is not proved: the condition of the index payout_in_doubt. */
export function isInDoubt(status: Expression<PayoutStatus>): RawBuilder<SqlBool> {
  return sql`${status} in (${sql.join(inDoubtStatuses.map(literal))})`;
}

/** Joins the archived rows, as `g`, that one of these numbers is of. */
export function isArchivedSeq(seq: Expression<number | null>): RawBuilder<SqlBool> {
  return sql`g.first_seq = (select max(first_seq) from archived_rows where first_seq <= ${seq}) and g.last_seq >= ${seq}`;
}

/**
 * A set of holds as the bits of one integer, so that a statement can add and lift holds of a whole batch. A bit is
 * the place of its reason in the core's list, and never given to another.
 */
export const holdBits = Object.fromEntries(holdReasons.map((hold, place) => [hold, 2 ** place])) as Readonly<
  Record<HoldReason, number>
>;

/** The bits of a set of holds. */
export const encodeHolds = (holds: readonly HoldReason[]): number =>
  holds.reduce((bits, hold) => bits | holdBits[hold], 0);

const noHolds: readonly HoldReason[] = [];

/** The holds that the bits stand for, in the order of the core's list. */
export const decodeHolds = (bits: number): readonly HoldReason[] =>
  bits === 0 ? noHolds : holdReasons.filter((hold) => (bits & holdBits[hold]) !== 0);

/** The bits of a column with some added. */
export function addBits(bits: Expression<number>, added: number): RawBuilder<number> {
  return sql`(${bits} | ${sql.lit(added)})`;
}

/** The bits of a column without some. */
export function removeBits(bits: Expression<number>, removed: number): RawBuilder<number> {
  return sql`(${bits} & ~${sql.lit(removed)})`;
}

/** True where a column has any of some bits. */
export function hasBits(bits: Expression<number>, wanted: number): RawBuilder<SqlBool> {
  return sql`(${bits} & ${sql.lit(wanted)}) <> 0`;
}
