/** Everything that needs a person: one entry for each kind and cause, whatever the number of rows behind it. */
import type { Message } from '../../core/message.ts';
import type { Satang } from '../../core/money.ts';
import type { PayoutFilter } from '../../payout/rules/search.ts';
import type { RegistrationStatus } from '../../registration/rules/registration.ts';
import { type Owner, type QueueKind, queueKinds } from '../../review/rules/queue.ts';
import type { Decision } from '../../review/rules/terms.ts';
import {
  type AttentionCode,
  type AttentionSection,
  attentionSections,
  type AttentionSeverity,
  termsOf,
} from './codes.ts';

/** Registrations that are decided on together. */
interface RegistrationRows {
  readonly statuses: readonly RegistrationStatus[];
  readonly causes: readonly string[];
  readonly isAlarm: boolean;
  readonly isWaiting?: boolean;
  readonly untilMs?: number;
}

/** The things behind an entry. */
export type EntryRows =
  | { readonly of: 'payouts'; readonly filter: PayoutFilter }
  | { readonly of: 'registrations'; readonly filter: RegistrationRows }
  /** Items of the queue, by their keys; all of the kind when undefined. */
  | { readonly of: 'items'; readonly kind: QueueKind; readonly keys: readonly string[] | undefined }
  /** Nothing to choose among: a fault of the machine. */
  | { readonly of: 'machine' };

export interface AttentionEntry {
  readonly code: AttentionCode;
  readonly severity: AttentionSeverity;
  /** Names the entry among all others, also in an address. */
  readonly key: string;
  /** The heading. */
  readonly subject: Message;
  /** Why it needs a person. */
  readonly reason: Message | null;
  /** The next step of a person. */
  readonly remedy: Message;
  /** The moment since which its oldest part waits; null when unknown. */
  readonly sinceMs: number | null;
  /** Its rows, or the rows that move with it. */
  readonly count: number;
  /** The sum of them; null where it is unknown, or no money is meant. */
  readonly amountSatang: Satang | null;
  /** Facts for programs: the cause, the batch, the account, the day, the number of files. */
  readonly args: Readonly<Record<string, string | number>>;
  /** Commands of the shell, the first one first. */
  readonly commands: readonly string[];
  /** Decisions that end it, the likeliest first. */
  readonly decisions: readonly Decision[];
  readonly owner: Owner | undefined;
  readonly rows: EntryRows;
}

/** Everything that needs a person, at one moment. */
export interface Attention {
  readonly atMs: number;
  /** By section, then the most severe and the oldest first. */
  readonly entries: readonly AttentionEntry[];
  /** Payouts that wait only for a batch or an account among the entries, and move with it. */
  readonly movedRows: number;
}

/** The thing that a person takes: the item where there is one alone, else the group. */
export function ownedBy({ rows, key }: Pick<AttentionEntry, 'rows' | 'key'>): {
  readonly kind: QueueKind | 'group';
  readonly key: string;
} {
  const [only, ...others] = rows.of === 'items' ? (rows.keys ?? []) : [];
  return rows.of === 'items' && only !== undefined && others.length === 0
    ? { kind: rows.kind, key: only }
    : { kind: 'group', key };
}

/** Things of one kind that need a person. */
export interface KindTotal {
  readonly kind: QueueKind;
  readonly items: number;
}

/** Undefined of payouts but those in doubt: commands of their own show them. */
const kindOf = ({ code, rows }: AttentionEntry): QueueKind | undefined =>
  rows.of === 'items'
    ? rows.kind
    : rows.of === 'registrations'
      ? 'registration'
      : code === 'in-doubt'
        ? 'doubt'
        : undefined;

const countThings = ({ rows, count }: AttentionEntry): number =>
  rows.of === 'items' ? (rows.keys?.length ?? count) : count;

/** Counts by kind what `status` shows of the list. */
export function countKinds(entries: readonly AttentionEntry[]): readonly KindTotal[] {
  const shown = entries.filter(({ code }) => termsOf(code).notShown.status === undefined);
  return queueKinds.flatMap((kind) => {
    const items = shown
      .filter((entry) => kindOf(entry) === kind)
      .reduce((sum, entry) => sum + countThings(entry), 0);
    return items === 0 ? [] : [{ kind, items }];
  });
}

export const sectionOf = ({ code }: Pick<AttentionEntry, 'code'>): AttentionSection => termsOf(code).section;

const severityOrder: readonly AttentionSeverity[] = ['alarm', 'doubt', 'wait'];

const rankOf = (entry: AttentionEntry): number =>
  attentionSections.indexOf(sectionOf(entry)) * severityOrder.length + severityOrder.indexOf(entry.severity);

export const attentionOrders = ['severity', 'amount', 'age'] as const;
export type AttentionOrder = (typeof attentionOrders)[number];

const amountOf = ({ amountSatang }: AttentionEntry): bigint => {
  const amount = amountSatang ?? 0n;
  return amount < 0n ? -amount : amount;
};
const compareAmounts = (one: bigint, other: bigint): number => (one < other ? -1 : one > other ? 1 : 0);
const ageOrder = (one: AttentionEntry, other: AttentionEntry): number =>
  (one.sinceMs ?? Infinity) - (other.sinceMs ?? Infinity) || (one.key < other.key ? -1 : 1);

const comparisons: Readonly<Record<AttentionOrder, (one: AttentionEntry, other: AttentionEntry) => number>> =
  {
    severity: (one, other) => rankOf(one) - rankOf(other) || ageOrder(one, other),
    amount: (one, other) => compareAmounts(amountOf(other), amountOf(one)) || ageOrder(one, other),
    age: ageOrder,
  };

export const sortEntries = (
  entries: readonly AttentionEntry[],
  order: AttentionOrder = 'severity',
): readonly AttentionEntry[] => entries.toSorted(comparisons[order]);

/** Everything of an entry that does not follow from its code. */
type EntryDraft = Omit<AttentionEntry, 'severity' | 'key' | 'owner'> & {
  /** Tells it from other entries of its code. */
  readonly cause: string;
};

export const makeEntry = ({ cause, ...draft }: EntryDraft): AttentionEntry => ({
  ...draft,
  severity: termsOf(draft.code).severity,
  key: `${draft.code}.${cause}`,
  owner: undefined,
});
