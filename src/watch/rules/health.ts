/**
 * How a watcher is, seen from outside: alive, ready to work a file that is dropped now, and if not, why not.
 * Pure; the daemon keeps the facts, and what answers /healthz shows the verdict.
 */
import { formatBangkokMoment, formatBangkokDateTime } from '../../core/bangkok-time.ts';
import { type CommandPlace, joinCommand, paydropCommand } from '../../core/command-line.ts';
import { countOf } from '../../core/figures.ts';
import { showText } from '../../core/outgoing-text.ts';
import type { ClockAlarm } from '../../payout/rules/clock-skew.ts';
import { type BreakerState, outsideHours } from '../../payout/rules/circuit-breaker.ts';
import { showDate } from '../../payout/rules/lost-journal.ts';
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

/** What stops one payer account, which is not named here. */
export interface PayerHealth extends Pick<BreakerState, 'status' | 'why' | 'pausedUntilMs'> {
  /** It is the account of the settings: what is dropped now is paid from it. */
  readonly paysNewFiles: boolean;
}

/** One inbox as the daemon sees it. */
export interface InboxHealth {
  readonly inbox: InboxView | undefined;
  /** How long the look at the inbox has taken that is under way, or the way from there into work/. */
  readonly inboxPollMs?: number | undefined;
}

/** What the daemon knows of itself; undefined is what it has not looked at yet. All times are epoch milliseconds. */
export interface WatchState extends InboxHealth {
  readonly role: WatchRole;
  /** The inbox of registrations. */
  readonly registrations?: InboxHealth | undefined;
  readonly diskTrouble: Trouble | undefined;
  /** Another process keeps the journal locked. */
  readonly journalTrouble?: Trouble | undefined;
  /** The database of the journal does not answer, or takes no writes. */
  readonly journalAway?: Trouble | undefined;
  readonly bankTrouble: Trouble | undefined;
  readonly payers: readonly PayerHealth[] | undefined;
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
  readonly attention?: Attention | undefined;
  /** For the commands to paste; they name no settings when it is left out. */
  readonly place?: WatchPlace | undefined;
}

/** What people are told of the journal as a whole, read every now and then. */
export interface Attention {
  /** Days with payouts whose statement should have come by now, YYYYMMDD. */
  readonly lateStatements: readonly string[];
  readonly criticalBreakDays: readonly { readonly date: string; readonly breaks: number }[];
  /** Rows that bear an alarm. */
  readonly alarmRows: number;
  /** Undefined while the clocks agree, or nobody has told the bank's. */
  readonly clock: ClockAlarm | undefined;
  /** The bank's time less ours; undefined as long as it is not known. */
  readonly clockOffsetMs: number | undefined;
}

/** Where a watcher works; absolute paths. */
export interface WatchPlace {
  readonly command: CommandPlace;
  readonly dataDir: string;
  readonly inbox: string;
  /** The inbox of registrations. */
  readonly registrations: string;
  /** Of the journal, without user and password; undefined where it is in `dataDir`. */
  readonly database?: string | undefined;
}

export interface HealthReason {
  readonly code: HealthCode;
  /** Free of proxy and account numbers. */
  readonly text: string;
  readonly remedy: string;
  /** To be typed first. */
  readonly command: string;
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
  'journal-away',
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
  'statement-late',
  'critical-breaks',
  'alarm',
  'clock',
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
export const payerWords = ['open', 'closed', 'probing', 'paused', 'halted'] as const;
export type PayerWord = (typeof payerWords)[number];

/** The loop turns at least with every rescan of the inbox. */
const stalledAfterMs = 60_000;
/** Big files are copied from a share within one look. */
const silentAfterMs = 60_000;
/** Names that are shown; the log has them all. */
const namesMax = 5;

/** What an account does now. */
export function readPayer({ status, why, pausedUntilMs }: PayerHealth, nowMs: number): PayerWord {
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
  const payers = (state.payers ?? []).flatMap((payer) => judgePayer(payer, state, nowMs) ?? []);
  const reasons = [
    ...(live ? [] : [stalled]),
    ...roleReasons[state.role],
    ...judgeInbox(state, 'the inbox', state.place?.inbox),
    ...judgeInbox(state.registrations, 'the inbox of registrations', state.place?.registrations),
    ...judgeTrouble('disk', state.diskTrouble),
    ...judgeTrouble('journal-locked', state.journalTrouble),
    ...judgeTrouble('journal-away', state.journalAway),
    ...judgeTrouble('journal-damaged', state.journalDamage),
    ...judgeTrouble('bank', state.bankTrouble),
    ...payers.filter(({ isAgainst }) => isAgainst).map(({ what }) => what),
  ];
  const notes: Finding[] = [
    ...payers.filter(({ isAgainst }) => !isAgainst).map(({ what }) => what),
    ...(state.failingBatches ?? []).map(({ batchId, why }) => ({
      code: 'batch-failing' as const,
      subject: batchId,
      text: `batch ${batchId} does not get on: ${showText(why)}`,
      remedy: 'It is tried again by itself; the log says more',
    })),
    ...describeStuck(state, 'nothing of it is paid before'),
    ...describeStuck(state.registrations, 'nothing of it is sent before'),
    ...describeLeft(state.inbox?.left ?? [], 'the inbox, and not paid', state.place?.inbox),
    ...describeLeft(
      state.registrations?.inbox?.left ?? [],
      'the inbox of registrations, and not sent',
      state.place?.registrations,
    ),
    ...(state.grownFiles ?? []).slice(0, namesMax).flatMap((file) => describeGrown(file)),
    ...describeAttention(state.attention),
  ];
  const show = (finding: Finding): HealthReason => withCommand(finding, state.place);
  return { live, ready: reasons.length === 0, reasons: reasons.map(show), notes: notes.map(show) };
}

/** What is found; `subject` is a batch, a day or a folder that its command names. */
interface Finding extends Omit<HealthReason, 'command'> {
  readonly subject?: string;
}

type CommandWriter = (place: WatchPlace | undefined, subject: string) => string;

const ofPaydrop =
  (...words: readonly string[]): CommandWriter =>
  (place, subject) =>
    paydropCommand(place?.command, ...words, ...(subject === '' ? [] : [subject]));
const lookAtDisk: CommandWriter = (place) => joinCommand('df', '-h', place?.dataDir ?? '.');

/** What a person types first. */
const commands: Readonly<Record<HealthCode, CommandWriter>> = {
  'loop-stalled': () => 'systemctl restart paydrop',
  standby: ofPaydrop('status'),
  starting: ofPaydrop('status'),
  stopping: ofPaydrop('watch'),
  'inbox-gone': (_place, folder) => joinCommand('ls', '-ld', folder),
  // Looking into a share that hangs would hang, too.
  'inbox-unresponsive': (_place, folder) => joinCommand('findmnt', '--target', folder),
  disk: lookAtDisk,
  'journal-locked': (place) => joinCommand('fuser', '-v', `${place?.dataDir ?? '.'}/journal.db`),
  'journal-away': (place) => joinCommand('pg_isready', '-d', place?.database ?? 'postgres://HOST/DATABASE'),
  bank: ofPaydrop('config', '--login'),
  'payer-halted': ofPaydrop('status'),
  'payer-paused': ofPaydrop('status'),
  'journal-damaged': ofPaydrop('audit'),
  'service-closed': ofPaydrop('status'),
  'batch-failing': ofPaydrop('status'),
  'file-stuck': lookAtDisk,
  'inbox-left': (_place, folder) => joinCommand('ls', '-la', folder),
  'file-grown': ofPaydrop('status'),
  'statement-late': ofPaydrop('reconcile', '--date'),
  'critical-breaks': ofPaydrop('reconcile', '--date'),
  alarm: ofPaydrop('status'),
  clock: () => 'timedatectl status',
};

const withCommand = ({ subject = '', ...said }: Finding, place: WatchPlace | undefined): HealthReason => ({
  ...said,
  command: showText(commands[said.code](place, subject)),
});

const stalled: Finding = {
  code: 'loop-stalled',
  text: `the watcher has done nothing for more than ${stalledAfterMs / 1_000} seconds`,
  remedy: 'Restart it: nothing is lost, and nothing is paid twice',
};

const roleReasons: Readonly<Record<WatchRole, readonly Finding[]>> = {
  active: [],
  standby: [
    {
      code: 'standby',
      text: 'another process has the right to send',
      remedy: 'Nothing to do: this one takes over when the other ends',
    },
  ],
  starting: [
    {
      code: 'starting',
      text: 'the watcher is starting: what was left open before is taken up first',
      remedy: 'Nothing to do: it passes',
    },
  ],
  stopping: [
    {
      code: 'stopping',
      text: 'the watcher is being stopped: no new file is taken',
      remedy: 'Start it again: what is open goes on',
    },
  ],
};

/** The share that the inbox is on hangs: it throws no error, it just never answers. */
const isInboxSilent = ({ inboxPollMs = 0 }: InboxHealth): boolean => inboxPollMs > silentAfterMs;

/** True while no file of it is worked. */
export const isInboxAway = (health: InboxHealth): boolean =>
  isInboxSilent(health) || health.inbox?.state.kind === 'gone';

/** Files in both inboxes that have not been taken yet; undefined as long as nobody has looked. */
export const countFilesWaiting = ({ inbox, registrations }: WatchState): number | undefined =>
  inbox && inbox.waiting + (registrations?.inbox?.waiting ?? 0);

/** @param folder where it is, for the command */
function judgeInbox(
  health: InboxHealth | undefined,
  name: string,
  folder: string = 'inbox',
): readonly Finding[] {
  if (health === undefined) return [];
  const { inbox, inboxPollMs = 0 } = health;
  if (isInboxSilent(health)) {
    return [
      {
        code: 'inbox-unresponsive',
        subject: folder,
        text: `${name}, or the way from it into work/, has not answered for ${Math.floor(inboxPollMs / 1_000)} seconds`,
        remedy: 'Look at the disk or the share that it is on; goes on by itself when that answers',
      },
    ];
  }
  if (inbox === undefined || inbox.state.kind === 'there') return [];
  return [
    {
      code: 'inbox-gone',
      subject: folder,
      text: showText(inbox.state.why),
      remedy:
        'Do what the text says, where it says something to do; goes on by itself when the inbox is there again',
    },
  ];
}

const passes = 'Nothing is sent meanwhile; goes on by itself when the trouble is over';

/** What something outside that does not work means. */
const troubleWords = {
  disk: { what: 'the disk refuses writes', remedy: passes },
  'journal-locked': { what: 'the journal is locked', remedy: passes },
  'journal-away': { what: 'the journal cannot be written', remedy: passes },
  'journal-damaged': {
    what: 'nothing is sent any more',
    remedy:
      'Pay nothing by other means; put a backup in its place with "paydrop restore FILE --since YYYY-MM-DD" ' +
      '(docs/runbook.md, Journal lost)',
  },
  bank: { what: 'the bank is out of reach', remedy: passes },
} as const;

function judgeTrouble(code: keyof typeof troubleWords, trouble: Trouble | undefined): Finding[] {
  if (trouble === undefined) return [];
  const { what, remedy } = troubleWords[code];
  const since = `${what} since ${formatBangkokMoment(trouble.sinceMs)} Bangkok time`;
  return [
    {
      code,
      text: `${since}: ${showText(trouble.why)}`,
      remedy,
    },
  ];
}

/** An account that pays no new files concerns older batches alone. */
function judgePayer(
  payer: PayerHealth,
  { filesInWork = 0 }: WatchState,
  nowMs: number,
): { readonly isAgainst: boolean; readonly what: Finding } | undefined {
  const { paysNewFiles, pausedUntilMs } = payer;
  const word = readPayer(payer, nowMs);
  switch (word) {
    case 'open':
      return undefined;
    case 'closed':
      return { isAgainst: false, what: describePayer('service-closed', 'files are read and wait', payer) };
    case 'halted': {
      const whose = paysNewFiles ? 'sending' : 'sending from an earlier payer account';
      return { isAgainst: paysNewFiles, what: describePayer('payer-halted', `${whose} is halted`, payer) };
    }
    case 'probing':
    case 'paused': {
      const until = `until ${formatBangkokMoment(pausedUntilMs)} Bangkok time`;
      const text = word === 'paused' ? `sending is paused ${until}` : 'sending was paused and is tried again';
      // Without a file nobody sends a probe, so a pause that is over stays for ever, and keeps nothing from being sent.
      const isAgainst = paysNewFiles && (word === 'paused' || filesInWork > 0);
      return { isAgainst, what: describePayer('payer-paused', text, payer) };
    }
  }
}

function describePayer(code: HealthCode, text: string, { why }: PayerHealth): Finding {
  if (why === null) return { code, text, remedy: 'Goes on by itself' };
  return {
    code,
    text: `${text}: ${showText(why.reason)} (${why.code})`,
    remedy: showText(why.remedy),
  };
}

const describeStuck = (health: InboxHealth | undefined, until: string): readonly Finding[] =>
  (health?.inbox?.stuck ?? []).slice(0, namesMax).map(({ fileName, why }) => ({
    code: 'file-stuck',
    text: showText(`${fileName} cannot be brought into work/: ${why}`),
    remedy: `It is tried again by itself; ${until}`,
  }));

/** A payout file among them is paid by nobody. */
function describeLeft(names: readonly string[], where: string, folder: string = 'inbox'): readonly Finding[] {
  if (names.length === 0) return [];
  const more = names.length > namesMax ? `, and ${names.length - namesMax} more` : '';
  return [
    {
      code: 'inbox-left',
      subject: folder,
      text: `left in ${where}: ${showText(names.slice(0, namesMax).join(', '))}${more}`,
      remedy: 'Drop payout files themselves, not folders or links; the log says why each one stays',
    },
  ];
}

function describeGrown(file: TakenFile): readonly Finding[] {
  if (file.growth === null) return [];
  const text = showText(`ALARM: ${describeGrowth(file, file.growth)}`);
  const remedy = showText(remedyOfGrowth(file, file.growth));
  return [{ code: 'file-grown', subject: file.batchId, text, remedy }];
}

function describeAttention(attention: Attention | undefined): readonly Finding[] {
  if (attention === undefined) return [];
  const { lateStatements, criticalBreakDays, alarmRows, clock } = attention;
  const found: Finding[] = lateStatements.slice(0, namesMax).map((date) => ({
    code: 'statement-late',
    subject: showDate(date),
    text: `the statement of ${showDate(date)} is late: payouts were sent on that day`,
    remedy: 'It is asked for by itself for a week; ask the bank where it stays',
  }));
  for (const { date, breaks } of criticalBreakDays.slice(0, namesMax))
    found.push({
      code: 'critical-breaks',
      subject: showDate(date),
      text: `${countOf(breaks, 'critical break is', 'critical breaks are')} open on ${showDate(date)}`,
      remedy: 'Money moved that the journal calls unmoved: the breaks file says of each what to do',
    });
  if (alarmRows > 0)
    found.push({
      code: 'alarm',
      text: `ALARM: ${countOf(alarmRows, 'row contradicts', 'rows contradict')} what was called proved`,
      remedy: 'Do not pay them again: the exceptions of their batches say of each what to do',
    });
  if (clock !== undefined)
    found.push({ code: 'clock', text: showText(clock.text), remedy: 'Set the clock by a time server' });
  return found;
}

/** What /healthz shows: JSON-encodable, times in Bangkok; what is not known yet is left out. */
export function showHealth(
  state: WatchState,
  nowMs: number,
  sincePollMs?: number,
): Health & Readonly<Record<string, unknown>> {
  const { role, inbox, payers, failingBatches, oldestInDoubtAtMs } = state;
  const isKnown = inbox !== undefined;
  return {
    ...judgeHealth(state, nowMs, sincePollMs),
    role,
    at: formatBangkokDateTime(nowMs),
    lastLookAt: formatBangkokDateTime(state.lastPollMs),
    inbox: inbox?.state.kind,
    registrationsInbox: state.registrations?.inbox?.state.kind,
    diskTroubleSince: showTime(state.diskTrouble?.sinceMs),
    bankTroubleSince: isKnown ? showTime(state.bankTrouble?.sinceMs) : undefined,
    payers: payers?.map((payer) => showPayer(payer, nowMs)),
    filesWaiting: countFilesWaiting(state),
    filesInWork: state.filesInWork,
    openBatches: state.openBatches,
    failingBatches: failingBatches?.map(({ batchId }) => batchId),
    rowsInDoubt: state.rowsInDoubt,
    grownFiles: state.grownFiles?.length,
    oldestInDoubtAt: state.rowsInDoubt === undefined ? undefined : showTime(oldestInDoubtAtMs),
  };
}

function showPayer(payer: PayerHealth, nowMs: number): Readonly<Record<string, unknown>> {
  const word = readPayer(payer, nowMs);
  return {
    state: word,
    code: payer.why?.code ?? null,
    until: word === 'paused' || word === 'closed' ? formatBangkokDateTime(payer.pausedUntilMs) : null,
    paysNewFiles: payer.paysNewFiles,
  };
}

const showTime = (atMs: number | undefined): string | null =>
  atMs === undefined ? null : formatBangkokDateTime(atMs);
