/** Listens for the bank's callbacks, in the sender or alongside it. */
import { readFileSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import type { Clock } from '../../core/ports.ts';
import { errorCode } from '../../platform/durable-file.ts';
import type { Certificate } from '../../platform/http-server.ts';
import type { Logger } from '../../platform/log.ts';
import {
  type CallbackListener,
  type CallbackPortHeld,
  type CallbackListenerContext,
  startCallbackListener,
} from '../../registration/listener/listener.ts';
import { endAnswered } from '../../registration/conclude.ts';
import { keepSweeping } from '../../registration/sweep.ts';
import { readCallbackKeys, requireCallbackKeys, SettingsError } from '../../settings/secrets.ts';
import type { LoadedSettings } from '../../settings/settings.ts';
import { makeMayMissAttempts } from '../ask-first.ts';
import { type Journal, requireJournal } from '../open-store.ts';
import { toLog } from '../session.ts';

export type { CallbackListener } from '../../registration/listener/listener.ts';
export type { CallbackTaking } from '../../registration/take-callback.ts';
export type { CallbackRecord } from '../../registration/rules/change.ts';

interface ListenOptions {
  readonly loaded: LoadedSettings;
  readonly journal: CallbackListenerContext['journal'] & Parameters<typeof makeMayMissAttempts>[1];
  readonly log: Logger;
  readonly clock: Clock;
  /** Replaces `registration.callbacks.port`. */
  readonly port?: number | undefined;
  readonly onTaken?: CallbackListenerContext['onTaken'];
}

/**
 * Listens as the settings say.
 * @throws SettingsError without a key, or where a file of keys or certificates cannot be read
 * @throws CallbackListenerError where it cannot listen, unless another listener has the port
 */
export async function openCallbackListener({
  loaded,
  log,
  port,
  ...context
}: ListenOptions): Promise<CallbackListener | CallbackPortHeld> {
  const { callbacks: settings } = loaded.settings.registration;
  const { tls } = loaded.callbacks;
  const keysFile = findKeysFile(loaded);
  const readKeys = (): readonly string[] =>
    requireCallbackKeys(
      keysFile === undefined
        ? loaded.callbacks.keys
        : readCallbackKeys([], { file: keysFile, env: {} }, false),
    );
  return startCallbackListener({
    ...context,
    log: toLog(log),
    mayMissAttempts: makeMayMissAttempts(loaded, context.journal, context.clock),
    settings: { ...settings, port: port ?? settings.port },
    readKeys,
    readCertificate: () => (tls === undefined ? undefined : readCertificate(tls)),
    files: [keysFile, tls?.certFile, tls?.keyFile].filter((file) => file !== undefined),
  });
}

/** The file of keys; undefined where the environment or the settings hold them, which do not change meanwhile. */
function findKeysFile({ callbacks: { keys }, settings }: LoadedSettings): string | undefined {
  const isOfFile = keys.ok && isAbsolute(keys.from) && settings.registration.callbacks.keysFile !== '';
  return isOfFile ? keys.from : undefined;
}

function readCertificate({
  certFile,
  keyFile,
}: Readonly<Record<'certFile' | 'keyFile', string>>): Certificate {
  return { cert: readPem('certFile', certFile), key: readPem('keyFile', keyFile) };
}

function readPem(setting: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const code = errorCode(error);
    throw new SettingsError(
      `registration.callbacks.tls.${setting} ${path} cannot be read (${code}): correct it`,
      {
        cause: error,
      },
    );
  }
}

// ---------------------------------------------------------------- on its own

interface CallbacksOptions extends Omit<ListenOptions, 'journal'> {
  /** Called once it listens, and then at intervals with its standing. */
  readonly onHealth: (listener: CallbackListener, standing: CallbackStanding) => void;
  /** Aborted by a request to stop. */
  readonly stop: AbortSignal;
}

export interface CallbackStanding {
  /** Registrations that await a callback. */
  readonly awaited: number;
  /** Callbacks for no known registration. */
  readonly unknown: number;
}

const healthEveryMs = 60_000;
const sweepAgainMs = 5_000;

/**
 * Takes callbacks until a stop is requested, and marks registrations whose callback is overdue. It sends nothing and
 * writes no file: it needs no sender lock, and works alongside its holder.
 * @throws SettingsError without a key, a port or a journal, or when the port is taken
 */
export async function listenForCallbacks(options: CallbacksOptions): Promise<void> {
  const { loaded, clock, stop } = options;
  requireCallbackKeys(loaded.callbacks.keys);
  requirePort(options);
  await using journal = await requireJournal(loaded);
  await using listener = requireListener(await openCallbackListener({ ...options, journal }));
  const over = new AbortController();
  const end = AbortSignal.any([stop, over.signal]);
  const beside = Promise.all([sweepUntil(options, journal, end), endUntil(options, journal, end)]);
  try {
    while (!stop.aborted) {
      const awaited = await journal.countAwaitedRegistrations();
      options.onHealth(listener, { awaited, unknown: await journal.countUnknownCallbacks() });
      await clock.sleep(healthEveryMs, stop);
    }
  } finally {
    over.abort();
    await beside;
  }
}

function requirePort({ loaded, port }: CallbacksOptions): void {
  if (port !== undefined || loaded.settings.registration.callbacks.port > 0) return;
  throw new SettingsError('no port to listen on: set registration.callbacks.port, or give --port');
}

function requireListener(listener: CallbackListener | CallbackPortHeld): CallbackListener {
  if (listener.kind === 'listening') return listener;
  const { kind, address, port } = listener;
  if (kind === 'taken') throw portTaken(listener);
  throw new SettingsError(
    `port ${port} of ${address} is taken: a watcher, "paydrop register" or another "paydrop callbacks" of this journal ` +
      'listens there already, which is enough. Give another with --port or registration.callbacks.port',
  );
}

/** Error for a taken port: nothing may be sent, since the bank's callbacks would reach another program. */
export const portTaken = ({ address, port }: Omit<CallbackPortHeld, 'kind'>): SettingsError =>
  new SettingsError(
    `port ${port} of ${address} is taken by a program that takes no callbacks for this journal ("ss -ltnp" names it; ` +
      'a paydrop of another journal, of another registration.callbacks.path, or of an older version, is none either): end it, or set registration.callbacks.port ' +
      'to another one to which the bank’s calls lead',
  );

/** Never rejects: a journal that refuses writes for a while ends no listener. */
async function sweepUntil(
  { clock, log }: CallbacksOptions,
  journal: Journal,
  end: AbortSignal,
): Promise<void> {
  let isInTrouble = false;
  while (!end.aborted) {
    try {
      await keepSweeping({ journal, clock, log: toLog(log) }, async () => void (isInTrouble = false), end);
    } catch (error) {
      if (!isInTrouble) log.error({ err: error }, 'what is overdue could not be marked: tried again');
      isInTrouble = true;
      await clock.sleep(sweepAgainMs, end);
    }
  }
}

/** Ends batches whose last outcome has come, although no process sends any more. Never rejects, either. */
async function endUntil({ clock, log }: CallbacksOptions, journal: Journal, end: AbortSignal): Promise<void> {
  while (!end.aborted) {
    await endAnswered(journal, clock.now()).catch((error: unknown) => {
      log.warn({ err: error }, 'a batch whose outcomes have all come could not be ended: tried again');
    });
    await clock.sleep(sweepAgainMs, end);
  }
}
