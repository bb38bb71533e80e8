/** The review page of a journal, beside whoever is sending. */
import { systemClock } from '../../platform/clock.ts';
import { realDisk } from '../../platform/disk.ts';
import type { Logger } from '../../platform/log.ts';
import type { Log } from '../../core/ports.ts';
import { makeOverviewViews } from '../../overview/views.ts';
import { openReviewPage } from '../../review/web/server.ts';
import { SettingsError } from '../../settings/secrets.ts';
import type { LoadedSettings } from '../../settings/settings.ts';
import { requireJournal } from '../open-store.ts';
import { findSender } from '../sender-lock.ts';
import { readReview } from './decisions.ts';
import { notifyOfPersons } from './people.ts';

export interface OpenPage extends AsyncDisposable {
  readonly origin: string;
  /** Nobody can sign in before there is somebody. */
  readonly people: number;
}

/** @throws SettingsError without a journal */
export async function openPage(loaded: LoadedSettings, port: number, logger: Logger): Promise<OpenPage> {
  await using stack = new AsyncDisposableStack();
  const store = stack.use(await requireJournal(loaded));
  const readContext = async () => {
    const loss = await store.loss();
    return { store, clock: systemClock, restoredAtMs: loss?.recoveredAtMs };
  };
  const log: Log = (level, message, facts) => logger[level](facts, message);
  const listen = { host: 'localhost', port };
  const { isSandbox, dataDir } = loaded;
  const { companyId, payerAccount } = loaded.settings.bank;
  const payer = { companyId, payerAccount };
  const options = {
    listen,
    isSandbox,
    store,
    readContext,
    readReview: async () => readReview(loaded, store, logger),
    log,
    payer,
    views: makeOverviewViews({
      store,
      readContext,
      payer,
      onUserChange: async () => notifyOfPersons(loaded, store, logger),
      readSurroundings: async () => ({
        sender: findSender(dataDir),
        freeBytes: await realDisk.freeBytes(dataDir),
      }),
    }),
  };
  const page = stack.use(
    await openReviewPage(options).catch((error: unknown) => {
      throw explainPort(error, port);
    }),
  );
  const { people } = await store.persons();
  const owned = stack.move();
  return {
    origin: page.origin,
    people: people.length,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function explainPort(error: unknown, port: number): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE')
    return new SettingsError(`port ${port} is taken by another process: give another one with --port`);
  if (code === 'EACCES')
    return new SettingsError(`this user may not listen on port ${port}: give one above 1023 with --port`);
  return error;
}
