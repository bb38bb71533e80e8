/** Asking for a statement until it is there, without standing in the way of whoever pays meanwhile. */
import { type Fetched, fetchWithin } from '../reconcile/fetch.ts';

export type NotFetched = Exclude<Fetched, { readonly kind: 'fetched' }>;

/** How the asking has ended: with a statement, and what was opened for the try that brought it; or without. */
export type Asked<Opened> =
  | { readonly opened: Opened; readonly fetched: Exclude<Fetched, NotFetched> }
  | { readonly opened: undefined; readonly fetched: NotFetched };

/** Nobody knows whether the statement would have come. */
const stoppedWaiting: NotFetched = {
  kind: 'unavailable',
  why: 'the bank had none when the waiting was stopped',
  retryAfterMs: null,
};

/**
 * Asks every minute until there is a file or the time is over. Each try opens what it needs, with the right to send
 * when that is free, and lets go of it before the next: others may run, settle and pay in between.
 * @returns what the last try opened is the caller's to close, where it brought a statement
 */
export async function askLettingGo<Opened extends AsyncDisposable>(
  open: () => Promise<Opened>,
  fetch: (opened: Opened) => Promise<Fetched>,
  waiting: Parameters<typeof fetchWithin>[1],
): Promise<Asked<Opened>> {
  let asked: Asked<Opened> | undefined;
  const askOnce = async (): Promise<Asked<Opened>> => {
    await using stack = new AsyncDisposableStack();
    const opened = stack.use(await open());
    const fetched = await fetch(opened);
    if (fetched.kind !== 'fetched') return { opened: undefined, fetched };
    stack.move();
    return { opened, fetched };
  };
  await fetchWithin(async () => {
    asked = await askOnce();
    return asked.fetched;
  }, waiting);
  if (asked === undefined) throw new Error('the bank was not asked');
  return asked.fetched.kind === 'not-found' && waiting.stop.aborted
    ? { opened: undefined, fetched: stoppedWaiting }
    : asked;
}
