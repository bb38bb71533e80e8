/** The program as `paydrop run` composes it, in a simulated process; the one place that knows its settings. */
import { makeAskFirst, makeMissesSince } from '../../src/app/ask-first.ts';
import { BankClock } from '../../src/payout/bank-clock.ts';
import { runFile } from '../../src/app/run-file.ts';
import { type AskingSession, makeContext, type RunSession } from '../../src/app/session.ts';
import type { Bank } from '../../src/core/bank-port.ts';
import type { Clock } from '../../src/core/ports.ts';
import type { PayoutFileReader } from '../../src/intake/ports.ts';
import { makeAdaptiveLimits } from '../../src/payout/adaptive-limit.ts';
import type { AskBeforeCancel } from '../../src/payout/operator.ts';
import { askBeforeCancel } from '../../src/payout/superseded.ts';
import { KeyedMutex } from '../../src/platform/keyed-mutex.ts';
import type { ReportOutbox } from '../../src/reports/ports.ts';
import { settingsSchema } from '../../src/settings/schema.ts';
import type { LoadedSettings } from '../../src/settings/settings.ts';
import type { Journal } from '../../src/store/store.ts';
import type { Plan } from './plan.ts';
import type { Life, World } from './world.ts';

export const company = { companyId: 'COMP000001', payerAccount: '0000345924' };
export const terminal = { channelId: 'PAYDROP', termId: 'TERM0001' };

const baseSettings = settingsSchema.parse({
  bank: { baseUrl: 'https://bank.example', ...company, ...terminal },
});

/** Our clock and our timers, as one process has them. */
export function makeClock(world: World, life: Life): Clock {
  return {
    now: () => world.timeOf(life),
    elapsedMs: () => world.nowMs - (world.machineOf(life).sleptMs ?? 0),
    sleep: async (ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted === true) {
          resolve();
          return;
        }
        const wake = (): void => {
          world.cancel(step);
          resolve();
        };
        const step = world.after(ms, 'wakes', life, () => {
          signal?.removeEventListener('abort', wake);
          resolve();
        });
        signal?.addEventListener('abort', wake, { once: true });
      }),
  };
}

export interface ProcessParts {
  readonly world: World;
  readonly life: Life;
  readonly plan: Plan;
  readonly journal: Journal;
  readonly bank: Bank;
  readonly outbox: ReportOutbox;
  readonly reader: PayoutFileReader;
  readonly interrupted: AbortSignal;
  /** Where a real journal and what it leaves lie. */
  readonly place?: Place | undefined;
}

/** What a session has from the folders that it works in. */
export interface Place extends Pick<RunSession, 'loaded' | 'loss' | 'findTrace'> {
  /** When the journal began, or last went on in a new place or after a loss. */
  readonly newSinceMs: number | undefined;
  /** Since when an adopted journal may miss something. */
  readonly missesSinceMs: number | undefined;
}

export function loadSettings(plan: Plan, termId = terminal.termId): LoadedSettings {
  const {
    policy,
    isVerifying,
    whenUnavailable,
    concurrency,
    inDoubtMax,
    consecutiveFailures,
    similarDays,
    limits,
  } = plan;
  const settings = {
    ...baseSettings,
    bank: { ...baseSettings.bank, termId },
    settle: { ...baseSettings.settle, ...policy },
    verify: { ...baseSettings.verify, enabled: isVerifying, concurrency, whenUnavailable },
    transfer: { ...baseSettings.transfer, concurrency },
    limits: { ...baseSettings.limits, similarDays, ...limits, closedDates: [...(limits?.closedDates ?? [])] },
    brake: { ...baseSettings.brake, inDoubtMax, consecutiveFailures },
  };
  const journalUrl = { ok: true, secret: 'postgres://paydrop@db.example/journal', from: 'journal.url' };
  return { settings, isSandbox: false, journalUrl } as unknown as LoadedSettings;
}

/** Of a journal that is in no folder. */
export const noPlace = (plan: Plan, termId?: string): Place => ({
  loaded: loadSettings(plan, termId),
  loss: undefined,
  newSinceMs: undefined,
  missesSinceMs: undefined,
});

function makeLog({ world, life }: Pick<ProcessParts, 'world' | 'life'>): RunSession['log'] {
  const say =
    (level: string) =>
    (facts: object, message: string): void =>
      world.trace?.(`        ${life.name} ${level}: ${message} ${JSON.stringify(facts)}`);
  const log = { debug: say('debug'), info: say('info'), warn: say('warn'), error: say('error') };
  return log as unknown as RunSession['log'];
}

/** What it takes to run files, of a process that has just begun. */
export const makeRunSession = (parts: Omit<ProcessParts, 'interrupted'>): RunSession => ({
  ...makeAskingSession(parts),
  outbox: parts.outbox,
  reader: parts.reader,
  bankAddress: 'https://bank.example',
});

/** How a person's command asks the bank about what is to be cancelled. */
export function makeAsk(parts: AskingParts): AskBeforeCancel {
  const context = makeContext(makeAskingSession(parts), new AbortController().signal, () => {});
  return (payout, attempt) => askBeforeCancel(context, payout, attempt);
}

type AskingParts = Pick<ProcessParts, 'world' | 'life' | 'plan' | 'journal' | 'bank' | 'place'>;

/** What it takes to ask the bank. */
function makeAskingSession(parts: AskingParts): AskingSession {
  const { world, life, plan, journal, bank } = parts;
  const clock = makeClock(world, life);
  const { newSinceMs, missesSinceMs, ...place } = parts.place ?? noPlace(plan);
  const bankClock = new BankClock(clock);
  // The reply to the token comes before the first transfer; some banks tell no time in it.
  if (plan.tokenTellsTime) bankClock.hear(world.nowMs + plan.bankOffsetMs + plan.dateOffsetMs);
  const asksFirst = makeAskFirst(place.loaded, { newSinceMs }, clock);
  return {
    bankClock,
    ...place,
    asksFirst: async () => world.wait(asksFirst()),
    missesSince: makeMissesSince({ missesSinceMs }),
    likeness: new KeyedMutex(),
    breakers: new Map(),
    runs: new Set(),
    asking: new Set(),
    reopened: new Set(),
    adaptiveLimits: makeAdaptiveLimits(plan.concurrency, plan.concurrency, plan.inDoubtMax),
    journal,
    bank,
    log: makeLog(parts),
    clock,
  };
}

/** Runs the files one after another, as `paydrop run FILE..` does. */
export async function runProcess(
  parts: ProcessParts,
  files: readonly string[],
  waitMs: number,
): Promise<void> {
  const { interrupted } = parts;
  const sender = makeRunSession(parts);
  const progress = { show: () => {}, close: () => {} };
  for (const file of files) {
    await runFile(sender, file, { waitMs, exceptionsOk: false, interrupted, progress });
    if (interrupted.aborted) return;
  }
}
