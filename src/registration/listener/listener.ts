/** The callback listener: it takes what the bank calls with, and binds what was kept until its registration turned up. */
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

/** Where callbacks are listened for: `registration.callbacks` of the settings. */
export interface CallbackListenerSettings extends CallerRanges {
  readonly address: string;
  /** 0 takes any free one. */
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
  /** Read at the start, and again when one of the files has changed. @throws Error saying what is wrong with them */
  readonly readKeys: () => readonly string[];
  /** The same; undefined: plain HTTP. */
  readonly readCertificate: () => Certificate | undefined;
  /** Absolute paths of the files from which these two come. */
  readonly files: readonly string[];
  /** Told of each callback that was taken, or bound later. */
  readonly onTaken?: ((record: CallbackRecord, taking: CallbackTaking) => void) | undefined;
}

/** How often callbacks came to what, since the start. */
export type CallbackCounts = Readonly<Record<CallbackTaking['kind'], number>>;

/** Disposing of it finishes what is being taken. */
export interface CallbackListener extends AsyncDisposable {
  readonly kind: 'listening';
  /** "https://127.0.0.1:8090/callbacks" */
  readonly url: string;
  readonly counts: CallbackCounts;
  readonly refused: Readonly<Partial<Record<Refusal, number>>>;
}

/**
 * `busy`: a `callbacks`, `watch` or `register` of this journal listens there already. `taken`: another program has the port,
 * which takes no callback for this journal.
 */
export interface CallbackPortHeld {
  readonly kind: 'busy' | 'taken';
  readonly address: string;
  readonly port: number;
}

/** It cannot listen: exit 2, with a message that names the setting. */
export class CallbackListenerError extends Error {
  override readonly name = 'CallbackListenerError';
}

/** How often kept callbacks are looked through, and the files of keys and certificate. */
const pollMs = 2_000;
const sumUpEveryMs = 60_000;

/**
 * Opens the listener.
 * @throws CallbackListenerError where it cannot listen for another reason than that somebody does
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

/** A listener that ends gives its port back within a moment, and one amid a flood answers between two calls. */
const asksMax = 5;
const askAgainMs = 500;

/** Listens, or finds out who does. */
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

/** Reachable from other machines, with the key alone to tell the bank from anybody. */
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

/** What tells that a file was written anew. */
function readMark(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? 'gone' : `${stats.ino} ${stats.size} ${stats.mtimeMs}`;
}

/** Takes keys and certificate as their files have them now; while these cannot be read, the old ones stay. */
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
      // A journal that refuses writes does so for long: it is said once.
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
