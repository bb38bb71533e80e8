/**
 * How a watcher is, seen from outside: alive, ready to work a file that is dropped now, and if not, why not.
 * Pure; the daemon keeps the facts, and what answers /healthz shows the verdict.
 */
import { formatBangkokMoment, formatBangkokDateTime } from '../../core/bangkok-time.ts';
import { showText } from '../../core/outgoing-text.ts';
import { type BreakerState, outsideHours } from '../../payout/rules/circuit-breaker.ts';
import type { InboxView } from './drop-folder.ts';
import { describeGrowth, remedyOfGrowth, type TakenFile } from './file-growth.ts';

/**
 * `standby`: another process has the right to send; `starting`: nobody else has it, and what an earlier process has left
 * is taken up first.
 */
export const watchRoles = ['standby', 'starting', 'active', 'stopping'] as const;
export type WatchRole = (typeof watchRoles)[number];

/** Something outside does not work. */
export interface Trouble {
  readonly sinceMs: number;
  /** With the cure. */
  readonly why: string;
}

/** The line of one payer account, which is not named here. */
export interface PayerLine extends Pick<BreakerState, 'status' | 'why' | 'pausedUntilMs'> {
  /** It is the account of the settings: what is dropped now is paid from it. */
  readonly paysNewFiles: boolean;
}

/** What the daemon knows of itself; undefined is what it has not looked at yet. All times are epoch milliseconds. */
export interface WatchState {
  readonly role: WatchRole;
  readonly inbox: InboxView | undefined;
  /** How long the look at the inbox has taken that is under way, or the way from there into work/. */
  readonly inboxPollMs?: number | undefined;
  readonly diskTrouble: Trouble | undefined;
  /** Another process keeps the journal locked. */
  readonly journalTrouble?: Trouble | undefined;
  readonly bankTrouble: Trouble | undefined;
  readonly lines: readonly PayerLine[] | undefined;
  readonly filesInWork: number | undefined;
  readonly rowsInDoubt: number | undefined;
  /** Undefined as well when nothing is in doubt. */
  readonly oldestInDoubtAtMs: number | undefined;
  readonly openBatches: number | undefined;
  /** Batches that an error of ours keeps from getting on. */
  readonly failingBatches: readonly { readonly batchId: string; readonly why: string }[] | undefined;
  /** When the daemon's loop last turned. */
  readonly lastPollMs: number;
  /** The journal was read through, and a part of it is not what was written. */
  readonly journalDamage?: Trouble | undefined;
  /** Files that were written to after their rows had been read, and that nobody has dealt with. */
  readonly grownFiles?: readonly TakenFile[] | undefined;
}

export interface HealthReason {
  readonly code: HealthCode;
  /** Free of proxy and account numbers. */
  readonly text: string;
  readonly remedy?: string;
}

export const healthCodes = [
  'loop-stalled',
  'standby',
  'starting',
  'stopping',
  'inbox-gone',
  'inbox-unresponsive',
  'disk',
  'journal-locked',
  'bank',
  'payer-halted',
  'payer-paused',
  'journal-damaged',
  // Of notes alone:
  'service-closed',
  'batch-failing',
  'file-stuck',
  'inbox-left',
  'file-grown',
] as const;
type HealthCode = (typeof healthCodes)[number];

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
/** Big files are copied from a share within one look. */
const silentAfterMs = 60_000;
/** Names that are shown; the log has them all. */
const namesMax = 5;

/** What a line does now. */
export function readLine({ status, why, pausedUntilMs }: PayerLine, nowMs: number): LineWord {
  if (status !== 'paused') return status;
  const isOver = nowMs >= pausedUntilMs;
  if (why?.code === outsideHours) return isOver ? 'open' : 'closed';
  return isOver ? 'probing' : 'paused';
}

/**
 * @param sincePollMs time since the loop last turned, by a clock that nobody sets; by the ordinary clock when left out
 */
export function judgeHealth(
  state: WatchState,
  nowMs: number,
  sincePollMs: number = nowMs - state.lastPollMs,
): Health {
  // A daemon that is stopping has left its loop.
  const live = state.role === 'stopping' || sincePollMs <= stalledAfterMs;
  const lines = (state.lines ?? []).flatMap((line) => judgeLine(line, state, nowMs) ?? []);
  const reasons = [
    ...(live ? [] : [stalled]),
    ...roleReasons[state.role],
    ...judgeInbox(state),
    ...judgeTrouble('disk', 'the disk refuses writes', state.diskTrouble),
    ...judgeTrouble('journal-locked', 'the journal is locked', state.journalTrouble),
    ...judgeTrouble('journal-damaged', 'nothing is sent any more', state.journalDamage),
    ...judgeTrouble('bank', 'the bank is out of reach', state.bankTrouble),
    ...lines.filter(({ isAgainst }) => isAgainst).map(({ what }) => what),
  ];
  const notes: HealthReason[] = [
    ...lines.filter(({ isAgainst }) => !isAgainst).map(({ what }) => what),
    ...(state.failingBatches ?? []).map(({ batchId, why }) => ({
      code: 'batch-failing' as const,
      text: `batch ${batchId} does not get on: ${showText(why)}`,
    })),
    ...(state.inbox?.stuck ?? []).slice(0, namesMax).map(({ fileName, why }) => ({
      code: 'file-stuck' as const,
      text: showText(`${fileName} cannot be brought into work/: ${why}`),
      remedy: 'It is tried again by itself; nothing of it is paid before',
    })),
    ...describeLeft(state.inbox?.left ?? []),
    ...(state.grownFiles ?? []).slice(0, namesMax).flatMap((file) => describeGrown(file)),
  ];
  return { live, ready: reasons.length === 0, reasons, notes };
}

const stalled: HealthReason = {
  code: 'loop-stalled',
  text: `the watcher has done nothing for more than ${stalledAfterMs / 1_000} seconds`,
  remedy: 'Restart it: nothing is lost, and nothing is paid twice',
};

const roleReasons: Readonly<Record<WatchRole, readonly HealthReason[]>> = {
  active: [],
  standby: [
    {
      code: 'standby',
      text: 'another process has the right to send from this data directory',
      remedy: 'Nothing to do: this one takes over when the other ends',
    },
  ],
  starting: [
    { code: 'starting', text: 'the watcher is starting: what was left open before is taken up first' },
  ],
  stopping: [{ code: 'stopping', text: 'the watcher is being stopped: no new file is taken' }],
};

/** The share that the inbox is on hangs: it throws no error, it just never answers. */
export const isInboxSilent = ({ inboxPollMs = 0 }: Pick<WatchState, 'inboxPollMs'>): boolean =>
  inboxPollMs > silentAfterMs;

function judgeInbox(state: WatchState): readonly HealthReason[] {
  const { inbox, inboxPollMs = 0 } = state;
  if (isInboxSilent(state)) {
    return [
      {
        code: 'inbox-unresponsive',
        text: `the inbox, or the way from it into work/, has not answered for ${Math.floor(inboxPollMs / 1_000)} seconds`,
        remedy: 'Look at the disk or the share that it is on; goes on by itself when that answers',
      },
    ];
  }
  if (inbox === undefined || inbox.state.kind === 'there') return [];
  return [
    {
      code: 'inbox-gone',
      text: showText(inbox.state.why),
      remedy:
        'Do what the text says, where it says something to do; goes on by itself when the inbox is there again',
    },
  ];
}

function judgeTrouble(
  code: 'disk' | 'journal-locked' | 'journal-damaged' | 'bank',
  what: string,
  trouble: Trouble | undefined,
): HealthReason[] {
  if (trouble === undefined) return [];
  const since = `${what} since ${formatBangkokMoment(trouble.sinceMs)} Bangkok time`;
  return [
    {
      code,
      text: `${since}: ${showText(trouble.why)}`,
      remedy: 'Nothing is sent meanwhile; goes on by itself when the trouble is over',
    },
  ];
}

/** The line of an account that pays no new files concerns older batches alone. */
function judgeLine(
  line: PayerLine,
  { filesInWork = 0 }: WatchState,
  nowMs: number,
): { readonly isAgainst: boolean; readonly what: HealthReason } | undefined {
  const { paysNewFiles, pausedUntilMs } = line;
  const word = readLine(line, nowMs);
  switch (word) {
    case 'open':
      return undefined;
    case 'closed':
      return { isAgainst: false, what: describeLine('service-closed', 'files are read and wait', line) };
    case 'halted': {
      const whose = paysNewFiles ? 'sending' : 'sending from an earlier payer account';
      return { isAgainst: paysNewFiles, what: describeLine('payer-halted', `${whose} is halted`, line) };
    }
    case 'probing':
    case 'paused': {
      const until = `until ${formatBangkokMoment(pausedUntilMs)} Bangkok time`;
      const text = word === 'paused' ? `sending is paused ${until}` : 'sending was paused and is tried again';
      // Without a file nobody sends a probe, so a pause that is over stays for ever, and keeps nothing from being sent.
      const isAgainst = paysNewFiles && (word === 'paused' || filesInWork > 0);
      return { isAgainst, what: describeLine('payer-paused', text, line) };
    }
  }
}

function describeLine(code: HealthCode, text: string, { why }: PayerLine): HealthReason {
  if (why === null) return { code, text };
  return {
    code,
    text: `${text}: ${showText(why.reason)} (${why.code})`,
    remedy: showText(why.remedy),
  };
}

/** A payout file among them is paid by nobody. */
function describeLeft(names: readonly string[]): readonly HealthReason[] {
  if (names.length === 0) return [];
  const more = names.length > namesMax ? `, and ${names.length - namesMax} more` : '';
  return [
    {
      code: 'inbox-left',
      text: `left in the inbox, and not paid: ${showText(names.slice(0, namesMax).join(', '))}${more}`,
      remedy: 'Drop payout files themselves, not folders or links; the log says why each one stays',
    },
  ];
}

function describeGrown(file: TakenFile): readonly HealthReason[] {
  if (file.growth === null) return [];
  const text = showText(`ALARM: ${describeGrowth(file, file.growth)}`);
  return [{ code: 'file-grown', text, remedy: showText(remedyOfGrowth(file, file.growth)) }];
}

/** What /healthz shows: JSON-encodable, times in Bangkok; what is not known yet is left out. */
export function showHealth(
  state: WatchState,
  nowMs: number,
  sincePollMs?: number,
): Health & Readonly<Record<string, unknown>> {
  const { role, inbox, lines, failingBatches, oldestInDoubtAtMs } = state;
  const isKnown = inbox !== undefined;
  return {
    ...judgeHealth(state, nowMs, sincePollMs),
    role,
    at: formatBangkokDateTime(nowMs),
    lastLookAt: formatBangkokDateTime(state.lastPollMs),
    inbox: inbox?.state.kind,
    diskTroubleSince: showTime(state.diskTrouble?.sinceMs),
    bankTroubleSince: isKnown ? showTime(state.bankTrouble?.sinceMs) : undefined,
    lines: lines?.map((line) => showLine(line, nowMs)),
    filesWaiting: inbox?.waiting,
    filesInWork: state.filesInWork,
    openBatches: state.openBatches,
    failingBatches: failingBatches?.map(({ batchId }) => batchId),
    rowsInDoubt: state.rowsInDoubt,
    grownFiles: state.grownFiles?.length,
    oldestInDoubtAt: state.rowsInDoubt === undefined ? undefined : showTime(oldestInDoubtAtMs),
  };
}

function showLine(line: PayerLine, nowMs: number): Readonly<Record<string, unknown>> {
  const word = readLine(line, nowMs);
  return {
    state: word,
    code: line.why?.code ?? null,
    until: word === 'paused' || word === 'closed' ? formatBangkokDateTime(line.pausedUntilMs) : null,
    paysNewFiles: line.paysNewFiles,
  };
}

const showTime = (atMs: number | undefined): string | null =>
  atMs === undefined ? null : formatBangkokDateTime(atMs);
