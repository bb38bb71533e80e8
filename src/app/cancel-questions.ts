/** Asks the bank about rows that are to be cancelled, alongside the sender. */
import { isMessage, type Message, message, verbatim } from '../core/message.ts';
import type { Clock } from '../core/ports.ts';
import { BankClock } from '../payout/bank-clock.ts';
import type { AskBeforeCancel, CancelQuestions } from '../payout/operator.ts';
import type { WorkerContext } from '../payout/context.ts';
import { describeTransfer, describeUnknownSends } from '../payout/rules/operator.ts';
import { askBeforeCancel } from '../payout/superseded.ts';
import { KeyedMutex } from '../platform/keyed-mutex.ts';
import type { Logger } from '../platform/log.ts';
import { SettingsError } from '../settings/secrets.ts';
import { isBuiltInSandbox, type LoadedSettings } from '../settings/settings.ts';
import type { Store } from '../store/store.ts';
import { openBank } from './open-bank.ts';
import {
  type AskingSession,
  makeContext,
  nameOwner,
  openAdaptiveLimits,
  openSession,
  SenderBusyError,
} from './session.ts';

export interface Asking {
  readonly loaded: LoadedSettings;
  readonly journal: Store;
  readonly clock: Clock;
  readonly log: Logger;
  /** The session of the process, where it has the bank open already. */
  readonly session?: AskingSession | undefined;
}

/** Opens the bank with the first question; disposing closes it. */
export function makeCancelQuestions(asking: Asking): CancelQuestions {
  const stack = new AsyncDisposableStack();
  const end = new AbortController();
  let opening: Promise<WorkerContext | Message> | undefined;
  const open = async (): Promise<WorkerContext | Message> => {
    try {
      return await openContext(asking, stack, end.signal);
    } catch (error) {
      if (error instanceof SenderBusyError)
        return message('cancel.sandbox-busy', { owner: nameOwner(error.owner) });
      if (error instanceof SettingsError) return verbatim(error.message);
      throw error;
    }
  };
  const ask: AskBeforeCancel = async (payout, attempt) => {
    opening ??= open();
    const context = await opening;
    if (!isMessage(context)) return askBeforeCancel(context, payout, attempt);
    const sent = attempt === undefined ? describeUnknownSends(payout) : describeTransfer(payout, attempt);
    return message('cancel.not-asked', { sent, why: context });
  };
  return {
    ask,
    async [Symbol.asyncDispose]() {
      end.abort();
      await stack.disposeAsync();
    },
  };
}

async function openContext(
  asking: Asking,
  stack: AsyncDisposableStack,
  stop: AbortSignal,
): Promise<WorkerContext> {
  const { loaded, clock, log, journal, session } = asking;
  if (session !== undefined) return makeContext(session, stop, () => {});
  // A built-in sandbox keeps its ledger for one process at a time: the one with the right to send.
  if (isBuiltInSandbox(loaded.settings))
    return makeContext(stack.use(await openSession(loaded, log, 'cancel', { clock })), stop, () => {});
  const bankClock = new BankClock(clock);
  const { bank } = await openBank(loaded, log, stack, {
    clock,
    onDate: (bankDateMs) => bankClock.hear(bankDateMs),
    reserveSlots: journal.reserveRequestSlots,
    tokenPlace: journal.tokenPlace,
  });
  const process = {
    likeness: new KeyedMutex(),
    asking: new Set<number>(),
    reopened: new Set<string>(),
    runs: new Set<never>(),
  };
  return makeContext(
    {
      ...process,
      ...asking,
      bank,
      bankClock,
      breakers: new Map(),
      loss: await journal.loss(),
      adaptiveLimits: openAdaptiveLimits(loaded),
    },
    stop,
    () => {},
  );
}
