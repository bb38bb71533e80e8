/**
 * Decisions that people may make about one registration, and the resulting changes. The same function says whether one is
 * possible, with the reason where it is not, and decides when it is called again on the row as it is then.
 */
import { type Message, message } from '../../core/message.ts';
import { maskDigits } from '../../core/proxy-id.ts';
import { describeRow, fileIssues, listIssues } from '../../payout/rules/operator.ts';
import { type Possible, weigh } from '../../review/rules/offers.ts';
import { type RegistrationDecision, registrationDecisions } from '../../review/rules/terms.ts';
import {
  afterRegistrationChange,
  moveRegistration,
  type RegistrationChange,
  registrationReason,
} from './change.ts';
import type { RegistrationCells, RegistrationFileRow } from './registration-file.ts';
import { parseRegistrationRow, type RegistrationDefaults } from './registration-row.ts';
import {
  awaitedStatuses,
  type Registration,
  type RegistrationHold,
  type RegistrationInstruction,
  type RegistrationStatus,
  sourceStatusesOf,
} from './registration.ts';

/** All facts on which a decision about a registration rests. */
export interface ReviewedRegistration {
  readonly registration: Registration;
  readonly row: Pick<RegistrationFileRow, 'rowNo' | 'line' | 'cells' | 'issues'>;
  /** Row with the claim on its registrationId; undefined when it is free. */
  readonly holder: Registration | undefined;
  /** Rows with a registrationId like its own. */
  readonly similar: readonly Registration[];
  /** Others with the identity of `instructionToSend` that wait to be sent, or await the bank's callback. */
  readonly openOthers: readonly Registration[];
  /** True when the bank has reported that identity without a known registration. */
  readonly isCalledBack: boolean;
  /** Defaults of the settings as they are now. */
  readonly defaults: RegistrationDefaults;
  /** The corrected account of a retry, once known. */
  readonly newAccountNo?: string | undefined;
  readonly nowMs: number;
}

type Facts = ReviewedRegistration;
type Decided = readonly RegistrationChange[] | Message;

/** Holds lifted by a person who names the registration; a hold on all rows is put on again where it still applies. */
const liftedHolds: readonly RegistrationHold[] = ['similar', 'called-back', 'paused', 'halted'];

/** Holds that do not stop the row again once a person has looked at it. */
const lookedAtHolds: readonly RegistrationHold[] = ['similar', 'called-back'];

function decideGoOn({ registration, nowMs }: Facts): Decided {
  const { status, holds, acceptedHolds } = registration;
  if (status !== 'held') return message('register.not-held', { status: inWords(status) });
  const left = holds.filter((hold) => !liftedHolds.includes(hold));
  const accepted = holds.filter((hold) => lookedAtHolds.includes(hold));
  const patch = {
    status: left.length === 0 ? 'ready' : 'held',
    holds: left,
    acceptedHolds: [...new Set([...acceptedHolds, ...accepted])],
    ...(left.length === 0 ? nothingToSay : {}),
  } as const;
  return [moveRegistration({ registration, patch, cause: 'hold-lifted', nowMs, detail: { lifted: holds } })];
}

const nothingToSay = { reasonCode: null, reason: null } as const;

function decideCancel({ registration, nowMs }: Facts): Decided {
  if (!sourceStatusesOf('cancelled', 'cancelled').includes(registration.status))
    return message('register.too-late-to-cancel', { status: inWords(registration.status) });
  const patch = {
    status: 'cancelled',
    holds: [],
    ...registrationReason({ code: 'cancelled', text: message('reason.cancelled') }),
    settledAtMs: nowMs,
    settledBy: 'decision',
  } as const;
  return [moveRegistration({ registration, patch, cause: 'cancelled', nowMs })];
}

function decideRelease({ registration, holder, nowMs }: Facts): Decided {
  const { seq, status } = registration;
  if (holder === undefined) return message('register.id-is-free', { status: inWords(status) });
  if (!sourceStatusesOf(status, 'released').includes(status))
    return message('register.not-cancelled', { status: inWords(status) });
  if (holder.seq !== seq) return message('register.id-taken', { where: describeRow(holder) });
  const change = moveRegistration({ registration, patch: {}, cause: 'released', nowMs });
  return [{ ...change, isReleased: true }];
}

/** The status within a sentence. */
const inWords = (status: RegistrationStatus): Message => message(`registration-is.${status}`);

// ---------------------------------------------------------------- once more

/** Why no request may be made for a registration, whichever decision; undefined when one may. */
function whyNotAgain({ registration, row, holder }: Facts): Message | undefined {
  const { seq, status, isAlarm } = registration;
  if (isAlarm) return message('correct.alarm');
  if (awaitedStatuses.some((awaited) => awaited === status))
    return message('register.awaited', { status: inWords(status) });
  if (!sourceStatusesOf('ready', 'tried-again').includes(status))
    return message('register.not-ended', { status: inWords(status) });
  if (row.issues.some(({ code }) => fileIssues.includes(code))) return message('correct.wrong-file');
  if (holder !== undefined && holder.seq !== seq)
    return message('register.id-taken', { where: describeRow(holder) });
  return undefined;
}

/** The cells of a row as if the file had given this account. */
const correctCells = (
  { registration: { instruction }, row: { cells } }: Pick<Facts, 'registration' | 'row'>,
  accountNo: string | undefined,
): RegistrationCells => {
  const present =
    instruction === null
      ? {}
      : {
          registrationId: instruction.registrationId,
          customerId: instruction.customerId,
          vendorId: instruction.vendorId,
          companyId: instruction.companyId,
          accountNo: instruction.accountNo,
        };
  return { ...cells, ...present, ...(accountNo === undefined ? {} : { accountNo }) };
};

/** The row's instruction if it were tried again, and its issues. */
const readAgain = (facts: Pick<Facts, 'registration' | 'row' | 'defaults' | 'newAccountNo'>) => {
  const { registration, row, defaults, newAccountNo } = facts;
  // An instruction that was valid once is sent unchanged, whatever the settings say by now.
  return newAccountNo === undefined && registration.instruction !== null && registration.status !== 'rejected'
    ? { instruction: registration.instruction, issues: [] }
    : parseRegistrationRow(correctCells(facts, newAccountNo), row.line, defaults);
};

/** The instruction that a retry of the row would send; null when its cells are not valid. */
export const instructionToSend = (
  facts: Pick<Facts, 'registration' | 'row' | 'defaults' | 'newAccountNo'>,
): RegistrationInstruction | null => readAgain(facts).instruction;

/** Refuses a second registration of one identity: a callback could not tell them apart. */
function whyNotBeside({ openOthers: [other] }: Facts): Message | undefined {
  if (other === undefined) return undefined;
  const where = describeRow(other);
  return awaitedStatuses.some((awaited) => awaited === other.status)
    ? message('register.same-awaited', { where })
    : message('register.same-waits', { where });
}

function decideAgain(facts: Facts): Decided {
  const why = whyNotAgain(facts);
  if (why !== undefined) return why;
  const { instruction, issues } = readAgain(facts);
  if (instruction === null) return message('register.still-wrong', { whys: listIssues(issues) });
  return whyNotBeside(facts) ?? tryAgain(facts, instruction);
}

const asText = (instruction: RegistrationInstruction | null): string => JSON.stringify(instruction);

/** Makes the row ready, and holds it at once for what a person must look at: the changes apply together, in order. */
function tryAgain(facts: Facts, instruction: RegistrationInstruction): Decided {
  const { registration, nowMs } = facts;
  const before = registration.instruction;
  const isCorrected = asText(before) !== asText(instruction);
  const patch = {
    instruction,
    status: 'ready',
    holds: [],
    ...nothingToSay,
    settledAtMs: null,
    settledBy: null,
    awaitedUntilMs: null,
    respCode: null,
    respDesc: null,
    applyDtm: null,
    // Accepted holds were about another account.
    ...(isCorrected ? { acceptedHolds: [] } : {}),
  } as const;
  const detail = {
    was: registration.status,
    code: registration.reasonCode,
    ...(before !== null && before.accountNo !== instruction.accountNo
      ? { accountNo: [maskDigits(before.accountNo), maskDigits(instruction.accountNo)] }
      : {}),
  };
  const change = moveRegistration({ registration, patch, cause: 'tried-again', nowMs, detail });
  const first: RegistrationChange = isCorrected ? { ...change, isCorrected: true } : change;
  return [first, ...holdAgain(facts, afterRegistrationChange(first))];
}

/** Holds the row as the seal does. */
function holdAgain(
  { similar: [other], isCalledBack, nowMs }: Facts,
  ready: Registration,
): RegistrationChange[] {
  const reasons: (readonly [RegistrationHold, Message])[] = [];
  if (other?.instruction)
    reasons.push([
      'similar',
      message('registration.similar-id', {
        registrationId: other.instruction.registrationId,
        place: message('row.of-batch', { row: other.rowNo, batch: other.batchId }),
      }),
    ]);
  if (isCalledBack) reasons.push(['called-back', message('registration.called-before')]);
  let latest = ready;
  return reasons
    .filter(([hold]) => !ready.acceptedHolds.includes(hold))
    .map(([hold, text]) => {
      const patch = {
        status: 'held',
        holds: [...latest.holds, hold],
        ...registrationReason({ code: hold, text }),
      } as const;
      const detail = { hold, code: hold };
      const change = moveRegistration({ registration: latest, patch, cause: 'hold-added', nowMs, detail });
      latest = afterRegistrationChange(change);
      return change;
    });
}

/** Refusal while a late callback for one account could be taken for the outcome of another. */
const mayBeWithBank: Message = message('register.may-be-with-bank');

/** Decides on a correction; without its value, which is unknown at first, only says whether one is possible. */
function decideCorrected(facts: Facts): Decided {
  const { registration, newAccountNo } = facts;
  const why = whyNotAgain(facts) ?? (registration.status === 'unanswered' ? mayBeWithBank : undefined);
  if (why !== undefined || newAccountNo === undefined) return why ?? [];
  const present = registration.instruction?.accountNo;
  return present !== undefined && instructionToSend(facts)?.accountNo === present
    ? message('correct.changes-nothing')
    : decideAgain(facts);
}

// ---------------------------------------------------------------- how it ended

const confirmed = {
  'confirm-registered': 'registered',
  'confirm-refused': 'refused',
  'confirm-failed': 'failed',
} as const satisfies Partial<Record<RegistrationDecision, RegistrationStatus>>;

function decideConfirm(decision: keyof typeof confirmed, { registration, nowMs }: Facts): Decided {
  const { status } = registration;
  const to = confirmed[decision];
  if (status === 'submitted') return message('register.being-sent');
  if (status === 'acknowledged') return message('register.bank-works');
  const from = sourceStatusesOf(to, 'decided');
  if (!from.includes(status))
    return status === 'contradicted'
      ? message('register.outcome-told')
      : message('register.not-open', { status: inWords(status) });
  const patch = {
    status: to,
    isAlarm: false,
    ...registrationReason({
      code: `confirmed-${to}`,
      text: message(`reason.confirmed-${to}`),
    }),
    settledAtMs: nowMs,
    settledBy: 'decision',
    awaitedUntilMs: null,
  } as const;
  return [moveRegistration({ registration, patch, cause: 'decided', nowMs, detail: { was: status } })];
}

/** Statuses without a registration, or without an end, that a person can only acknowledge. */
const notedRegistrationStatuses: readonly RegistrationStatus[] = [
  'rejected',
  'failed',
  'refused',
  'unanswered',
  'contradicted',
];

function decideAcknowledge({ registration, nowMs }: Facts): Decided {
  const { status, isAlarm, isAcknowledged } = registration;
  if (!isAlarm && !notedRegistrationStatuses.includes(status))
    return message('register.nothing-to-note', { status: inWords(status) });
  if (!isAlarm && isAcknowledged) return message('acknowledge.before');
  const patch = { isAlarm: false, isAcknowledged: true };
  return [moveRegistration({ registration, patch, cause: 'acknowledged-by-person', nowMs })];
}

const decideFor: Readonly<Record<RegistrationDecision, (facts: Facts) => Decided>> = {
  'go-on': decideGoOn,
  cancel: decideCancel,
  release: decideRelease,
  retry: decideAgain,
  'retry-corrected': decideCorrected,
  'confirm-registered': (facts) => decideConfirm('confirm-registered', facts),
  'confirm-refused': (facts) => decideConfirm('confirm-refused', facts),
  'confirm-failed': (facts) => decideConfirm('confirm-failed', facts),
  acknowledge: decideAcknowledge,
};

/** The changes by a decision on the row as it is, or the reason for none. */
export const decideRegistration = (decision: RegistrationDecision, facts: ReviewedRegistration): Decided =>
  decideFor[decision](facts);

/** Every decision about a registration, with the reason where it is not possible now. */
export const optionsForRegistration = (
  facts: ReviewedRegistration,
): readonly Possible<RegistrationDecision>[] =>
  weigh(registrationDecisions, (decision) => decideRegistration(decision, facts));
