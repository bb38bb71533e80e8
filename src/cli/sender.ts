/** Everything that a command which may send needs, opened in order and closed in reverse. */
import type { LoadedSettings } from '../config.ts';
import type { Payout } from '../core/payout.ts';
import type { Bank, Clock, Journal, PayoutFileReader } from '../core/ports.ts';
import type { ReportOutbox } from '../core/report-outbox.ts';
import type { Logger } from '../log.ts';
import { join } from 'node:path';
import { BankClock, RunState, type WorkerContext } from '../worker/context.ts';
import { LineGate } from '../worker/line-gate.ts';
import { systemClock } from '../worker/system-clock.ts';
import { describeStamp, makeReader } from './adapters.ts';
import { openBank } from './bank.ts';

/** The built-in sandbox keeps its ledger here, so that it remembers what a killed run had paid. */
const sandboxStateFile = 'sandbox-state.jsonl';

/** Another process holds the right to send: exit 6, with a message that names it. */
class SenderBusyError extends Error {
  override readonly name = 'SenderBusyError';
}

export interface Sender extends AsyncDisposable {
  readonly loaded: LoadedSettings;
  readonly journal: Journal;
  readonly bank: Bank;
  readonly outbox: ReportOutbox;
  readonly reader: PayoutFileReader;
  readonly log: Logger;
  readonly clock: Clock;
  /** Where the bank really listens: the built-in sandbox takes a free port. */
  readonly bankAddress: string;
}

/**
 * Takes the right to send, opens the journal, starts the sandbox where the settings ask for it, and opens the bank.
 * @param clock another one than the machine's, for tests
 * @throws SenderBusyError when another process holds the right to send
 */
export async function openSender(
  loaded: LoadedSettings,
  log: Logger,
  command: string,
  clock: Clock = systemClock,
): Promise<Sender> {
  const { openJournal } = await import('../journal/open.ts');
  const { acquireSenderLock } = await import('../journal/sender-lock.ts');
  const { openOutbox } = await import('../files/outbox.ts');
  await using stack = new AsyncDisposableStack();
  const lock = acquireSenderLock(loaded.dataDir, command);
  if ('heldBy' in lock) throw new SenderBusyError(describeHolder(lock.heldBy));
  stack.use(lock);
  const journal = await openJournal({ dataDir: loaded.dataDir, stamp: describeStamp(loaded), access: 'own' });
  stack.use(journal);
  const { bank, bankAddress } = await openBank(loaded, log, stack, {
    clock,
    stateFile: join(loaded.dataDir, sandboxStateFile),
  });
  const outbox = await openOutbox(loaded.folders.outbox);
  const reader = await makeReader(loaded);
  const owned = stack.move();
  return {
    loaded,
    journal,
    bank,
    clock,
    outbox,
    reader,
    log,
    bankAddress,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function describeHolder(
  holder: { readonly pid: number; readonly command: string; readonly sinceMs: number } | undefined,
): string {
  const who =
    holder === undefined
      ? 'another paydrop process'
      : `"paydrop ${holder.command}" (process ${holder.pid}, since ${new Date(holder.sinceMs).toISOString()})`;
  return `${who} holds the right to send from this data directory. Wait until it ends, or stop it; status, show, resume and cancel work beside it.`;
}

/** What the steps of one run share. */
export function makeContext(
  sender: Sender,
  stop: AbortSignal,
  count: (payout: Payout | undefined) => void,
): WorkerContext {
  const { settings } = sender.loaded;
  const run = new RunState(sender.clock);
  const stopOrBroken = AbortSignal.any([stop, run.broken.signal]);
  return {
    journal: sender.journal,
    bank: sender.bank,
    clock: sender.clock,
    gate: new LineGate(sender.clock, settings.brake, stopOrBroken),
    bankClock: new BankClock(sender.clock),
    verify: settings.verify,
    settle: settings.settle,
    transferConcurrency: settings.transfer.concurrency,
    channelId: settings.bank.channelId,
    termId: settings.bank.termId,
    log: (level, message, facts) => sender.log[level](facts, message),
    count,
    stop: stopOrBroken,
    run,
  };
}
