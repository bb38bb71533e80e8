/**
 * Stopping the line (design: "Stop the line"). One state for all that is sent from one payer account:
 * open, paused while the service is sick, or halted until a person resumes. Pure; the worker asks it before each send.
 */
import type { Reason } from './classify.ts';
import { findBankStatus } from './bank-status.ts';
import type { LineSignal } from './decide-transfer.ts';
import type { BatchReason } from './ports.ts';

export interface BrakePolicy {
  readonly consecutiveFailures: number;
  /** Share of the window, 0–1. */
  readonly failureShare: number;
  /** Ends looked back on. */
  readonly window: number;
  readonly inDoubtMax: number;
}

export interface LineState {
  readonly status: 'open' | 'paused' | 'halted';
  readonly why: BatchReason | null;
  /** Meaningful while paused. */
  readonly pausedUntilMs: number;
  /** A transfer met the trouble: that questions are answered again does not end it. */
  readonly isTransferTrouble: boolean;
  /** Troubles met one after another; the pause doubles with each. */
  readonly troubles: number;
  /** Transfers one after another that got no answer at all. */
  readonly unanswered: number;
  readonly consecutiveFailures: number;
  /** The latest ends, oldest first: true for paid. */
  readonly ends: readonly boolean[];
}

export const openLine: LineState = {
  status: 'open',
  why: null,
  pausedUntilMs: 0,
  isTransferTrouble: false,
  troubles: 0,
  unanswered: 0,
  consecutiveFailures: 0,
  ends: [],
};

const pauseFirstMs = 1_000;
const pauseMaxMs = 60_000;

/** One lost reply happens; when so many transfers in a row get none, the bank is out of reach. */
const unansweredMax = 2;

/** Length of a pause: doubling from a second to a minute, or what the bank asks for when that is longer. */
export function computePauseMs(troubles: number, retryAfterMs: number | undefined): number {
  const backoffMs = Math.min(pauseFirstMs * 2 ** Math.min(troubles, 30), pauseMaxMs);
  return Math.max(backoffMs, retryAfterMs ?? 0);
}

function halt(state: LineState, why: BatchReason): LineState {
  return state.status === 'halted' ? state : { ...state, status: 'halted', why };
}

/** What a person should do about a stop, from the bank's code where it has one. */
function remedyOf(reason: Reason, fallback: string): string {
  return findBankStatus(reason.code)?.remedy ?? fallback;
}

function afterEnd(state: LineState, isPaid: boolean, brake: BrakePolicy): LineState {
  const ends = [...state.ends, isPaid].slice(-brake.window);
  const consecutiveFailures = isPaid ? 0 : state.consecutiveFailures + 1;
  const next: LineState = { ...state, ends, consecutiveFailures };
  if (isPaid) return next;
  if (consecutiveFailures >= brake.consecutiveFailures) {
    return halt(
      next,
      brakeReason('brake-consecutive', `${consecutiveFailures} payouts in a row ended otherwise than paid`),
    );
  }
  const failures = ends.filter((paid) => !paid).length;
  if (ends.length >= brake.window && failures >= brake.failureShare * brake.window) {
    return halt(
      next,
      brakeReason('brake-share', `${failures} of the last ${ends.length} payouts ended otherwise than paid`),
    );
  }
  return next;
}

const brakeReason = (code: string, reason: string): BatchReason => ({
  code,
  reason,
  remedy: 'Look at the reasons of these rows; when the cause is mended, resume the batch',
});

type Trouble = Extract<LineSignal, { kind: 'service-trouble' }>;

function pause(state: LineState, trouble: Trouble, nowMs: number): LineState {
  if (state.status === 'halted') return state;
  const isTransferTrouble = trouble.isTransfer || (state.status === 'paused' && state.isTransferTrouble);
  // Callers that were under way when the trouble began report the same trouble: one pause, not one each.
  if (isPausing(state, nowMs)) {
    const wishedUntilMs = nowMs + (trouble.retryAfterMs ?? 0);
    return { ...state, isTransferTrouble, pausedUntilMs: Math.max(state.pausedUntilMs, wishedUntilMs) };
  }
  const { code, text } = trouble.reason;
  const remedy = remedyOf(
    trouble.reason,
    'Goes on by itself when the bank answers again; or run the same command later',
  );
  return {
    ...state,
    status: 'paused',
    why: { code, reason: text, remedy },
    pausedUntilMs: nowMs + computePauseMs(state.troubles, trouble.retryAfterMs),
    isTransferTrouble,
    troubles: state.troubles + 1,
  };
}

const isPausing = (state: LineState, nowMs: number): boolean =>
  state.status === 'paused' && nowMs < state.pausedUntilMs;

/** The trouble is over; what comes back during a pause was under way before it and proves nothing. */
function reopen(state: LineState, nowMs: number): LineState {
  if (isPausing(state, nowMs)) return state;
  const calm = { ...state, troubles: 0, unanswered: 0, isTransferTrouble: false };
  return state.status === 'paused' ? { ...calm, status: 'open', why: null } : calm;
}

/**
 * A bank that dies leaves all that was under way without an answer: that is one trouble of the service, not as many
 * payouts that ended badly, so the line waits for the bank instead of for a person.
 */
function afterNoAnswer(state: LineState, reason: Reason, nowMs: number): LineState {
  const next = { ...state, unanswered: state.unanswered + 1 };
  if (next.unanswered < unansweredMax && state.status !== 'paused') return next;
  return pause(next, { kind: 'service-trouble', reason, retryAfterMs: undefined, isTransfer: true }, nowMs);
}

/** The line after a payout's signal. */
export function decideLine(
  state: LineState,
  signal: LineSignal,
  brake: BrakePolicy,
  nowMs: number,
): LineState {
  switch (signal.kind) {
    case 'paid':
      return afterEnd(reopen(state, nowMs), true, brake);
    case 'ended-otherwise':
      return afterEnd(reopen(state, nowMs), false, brake);
    case 'payer-stop':
      return halt(state, {
        code: signal.reason.code,
        reason: signal.reason.text,
        remedy: remedyOf(
          signal.reason,
          'Clear it with the bank, correct the settings, then resume the batch',
        ),
      });
    case 'service-trouble':
      return pause(state, signal, nowMs);
    case 'unanswered':
      return afterNoAnswer(state, signal.reason, nowMs);
    case 'taken':
      return reopen(state, nowMs);
    case 'answered':
      return state.isTransferTrouble ? state : { ...reopen(state, nowMs), unanswered: state.unanswered };
    case 'nothing':
      return state;
  }
}

/** The line after an inquiry has ended a transfer that the bank had taken: it counts, and says nothing of the service. */
export function decideOnSettled(state: LineState, isPaid: boolean, brake: BrakePolicy): LineState {
  return afterEnd(state, isPaid, brake);
}

/** The line after a count of what is in doubt. */
export function decideOnInDoubt(state: LineState, inDoubt: number, brake: BrakePolicy): LineState {
  if (inDoubt < brake.inDoubtMax) return state;
  return halt(state, {
    code: 'brake-in-doubt',
    reason: `${inDoubt} transfers are in doubt at once`,
    remedy: 'Wait until inquiries have settled them (paydrop settle), ask the bank, then resume the batch',
  });
}
