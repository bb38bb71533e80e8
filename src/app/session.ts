/** A session: everything that a command needs which may send, opened in order and closed in reverse. */
import { inEnglish } from '../core/message.ts';
import { join } from 'node:path';
import type { ExchangeRecord } from '../bank/client.ts';
import type { StatementBank } from '../bank/statement-request.ts';
import { formatBangkokDate, formatBangkokMoment } from '../core/bangkok-time.ts';
import type { Bank, RegistrationBank } from '../core/bank-port.ts';
import { printable } from '../core/outgoing-text.ts';
import type { Inspection } from '../core/payout-file.ts';
import type { Payout } from '../core/payout.ts';
import type { Batch, Clock, JournalLoss, Log } from '../core/ports.ts';
import type { PayoutFileReader } from '../intake/ports.ts';
import { makeAdaptiveLimits } from '../payout/adaptive-limit.ts';
import { BankClock } from '../payout/bank-clock.ts';
import { BreakerGate, type Payer, PayerBreaker } from '../payout/circuit-breaker.ts';
import type { ProvedRows } from '../payout/ports.ts';
import { makeProvedRows } from './proved-rows.ts';
import { type ProcessState, RunState, type WorkerContext } from '../payout/context.ts';
import { describeLoss, isInQuestion } from '../payout/rules/lost-journal.ts';
import { readTimeLimits } from '../payout/rules/limits.ts';
import type { ClockReading } from '../payout/rules/clock-skew.ts';
import { readServiceHours } from '../payout/rules/service-hours.ts';
import { SharedPause } from '../payout/shared-pause.ts';
import { systemClock } from '../platform/clock.ts';
import { KeyedMutex } from '../platform/keyed-mutex.ts';
import type { Logger } from '../platform/log.ts';
import type { ReportOutbox } from '../reports/ports.ts';
import type { LoadedSettings } from '../settings/settings.ts';
import type { SenderLockOwner as LockOwner } from './sender-lock.ts';
import type { Recovery } from '../store/loss.ts';
import type { Journal, Store } from '../store/store.ts';
import type { FileGrowth, TakenFile } from '../watch/rules/file-growth.ts';
import { findGrowth, readAddedPayouts } from '../watch/taken-files.ts';
import type { ApprovalPolicy } from '../review/rules/approval.ts';
import { readApprovalPolicy, requireApprovers } from '../review/policy.ts';
import { noteRunner } from '../review/tokens.ts';
import { makeAskFirst, makeMissesSince } from './ask-first.ts';
import { openBank } from './open-bank.ts';
import { makeReader } from './open-store.ts';
import { lockOwnJournal, openOwnJournal } from './journal/own-journal.ts';
import type { MachinePlace } from './machines/machine-place.ts';
import { noteRefused, type RefusedByRun } from '../review/dropped/refused-run.ts';
import { TraceSearch } from './traces.ts';

/** Drop folder of registrations, within the inbox. */
export const registrationsInbox = 'registrations';

/** The folder of registration files while they are worked. */
export const registrationsWork = (dataDir: string): string => join(dataDir, `work-${registrationsInbox}`);

/** The ledger of a built-in sandbox of this data directory: it remembers what a killed run had paid. */
export const sandboxStateFileIn = (dataDir: string): string => join(dataDir, 'sandbox-state.jsonl');

/** Name of the owner: `"paydrop watch" (process 12 on pay-1, since 2026-11-21 14:03:05)`, in Bangkok time. */
export function nameOwner(owner: LockOwner | undefined): string {
  if (owner === undefined) return 'another paydrop process';
  const { command, pid, sinceMs, machine } = owner;
  const place = machine === undefined ? '' : ` on ${printable(machine)}`;
  return `"paydrop ${printable(command)}" (process ${pid}${place}, since ${formatBangkokMoment(sinceMs)})`;
}

/** Another process owns the sender lock: exit 6, with a message that names the owner. */
export class SenderBusyError extends Error {
  override readonly name = 'SenderBusyError';
  /** Undefined when that process has not recorded who it is. */
  readonly owner: LockOwner | undefined;

  /** @param inbox drop folder of this process's settings; undefined for a command that works no file */
  constructor(owner: LockOwner | undefined, inbox?: string) {
    super(
      `${nameOwner(owner)} holds the right to send from ${owner?.machine === undefined ? 'this data directory' : 'the same journal'}. ${adviseOn(owner, inbox)}; ` +
        `${concurrentCommands}${owner?.machine === undefined ? ', reconcile and backup' : ' and reconcile'} work beside it.`,
    );
    this.owner = owner;
  }
}

/** Commands that need no sender lock, or do without it when another process owns it. */
const concurrentCommands = 'check, status, show, list, result, settle, resume, cancel, retry';

/** Advice for a busy sender. A watcher does not end by itself, and does what other senders do. */
function adviseOn(owner: LockOwner | undefined, inbox: string | undefined): string {
  if (owner?.command !== 'watch') return 'Wait until it ends, or stop it';
  const isOneOfMany = owner.machine !== undefined;
  if (inbox === undefined)
    return `Stop it first${isOneOfMany ? ', and the watchers of the other machines, of which one takes its place' : ''}: a watcher does not end by itself`;
  const place = isOneOfMany
    ? `the inbox of any machine with a watcher (here ${printable(inbox)} by these settings)`
    : `its inbox (${printable(inbox)} by these settings)`;
  return `Drop the file into ${place}, or stop it first. It asks about what is in doubt by itself`;
}

/** The log in the form that the capabilities use. */
export const toLog =
  (logger: Logger): Log =>
  (level, message, facts) =>
    logger[level](facts, message);

/** Everything that running files needs. */
export interface RunSession extends ProcessState {
  readonly loaded: LoadedSettings;
  readonly journal: Journal;
  readonly bank: Bank;
  readonly outbox: ReportOutbox;
  readonly reader: PayoutFileReader;
  readonly log: Logger;
  readonly clock: Clock;
  /** The bank's clock, as all its replies tell it. */
  readonly bankClock: BankClock;
  /** The circuit breaker of each payer account, from the first file of the process to the last. */
  readonly breakers: Map<string, PayerBreaker>;
  /** The latest loss of the journal, in question or not. */
  readonly loss: JournalLoss | undefined;
  /** Path of a trace that another journal has left of a file. None is found when left out. */
  readonly findTrace?: (inspection: Inspection) => Promise<string | undefined>;
  /** The same for a file of registrations, even while a loss is in question: the bank cannot be asked about them. */
  readonly findRegistrationTrace?: (inspection: Inspection) => Promise<string | undefined>;
  /** Growth of a file since it was read into its batch. None is found when left out. */
  readonly findGrowth?: (
    batch: Batch,
    file: Pick<TakenFile, 'path' | 'bytes'>,
  ) => Promise<FileGrowth | undefined>;
  /** The policy in force on which batches wait for approval; no batch waits when left out. */
  readonly approval?: () => Promise<ApprovalPolicy>;
  /** Records who has a file taken in; records nothing when left out. */
  readonly noteRunner?: (batchId: string) => Promise<void>;
  /** Queues a file that was refused as a whole for a person; queues nothing when left out. */
  readonly noteRefused?: (fileName: string, refused: RefusedByRun) => Promise<void>;
  /** Whether the bank is asked about the next reference before each new attempt; never when left out. */
  readonly asksFirst?: () => Promise<boolean>;
  /** Time since which an adopted journal may lack what its original has sent. */
  readonly missesSince?: () => number | undefined;
  /** The rows that signed approvals name; undefined where the settings ask for no signature. */
  readonly provedRows?: ProvedRows | undefined;
  /** The bank's actual address: the built-in sandbox takes a free port. */
  readonly bankAddress: string;
  /** Aborted, with the refusal as its reason, when the journal turns out to be another than before. */
  readonly refused?: AbortSignal | undefined;
  /** Reads losses and beginnings of the journal anew; left out where no other process can have recorded any. */
  readonly readPast?: () => Promise<void>;
  /** Place of this process where several machines work the journal: its present lease, and the rows that it shares. */
  readonly place?: MachinePlace | undefined;
}

/** The part of a session that asks the bank: it reads no file and writes no report. */
export type AskingSession = Omit<RunSession, 'outbox' | 'reader' | 'bankAddress'>;

/** A session with the sender lock, the whole store, and everything to close. */
export interface Session extends RunSession, AsyncDisposable {
  readonly journal: Store;
  readonly bank: Bank & StatementBank & RegistrationBank;
}

/** The session as its review page uses it, which decides and asks beside any sender; of the journal's past it knows the latest. */
export const withoutRightToSend = (session: Session): Session => ({
  ...session,
  journal: { ...session.journal, ...session.journal.withoutSenderFence },
  get loss() {
    return session.loss;
  },
});

export interface SessionOptions {
  /** Replaces the machine's clock in tests. */
  readonly clock?: Clock;
  /** Lets a journal work again that was lost or restored. */
  readonly recovery?: Recovery | undefined;
  /** With a recovery: terminals that the journal has sent from, as a person states. */
  readonly sentFrom?: readonly string[];
  readonly onExchange?: (record: ExchangeRecord) => void;
  /** Opens a helper's session where another process sends from a journal of several machines. */
  readonly mayHelp?: boolean;
  /** Receives the lock as soon as it is held, so that it can be given back even if a later step hangs. */
  readonly onLock?: (lock: Disposable) => void;
}

/**
 * Takes the sender lock, opens the journal, starts the sandbox where the settings ask for it, and opens the bank.
 * @param command what the process does, shown to other processes that want the lock
 * @throws SenderBusyError when another process owns the sender lock
 */
export async function openSession(
  loaded: LoadedSettings,
  log: Logger,
  command: string,
  { clock = systemClock, recovery, sentFrom = [], onExchange, onLock, mayHelp }: SessionOptions = {},
): Promise<Session> {
  const { openOutbox } = await import('../reports/outbox.ts');
  await using stack = new AsyncDisposableStack();
  const ways = { recovery, sentFrom };
  const lock = await lockOwnJournal(loaded, command, log, clock, ways, mayHelp);
  if ('heldBy' in lock) {
    const { inbox } = loaded.folders;
    throw new SenderBusyError(lock.heldBy, command === 'register' ? join(inbox, registrationsInbox) : inbox);
  }
  stack.use(lock);
  onLock?.(lock);
  const { dataDir } = loaded;
  const place = lock.inDatabase?.place;
  const journal = await openOwnJournal(loaded, log, clock, ways, lock);
  stack.use(journal);
  if (command === 'run' || command === 'watch') await requireApprovers(loaded, journal);
  await tellNotes(loaded.notes, journal, log, clock.now());
  const bankClock = new BankClock(clock, ({ kind, text }) => log[levels[kind]]({ kind }, inEnglish(text)));
  const { bank, bankAddress } = await openBank(loaded, log, stack, {
    clock,
    onExchange,
    onDate: (bankDateMs) => bankClock.hear(bankDateMs),
    stateFile: sandboxStateFileIn(dataDir),
    reserveSlots: journal.reserveRequestSlots,
    tokenPlace: journal.tokenPlace,
  });
  const { groupReadable } = loaded.settings.output;
  const isEntitled = () => place === undefined || (place.role === 'sender' && place.keeper.isHeld);
  const outbox = await openOutbox(loaded.folders.outbox, groupReadable, isEntitled);
  const reader = await makeReader(loaded);
  const { past, ...asking } = await openPast(loaded, journal, clock);
  stack.defer(() => place?.beginEnding());
  const owned = stack.move();
  return {
    loaded,
    journal,
    get loss() {
      return past.loss;
    },
    ...asking,
    bank: place === undefined ? bank : followTransfers(bank, place),
    clock,
    outbox,
    reader,
    log,
    bankAddress,
    refused: lock.inDatabase?.prepared.refused,
    place,
    approval: () => readApprovalPolicy(loaded, journal),
    noteRunner: (batchId) => noteRunner(loaded, journal, batchId),
    noteRefused: (fileName, refused) => noteRefused(journal, clock, fileName, refused),
    ...openTraces(loaded, journal),
    findGrowth: (batch, file) => findGrowth(readAddedPayouts(reader), batch, file, clock.now()),
    bankClock,
    likeness: new KeyedMutex(),
    breakers: new Map(),
    runs: new Set(),
    asking: new Set(),
    reopened: new Set(),
    provedRows: makeProvedRows(loaded, journal, clock),
    adaptiveLimits: openAdaptiveLimits(loaded),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Limits of concurrent requests, at most those of the settings. */
export const openAdaptiveLimits = ({ settings: { transfer, verify, brake } }: LoadedSettings) =>
  makeAdaptiveLimits(transfer.concurrency, verify.concurrency, brake.inDoubtMax);

/** Searches for traces of another journal; the grown form of a file in this journal's archive is none. */
function openTraces({ folders }: LoadedSettings, journal: Store) {
  const traces = new TraceSearch(folders);
  return {
    findTrace: async (inspection: Inspection) =>
      (await journal.hasGrownTo(inspection.sha256))
        ? undefined
        : traces.find(inspection, await journal.loss()),
    findRegistrationTrace: async (inspection: Inspection) =>
      (await journal.hasGrownTo(inspection.sha256)) ? undefined : traces.find(inspection, undefined),
  };
}

/** Losses and beginnings of a journal, which another process may record while this one helps. */
interface JournalPast extends Pick<Store, 'newSinceMs' | 'missesSinceMs'> {
  readonly loss: JournalLoss | undefined;
  /** True until a machine joins that can tell the journal from an older copy: until then it counts as new. */
  readonly isUnmarked: boolean;
}

async function readPast(journal: Store): Promise<JournalPast> {
  const moments = (await journal.readMoments?.()) ?? { ...journal, isUnmarked: false };
  const { newSinceMs, missesSinceMs, isUnmarked } = moments;
  return { newSinceMs, missesSinceMs, isUnmarked, loss: await journal.loss() };
}

/** The journal's past, and the questions that the bank is asked first because of it. */
async function openPast(loaded: LoadedSettings, journal: Store, clock: Clock) {
  const past = await readPast(journal);
  const readAnew = async (): Promise<void> => void Object.assign(past, await readPast(journal));
  const asksFirst = makeAskFirst(loaded, past, clock);
  return {
    past,
    readPast: readAnew,
    asksFirst: async () => {
      // A machine that can tell may have joined.
      if (past.isUnmarked) await readAnew();
      return asksFirst();
    },
    missesSince: makeMissesSince(past),
  };
}

/** The bank, with every transfer tracked by the place as under way. */
const followTransfers = (bank: Session['bank'], place: MachinePlace): Session['bank'] => ({
  ...bank,
  transfer: (...asked) => place.follow(bank.transfer(...asked)),
  register: (...asked) => place.follow(bank.register(...asked)),
});

/** Logs notes of the settings that the journal does not record as logged before. */
async function tellNotes(
  notes: LoadedSettings['notes'],
  journal: Pick<Store, 'lastDailyJob' | 'recordDailyJob'>,
  log: Logger,
  nowMs: number,
): Promise<void> {
  for (const { code, text } of notes) {
    const name = `told ${code}`;
    if ((await journal.lastDailyJob(name)) !== undefined) continue;
    log.warn(text);
    await journal.recordDailyJob(name, formatBangkokDate(nowMs));
  }
}

/** Log level of each alarm about the clocks. */
const levels = { differs: 'error', jumped: 'error', untold: 'warn', agrees: 'info' } as const;

/** Opens the gate of a payer account, once for each account; its breaker outlives the run. */
function makeGates(
  { loaded: { settings }, clock, bankClock, breakers, journal, place }: AskingSession,
  stop: AbortSignal,
): (payer: Payer) => BreakerGate {
  const hours = readServiceHours(settings.serviceHours);
  const gates = new Map<string, BreakerGate>();
  return ({ companyId, payerAccount }) => {
    const key = `${companyId} ${payerAccount}`;
    const breaker = breakers.get(key) ?? new PayerBreaker();
    breakers.set(key, breaker);
    const clocks = (): ClockReading => bankClock.read();
    const shared =
      place && new SharedPause({ journal, share: place.share, clock }, { companyId, payerAccount });
    const gate =
      gates.get(key) ??
      new BreakerGate({ clock, clocks, brake: settings.brake, stop, breaker, hours, shared });
    gates.set(key, gate);
    return gate;
  };
}

/**
 * Context shared by the steps of one run. Each payer account has a gate of its own: a bank's answer to one account's
 * transfer opens the breaker of that account only.
 * @param payer owner of the account; that of the settings when left out
 */
export function makeContext(
  session: AskingSession,
  stop: AbortSignal,
  count: (payout: Payout | undefined) => void,
  payer: Payer = session.loaded.settings.bank,
): WorkerContext {
  const { settings } = session.loaded;
  const run = new RunState(session.clock);
  // The present lease: a helper under one worker's id may later send under another.
  const lease = session.place?.keeper;
  const stopOrBroken = AbortSignal.any([stop, run.broken.signal, ...(lease ? [lease.lost] : [])]);
  const gateOf = makeGates(session, stopOrBroken);
  return {
    journal: session.journal,
    bank: session.bank,
    clock: session.clock,
    gate: gateOf(payer),
    gateOf,
    bankClock: session.bankClock,
    verify: settings.verify,
    settle: { ...settings.settle, lostUntilMs: session.loss?.recoveredAtMs },
    limits: { ...settings.limits, overTime: readTimeLimits(settings.limits) },
    transferConcurrency: settings.transfer.concurrency,
    channelId: settings.bank.channelId,
    termId: settings.bank.termId,
    log: toLog(session.log),
    count,
    stop: stopOrBroken,
    asksFirst: session.asksFirst,
    missesSince: session.missesSince,
    provedRows: session.provedRows,
    ...(lease && {
      mayTransmit: lease.mayTransmit,
      isPaused: () => !lease.isHeld,
      share: session.place?.share,
    }),
    ...(lease && { brakeOfAll: settings.brake }),
    run,
    likeness: session.likeness,
    asking: session.asking,
    reopened: session.reopened,
    runs: session.runs,
    adaptiveLimits: session.adaptiveLimits,
  };
}

/**
 * Explains in every run that payouts are looked up first, until an operator states that nothing is in question any more.
 * @param isRecovering the operator has just stated since when the journal may lack something
 */
export async function explainLoss(
  { loss, log, clock, loaded, journal }: Session,
  isRecovering: boolean,
): Promise<string | undefined> {
  if (!isInQuestion(loss))
    return isRecovering
      ? 'No day is in question any more: payouts are sent without asking the bank first.'
      : undefined;
  log.info({ ...loss }, 'the journal was lost or restored');
  const beginsAtMs = loss.recoveredAtMs + loaded.settings.settle.notFoundTrustMs;
  const wait =
    beginsAtMs > clock.now() ? ` It is asked from ${formatBangkokMoment(beginsAtMs)} Bangkok time on.` : '';
  const terminals = (await journal.terminals()).join(', ');
  return `${inEnglish(describeLoss(loss))}.${wait} It is asked under the terminals ${terminals}.`;
}
