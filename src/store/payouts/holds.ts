/** A payout's set of holds as the bits of one integer, so that a statement can add and lift holds of a whole batch. */
import { type Expression, type RawBuilder, sql, type SqlBool } from 'kysely';
import { type HoldReason, holdReasons } from '../../core/payout.ts';

/** Written in the file: a bit is never given to another reason. */
export const holdBits = {
  approval: 1,
  name: 2,
  limit: 4,
  halted: 8,
  paused: 16,
  unavailable: 32,
  similar: 64,
} as const satisfies Record<HoldReason, number>;

/** The bits of a set of holds. */
export function encodeHolds(holds: readonly HoldReason[]): number {
  let bits = 0;
  for (const hold of holds) bits |= holdBits[hold];
  return bits;
}

const noHolds: readonly HoldReason[] = [];

/** The holds that the bits stand for, in the order of the core's list. */
export function decodeHolds(bits: number): readonly HoldReason[] {
  return bits === 0 ? noHolds : holdReasons.filter((hold) => (bits & holdBits[hold]) !== 0);
}

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
