/**
 * Items other than payouts that wait for a person: each with its age, its amount, whether money has moved, the reason,
 * the remedy, and the decisions, with the reason where one is impossible. Everything here is pure.
 */
import { counted, type Message, message, type PlainCode, verbatim } from '../../core/message.ts';
import { dayMs, parseBangkokDate } from '../../core/bangkok-time.ts';
import { type Satang, sumSatang } from '../../core/money.ts';
import type { HoldReason } from '../../core/payout.ts';
import type { Batch, BatchReason, HoldTotal, StatusTotal } from '../../core/ports.ts';
import { showDate } from '../../payout/rules/lost-journal.ts';
import type { MoneyMoved } from '../../payout/rules/search.ts';
import { describeBreakRemedy } from '../../reconcile/rules/break-remedies.ts';
import {
  amountOfBreak,
  breakKeyOf,
  moneyMovedOfBreak,
  versionOfBreak,
} from '../../reconcile/rules/breaks.ts';
import type { FileKindName } from '../../watch/rules/drop-folder.ts';
import type { BreakRecord } from '../../reconcile/rules/types.ts';
import { type PersonEvent, type PersonEventDraft, readFacts } from './chain.ts';
import { approvalCode, whyNotApprove } from './approval.ts';
import {
  decideBatch,
  decidePayer,
  type PayerKey,
  payerKeyOf,
  sumUnsent,
  versionOfPayer,
  describePayer,
} from './batch-decisions.ts';
import { can, type Person } from './people.ts';
import { countedOf, describeCounted, type ProposalFigures } from './proposal-figures.ts';
import { type Decider, describeOpen, type TargetKind, whyNotCheck, whyNotWithdraw } from './proposal.ts';
import { type Decision, decisionTerms, nameOfDecision, outcomeOfDecision } from './terms.ts';

/**
 * `day`: a day with sent payouts and without a statement; `file`: a file refused as a whole; `doubt`: a batch whose
 * transfers have long been in doubt; `decisions`: an unconfirmed file of decisions; `callback`: a callback of an
 * unknown registration.
 */
export const queueKinds = [
  'break',
  'day',
  'file',
  'payer',
  'batch',
  'doubt',
  'registration',
  'callback',
  'proposal',
  'decisions',
] as const;
export type QueueKind = (typeof queueKinds)[number];

/** The verdicts on a proposal, or on a file of decisions. */
const queueVerdicts = ['approve', 'send-back', 'withdraw', 'confirm-file'] as const;
type QueueVerdict = (typeof queueVerdicts)[number];

/** One way out, and whether it is open now. */
export interface QueueOption {
  readonly decision: Decision | QueueVerdict;
  readonly label: PlainCode;
  readonly needsSecond: boolean;
  /** Undefined when the decision is possible. */
  readonly whyNot: Message | undefined;
}

export interface QueueItem {
  readonly kind: QueueKind;
  /** The key, unique within the kind. */
  readonly key: string;
  /** The name for people, where the key means nothing to them. */
  readonly name?: string;
  /** The version that a decision refers to; the item counts as another one when it differs. */
  readonly version: string;
  /** The heading. */
  readonly title: Message;
  readonly sinceMs: number;
  /** Null for an unknown amount. */
  readonly amountSatang: Satang | null;
  readonly moneyMoved: MoneyMoved;
  readonly reason: Message;
  readonly remedy: Message;
  readonly options: readonly QueueOption[];
}

/** The asker; undefined where persons are unknown, and roles do not apply. */
export type Asker = Pick<Person, 'personId' | 'name' | 'role' | 'isDisabled'> | undefined;

type WhyNot = (decision: Decision) => Message | undefined;

/** @param kind the kind of target, where its decisions have other names */
export function optionsOf(
  asker: Asker,
  decisions: readonly Decision[],
  whyNot: WhyNot,
  kind?: TargetKind,
): readonly QueueOption[] {
  const permission = asker === undefined ? undefined : can(asker, 'propose');
  const mayNot = permission?.allowed === false ? permission.why : undefined;
  return decisions.map((decision) => ({
    decision,
    label: nameOfDecision(decision, kind),
    needsSecond: decisionTerms[decision].needsSecond,
    whyNot: whyNot(decision) ?? mayNot,
  }));
}

/** @param proposalId the number of an undecided proposal about the item */
export function noteProposal(item: QueueItem, proposalId: number | undefined): QueueItem {
  if (proposalId === undefined) return item;
  const why = describeOpen(proposalId);
  return { ...item, options: item.options.map((one) => ({ ...one, whyNot: one.whyNot ?? why })) };
}

// ---------------------------------------------------------------- breaks, days, files

export const breakItem = (record: BreakRecord, asker?: Asker): QueueItem => ({
  kind: 'break',
  key: breakKeyOf(record),
  version: versionOfBreak(record),
  title: message('target.day-break', {
    day: showDate(record.date),
    break: message(`break.${record.kind}`),
    about: record.key,
  }),
  sinceMs: record.openedAtMs,
  amountSatang: amountOfBreak(record),
  moneyMoved: moneyMovedOfBreak(record),
  reason: record.reason,
  remedy: describeBreakRemedy(record),
  options: optionsOf(asker, ['accept-break'], () => undefined),
});

/**
 * The reason why a decision on a day is impossible; undefined when it is possible.
 * @param isWithout payouts were sent on the day, and its statement is missing
 */
export function decideDay(decision: Decision, isWithout: boolean): Message | undefined {
  if (decision !== 'acknowledge' && decision !== 'adopt-statement') return message('day.decisions');
  return isWithout ? undefined : message('day.has-statement');
}

/** @param date the day without a statement, YYYYMMDD */
export const dayItem = (date: string, asker?: Asker): QueueItem => ({
  kind: 'day',
  key: date,
  version: '',
  title: verbatim(showDate(date)),
  sinceMs: (parseBangkokDate(date) ?? 0) + dayMs,
  amountSatang: null,
  moneyMoved: 'unknown',
  reason: message('queue.day-without-statement'),
  remedy: message('queue.ask-for-statement', { day: showDate(date) }),
  options: optionsOf(asker, ['adopt-statement', 'acknowledge'], (decision) => decideDay(decision, true)),
});

/** The prefix of the id of an item that a run refused, not the drop folder. */
export const runItemMark = 'run-';

/** A file of the drop folder, or of a run, that was refused as a whole. */
export interface RefusedFile {
  readonly itemId: string;
  readonly kind: FileKindName;
  readonly fileName: string;
  readonly endedAtMs: number;
  readonly code: string;
  readonly message: Message;
}

/** The reason why a decision on a refused file is impossible; undefined when it is possible. */
export function decideFile(decision: Decision, isWaiting: boolean): Message | undefined {
  if (decision !== 'acknowledge') return message('file.decisions');
  return isWaiting ? undefined : message('file.waits-no-more');
}

/** The limit of a file name in characters: a heading is one line. */
const nameMax = 80;

/** Shortens the middle of a name: its end tells the kind of file. */
export function shortenName(fileName: string): string {
  const characters = Array.from(fileName);
  if (characters.length <= nameMax) return fileName;
  return [...characters.slice(0, nameMax - 10), '…', ...characters.slice(-9)].join('');
}

export const versionOfFile = ({ endedAtMs }: Pick<RefusedFile, 'endedAtMs'>): string => String(endedAtMs);

const refusedRemedies = {
  payout: { run: 'queue.run-payouts-again', dropped: 'queue.drop-payouts-again' },
  registration: { run: 'queue.run-registrations-again', dropped: 'queue.drop-registrations-again' },
} as const satisfies Readonly<Record<FileKindName, Readonly<Record<'run' | 'dropped', PlainCode>>>>;

export const fileItem = (file: RefusedFile, asker?: Asker): QueueItem => ({
  kind: 'file',
  key: file.itemId,
  version: versionOfFile(file),
  title: verbatim(shortenName(file.fileName)),
  sinceMs: file.endedAtMs,
  amountSatang: null,
  moneyMoved: 'no',
  reason: file.message,
  remedy: message(refusedRemedies[file.kind][file.itemId.startsWith(runItemMark) ? 'run' : 'dropped']),
  options: optionsOf(asker, ['acknowledge'], (decision) => decideFile(decision, true)),
});

// ---------------------------------------------------------------- payer accounts, batches, doubt

/** @param halt a halt in force */
export const payerItem = (
  halt: PayerKey & BatchReason & { readonly sinceMs: number },
  asker?: Asker,
): QueueItem => ({
  kind: 'payer',
  key: payerKeyOf(halt),
  version: versionOfPayer(halt, undefined),
  title: describePayer(halt.payerAccount),
  sinceMs: halt.sinceMs,
  amountSatang: null,
  moneyMoved: 'no',
  reason: halt.reason,
  remedy: halt.remedy,
  options: optionsOf(asker, ['resume-payer', 'halt-payer'], (decision) =>
    decidePayer(decision, halt, undefined),
  ),
});

/** Rows of a batch that wait together. */
export interface RowsOfBatch {
  readonly batchId: string;
  readonly rows: number;
  readonly amountSatang: Satang;
  /** The moment since which the longest-waiting row waits. */
  readonly sinceMs: number;
  /** The holds of all these rows. */
  readonly holds: readonly HoldReason[];
}

/** Adds more rows of the same batch. */
export const addRows = (rows: RowsOfBatch, others: RowsOfBatch | undefined): RowsOfBatch =>
  others === undefined
    ? rows
    : {
        batchId: rows.batchId,
        rows: rows.rows + others.rows,
        amountSatang: sumSatang([rows.amountSatang, others.amountSatang]),
        sinceMs: Math.min(rows.sinceMs, others.sinceMs),
        holds: [...new Set([...rows.holds, ...others.holds])],
      };

/** A batch and its waiting rows. */
export interface BatchInQueue {
  readonly batch: Batch;
  readonly totals: readonly StatusTotal[];
  readonly holds: readonly HoldTotal[];
  readonly waiting: RowsOfBatch;
}

export const isForApproval = ({ batch: { status, reasonCode }, holds }: BatchInQueue): boolean =>
  (status === 'paused' && reasonCode === approvalCode) ||
  holds.some(({ hold, rows }) => hold === 'approval' && rows > 0);

/** A paused batch continues by itself, unless it waits for approval. */
export const batchNeedsPerson = (one: BatchInQueue): boolean =>
  one.batch.status === 'halted' ||
  isForApproval(one) ||
  (one.batch.status !== 'paused' && one.waiting.rows > 0);

const batchDecisions = ['approve-batch', 'resume-batch', 'cancel-batch'] as const;

function batchOptions(one: BatchInQueue, asker: Asker): readonly QueueOption[] {
  const { batch, totals, holds, waiting } = one;
  const forApproval = isForApproval(one) ? waiting : undefined;
  return optionsOf(asker, batchDecisions, (decision) =>
    decision === 'approve-batch'
      ? whyNotApprove(batch.status, forApproval)
      : decideBatch(decision, batch, totals, holds),
  );
}

/** The amount that waits; in a halted batch, everything unsent, held or not. */
const amountOfBatch = ({ batch, totals, waiting }: BatchInQueue): Satang =>
  batch.status === 'halted' ? sumUnsent(totals) : waiting.amountSatang;

/** @param version the version of the batch that a decision refers to */
export function batchItem(one: BatchInQueue, version: string, asker?: Asker): QueueItem {
  const { batch, waiting } = one;
  const { batchId, fileName, reason, remedy, restedAtMs } = batch;
  const isForPerson = isForApproval(one);
  return {
    kind: 'batch',
    key: batchId,
    version,
    title: verbatim(`${batchId}, ${fileName}`),
    sinceMs: restedAtMs ?? waiting.sinceMs,
    amountSatang: amountOfBatch(one),
    moneyMoved: 'no',
    reason:
      reason ??
      (isForPerson
        ? message('queue.rows-await-approval')
        : message('queue.rows-held', { rows: waiting.rows })),
    remedy:
      remedy ?? message(isForPerson ? 'queue.approve-batch' : 'queue.look-at-holds', { batch: batchId }),
    options: batchOptions(one, asker),
  };
}

/** Transfers of a batch in doubt, which the program still asks about; the item ends by itself. */
export function doubtItem(one: BatchInQueue, version: string, asker?: Asker): QueueItem {
  const { batch, waiting } = one;
  return {
    kind: 'doubt',
    key: batch.batchId,
    version,
    title: verbatim(`${batch.batchId}, ${batch.fileName}`),
    sinceMs: waiting.sinceMs,
    amountSatang: waiting.amountSatang,
    moneyMoved: 'unknown',
    reason: message('queue.transfers-in-doubt', { transfers: counted(waiting.rows, 'transfer') }),
    remedy: message('queue.do-not-pay-again', { batch: batch.batchId }),
    options: batchOptions(one, asker),
  };
}

// ---------------------------------------------------------------- proposals, files of decisions

/** A proposal, as far as the queue shows it. */
type QueuedProposal = Parameters<typeof whyNotCheck>[0] & {
  readonly decision: Decision;
  readonly proposalId: number;
  readonly note: string;
  readonly items: number;
  readonly totalSatang: Satang;
  readonly madeAtMs: number;
  readonly digest: string;
  readonly kind?: TargetKind | undefined;
  readonly figures: ProposalFigures;
};

/** The outcome is unknown where a decision needs evidence or accepts a difference; otherwise no money has moved. */
export const moneyMovedOfDecisions = (decisions: readonly Decision[]): MoneyMoved =>
  decisions.some((one) => decisionTerms[one].needsEvidence || one === 'accept-break') ? 'unknown' : 'no';

export function proposalItem(
  proposal: QueuedProposal,
  involved: readonly number[],
  nowMs: number,
  asker?: Asker,
): QueueItem {
  const { proposalId, decision, maker, note, totalSatang, madeAtMs, digest, kind } = proposal;
  const effect = message(outcomeOfDecision(decision, kind));
  const whyNot: Readonly<Record<'approve' | 'send-back' | 'withdraw', Message | undefined>> = {
    approve: asker && (mayNot(asker, 'check') ?? whyNotCheck(proposal, asker, involved, nowMs)),
    'send-back': asker && (mayNot(asker, 'check') ?? whyNotCheck(proposal, asker, involved, nowMs)),
    withdraw: asker && (mayNot(asker, 'propose') ?? whyNotWithdraw(proposal, asker, nowMs)),
  };
  return {
    kind: 'proposal',
    key: String(proposalId),
    version: digest,
    title: message('proposal.title', {
      id: proposalId,
      decision: message(nameOfDecision(decision, kind)),
      counted: describeCounted(countedOf(proposal)),
    }),
    sinceMs: madeAtMs,
    amountSatang: totalSatang,
    moneyMoved: moneyMovedOfDecisions([decision]),
    reason: message('queue.proposed', { person: maker, note }),
    remedy: message('queue.check-proposal', { proposal: proposalId, effect }),
    options: (['approve', 'send-back', 'withdraw'] as const).map((verdict) =>
      verdictOption(verdict, whyNot[verdict]),
    ),
  };
}

const mayNot = (asker: NonNullable<Asker>, action: 'check' | 'propose'): Message | undefined => {
  const permission = can(asker, action);
  return permission.allowed ? undefined : permission.why;
};

const verdictOption = (verdict: QueueVerdict, whyNot: Message | undefined): QueueOption => ({
  decision: verdict,
  label: `decision.${verdict}`,
  needsSecond: false,
  whyNot,
});

/** A dropped file of decisions: not a proposal until a maker confirms it. */
export interface WaitingDecisions {
  /** The id, unique among all files ever dropped. */
  readonly itemId: string;
  readonly fileName: string;
  readonly droppedAtMs: number;
  /** SHA-256 (hex) of its bytes. */
  readonly sha256: string;
  /** The decisions in words, and their sum, by the rows as they were when the file was dropped. */
  readonly asks?: string;
  readonly totalSatang?: Satang;
  /** Whether money has moved for its rows, as far as is known. */
  readonly moneyMoved?: MoneyMoved;
}

export const decisionsItem = (
  { itemId, fileName, droppedAtMs, sha256, asks, totalSatang, moneyMoved }: WaitingDecisions,
  asker?: Asker,
): QueueItem => ({
  kind: 'decisions',
  key: itemId,
  version: sha256,
  title: verbatim(shortenName(fileName)),
  sinceMs: droppedAtMs,
  amountSatang: totalSatang ?? null,
  moneyMoved: moneyMoved ?? 'unknown',
  reason:
    asks === undefined
      ? message('queue.decisions-dropped')
      : message('queue.decisions-dropped-asking', { asks }),
  remedy: message('queue.confirm-decisions'),
  options: [verdictOption('confirm-file', asker && mayNot(asker, 'propose'))],
});

// ---------------------------------------------------------------- notes and owners

/** A note beside an item or a payout: append-only. */
export interface ReviewNote {
  readonly kind: QueueKind | TargetKind | 'group';
  readonly key: string;
  readonly version: string;
  /** `taken`, `given-back`: a change of owner; `noted`: the item has left the queue. */
  readonly what: 'taken' | 'given-back' | 'noted';
  readonly personId: number | null;
  readonly person: string;
  readonly note: string;
  readonly atMs: number;
}

/** Drafts the event of a note, in the history of its author. */
export const draftNoted = (note: ReviewNote): PersonEventDraft => ({
  subject: note.personId ?? 0,
  kind: 'noted',
  atMs: note.atMs,
  byPerson: note.personId,
  proof: null,
  facts: { kind: note.kind, what: note.what, version: note.version },
  cells: { key: note.key, person: note.person, note: note.note },
});

/** A note as it is kept. */
export interface KeptNote extends ReviewNote {
  readonly seq: number;
  /** The number of the event for the note. */
  readonly eventSeq: number;
}

/**
 * The reason why a note differs from its event; undefined when it does not.
 * @param event the event of that number, of any kind
 */
export function findChangedNote(note: KeptNote, event: PersonEvent | undefined): string | undefined {
  if (event?.kind !== 'noted') return 'nothing in the history of users says that it was written';
  const draft = draftNoted(note);
  const said = { ...readFacts(event), atMs: event.atMs, byPerson: event.byPerson };
  const shown = { ...draft.facts, atMs: draft.atMs, byPerson: draft.byPerson };
  const isSame =
    Object.entries(shown).every(([name, value]) => said[name as keyof typeof said] === value) &&
    (event.cells === null ||
      Object.entries(draft.cells).every(([name, value]) => event.cells?.[name]?.value === value));
  return isSame ? undefined : 'it is not what was written';
}

/** The owner of an item, and since when. */
export type Owner = Pick<ReviewNote, 'personId' | 'person' | 'atMs'>;

/** The owners by key. @param notes notes of one kind, in their order */
export function readOwners(notes: readonly ReviewNote[]): ReadonlyMap<string, Owner> {
  const owners = new Map<string, Owner>();
  for (const { key, what, personId, person, atMs } of notes) {
    if (what === 'taken') owners.set(key, { personId, person, atMs });
    else owners.delete(key);
  }
  return owners;
}

/** The reason why a person cannot take something, or give it back; undefined when they can. */
export function whyNotTake(
  what: 'taken' | 'given-back',
  owner: Owner | undefined,
  { personId }: Pick<Decider, 'personId'>,
): Message | undefined {
  const isOwn = owner !== undefined && owner.personId === personId;
  if (what === 'taken') return isOwn ? message('owner.you') : undefined;
  if (owner === undefined) return message('owner.none');
  return isOwn ? undefined : message('owner.another', { name: owner.person });
}

// ---------------------------------------------------------------- the whole

export interface OwnedItem extends QueueItem {
  /** Undefined for an item without owner. */
  readonly owner: Owner | undefined;
}

/** The total of one kind, items not displayed included. */
export interface QueueTotal {
  readonly kind: QueueKind;
  readonly items: number;
  /** The sum of the items that are read. */
  readonly amountSatang: Satang;
  readonly oldestMs: number;
}

export interface Queue {
  /** The items, the longest waiting first. */
  readonly items: readonly OwnedItem[];
  /** The totals of kinds with waiting items. */
  readonly totals: readonly QueueTotal[];
}
