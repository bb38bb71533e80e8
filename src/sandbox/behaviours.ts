/** Which rows of a table a thing meets: behaviours by what a request carries, a statement's edits by what a line has. */
import { parseBaht, type Satang } from '../core/money.ts';
import { normaliseName } from './directory.ts';
import type { Behaviour, Endpoint } from './table.ts';

/** What is matched, by field. */
type Fields = Readonly<Record<string, unknown>>;

/**
 * Files the rows by the values that they match, so that a look-up costs little however long the table is.
 * @param readMatch a row's match, the most telling field first: the row is filed under that one
 * @returns takes the rows that fit, in the table's order and at most so many; each uses one of its `times` up
 */
export function createMatchIndex<Row extends { readonly times?: number | undefined }>(
  rows: readonly Row[],
  readMatch: (row: Row) => Fields,
) {
  const filed = rows.map((row, place) => {
    const wanted = Object.entries(readMatch(row)).filter(([, value]) => value !== undefined);
    return { place, row, wanted, timesLeft: row.times ?? Infinity };
  });
  const byField = Map.groupBy(filed, ({ wanted }) => wanted[0]?.[0]);
  const always = byField.get(undefined) ?? [];
  byField.delete(undefined);
  const indexes = [...byField].map(
    ([field = '', list]) => [field, Map.groupBy(list, ({ wanted }) => wanted[0]?.[1])] as const,
  );
  return (subject: Fields, rowsMax = Infinity): readonly Row[] => {
    const taken = indexes
      .flatMap(([field, byValue]) => byValue.get(subject[field]) ?? [])
      .concat(always)
      .filter((row) => row.timesLeft > 0 && row.wanted.every(([field, value]) => subject[field] === value))
      .toSorted((one, other) => one.place - other.place)
      .slice(0, rowsMax);
    for (const row of taken) row.timesLeft -= 1;
    return taken.map(({ row }) => row);
  };
}

/** What a request offers to the table's matches. */
export interface Subject {
  readonly transRefNo?: string | undefined;
  readonly reference1?: string | undefined;
  readonly proxyNo?: string | undefined;
  readonly proxyName?: string | undefined;
  readonly amountSatang?: Satang | undefined;
}

const readMatch = ({ match }: Behaviour): Fields & Subject => ({
  transRefNo: match.transRefNo,
  reference1: match.reference1,
  proxyNo: match.proxyNo,
  proxyName: match.proxyName === undefined ? undefined : normaliseName(match.proxyName),
  amountSatang: match.amount === undefined ? undefined : parseBaht(match.amount),
});

/** The behaviour that a request meets, the first in the table's order; each call uses one of its `times` up. */
export type FindBehaviour = (endpoint: Endpoint, subject: Subject) => Behaviour | undefined;

export function createBehaviourIndex(behaviours: readonly Behaviour[]): FindBehaviour {
  const byEndpoint = Map.groupBy(behaviours, ({ endpoint }) => endpoint);
  const indexes = new Map<Endpoint, ReturnType<typeof createMatchIndex<Behaviour>>>(
    [...byEndpoint].map(([key, rows]) => [key, createMatchIndex(rows, readMatch)]),
  );
  return (endpoint, subject) => {
    const { proxyName = '' } = subject;
    return indexes.get(endpoint)?.({ ...subject, proxyName: normaliseName(proxyName) }, 1)[0];
  };
}
