/** Everything that a command which may send needs, opened in order and closed in reverse. */
import { join } from 'node:path';
import type { ExchangeRecord } from '../bank/client.ts';
import type { StatementBank } from '../bank/statement-request.ts';
import type { Bank } from '../core/bank-port.ts';
import { printable } from '../core/cell-text.ts';
import type { Payout } from '../core/payout.ts';
import type { Clock, JournalLoss } from '../core/ports.ts';
import type { PayoutFileReader } from '../intake/ports.ts';
import { makePaces, type Paces } from '../payout/adaptive-limit.ts';
import { BankClock } from '../payout/bank-clock.ts';
import type { Payer } from '../payout/breaker-stop.ts';
import { Line, LineGate } from '../payout/circuit-breaker.ts';
import { RunState, type WorkerContext } from '../payout/context.ts';
import { readServiceHours } from '../payout/rules/service-hours.ts';
import { systemClock } from '../platform/clock.ts';
import { Turns } from '../platform/keyed-mutex.ts';
import type { Logger } from '../platform/log.ts';
import type { ReportOutbox } from '../reports/ports.ts';
import type { LoadedSettings } from '../settings/settings.ts';
import type { SenderHolder } from '../store/locks.ts';
import type { Recovery } from '../store/loss.ts';
import type { Journal, Store } from '../store/store.ts';
import { describeStamp, makeReader } from './adapters.ts';
import { openBank } from './bank.ts';
import { nameSender } from './screen.ts';

/** The built-in sandbox keeps its ledger here, so that it remembers what a killed run had paid. */
const sandboxStateFile = 'sandbox-state.jsonl';

/** Where a built-in sandbox of this data directory keeps its ledger. */
export const sandboxStateFileIn = (dataDir: string): string => join(dataDir, sandboxStateFile);

/** Another process holds the right to send: exit 6, with a message that names it. */
export class SenderBusyError extends Error {
  override readonly name = 'SenderBusyError';
  /** Undefined when that process has not said who it is. */
  readonly holder: SenderHolder | undefined;

  /** @param inbox where this process's settings have files dropped */
  constructor(holder: SenderHolder | undefined, inbox: string) {
    super(
      `${nameSender(holder)} holds the right to send from this data directory. ${adviseOn(holder, inbox)}; ` +
        `${listed(besideCommands)} work beside it.`,
    );
    this.holder = holder;
  }
}

/** Commands that need no right to send, or do without it when another has it. */
const besideCommands = ['check', 'status', 'show', 'resume', 'cancel', 'retry', 'reconcile', 'backup'];

const listed = (words: readonly string[]): string =>
  `${words.slice(0, -1).join(', ')} and ${words.at(-1) ?? ''}`;

/** A watcher does not end by itself, and does what other senders do. */
function adviseOn(holder: SenderHolder | undefined, inbox: string): string {
  if (holder?.command !== 'watch') return 'Wait until it ends, or stop it';
  return (
    `Drop the file into its inbox (${printable(inbox)} by these settings), or stop it first. ` +
    'It asks about what is in doubt by itself'
  );
}

/** What it takes to run files. */
export interface RunDesk {
  readonly loaded: LoadedSettings;
  readonly journal: Journal;
  readonly bank: Bank;
  readonly outbox: ReportOutbox;
  readonly reader: PayoutFileReader;
  readonly log: Logger;
  readonly clock: Clock;
  readonly payeeTurns: Turns;
  /** The line of each payer account, from the first file of the process to the last. */
  readonly lines: Map<string, Line>;
  readonly paces: Paces;
  /** Runs that share the process, where there are several at once. */
  readonly runs: Set<RunState>;
  /** Rows that are being inquired about. */
  readonly asking: Set<number>;
  /** The latest loss of the journal, in question or not. */
  readonly loss: JournalLoss | undefined;
  /** Where the bank really listens: the built-in sandbox takes a free port. */
  readonly bankAddress: string;
}

/** The same with the right to send, the whole store, and everything to be closed. */
export interface Sender extends RunDesk, AsyncDisposable {
  readonly journal: Store;
  readonly bank: Bank & StatementBank;
}

export interface SenderOptions {
  /** Another one than the machine's, for tests. */
  readonly clock?: Clock;
  /** Lets a journal go on that was lost or restored. */
  readonly recovery?: Recovery | undefined;
  /** Told of every exchange with the bank. */
  readonly onExchange?: (record: ExchangeRecord) => void;
  /** Handed the lock as soon as it is held: it can be given back though what is opened after it hangs. */
  readonly onLock?: (lock: Disposable) => void;
}

/**
 * Takes the right to send, opens the journal, starts the sandbox where the settings ask for it, and opens the bank.
 * @param command what the process does, for the message to whoever wants the right, too
 * @throws SenderBusyError when another process holds the right to send
 */
export async function openSender(
  loaded: LoadedSettings,
  log: Logger,
  command: string,
  { clock = systemClock, recovery, onExchange, onLock }: SenderOptions = {},
): Promise<Sender> {
  const { openJournal } = await import('../store/open.ts');
  const { acquireSenderLock } = await import('../store/locks.ts');
  const { openOutbox } = await import('../reports/outbox.ts');
  await using stack = new AsyncDisposableStack();
  const lock = acquireSenderLock(loaded.dataDir, command);
  if ('heldBy' in lock) throw new SenderBusyError(lock.heldBy, loaded.folders.inbox);
  stack.use(lock);
  onLock?.(lock);
  const { dataDir } = loaded;
  const stamp = describeStamp(loaded);
  const journal = await openJournal({ dataDir, stamp, access: 'own', nowMs: clock.now(), recovery });
  stack.use(journal);
  const { bank, bankAddress } = await openBank(loaded, log, stack, {
    clock,
    onExchange,
    stateFile: sandboxStateFileIn(dataDir),
  });
  const outbox = await openOutbox(loaded.folders.outbox);
  const reader = await makeReader(loaded);
  const loss = await journal.loss();
  const owned = stack.move();
  return {
    loaded,
    journal,
    loss,
    bank,
    clock,
    outbox,
    reader,
    log,
    bankAddress,
    payeeTurns: new Turns(),
    lines: new Map(),
    runs: new Set(),
    asking: new Set(),
    paces: makePaces(loaded.settings.transfer.concurrency, loaded.settings.verify.concurrency),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

const keyOf = ({ companyId, payerAccount }: Payer): string => `${companyId} ${payerAccount}`;

/** The line of a payer account. */
function lineOf({ lines }: RunDesk, payer: Payer): Line {
  const key = keyOf(payer);
  const line = lines.get(key) ?? new Line();
  lines.set(key, line);
  return line;
}

/** Opens the gate of a payer account, once for each. */
function makeGates(sender: RunDesk, stop: AbortSignal): (payer: Payer) => LineGate {
  const { settings } = sender.loaded;
  const hours = readServiceHours(settings.serviceHours);
  const gates = new Map<string, LineGate>();
  return (payer) => {
    const key = keyOf(payer);
    const line = lineOf(sender, payer);
    const gate = gates.get(key) ?? new LineGate(sender.clock, settings.brake, stop, { line, hours });
    gates.set(key, gate);
    return gate;
  };
}

/**
 * What the steps of one run share, each payer account with a gate of its own: what the bank says of one account's
 * transfer stops the line of that account and no other.
 * @param payer whose line it is; that of the settings when left out
 */
export function makeContext(
  sender: RunDesk,
  stop: AbortSignal,
  count: (payout: Payout | undefined) => void,
  payer: Payer = sender.loaded.settings.bank,
): WorkerContext {
  const { settings } = sender.loaded;
  const run = new RunState(sender.clock);
  const stopOrBroken = AbortSignal.any([stop, run.broken.signal]);
  const gateOf = makeGates(sender, stopOrBroken);
  return {
    journal: sender.journal,
    bank: sender.bank,
    clock: sender.clock,
    gate: gateOf(payer),
    gateOf,
    bankClock: new BankClock(sender.clock, ({ kind, text }) =>
      sender.log[kind === 'agrees' ? 'info' : 'error']({ kind }, text),
    ),
    verify: settings.verify,
    settle: { ...settings.settle, lostUntilMs: sender.loss?.recoveredAtMs },
    limits: settings.limits,
    transferConcurrency: settings.transfer.concurrency,
    channelId: settings.bank.channelId,
    termId: settings.bank.termId,
    log: (level, message, facts) => sender.log[level](facts, message),
    count,
    stop: stopOrBroken,
    run,
    payeeTurns: sender.payeeTurns,
    paces: sender.paces,
    countUnderWay: () => countUnderWay(sender, run),
    isUnderWay: (seq) => run.inFlight.has(seq) || [...sender.runs].some(({ inFlight }) => inFlight.has(seq)),
    asking: sender.asking,
  };
}

/** Rows whose request is under way in this process. */
export function countUnderWay({ runs }: Pick<RunDesk, 'runs'>, own?: RunState): number {
  let rows = own === undefined || runs.has(own) ? 0 : own.inFlight.size;
  for (const { inFlight } of runs) rows += inFlight.size;
  return rows;
}
