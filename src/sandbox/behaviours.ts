import { parseBaht } from '../core/money.ts';
import type { Satang } from '../core/money.ts';
import { normaliseName } from './directory.ts';
import type { Behaviour, Endpoint } from './table.ts';

/** What a request offers to the table's matches; names are normalised. */
export interface Subject {
  readonly transRefNo?: string | undefined;
  readonly reference1?: string | undefined;
  readonly proxyNo?: string | undefined;
  readonly proxyName?: string | undefined;
  readonly amountSatang?: Satang | undefined;
}

/** The most telling first: a row is filed under the first of these that its match names. */
const subjectFields = ['transRefNo', 'reference1', 'proxyNo', 'proxyName', 'amountSatang'] as const;
type SubjectField = (typeof subjectFields)[number];
type SubjectValue = string | bigint;

/** A row of the table on its way through the requests. */
interface TableRow {
  readonly place: number;
  readonly match: Subject;
  readonly behaviour: Behaviour;
  timesLeft: number;
}

interface EndpointIndex {
  readonly byField: Map<SubjectField, Map<SubjectValue, TableRow[]>>;
  /** Rows that match every request. */
  readonly any: TableRow[];
}

function toSubject({ match }: Behaviour): Subject {
  return {
    transRefNo: match.transRefNo,
    reference1: match.reference1,
    proxyNo: match.proxyNo,
    proxyName: match.proxyName === undefined ? undefined : normaliseName(match.proxyName),
    amountSatang: match.amount === undefined ? undefined : parseBaht(match.amount),
  };
}

function fileRow(index: EndpointIndex, row: TableRow): void {
  const field = subjectFields.find((name) => row.match[name] !== undefined);
  const value = field === undefined ? undefined : row.match[field];
  if (field === undefined || value === undefined) {
    index.any.push(row);
    return;
  }
  const byValue = index.byField.get(field) ?? new Map<SubjectValue, TableRow[]>();
  index.byField.set(field, byValue);
  byValue.set(value, [...(byValue.get(value) ?? []), row]);
}

const fits = (row: TableRow, subject: Subject): boolean =>
  subjectFields.every((field) => row.match[field] === undefined || row.match[field] === subject[field]);

function firstOf(
  rows: readonly TableRow[],
  subject: Subject,
  best: TableRow | undefined,
): TableRow | undefined {
  const found = rows.find((row) => row.timesLeft > 0 && fits(row, subject));
  return found === undefined || (best !== undefined && best.place < found.place) ? best : found;
}

/** The behaviour that a request meets, the first in the table's order; each call uses one of its `times` up. */
export type FindBehaviour = (endpoint: Endpoint, subject: Subject) => Behaviour | undefined;

/** Files the table by the values that its rows match, so that a request costs a few look-ups however long it is. */
export function createBehaviourIndex(behaviours: readonly Behaviour[]): FindBehaviour {
  const indexes = new Map<Endpoint, EndpointIndex>();
  for (const [place, behaviour] of behaviours.entries()) {
    const index = indexes.get(behaviour.endpoint) ?? { byField: new Map(), any: [] };
    indexes.set(behaviour.endpoint, index);
    fileRow(index, { place, behaviour, match: toSubject(behaviour), timesLeft: behaviour.times ?? Infinity });
  }
  return (endpoint, subject) => {
    const index = indexes.get(endpoint);
    if (index === undefined) return undefined;
    let best = firstOf(index.any, subject, undefined);
    for (const [field, byValue] of index.byField) {
      const value = subject[field];
      const rows = value === undefined ? undefined : byValue.get(value);
      if (rows !== undefined) best = firstOf(rows, subject, best);
    }
    if (best !== undefined) best.timesLeft -= 1;
    return best?.behaviour;
  };
}
