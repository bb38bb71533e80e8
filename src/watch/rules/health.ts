/**
 * The health of a watcher: alive, ready to work a file that is dropped now, and if not, why not. Pure; the daemon keeps
 * the facts, and the server of /healthz shows the verdict.
 */
import { formatBangkokMoment, formatBangkokDateTime } from '../../core/bangkok-time.ts';
import { type CommandPlace, joinCommand, paydropCommand } from '../../core/command-line.ts';
import { showCount } from '../../core/figures.ts';
import type { Language } from '../../core/language.ts';
import { inEnglish, type Message, message } from '../../core/message.ts';
import { showMessage, showText } from '../../core/outgoing-text.ts';
import type { JournalLoss } from '../../core/ports.ts';
import type { ClockAlarm } from '../../payout/rules/clock-skew.ts';
import { type BreakerState, outsideHours } from '../../payout/rules/circuit-breaker.ts';
import { describeLoss, isInQuestion, showDate } from '../../payout/rules/lost-journal.ts';
import { commandToMoveAway } from '../../reports/rules/report-names.ts';
import type { InboxView } from './drop-folder.ts';
import { describeGrowth, remedyOfGrowth, type TakenFile } from './file-growth.ts';

/**
 * `standby`: another process has the right to send; `starting`: no other process has it, and the work that an earlier
 * process left comes first.
 */
export const watchRoles = ['standby', 'starting', 'active', 'stopping'] as const;
type WatchRole = (typeof watchRoles)[number];

/** A fault outside the process. */
export interface Trouble {
  /** Undefined for a process that sees the fault for the first time, and does not watch. */
  readonly sinceMs: number | undefined;
  /** The reason, with the cure. */
  readonly why: string;
}

/** The state of one payer account, without its whole number. */
export interface PayerHealth extends Pick<BreakerState, 'status' | 'why' | 'pausedUntilMs'> {
  /** `account ******5924`, or `registrations`. */
  readonly account: Message;
  /** Undefined unless the account is halted, and for a halt that the journal does not have yet. */
  readonly haltedSinceMs: number | undefined;
  /** The account is that of the settings, from which new files are paid. */
  readonly paysNewFiles: boolean;
}

/** A batch that an error keeps from progressing. */
export interface FailingBatch {
  readonly batchId: string;
  readonly why: string;
  /** Absolute paths of files that have the names of its reports; nothing of it is sent before they are moved away. */
  readonly namesTaken: readonly string[];
}

/** One inbox as the daemon sees it. */
export interface InboxHealth {
  readonly inbox: InboxView | undefined;
  /** The duration so far of the present look at the inbox, or of the present move into work/. */
  readonly inboxPollMs?: number | undefined;
}

/** The daemon's facts about itself; undefined for unknown ones. All times are epoch milliseconds. */
export interface WatchState extends InboxHealth {
  readonly role: WatchRole;
  /** The inbox of registrations. */
  readonly registrations?: InboxHealth | undefined;
  readonly diskTrouble: Trouble | undefined;
  /** Another process keeps the journal locked. */
  readonly journalTrouble?: Trouble | undefined;
  /** The database of the journal does not answer, or refuses writes. */
  readonly journalAway?: Trouble | undefined;
  readonly bankTrouble: Trouble | undefined;
  readonly payers: readonly PayerHealth[] | undefined;
  readonly filesInWork: number | undefined;
  readonly rowsInDoubt: number | undefined;
  /** Undefined as well when no payout is in doubt. */
  readonly oldestInDoubtAtMs: number | undefined;
  readonly openBatches: number | undefined;
  readonly failingBatches: readonly FailingBatch[] | undefined;
  /** The latest turn of the daemon's loop. */
  readonly lastPollMs: number;
  /** A full read of the journal has found a part that differs from what was written. */
  readonly journalDamage?: Trouble | undefined;
  /** Files that were written to after their rows had been read, and that are not dealt with. */
  readonly grownFiles?: readonly TakenFile[] | undefined;
  readonly attention?: WatchedAttention | undefined;
  /** The loss or restore of the journal; days of it may be in question no more. */
  readonly loss?: JournalLoss | undefined;
  /** The place for commands to paste; left out: the commands name no settings. */
  readonly place?: WatchPlace | undefined;
}

/** An entry of the attention list, as far as health says it. */
interface JournalEntry {
  readonly code: string;
  readonly count: number;
  readonly args: Readonly<Record<string, string | number>>;
}

/** The entries of the attention list that concern the whole journal, read from time to time, and the clocks. */
export interface WatchedAttention {
  readonly entries: readonly JournalEntry[];
  /** Undefined while the clocks agree, or while the bank's time is unknown. */
  readonly clock: ClockAlarm | undefined;
  /** The bank's time minus the machine's; undefined while unknown. */
  readonly clockOffsetMs: number | undefined;
}

/** The place where a watcher works; absolute paths. */
interface WatchPlace {
  readonly command: CommandPlace;
  readonly dataDir: string;
  readonly inbox: string;
  /** The inbox of registrations. */
  readonly registrations: string;
  /** The database of the journal, without user and password; undefined where the journal is in `dataDir`. */
  readonly database?: string | undefined;
}

export interface HealthReason {
  readonly code: HealthCode;
  readonly text: Message;
  readonly remedy: Message;
  /** The command to type first. */
  readonly command: string;
}

/** A reason in words, without proxy and account numbers. */
export type SaidHealthReason = Omit<HealthReason, 'text' | 'remedy'> &
  Readonly<Record<'text' | 'remedy', string>>;

export const sayHealth = (
  language: Language,
  { code, text, remedy, command }: HealthReason,
): SaidHealthReason => ({
  code,
  text: showMessage(text, language),
  remedy: showMessage(remedy, language),
  command,
});

/** @forTests */
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
  // Codes of notes alone:
  'service-closed',
  'batch-failing',
  'after-loss',
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
  /** Facts worth knowing that do not stop files. */
  readonly notes: readonly HealthReason[];
}

/** `closed`: outside the service hours; `probing`: a pause is over, and the next transfer tests the bank. */
export const payerWords = ['open', 'closed', 'probing', 'paused', 'halted'] as const;
type PayerWord = (typeof payerWords)[number];

/** The limit of a silent loop, which turns at least with every rescan of the inbox. */
const stalledAfterMs = 60_000;
/** The limit of one look at an inbox, within which big files are copied from a share. */
const silentAfterMs = 60_000;
/** The number of names in a text; the log has them all. */
const namesMax = 5;

/** The present state of an account. */
export function readPayer({ status, why, pausedUntilMs }: PayerHealth, nowMs: number): PayerWord {
  if (status !== 'paused') return status;
  const isOver = nowMs >= pausedUntilMs;
  if (why?.code === outsideHours) return isOver ? 'open' : 'closed';
  return isOver ? 'probing' : 'paused';
}

/**
 * Judges the health.
 * @param sincePollMs time since the loop last turned, on a monotonic clock; left out: on the ordinary one
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
    ...judgeInbox(state, 'health.inbox', state.place?.inbox),
    ...judgeInbox(state.registrations, 'health.registrations-inbox', state.place?.registrations),
    ...judgeTrouble('disk', state.diskTrouble),
    ...judgeTrouble('journal-locked', state.journalTrouble),
    ...judgeTrouble('journal-away', state.journalAway),
    ...judgeTrouble('journal-damaged', state.journalDamage),
    ...judgeTrouble('bank', state.bankTrouble),
    ...payers.filter(({ isAgainst }) => isAgainst).map(({ what }) => what),
  ];
  const notes: Finding[] = [
    ...payers.filter(({ isAgainst }) => !isAgainst).map(({ what }) => what),
    ...(state.failingBatches ?? []).map((one) => findFailing(one)),
    ...findLoss(state.loss),
    ...describeStuck(state, 'health.payouts-stuck'),
    ...describeStuck(state.registrations, 'health.registrations-stuck'),
    ...describeLeft(state.inbox?.left ?? [], 'health.payouts-left', state.place?.inbox),
    ...describeLeft(
      state.registrations?.inbox?.left ?? [],
      'health.registrations-left',
      state.place?.registrations,
    ),
    ...(state.grownFiles ?? []).slice(0, namesMax).flatMap((file) => describeGrown(file)),
    ...describeAttention(state.attention),
  ];
  const show = (finding: Finding): HealthReason => withCommand(finding, state.place);
  return { live, ready: reasons.length === 0, reasons: reasons.map(show), notes: notes.map(show) };
}

/** A finding; `subject` is the batch, day or folder that its command names. */
interface Finding extends Omit<HealthReason, 'command'> {
  readonly subject?: string;
  /** The command that ends the trouble; left out where the first command is that of the code. */
  readonly cure?: string;
}

type CommandWriter = (place: WatchPlace | undefined, subject: string) => string;

const ofPaydrop =
  (...words: readonly string[]): CommandWriter =>
  (place, subject) =>
    paydropCommand(place?.command, ...words, ...(subject === '' ? [] : [subject]));
const lookAtDisk: CommandWriter = (place) => joinCommand('df', '-h', place?.dataDir ?? '.');

/** The command that a person types first. */
const commands: Readonly<Record<HealthCode, CommandWriter>> = {
  'loop-stalled': () => 'systemctl restart paydrop',
  standby: ofPaydrop('status'),
  starting: ofPaydrop('status'),
  stopping: ofPaydrop('watch'),
  'inbox-gone': (_place, folder) => joinCommand('ls', '-ld', folder),
  // A look into a hanging share would hang, too.
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
  'after-loss': ofPaydrop('status'),
  'file-stuck': lookAtDisk,
  'inbox-left': (_place, folder) => joinCommand('ls', '-la', folder),
  'file-grown': ofPaydrop('status'),
  'statement-late': ofPaydrop('reconcile', '--date'),
  'critical-breaks': ofPaydrop('reconcile', '--date'),
  alarm: ofPaydrop('status'),
  clock: () => 'timedatectl status',
};

const withCommand = (
  { subject = '', cure, ...said }: Finding,
  place: WatchPlace | undefined,
): HealthReason => ({ ...said, command: showText(cure ?? commands[said.code](place, subject)) });

const stalled: Finding = {
  code: 'loop-stalled',
  text: message('health.loop-stalled', { seconds: stalledAfterMs / 1_000 }),
  remedy: message('health.restart'),
};

const roleReasons: Readonly<Record<WatchRole, readonly Finding[]>> = {
  active: [],
  standby: [{ code: 'standby', text: message('health.standby'), remedy: message('health.takes-over') }],
  starting: [{ code: 'starting', text: message('health.starting'), remedy: message('health.passes') }],
  stopping: [{ code: 'stopping', text: message('health.stopping'), remedy: message('health.start-again') }],
};

/** Tells whether the share of the inbox hangs: it reports no error and never answers. */
const isInboxSilent = ({ inboxPollMs = 0 }: InboxHealth): boolean => inboxPollMs > silentAfterMs;

/** True while files of the inbox are not worked. */
export const isInboxAway = (health: InboxHealth): boolean =>
  isInboxSilent(health) || health.inbox?.state.kind === 'gone';

/** The number of files waiting in both inboxes; undefined before the first look. */
export const countFilesWaiting = ({ inbox, registrations }: WatchState): number | undefined =>
  inbox && inbox.waiting + (registrations?.inbox?.waiting ?? 0);

/** @param folder the path of the inbox, for the command */
function judgeInbox(
  health: InboxHealth | undefined,
  name: 'health.inbox' | 'health.registrations-inbox',
  folder: string = 'inbox',
): readonly Finding[] {
  if (health === undefined) return [];
  const { inbox, inboxPollMs = 0 } = health;
  if (isInboxSilent(health)) {
    return [
      {
        code: 'inbox-unresponsive',
        subject: folder,
        text: message('health.inbox-unresponsive', {
          inbox: message(name),
          seconds: Math.floor(inboxPollMs / 1_000),
        }),
        remedy: message('health.look-at-share'),
      },
    ];
  }
  if (inbox === undefined || inbox.state.kind === 'there') return [];
  const { why, isMissing } = inbox.state;
  return [
    {
      code: 'inbox-gone',
      subject: folder,
      text: message('health.inbox-gone', { why }),
      remedy: message(isMissing ? 'health.make-folder' : 'health.follow-text'),
      ...(isMissing ? { cure: joinCommand('mkdir', '-p', folder) } : {}),
    },
  ];
}

/** The remedies of faults outside the process. */
const troubleRemedies = {
  disk: 'health.goes-on-when-over',
  'journal-locked': 'health.goes-on-when-over',
  'journal-away': 'health.goes-on-when-over',
  'journal-damaged': 'health.restore-journal',
  bank: 'health.goes-on-when-over',
} as const;

function judgeTrouble(code: keyof typeof troubleRemedies, trouble: Trouble | undefined): Finding[] {
  if (trouble === undefined) return [];
  const { sinceMs, why } = trouble;
  const facts = { what: message(`health.${code}`), why };
  const text =
    sinceMs === undefined
      ? message('health.trouble', facts)
      : message('health.trouble-since', { ...facts, moment: formatBangkokMoment(sinceMs) });
  return [{ code, text, remedy: message(troubleRemedies[code]) }];
}

/** Judges an account; one that pays no new files concerns older batches alone. */
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
      return { isAgainst: false, what: describePayer('service-closed', message('health.closed'), payer) };
    case 'halted': {
      const { haltedSinceMs } = payer;
      const account = paysNewFiles ? payer.account : message('account.earlier', { account: payer.account });
      const text =
        haltedSinceMs === undefined
          ? message('health.halted', { account })
          : message('health.halted-since', { account, moment: formatBangkokMoment(haltedSinceMs) });
      return { isAgainst: paysNewFiles, what: describePayer('payer-halted', text, payer) };
    }
    case 'probing':
    case 'paused': {
      const text =
        word === 'paused'
          ? message('health.paused-until', { moment: formatBangkokMoment(pausedUntilMs) })
          : message('health.probing');
      // Without a file, no transfer probes the bank, so an expired pause stays; it holds nothing back.
      const isAgainst = paysNewFiles && (word === 'paused' || filesInWork > 0);
      return { isAgainst, what: describePayer('payer-paused', text, payer) };
    }
  }
}

function findFailing({ batchId, why, namesTaken }: FailingBatch): Finding {
  const said = { code: 'batch-failing', subject: batchId } as const;
  if (namesTaken.length === 0)
    return {
      ...said,
      text: message('health.batch-failing', { batch: batchId, why }),
      remedy: message('health.log-says-more'),
    };
  return {
    ...said,
    text: message(namesTaken.length === 1 ? 'health.name-taken' : 'health.names-taken', {
      batch: batchId,
      count: showCount(namesTaken.length),
      names: namesTaken.join(', '),
    }),
    remedy: message('health.move-them-away'),
    cure: commandToMoveAway(namesTaken),
  };
}

function findLoss(loss: JournalLoss | undefined): readonly Finding[] {
  if (!isInQuestion(loss)) return [];
  return [{ code: 'after-loss', text: describeLoss(loss), remedy: message('health.move-old-reports') }];
}

/** The reason that keeps a batch from progressing, as health says it. */
export const describeFailing = (failing: FailingBatch, place: WatchPlace | undefined): HealthReason =>
  withCommand(findFailing(failing), place);

function describePayer(code: HealthCode, text: Message, { why }: PayerHealth): Finding {
  if (why === null) return { code, text, remedy: message('health.goes-on') };
  const facts = { what: text, why: why.reason, code: why.code };
  return { code, text: message('health.account-for', facts), remedy: why.remedy };
}

const describeStuck = (
  health: InboxHealth | undefined,
  remedy: 'health.payouts-stuck' | 'health.registrations-stuck',
): readonly Finding[] =>
  (health?.inbox?.stuck ?? []).slice(0, namesMax).map(({ fileName, why }) => ({
    code: 'file-stuck',
    text: message('health.file-stuck', { file: fileName, why }),
    remedy: message(remedy),
  }));

/** Describes files that stay, among which a payout file would remain unpaid. */
function describeLeft(
  names: readonly string[],
  code: 'health.payouts-left' | 'health.registrations-left',
  folder: string = 'inbox',
): readonly Finding[] {
  if (names.length === 0) return [];
  const first = names.slice(0, namesMax).join(', ');
  const all =
    names.length > namesMax
      ? message('health.names-and-more', { names: first, count: names.length - namesMax })
      : first;
  return [
    {
      code: 'inbox-left',
      subject: folder,
      text: message(code, { names: all }),
      remedy: message('health.drop-files'),
    },
  ];
}

function describeGrown(file: TakenFile): readonly Finding[] {
  if (file.growth === null) return [];
  const text = message('health.alarm', { what: describeGrowth(file, file.growth) });
  const remedy = remedyOfGrowth(file, file.growth);
  return [{ code: 'file-grown', subject: file.batchId, text, remedy }];
}

/** Days with payouts whose statement is overdue, YYYYMMDD, the oldest first. */
export const listLateStatements = ({ entries }: WatchedAttention): readonly string[] =>
  entries.flatMap(({ code, args }) => (code === 'statement-late' ? [String(args['day'])] : [])).toSorted();

/** Days with critical breaks that are open, and their number. */
export const listCriticalBreaks = ({
  entries,
}: WatchedAttention): readonly { readonly date: string; readonly breaks: number }[] =>
  entries.flatMap(({ code, args }) =>
    code === 'critical-breaks' ? [{ date: String(args['day']), breaks: Number(args['critical']) }] : [],
  );

/** The number of rows with an alarm. */
export function countAlarms({ entries }: WatchedAttention): number {
  let alarms = 0;
  for (const { code, count } of entries) if (code === 'alarm') alarms += count;
  return alarms;
}

function describeAttention(attention: WatchedAttention | undefined): readonly Finding[] {
  if (attention === undefined) return [];
  const { clock } = attention;
  const [lateStatements, criticalBreakDays] = [listLateStatements(attention), listCriticalBreaks(attention)];
  const alarmRows = countAlarms(attention);
  const found: Finding[] = lateStatements.slice(0, namesMax).map((date) => ({
    code: 'statement-late',
    subject: showDate(date),
    text: message('health.statement-late', { day: showDate(date) }),
    remedy: message('health.ask-for-statement'),
  }));
  for (const { date, breaks } of criticalBreakDays.slice(0, namesMax))
    found.push({
      code: 'critical-breaks',
      subject: showDate(date),
      text: message(breaks === 1 ? 'health.critical-break' : 'health.critical-breaks', {
        count: showCount(breaks),
        day: showDate(date),
      }),
      remedy: message('health.look-at-breaks'),
    });
  if (alarmRows > 0)
    found.push({
      code: 'alarm',
      text: message('health.alarm', {
        what: message(alarmRows === 1 ? 'health.row-contradicts' : 'health.rows-contradict', {
          count: showCount(alarmRows),
        }),
      }),
      remedy: message('health.look-at-exceptions'),
    });
  if (clock !== undefined)
    found.push({ code: 'clock', text: clock.text, remedy: message('health.set-clock') });
  return found;
}

/** The content of /healthz: JSON-encodable, times in Bangkok; unknown facts are left out. */
export function showHealth(
  state: WatchState,
  nowMs: number,
  sincePollMs?: number,
): Pick<Health, 'live' | 'ready'> & Readonly<Record<string, unknown>> {
  const { role, inbox, payers, failingBatches, oldestInDoubtAtMs } = state;
  const isKnown = inbox !== undefined;
  const { live, ready, reasons, notes } = judgeHealth(state, nowMs, sincePollMs);
  return {
    live,
    ready,
    reasons: reasons.map((reason) => sayHealth('en', reason)),
    notes: notes.map((note) => sayHealth('en', note)),
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
    account: inEnglish(payer.account),
    haltedSince: showTime(payer.haltedSinceMs),
    code: payer.why?.code ?? null,
    until: word === 'paused' || word === 'closed' ? formatBangkokDateTime(payer.pausedUntilMs) : null,
    paysNewFiles: payer.paysNewFiles,
  };
}

const showTime = (atMs: number | undefined): string | null =>
  atMs === undefined ? null : formatBangkokDateTime(atMs);
