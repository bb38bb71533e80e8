/**
 * Finds the rows of a table that match: behaviours by the fields of a request, a statement's edits by those of a line.
 */
import { parseBaht, type Satang } from '../core/money.ts';
import { normaliseName } from './directory.ts';
import type { Behaviour, Endpoint } from './table.ts';

/** Values to match, by field. */
type Fields = Readonly<Record<string, unknown>>;

/**
 * Indexes the rows by the values that they match, so that a look-up is fast in a long table.
 * @param readMatch a row's match, most selective field first; that field is the key
 * @returns a function that returns the matching rows, in the table's order, up to a number; each uses up one of its
 * `times`
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

/** Fields of a request that the table can match. */
interface Subject {
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

/** Finds the first matching behaviour in the table's order; each call uses up one of its `times`. */
type FindBehaviour = (endpoint: Endpoint, subject: Subject) => Behaviour | undefined;

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
