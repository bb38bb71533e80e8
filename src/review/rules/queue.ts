/**
 * What waits for a person and is no payout: each with its age, its amount, whether money has moved, why, what to do, and
 * the decisions that are possible now, with the reason where one is not. Nothing here asks anybody.
 */
import { countOf } from '../../core/figures.ts';
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
import { breakWords } from '../../reconcile/rules/break-words.ts';
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
import { describeCounted, type ProposalFigures } from './proposal-figures.ts';
import { type Decider, type TargetKind, whyNotCheck, whyNotWithdraw } from './proposal.ts';
import { type Decision, decisionTerms, termsOf } from './terms.ts';

/**
 * `day`: one on which payouts were sent, without a statement; `file`: one that was refused as a whole; `doubt`: a batch
 * with transfers that have been in doubt for long; `decisions`: a file of decisions that nobody has confirmed;
 * `callback`: one of a registration that nobody knows.
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

/** What is done with a proposal, or with a file of decisions. */
export const queueVerdicts = ['approve', 'send-back', 'withdraw', 'confirm-file'] as const;
export type QueueVerdict = (typeof queueVerdicts)[number];

const verdictLabels: Readonly<Record<QueueVerdict, readonly [label: string, labelTh: string]>> = {
  approve: ['Approve', 'อนุมัติ'],
  'send-back': ['Send back', 'ส่งกลับแก้ไข'],
  withdraw: ['Withdraw', 'ถอนคำขอ'],
  'confirm-file': ['Propose its decisions', 'เสนออนุมัติตามไฟล์'],
};

/** One way out, and whether it is open now. */
export interface QueueOption {
  readonly decision: Decision | QueueVerdict;
  readonly label: string;
  readonly labelTh: string;
  readonly needsSecond: boolean;
  /** Undefined when it is possible. */
  readonly whyNot: string | undefined;
}

export interface QueueItem {
  readonly kind: QueueKind;
  /** Names it among those of its kind. */
  readonly key: string;
  /** As people name it, where its key tells them nothing. */
  readonly name?: string;
  /** It is another one, to whoever decides, when this differs. */
  readonly version: string;
  /** In words, as a heading. */
  readonly title: string;
  readonly sinceMs: number;
  /** Null where none can be told. */
  readonly amountSatang: Satang | null;
  readonly moneyMoved: MoneyMoved;
  readonly reason: string;
  readonly remedy: string;
  readonly options: readonly QueueOption[];
}

/** Who asks; undefined where nobody is known: then roles are left aside. */
export type Asker = Pick<Person, 'personId' | 'name' | 'role' | 'isDisabled'> | undefined;

type WhyNot = (decision: Decision) => string | undefined;

/** @param kind of what they are about, where they are called otherwise */
export function optionsOf(
  asker: Asker,
  decisions: readonly Decision[],
  whyNot: WhyNot,
  kind?: TargetKind,
): readonly QueueOption[] {
  const permission = asker === undefined ? undefined : can(asker, 'propose');
  const mayNot = permission?.allowed === false ? permission.why : undefined;
  return decisions.map((decision) => {
    const { label, labelTh, needsSecond } = termsOf(decision, kind);
    return { decision, label, labelTh, needsSecond, whyNot: whyNot(decision) ?? mayNot };
  });
}

/** @param proposalId of one that is about it, and not decided yet */
export function noteProposal(item: QueueItem, proposalId: number | undefined): QueueItem {
  if (proposalId === undefined) return item;
  const why = `proposal ${proposalId} is about it, and is not decided yet`;
  return { ...item, options: item.options.map((one) => ({ ...one, whyNot: one.whyNot ?? why })) };
}

// ---------------------------------------------------------------- breaks, days, files

export const breakItem = (record: BreakRecord, asker?: Asker): QueueItem => ({
  kind: 'break',
  key: breakKeyOf(record),
  version: versionOfBreak(record),
  title: `${showDate(record.date)}: ${breakWords[record.kind][0]} (${record.key})`,
  sinceMs: record.openedAtMs,
  amountSatang: amountOfBreak(record),
  moneyMoved: moneyMovedOfBreak(record),
  reason: record.reason,
  remedy: describeBreakRemedy(record),
  options: optionsOf(asker, ['accept-break'], () => undefined),
});

/** Why a day cannot be decided on so; undefined when it can. @param isWithout payouts were sent on it, and no statement came */
export function decideDay(decision: Decision, isWithout: boolean): string | undefined {
  if (decision !== 'acknowledge' && decision !== 'adopt-statement')
    return 'a day without a statement can be taken note of, or gets one, and nothing else';
  return isWithout ? undefined : 'its statement is there, or nothing was sent on it';
}

/** @param date YYYYMMDD, of which no statement has come */
export const dayItem = (date: string, asker?: Asker): QueueItem => ({
  kind: 'day',
  key: date,
  version: '',
  title: showDate(date),
  sinceMs: (parseBangkokDate(date) ?? 0) + dayMs,
  amountSatang: null,
  moneyMoved: 'unknown',
  reason: 'payouts were sent on this day, and the bank has given no statement of it that could be used',
  remedy:
    `Ask the bank for it; then "paydrop reconcile --date ${showDate(date)}", or ` +
    `"paydrop accept ${showDate(date)} --file FILE" with one that it has sent; acknowledge it if none will ever come`,
  options: optionsOf(asker, ['adopt-statement', 'acknowledge'], (decision) => decideDay(decision, true)),
});

/** With it begins the name of what a run has refused, not the drop folder. */
export const runItemMark = 'run-';

/** A file of the drop folder, or of a run, that was refused as a whole. */
export interface RefusedFile {
  readonly itemId: string;
  readonly kind: FileKindName;
  readonly fileName: string;
  readonly endedAtMs: number;
  readonly code: string;
  readonly message: string;
}

/** Why a refused file cannot be decided on so; undefined when it can. */
export function decideFile(decision: Decision, isWaiting: boolean): string | undefined {
  if (decision !== 'acknowledge')
    return 'a refused file can be taken note of, and nothing else: drop a better one';
  return isWaiting ? undefined : 'it no longer waits: it was accepted since, or it was acknowledged';
}

/** Of a file's name, in characters: a heading is one line. */
const nameMax = 80;

/** The end of a name tells its kind. */
function shortenName(fileName: string): string {
  const characters = Array.from(fileName);
  if (characters.length <= nameMax) return fileName;
  return [...characters.slice(0, nameMax - 10), '…', ...characters.slice(-9)].join('');
}

export const versionOfFile = ({ endedAtMs }: Pick<RefusedFile, 'endedAtMs'>): string => String(endedAtMs);

const refusedRemedies: Readonly<Record<FileKindName, { readonly run: string; readonly dropped: string }>> = {
  payout: {
    run: 'Nothing of it was paid: correct it and run it again, under the same name; acknowledge it once it is no longer needed',
    dropped:
      'Nothing of it was paid: correct it as its .reason.txt says and drop it again; acknowledge it once it is no longer needed',
  },
  registration: {
    run: 'Nothing of it was registered: correct it and register it again, under the same name; acknowledge it once it is no longer needed',
    dropped:
      'Nothing of it was registered: correct it as its .reason.txt says and drop it again; acknowledge it once it is no longer needed',
  },
};

export const fileItem = (file: RefusedFile, asker?: Asker): QueueItem => ({
  kind: 'file',
  key: file.itemId,
  version: versionOfFile(file),
  title: shortenName(file.fileName),
  sinceMs: file.endedAtMs,
  amountSatang: null,
  moneyMoved: 'no',
  reason: file.message,
  remedy: refusedRemedies[file.kind][file.itemId.startsWith(runItemMark) ? 'run' : 'dropped'],
  options: optionsOf(asker, ['acknowledge'], (decision) => decideFile(decision, true)),
});

// ---------------------------------------------------------------- payer accounts, batches, doubt

/** @param halt in force */
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
  /** Of the one that waits longest. */
  readonly sinceMs: number;
  /** By what any of them is held. */
  readonly holds: readonly HoldReason[];
}

/** More rows of the same batch. */
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

/** A batch, and what of it waits. */
export interface BatchInQueue {
  readonly batch: Batch;
  readonly totals: readonly StatusTotal[];
  readonly holds: readonly HoldTotal[];
  readonly waiting: RowsOfBatch;
}

const isForApproval = ({ batch: { status, reasonCode }, holds }: BatchInQueue): boolean =>
  (status === 'paused' && reasonCode === approvalCode) ||
  holds.some(({ hold, rows }) => hold === 'approval' && rows > 0);

/** A batch that is paused goes on by itself, unless it waits for approval. */
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

/** Of a halted batch all that has not been sent waits, held or not. */
const amountOfBatch = ({ batch, totals, waiting }: BatchInQueue): Satang =>
  batch.status === 'halted' ? sumUnsent(totals) : waiting.amountSatang;

/** @param version of the batch as it is decided on */
export function batchItem(one: BatchInQueue, version: string, asker?: Asker): QueueItem {
  const { batch, waiting } = one;
  const { batchId, fileName, reason, remedy, restedAtMs } = batch;
  const held = `${waiting.rows} of its rows are held together`;
  return {
    kind: 'batch',
    key: batchId,
    version,
    title: `${batchId}, ${fileName}`,
    sinceMs: restedAtMs ?? waiting.sinceMs,
    amountSatang: amountOfBatch(one),
    moneyMoved: 'no',
    reason: reason ?? (isForApproval(one) ? 'rows of it wait for approval' : held),
    remedy:
      remedy ??
      (isForApproval(one)
        ? `Look at it ("paydrop status ${batchId}"), then "paydrop approve --batch ${batchId}"`
        : `Look at what holds them ("paydrop status ${batchId}"); "paydrop resume ${batchId}" lets them go on, "paydrop cancel ${batchId}" ends them`),
    options: batchOptions(one, asker),
  };
}

/** Transfers of a batch that the program still asks about: it ends by itself, and says so until then. */
export function doubtItem(one: BatchInQueue, version: string, asker?: Asker): QueueItem {
  const { batch, waiting } = one;
  return {
    kind: 'doubt',
    key: batch.batchId,
    version,
    title: `${batch.batchId}, ${batch.fileName}`,
    sinceMs: waiting.sinceMs,
    amountSatang: waiting.amountSatang,
    moneyMoved: 'unknown',
    reason: `the bank has not yet said what became of ${countOf(waiting.rows, 'transfer')} of it`,
    remedy:
      `Do not pay them again by hand: "paydrop settle ${batch.batchId}" asks at once, and the statement of their day settles ` +
      'them; what stays open becomes unresolved, and is then decided on row by row',
    options: batchOptions(one, asker),
  };
}

// ---------------------------------------------------------------- proposals, files of decisions

/** A proposal, as far as the queue shows it. */
export type QueuedProposal = Parameters<typeof whyNotCheck>[0] & {
  readonly proposalId: number;
  readonly note: string;
  readonly items: number;
  readonly totalSatang: Satang;
  readonly madeAtMs: number;
  readonly digest: string;
  readonly kind?: TargetKind | undefined;
  readonly figures?: ProposalFigures | null;
};

const nobody: Decider = { personId: null, name: '' };

/** What is to be proved, or is a difference to the bank's word, may have moved; all else is of what did not. */
export const moneyMovedOfDecisions = (decisions: readonly Decision[]): MoneyMoved =>
  decisions.some((one) => decisionTerms[one].needsEvidence || one === 'accept-break') ? 'unknown' : 'no';

export function proposalItem(
  proposal: QueuedProposal,
  involved: readonly number[],
  nowMs: number,
  asker?: Asker,
): QueueItem {
  const { proposalId, decision, maker, note, totalSatang, madeAtMs, digest, kind } = proposal;
  const { label, effect } = termsOf(decision, kind);
  const whyNot: Readonly<Record<'approve' | 'send-back' | 'withdraw', string | undefined>> = {
    approve: asker && (mayNot(asker, 'check') ?? whyNotCheck(proposal, asker, involved, nowMs)),
    'send-back': asker && (mayNot(asker, 'check') ?? whyNotCheck(proposal, asker, involved, nowMs)),
    withdraw: asker && (mayNot(asker, 'propose') ?? whyNotWithdraw(proposal, asker ?? nobody, nowMs)),
  };
  return {
    kind: 'proposal',
    key: String(proposalId),
    version: digest,
    title: `${proposalId}: ${label}, ${describeCounted(proposal)}`,
    sinceMs: madeAtMs,
    amountSatang: totalSatang,
    moneyMoved: moneyMovedOfDecisions([decision]),
    reason: `${maker} has proposed it: ${note}`,
    remedy: `Another person looks at it ("paydrop proposals ${proposalId}"), then "paydrop approve ${proposalId}": ${effect}`,
    options: (['approve', 'send-back', 'withdraw'] as const).map((verdict) =>
      verdictOption(verdict, whyNot[verdict]),
    ),
  };
}

const mayNot = (asker: NonNullable<Asker>, action: 'check' | 'propose'): string | undefined => {
  const permission = can(asker, action);
  return permission.allowed ? undefined : permission.why;
};

function verdictOption(verdict: QueueVerdict, whyNot: string | undefined): QueueOption {
  const [label, labelTh] = verdictLabels[verdict];
  return { decision: verdict, label, labelTh, needsSecond: false, whyNot };
}

/** A file of decisions that lies where they are dropped: nobody's proposal until a maker confirms it. */
export interface WaitingDecisions {
  /** Names it among all that were ever dropped. */
  readonly itemId: string;
  readonly fileName: string;
  readonly droppedAtMs: number;
  /** SHA-256 (hex) of its bytes. */
  readonly sha256: string;
  /** What it asks for in words, and the sum of it, by the rows as they were when it was dropped. */
  readonly asks?: string;
  readonly totalSatang?: Satang;
  /** Of the rows that it decides on, as far as anybody knows. */
  readonly moneyMoved?: MoneyMoved;
}

export const decisionsItem = (
  { itemId, fileName, droppedAtMs, sha256, asks, totalSatang, moneyMoved }: WaitingDecisions,
  asker?: Asker,
): QueueItem => ({
  kind: 'decisions',
  key: itemId,
  version: sha256,
  title: shortenName(fileName),
  sinceMs: droppedAtMs,
  amountSatang: totalSatang ?? null,
  moneyMoved: moneyMoved ?? 'unknown',
  reason: `a file with decisions was dropped, and no maker has confirmed it${asks === undefined ? '' : `: ${asks}`}`,
  remedy:
    'A maker looks at it and confirms it ("paydrop decide --dropped NAME"), or throws it away (--discard)',
  options: [verdictOption('confirm-file', asker && mayNot(asker, 'propose'))],
});

// ---------------------------------------------------------------- notes and owners

/** What people have written beside an item, or a payout: append-only. */
export interface ReviewNote {
  readonly kind: QueueKind | TargetKind;
  readonly key: string;
  readonly version: string;
  /** `taken`, `given-back`: who looks after it; `noted`: it has left the queue. */
  readonly what: 'taken' | 'given-back' | 'noted';
  readonly personId: number | null;
  readonly person: string;
  readonly note: string;
  readonly atMs: number;
}

/** A note as an event of whoever wrote it. */
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
  /** Number of the event that says the same; null of an older program's. */
  readonly eventSeq: number | null;
}

/** Why a note is not what its event says; undefined when it is. @param event of that number, whatever it is */
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

/** Who looks after something, and since when. */
export type Owner = Pick<ReviewNote, 'personId' | 'person' | 'atMs'>;

/** By key. @param notes of one kind, in their order */
export function readOwners(notes: readonly ReviewNote[]): ReadonlyMap<string, Owner> {
  const owners = new Map<string, Owner>();
  for (const { key, what, personId, person, atMs } of notes) {
    if (what === 'taken') owners.set(key, { personId, person, atMs });
    else owners.delete(key);
  }
  return owners;
}

/** Why somebody cannot take something, or give it back; undefined when he can. */
export function whyNotTake(
  what: 'taken' | 'given-back',
  owner: Owner | undefined,
  { personId }: Pick<Decider, 'personId'>,
): string | undefined {
  const isOwn = owner !== undefined && owner.personId === personId;
  if (what === 'taken') return isOwn ? 'you look after it already' : undefined;
  if (owner === undefined) return 'no person looks after it';
  return isOwn ? undefined : `${owner.person} looks after it: take it yourself instead`;
}

// ---------------------------------------------------------------- the whole

export interface OwnedItem extends QueueItem {
  /** Undefined while nobody looks after it. */
  readonly owner: Owner | undefined;
}

/** All of one kind, also what is not shown. */
export interface QueueTotal {
  readonly kind: QueueKind;
  readonly items: number;
  /** Of those that are read. */
  readonly amountSatang: Satang;
  readonly oldestMs: number;
}

export interface Queue {
  /** Those that wait longest first. */
  readonly items: readonly OwnedItem[];
  /** Of the kinds of which anything waits. */
  readonly totals: readonly QueueTotal[];
}
