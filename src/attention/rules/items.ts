/**
 * One thing behind an entry of the list, other than a payout: with the code of its entry, its age, its amount, whether
 * money has moved, the reason, the remedy, and the decisions, with the reason where one is impossible.
 */
import { dayMs, parseBangkokDate } from '../../core/bangkok-time.ts';
import { counted, type Message, message, type PlainCode, verbatim } from '../../core/message.ts';
import type { Satang } from '../../core/money.ts';
import type { Batch, BatchReason, HoldTotal, StatusTotal } from '../../core/ports.ts';
import { maskDigits } from '../../core/proxy-id.ts';
import { showDate } from '../../payout/rules/lost-journal.ts';
import type { MoneyMoved } from '../../payout/rules/search.ts';
import { describeBreakRemedy } from '../../reconcile/rules/break-remedies.ts';
import {
  amountOfBreak,
  breakKeyOf,
  moneyMovedOfBreak,
  versionOfBreak,
} from '../../reconcile/rules/breaks.ts';
import type { BreakRecord, Severity } from '../../reconcile/rules/types.ts';
import type { RegistrationRow } from '../../registration/rules/registration-batch.ts';
import { describeRegistrationReason, remedyOfRegistration } from '../../registration/rules/report-rows.ts';
import { approvalCode, whyNotApprove } from '../../review/rules/approval.ts';
import {
  decideBatch,
  decidePayer,
  describePayer,
  type PayerKey,
  payerKeyOf,
  versionOfPayer,
} from '../../review/rules/batch-decisions.ts';
import type { Possible } from '../../review/rules/offers.ts';
import { can } from '../../review/rules/people.ts';
import { describeProposed, type ProposalFigures } from '../../review/rules/proposal-figures.ts';
import { describeOpen, type TargetKind, whyNotCheck, whyNotWithdraw } from '../../review/rules/proposal.ts';
import {
  type Asker,
  decideDay,
  decideFile,
  decideUnknownCallback,
  moneyMovedOfDecisions,
  type Owner,
  type QueueKind,
  type RefusedFile,
  type RowsOfBatch,
  runItemMark,
  shortenName,
  type UnknownCallback,
  versionOfCallback,
  versionOfFile,
  type WaitingDecisions,
} from '../../review/rules/queue.ts';
import {
  type Decision,
  decisionTerms,
  nameOfDecision,
  outcomeOfDecision,
  type RegistrationDecision,
} from '../../review/rules/terms.ts';
import type { AttentionCode } from './codes.ts';
import type { AttentionEntry } from './entry.ts';

/** The verdicts on a proposal, or on a file of decisions. */
type QueueVerdict = 'approve' | 'send-back' | 'withdraw' | 'confirm-file';

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
  /** The code of its entry. */
  readonly code: AttentionCode;
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

export interface OwnedItem extends QueueItem {
  /** Undefined for an item without owner. */
  readonly owner: Owner | undefined;
}

type WhyNot = (decision: Decision) => Message | undefined;

/** @param kind the kind of target, where its decisions have other names */
function optionsOf(
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

/** The code of breaks of which these are the most severe. */
export const codeOfBreaks = (worst: Severity | undefined): 'critical-breaks' | 'high-breaks' | 'breaks' =>
  worst === 'critical' ? 'critical-breaks' : worst === 'high' ? 'high-breaks' : 'breaks';

export const breakItem = (record: BreakRecord, asker?: Asker): QueueItem => ({
  kind: 'break',
  code: codeOfBreaks(record.severity),
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

/** @param date the day without a statement, YYYYMMDD */
export const dayItem = (date: string, asker?: Asker): QueueItem => ({
  kind: 'day',
  code: 'statement-late',
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

const refusedRemedies = {
  payout: { run: 'queue.run-payouts-again', dropped: 'queue.drop-payouts-again' },
  registration: { run: 'queue.run-registrations-again', dropped: 'queue.drop-registrations-again' },
} as const satisfies Readonly<Record<RefusedFile['kind'], Readonly<Record<'run' | 'dropped', PlainCode>>>>;

export const fileItem = (file: RefusedFile, asker?: Asker): QueueItem => ({
  kind: 'file',
  code: 'file-refused',
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
  code: 'payer-halted',
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

/** A batch and its waiting rows. */
export interface BatchInQueue {
  readonly batch: Batch;
  readonly totals: readonly StatusTotal[];
  readonly holds: readonly HoldTotal[];
  readonly waiting: RowsOfBatch;
}

const isForApproval = ({ batch: { status, reasonCode }, waiting }: BatchInQueue): boolean =>
  (status === 'paused' && reasonCode === approvalCode) || waiting.forApproval > 0;

function codeOfBatch(one: BatchInQueue): 'batch-halted' | 'batch-approval' | 'batch-held' {
  if (isForApproval(one)) return 'batch-approval';
  return one.batch.status === 'halted' ? 'batch-halted' : 'batch-held';
}

const batchDecisions = ['approve-batch', 'resume-batch', 'cancel-batch'] as const;

function batchOptions(one: BatchInQueue, asker: Asker): readonly QueueOption[] {
  const { batch, totals, holds, waiting } = one;
  const forApproval = isForApproval(one) ? { ...waiting, rows: waiting.forApproval } : undefined;
  return optionsOf(asker, batchDecisions, (decision) =>
    decision === 'approve-batch'
      ? whyNotApprove(batch.status, forApproval)
      : decideBatch(decision, batch, totals, holds),
  );
}

/** @param version the version of the batch that a decision refers to */
export function batchItem(one: BatchInQueue, version: string, asker?: Asker): QueueItem {
  const { batch, waiting } = one;
  const { batchId, fileName, reason, remedy, restedAtMs } = batch;
  const isForPerson = isForApproval(one);
  return {
    kind: 'batch',
    code: codeOfBatch(one),
    key: batchId,
    version,
    title: verbatim(`${batchId}, ${fileName}`),
    sinceMs: restedAtMs ?? waiting.sinceMs,
    amountSatang: waiting.amountSatang,
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

/** Payouts long in doubt for one cause, which the program still asks about; the item ends by itself. */
export const doubtItem = ({
  key,
  subject,
  sinceMs,
  count,
  amountSatang,
  remedy,
}: AttentionEntry): QueueItem => ({
  kind: 'doubt',
  code: 'in-doubt',
  key,
  version: '',
  title: subject,
  sinceMs: sinceMs ?? 0,
  amountSatang,
  moneyMoved: 'unknown',
  reason: message('queue.transfers-in-doubt', { transfers: counted(count, 'transfer') }),
  remedy,
  options: [],
});

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
    code: 'proposal',
    key: String(proposalId),
    version: digest,
    title: message('proposal.title', {
      id: proposalId,
      decision: message(nameOfDecision(decision, kind)),
      counted: describeProposed(proposal),
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

export const decisionsItem = (
  { itemId, fileName, droppedAtMs, sha256, asks, totalSatang, moneyMoved }: WaitingDecisions,
  asker?: Asker,
): QueueItem => ({
  kind: 'decisions',
  code: 'decisions-dropped',
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

// ---------------------------------------------------------------- registrations

/** A registration in the queue. */
interface QueuedRegistration {
  readonly code: AttentionCode;
  readonly row: RegistrationRow;
  readonly batchId: string;
  readonly sinceMs: number;
  readonly options: readonly Possible<RegistrationDecision>[];
}

/** A registration moves no money. */
const noMoney = { amountSatang: null, moneyMoved: 'no' } as const;

/** Lists the possible decisions only: the page of the registration explains the rest. */
export function registrationItem(queued: QueuedRegistration, asker?: Asker): QueueItem {
  const { code, row, batchId, sinceMs, options } = queued;
  const possible = options.filter(({ whyNot }) => whyNot === undefined).map(({ decision }) => decision);
  const registrationId = row.cells.registrationId.trim();
  const [, reason] = describeRegistrationReason(row);
  return {
    kind: 'registration',
    code,
    key: String(row.seq),
    version: String(row.version),
    name: `registration:${registrationId}`,
    title: message('target.row', { id: registrationId, row: row.rowNo, batch: batchId }),
    sinceMs,
    ...noMoney,
    reason: reason ?? message('queue.it-is', { status: message(`registration-is.${row.status}`) }),
    remedy: remedyOfRegistration(row),
    options: optionsOf(asker, possible, () => undefined, 'registration'),
  };
}

/** Shows a waiting callback, with the last digits of its account. @param one a callback that waits */
export function callbackItem(one: UnknownCallback, asker?: Asker): QueueItem {
  const { id, callback, receivedAtMs } = one;
  const { vendorId, companyId, accountNo } = callback.identity;
  return {
    kind: 'callback',
    code: 'unknown-callback',
    key: String(id),
    version: versionOfCallback(one),
    title: message('target.account-outcome', {
      company: `${vendorId}, ${companyId}`,
      account: maskDigits(accountNo),
      outcome: message(`registration-is.${callback.outcome}`),
    }),
    sinceMs: receivedAtMs,
    ...noMoney,
    reason: message('queue.unknown-callback'),
    remedy: message('queue.explain-callback'),
    options: optionsOf(asker, ['acknowledge'], (decision) => decideUnknownCallback(decision, true)),
  };
}
