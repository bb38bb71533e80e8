/**
 * How a watcher is, seen from outside: alive, ready to work a file that is dropped now, and if not, why not.
 * Pure; the daemon keeps the facts, and what answers /healthz shows the verdict.
 */
import { formatBangkokMoment, formatBangkokStamp } from './bangkok-time.ts';
import type { InboxState } from './intake-port.ts';
import { outsideHours, type LineState } from './line.ts';
import { maskDigits } from './proxy-id.ts';

/** `standby`: another process works the inbox; `starting`: what an earlier process has left is being taken up. */
export const watchRoles = ['standby', 'starting', 'active', 'stopping'] as const;
export type WatchRole = (typeof watchRoles)[number];

/** Something outside does not work. */
export interface Trouble {
  readonly sinceMs: number;
  /** With the cure. */
  readonly why: string;
}

/** The line of one payer account, which is not named here. */
export interface PayerLine extends Pick<LineState, 'status' | 'why' | 'pausedUntilMs'> {
  /** It is the account of the settings: what is dropped now is paid from it. */
  readonly paysNewFiles: boolean;
}

/** What the daemon knows of itself. All times are epoch milliseconds. */
export interface WatchState {
  readonly role: WatchRole;
  readonly inbox: InboxState;
  readonly diskTrouble: Trouble | undefined;
  readonly bankTrouble: Trouble | undefined;
  readonly lines: readonly PayerLine[];
  /** Not finished yet, or waiting for a marker, a sidecar or a free place. */
  readonly filesWaiting: number;
  readonly filesInWork: number;
  readonly rowsInDoubt: number;
  readonly oldestInDoubtAtMs: number | undefined;
  readonly openBatches: number;
  /** Batches that an error of ours keeps from getting on. */
  readonly failingBatches: readonly { readonly batchId: string; readonly why: string }[];
  /** When the daemon's loop last turned. */
  readonly lastLookMs: number;
}

export interface HealthReason {
  readonly code: HealthCode;
  /** Free of proxy and account numbers. */
  readonly text: string;
  readonly remedy?: string;
}

type HealthCode =
  | 'loop-stalled'
  | Exclude<WatchRole, 'active'>
  | 'inbox-gone'
  | 'disk'
  | 'bank'
  | 'line-halted'
  | 'line-paused'
  // Of notes alone:
  | 'service-closed'
  | 'batch-failing';

export interface Health {
  /** False when only a restart helps. */
  readonly live: boolean;
  /** A file dropped now would be worked. True exactly when there is no reason against it. */
  readonly ready: boolean;
  readonly reasons: readonly HealthReason[];
  /** What a person may want to know, though a file would be worked. */
  readonly notes: readonly HealthReason[];
}

/** `closed`: by the service hours; `probing`: a pause is over and the next transfer shows whether the trouble is. */
export const lineWords = ['open', 'closed', 'probing', 'paused', 'halted'] as const;
export type LineWord = (typeof lineWords)[number];

/** The loop turns at least with every rescan of the inbox. */
const stalledAfterMs = 60_000;

/** What a line does now. */
export function readLine({ status, why, pausedUntilMs }: PayerLine, nowMs: number): LineWord {
  if (status !== 'paused') return status;
  const isOver = nowMs >= pausedUntilMs;
  if (why?.code === outsideHours) return isOver ? 'open' : 'closed';
  return isOver ? 'probing' : 'paused';
}

/**
 * @param sinceLookMs time since the loop last turned, by a clock that nobody sets; by the ordinary clock when left out
 */
export function judgeHealth(
  state: WatchState,
  nowMs: number,
  sinceLookMs: number = nowMs - state.lastLookMs,
): Health {
  // A daemon that is stopping has left its loop.
  const live = state.role === 'stopping' || sinceLookMs <= stalledAfterMs;
  const lines = state.lines.map((line) => judgeLine(line, state.filesInWork > 0, nowMs));
  const reasons = [
    ...(live ? [] : [stalled]),
    ...judgeRole(state.role),
    ...judgeInbox(state.inbox),
    ...judgeTrouble('disk', 'the disk refuses writes', state.diskTrouble),
    ...judgeTrouble('bank', 'the bank is out of reach', state.bankTrouble),
    ...lines.flatMap(({ reason }) => reason ?? []),
  ];
  const notes = [...lines.flatMap(({ note }) => note ?? []), ...state.failingBatches.map(describeFailing)];
  return { live, ready: reasons.length === 0, reasons, notes };
}

const stalled: HealthReason = {
  code: 'loop-stalled',
  text: `the watcher has done nothing for more than ${stalledAfterMs / 1_000} seconds`,
  remedy: 'Restart it: nothing is lost, and nothing is paid twice',
};

function judgeRole(role: WatchRole): readonly HealthReason[] {
  switch (role) {
    case 'active':
      return [];
    case 'standby':
      return [
        {
          code: role,
          text: 'another process works this journal',
          remedy: 'Nothing to do: this one takes over when the other ends',
        },
      ];
    case 'starting':
      return [{ code: role, text: 'what an earlier process has left open is being taken up' }];
    case 'stopping':
      return [{ code: role, text: 'the watcher is being stopped: no new file is taken' }];
  }
}

function judgeInbox(inbox: InboxState): readonly HealthReason[] {
  if (inbox.kind === 'there') return [];
  return [
    {
      code: 'inbox-gone',
      text: hideNumbers(inbox.why),
      remedy: 'Goes on by itself when the inbox is there again',
    },
  ];
}

function judgeTrouble(code: 'disk' | 'bank', what: string, trouble: Trouble | undefined): HealthReason[] {
  if (trouble === undefined) return [];
  const since = `${what} since ${formatBangkokMoment(trouble.sinceMs)} Bangkok time`;
  return [
    {
      code,
      text: `${since}: ${hideNumbers(trouble.why)}`,
      remedy: 'Nothing is sent meanwhile; goes on by itself when the trouble is over',
    },
  ];
}

interface LineVerdict {
  readonly reason?: HealthReason;
  readonly note?: HealthReason;
}

/** The line of an account that pays no new files concerns older batches alone. */
function judgeLine(line: PayerLine, isBusy: boolean, nowMs: number): LineVerdict {
  const word = readLine(line, nowMs);
  switch (word) {
    case 'open':
      return {};
    case 'closed':
      return { note: describeLine('service-closed', 'files are read and wait', line) };
    case 'halted': {
      const text = line.paysNewFiles
        ? 'sending is halted'
        : 'sending from an earlier payer account is halted';
      const halted = describeLine('line-halted', text, line);
      return line.paysNewFiles ? { reason: halted } : { note: halted };
    }
    case 'probing':
    case 'paused': {
      const until = `until ${formatBangkokMoment(line.pausedUntilMs)} Bangkok time`;
      const text = word === 'paused' ? `sending is paused ${until}` : 'sending was paused and is tried again';
      const paused = describeLine('line-paused', text, line);
      // Without a file nobody sends a probe, so a pause that is over stays for ever, and keeps nothing from being sent.
      const isAgainst = line.paysNewFiles && (word === 'paused' || isBusy);
      return isAgainst ? { reason: paused } : { note: paused };
    }
  }
}

function describeLine(code: HealthCode, text: string, { why }: PayerLine): HealthReason {
  if (why === null) return { code, text };
  return {
    code,
    text: `${text}: ${hideNumbers(why.reason)} (${why.code})`,
    remedy: hideNumbers(why.remedy),
  };
}

const describeFailing = ({ batchId, why }: WatchState['failingBatches'][number]): HealthReason => ({
  code: 'batch-failing',
  text: `batch ${batchId} does not get on: ${hideNumbers(why)}`,
});

/** Masks what may be the number of a person or an account: 10 to 15 digits, written together or with hyphens. */
function hideNumbers(text: string): string {
  return text.replaceAll(/(?<![\w-])\d(?:-?\d){9,14}(?![\w-])/g, maskDigits);
}

/** What /healthz shows: JSON-encodable, times in Bangkok. */
export function showHealth(
  state: WatchState,
  nowMs: number,
  sinceLookMs?: number,
): Health & Readonly<Record<string, unknown>> {
  const { role, inbox, lines, failingBatches, oldestInDoubtAtMs } = state;
  return {
    ...judgeHealth(state, nowMs, sinceLookMs),
    role,
    at: formatBangkokStamp(nowMs),
    lastLookAt: formatBangkokStamp(state.lastLookMs),
    inbox: inbox.kind,
    diskTroubleSince: showTime(state.diskTrouble?.sinceMs),
    bankTroubleSince: showTime(state.bankTrouble?.sinceMs),
    lines: lines.map((line) => showLine(line, nowMs)),
    filesWaiting: state.filesWaiting,
    filesInWork: state.filesInWork,
    openBatches: state.openBatches,
    failingBatches: failingBatches.map(({ batchId }) => batchId),
    rowsInDoubt: state.rowsInDoubt,
    oldestInDoubtAt: showTime(oldestInDoubtAtMs),
  };
}

function showLine(line: PayerLine, nowMs: number): Readonly<Record<string, unknown>> {
  const word = readLine(line, nowMs);
  return {
    state: word,
    code: line.why?.code ?? null,
    until: word === 'paused' || word === 'closed' ? formatBangkokStamp(line.pausedUntilMs) : null,
    paysNewFiles: line.paysNewFiles,
  };
}

const showTime = (atMs: number | undefined): string | null =>
  atMs === undefined ? null : formatBangkokStamp(atMs);
