/** The callback listener: takes the bank's callbacks, and binds kept ones once their registration turns up. */
import { statSync } from 'node:fs';
import type { Clock } from '../../core/ports.ts';
import type { Certificate } from '../../platform/http-server.ts';
import type { CallbackRecord } from '../rules/change.ts';
import {
  bindKeptCallbacks,
  type CallbackContext,
  type CallbackStore,
  type CallbackTaking,
  takeCallback,
} from '../take-callback.ts';
import { CallbackKeys } from './callback-keys.ts';
import { Callers, type CallerRanges } from './callers.ts';
import { askPortOwner } from './port-owner.ts';
import { type Refusal, Refusals } from './refusals.ts';
import { type CallbackServer, openCallbackServer } from './server.ts';

/** Address and limits of the listener: `registration.callbacks` of the settings. */
interface CallbackListenerSettings extends CallerRanges {
  readonly address: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly path: string;
  readonly bodyBytesMax: number;
  readonly requestTimeoutMs: number;
  readonly connectionsMax: number;
}

export interface CallbackListenerContext extends CallbackContext {
  readonly journal: CallbackStore & { readonly journalId: string };
  readonly clock: Clock;
  readonly settings: CallbackListenerSettings;
  /** Called at the start, and when one of the files has changed. @throws Error naming the fault in them */
  readonly readKeys: () => readonly string[];
  /** The same for the certificate; undefined: plain HTTP. */
  readonly readCertificate: () => Certificate | undefined;
  /** Absolute paths of the files from which both come. */
  readonly files: readonly string[];
  /** Called with each callback that was taken, or bound later. */
  readonly onTaken?: ((record: CallbackRecord, taking: CallbackTaking) => void) | undefined;
}

/** Number of callbacks by outcome, since the start. */
type CallbackCounts = Readonly<Record<CallbackTaking['kind'], number>>;

/** Disposing of it finishes the callbacks that are being taken. */
export interface CallbackListener extends AsyncDisposable {
  readonly kind: 'listening';
  /** "https://127.0.0.1:8090/callbacks" */
  readonly url: string;
  readonly counts: CallbackCounts;
  readonly refused: Readonly<Partial<Record<Refusal, number>>>;
}

/**
 * `busy`: a `callbacks`, `watch` or `register` of this journal listens there already. `taken`: another program has the
 * port, and takes no callback for this journal.
 */
export interface CallbackPortHeld {
  readonly kind: 'busy' | 'taken';
  readonly address: string;
  readonly port: number;
}

/** The listener cannot listen: exit 2, with a message that names the setting. */
class CallbackListenerError extends Error {
  override readonly name = 'CallbackListenerError';
}

/** Interval at which kept callbacks, and the files of keys and certificate, are checked. */
const pollMs = 2_000;
const sumUpEveryMs = 60_000;

/**
 * Opens the listener.
 * @throws CallbackListenerError where it cannot listen, unless another listener has the port
 */
export async function startCallbackListener(
  context: CallbackListenerContext,
): Promise<CallbackListener | CallbackPortHeld> {
  const { settings, clock, log, journal } = context;
  const refusals = new Refusals(log, clock);
  const keys = new CallbackKeys(context.readKeys());
  const certificate = context.readCertificate();
  const counts = { applied: 0, 'nothing-new': 0, repeated: 0, unknown: 0 };
  const note = (record: CallbackRecord, taking: CallbackTaking): void => {
    counts[taking.kind] += 1;
    context.onTaken?.(record, taking);
  };
  const { address, port } = settings;
  const options = {
    ...settings,
    listen: { host: address, port },
    callers: new Callers(settings),
    keys,
    certificate,
    refusals,
    clock,
    journalId: journal.journalId,
    take: async (record: CallbackRecord) => note(record, await takeCallback(context, record)),
  };
  const server = await listenOrAsk(context, certificate !== undefined, () => openCallbackServer(options));
  if ('kind' in server) return server;
  warnOfOpenDoor(context);
  const stop = new AbortController();
  const reload = makeReload(context, keys, server);
  const work = keepUp({ context, refusals, reload, note, stop: stop.signal });
  const host = address.includes(':') ? `[${address}]` : address;
  return {
    kind: 'listening',
    url: `${certificate === undefined ? 'http' : 'https'}://${host}:${server.port}${settings.path}`,
    counts,
    get refused() {
      return refusals.totals;
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      stop.abort();
      await work;
      refusals.sumUp();
    },
  };
}

// ---------------------------------------------------------------- the port

const listenTroubles: Readonly<Record<string, string>> = {
  EACCES: 'this user may not listen on this port: set registration.callbacks.port above 1023',
  EADDRNOTAVAIL: 'this machine has no such address: correct registration.callbacks.address',
  ENOTFOUND: 'this machine has no such name: correct registration.callbacks.address',
};

/** Questions to a port's owner: one that ends frees the port soon, and one in a flood answers between two calls. */
const asksMax = 5;
const askAgainMs = 500;

/** Listens, or finds out which process does. */
async function listenOrAsk(
  { settings, journal, clock }: CallbackListenerContext,
  isSecure: boolean,
  open: () => Promise<CallbackServer>,
): Promise<CallbackServer | CallbackPortHeld> {
  const { address, port } = settings;
  for (let asks = 1; ; asks += 1) {
    const server = await listen(settings, open);
    if (server !== undefined) return server;
    const owner = await askPortOwner({ ...settings, isSecure }, journal.journalId);
    if (owner === 'this-journal') return { kind: 'busy', address, port };
    if (owner === 'another' || asks >= asksMax) return { kind: 'taken', address, port };
    await clock.sleep(askAgainMs);
  }
}

/** Undefined when the port is taken. */
async function listen(
  { address, port }: CallbackListenerSettings,
  open: () => Promise<CallbackServer>,
): Promise<CallbackServer | undefined> {
  try {
    return await open();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (code === 'EADDRINUSE') return undefined;
    const why =
      listenTroubles[code] ??
      (code.startsWith('ERR_')
        ? 'the certificate cannot be used: correct registration.callbacks.tls'
        : undefined);
    if (why === undefined) throw error;
    throw new CallbackListenerError(
      `callbacks cannot be listened for on ${address}:${port} (${code}): ${why}`,
      {
        cause: error,
      },
    );
  }
}

const loopbackPattern = /^(?:localhost|127\.\d+\.\d+\.\d+|::1)$/i;

/** Warns of a port open to other machines where only the key tells the bank from any caller. */
function warnOfOpenDoor({ settings, log, readCertificate }: CallbackListenerContext): void {
  const { address, allowFrom } = settings;
  if (loopbackPattern.test(address)) return;
  if (allowFrom.length === 0)
    log(
      'warn',
      "callbacks are taken from every address: name the bank's in registration.callbacks.allowFrom",
      {
        address,
      },
    );
  if (readCertificate() === undefined)
    log(
      'warn',
      'callbacks come in the clear: set registration.callbacks.tls, or let a proxy on this machine speak TLS',
      {
        address,
      },
    );
}

// ---------------------------------------------------------------- while it listens

/** Mark that changes when a file is written anew. */
function readMark(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? 'gone' : `${stats.ino} ${stats.size} ${stats.mtimeMs}`;
}

/** Takes keys and certificate from their files; while these cannot be read, the old ones stay. */
function makeReload(
  { files, readKeys, readCertificate, log }: CallbackListenerContext,
  keys: CallbackKeys,
  server: CallbackServer,
): () => void {
  const readMarks = (): string => files.map(readMark).join('\n');
  let marks = readMarks();
  return () => {
    const now = readMarks();
    if (now === marks) return;
    marks = now;
    try {
      const certificate = readCertificate();
      if (certificate !== undefined) server.useCertificate(certificate);
      keys.replace(readKeys());
      log('info', 'keys and certificate of the callbacks were read again', {});
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      log('error', 'keys and certificate of the callbacks cannot be read again: the old ones stay', { why });
    }
  };
}

interface Upkeep {
  readonly context: CallbackListenerContext;
  readonly refusals: Refusals;
  readonly reload: () => void;
  readonly note: (record: CallbackRecord, taking: CallbackTaking) => void;
  readonly stop: AbortSignal;
}

async function keepUp({ context, refusals, reload, note, stop }: Upkeep): Promise<void> {
  const { clock, log } = context;
  let summedUpMs = clock.elapsedMs();
  let isInTrouble = false;
  while (!stop.aborted) {
    try {
      reload();
      for (const [record, taking] of await bindKeptCallbacks(context)) note(record, taking);
      isInTrouble = false;
    } catch (error) {
      // Logged once: a journal that refuses writes does so for long.
      if (!isInTrouble) log('error', 'kept callbacks could not be bound: tried again', { err: error });
      isInTrouble = true;
    }
    if (clock.elapsedMs() - summedUpMs >= sumUpEveryMs) {
      refusals.sumUp();
      summedUpMs = clock.elapsedMs();
    }
    await clock.sleep(pollMs, stop);
  }
}
