/** Gets a day's statement, from the bank or from a person's file; its bytes are stored before they are read. */
import { basename } from 'node:path';
import { inEnglish, message, type Message } from '../core/message.ts';
import type { Clock } from '../core/ports.ts';
import type { KeptOriginal, StatementOriginals } from './file/originals.ts';
import type { StatementReader } from './file/reader.ts';
import type { StatementUnpacker } from './file/unpacker.ts';
import type {
  StatementDownloader,
  StatementOffer,
  StatementPart,
  StatementRefusal,
  StatementRequests,
} from './ports.ts';
import type { StatementSource } from './inspect.ts';
import { type Provenance, refuseOtherName, refuseUnread, type StatementScope } from './rules/custody.ts';
import type { StatementLine } from './rules/statement.ts';

export interface FetchContext {
  readonly desk: StatementRequests;
  readonly downloader: StatementDownloader;
  readonly originals: StatementOriginals;
  readonly unpacker: StatementUnpacker;
  readonly reader: StatementReader;
  /** The settings that affect the matching, as text. */
  readonly reading: string;
  readonly scope: StatementScope;
}

/** Dependencies of reading a stored file. */
export type SourceContext = Omit<FetchContext, 'desk' | 'downloader'>;

export type Fetched =
  /** `key`, for an encrypted ZIP, is a secret. */
  | { readonly kind: 'fetched'; readonly source: StatementSource; readonly key: string | null }
  | Exclude<StatementOffer, Offered>
  | { readonly kind: 'unusable'; readonly refusal: StatementRefusal };

/**
 * Requests the statement from the bank and downloads the file.
 * @param companyId null for all companies of the partner
 * @param forcedBy the person who insists on accepting it as it is
 */
export async function fetchStatement(
  context: FetchContext,
  date: string,
  companyId: string | null,
  stop: AbortSignal,
  forcedBy?: string,
): Promise<Fetched> {
  const offer = await context.desk.request(date, companyId, stop);
  if (offer.kind !== 'offered') return offer;
  const isForced = forcedBy !== undefined;
  const provenance: Provenance = { from: 'bank', user: forcedBy ?? null, isForced };
  return bring(context, date, offer, provenance, stop);
}

type Offered = Extract<StatementOffer, { readonly kind: 'offered' }>;

async function bring(
  context: FetchContext,
  date: string,
  { address, key }: Offered,
  provenance: Provenance,
  stop: AbortSignal,
): Promise<Fetched> {
  await using draft = await context.originals.draft(date);
  const delivery = await context.downloader.bring(address, (bytes) => draft.write(bytes), stop);
  switch (delivery.kind) {
    case 'refused': {
      const { refusal } = delivery;
      return mayComeLater(refusal)
        ? { kind: 'unavailable', why: inEnglish(refusal.message), retryAfterMs: null }
        : { kind: 'unusable', refusal };
    }
    case 'web-page': {
      const { path } = await draft.keep();
      return {
        kind: 'unusable',
        refusal: mention(delivery.refusal, message('statement-file.kept-as', { path })),
      };
    }
    case 'delivered':
      return { kind: 'fetched', source: makeSource(context, date, await draft.keep(), key, provenance), key };
  }
}

/** True for a download that failed, not for one that is forbidden. */
const mayComeLater = ({ code }: StatementRefusal): boolean =>
  code.startsWith('download-') && code !== 'download-too-large';

/**
 * Stores a copy of a person's file and makes a source of it.
 * @param user user of the operating system who gives the file
 * @param isForced true when the user insists on it, whatever it lacks
 * @param key key of an encrypted ZIP
 */
export async function takeFile(
  context: SourceContext,
  date: string,
  path: string,
  { user, isForced, key = null }: Pick<Provenance, 'user' | 'isForced'> & { readonly key?: string | null },
): Promise<Fetched> {
  const refusal = refuseOtherName(basename(path), context.scope);
  if (refusal !== undefined) return { kind: 'unusable', refusal };
  const kept = await context.originals.keepFile(date, path);
  if ('kind' in kept) return { kind: 'unusable', refusal: kept.refusal };
  const provenance: Provenance = { from: 'file', user, isForced };
  return { kind: 'fetched', source: makeSource(context, date, kept, key, provenance), key };
}

const mention = (refusal: StatementRefusal, place: Message): StatementRefusal => ({
  ...refusal,
  message: message('statement-file.with-place', { why: refusal.message, place }),
});

/** @param original the stored file */
export function makeSource(
  context: SourceContext,
  date: string,
  original: KeptOriginal,
  key: string | null,
  provenance: Provenance,
): StatementSource {
  const { unpacker, reader, originals, reading, scope } = context;
  return {
    date,
    originalSha256: original.sha256,
    originalPath: original.path,
    reading,
    provenance,
    scope,
    read: async (use) => {
      const refuse = async (refusal: StatementRefusal): Promise<StatementRefusal> => {
        // A person's own key is not stored.
        const isOurs = key !== null && provenance.from === 'bank';
        const keyPath = isOurs ? await originals.keepKey(original, key) : undefined;
        const { path } = original;
        const place =
          keyPath === undefined
            ? message('statement-file.banks-kept-as', { path })
            : message('statement-file.banks-kept-with-key', { path, keyPath });
        return mention(refusal, place);
      };
      const opened = await unpacker.open(original.path, key);
      if (opened.kind === 'refused') return refuse(opened.refusal);
      await using statement = opened;
      const named = refuseOtherName(basename(opened.name), scope);
      if (named !== undefined) return await refuse(named);
      const read = await use(fillDates(reader.read(statement.path), date));
      return 'code' in read ? await refuse(read) : read;
    },
  };
}

/**
 * Fills in the statement's day for a transfer that never took effect, whose line may have none (file/reader.ts), unless
 * the lines so far are of other days only: such a line must not make a file of another day pass for this one.
 */
async function* fillDates(parts: AsyncIterable<StatementPart>, date: string): AsyncGenerator<StatementPart> {
  let isOfDay = false;
  let otherDate: string | undefined;
  for await (const part of parts) {
    let isDated = true;
    if (part.kind === 'lines')
      for (const { effectiveDate } of part.lines) {
        if (effectiveDate === date) isOfDay = true;
        else if (effectiveDate === '') isDated = false;
        else otherDate = effectiveDate;
      }
    const filling = isOfDay ? date : (otherDate ?? date);
    yield part.kind !== 'lines' || isDated
      ? part
      : { ...part, lines: part.lines.map((line) => fillDate(line, filling)) };
  }
}

const fillDate = (line: StatementLine, date: string): StatementLine =>
  line.effectiveDate === '' && line.fault === '' ? { ...line, effectiveDate: date } : line;

/**
 * The day of a person's file: the only effective date of its first lines.
 * @returns YYYYMMDD, or why its first lines cannot be read; undefined when they have several days, or there are none
 */
export async function findDate(
  { unpacker, reader }: SourceContext,
  path: string,
  key: string | null,
): Promise<string | StatementRefusal | undefined> {
  const opened = await unpacker.open(path, key);
  if (opened.kind === 'refused') return opened.refusal;
  await using statement = opened;
  const dates = new Set<string>();
  let unread: StatementLine | undefined;
  for await (const part of reader.read(statement.path)) {
    if (part.kind === 'refused') return part.refusal;
    if (part.kind !== 'lines') break;
    for (const { effectiveDate } of part.lines) if (effectiveDate !== '') dates.add(effectiveDate);
    unread ??= part.lines.find(({ fault }) => fault !== '');
    if (dates.size > 0) break;
  }
  const [date] = dates;
  if (date === undefined && unread !== undefined) return refuseUnread(unread, 1);
  return dates.size === 1 ? date : undefined;
}

export type NotFetched = Exclude<Fetched, { readonly kind: 'fetched' }>;

/** The result of the requests: a statement, with the resources opened for that try; or none. */
export type RequestedStatement<Opened> =
  | { readonly opened: Opened; readonly fetched: Exclude<Fetched, NotFetched> }
  | { readonly opened: undefined; readonly fetched: NotFetched };

/** Interval in ms at which a bank without a file is asked again. */
export const againMs = 60_000;

/** Waiting was stopped: whether the statement would have come is unknown. */
const stoppedWaiting: NotFetched = {
  kind: 'unavailable',
  why: 'the bank had none when the waiting was stopped',
  retryAfterMs: null,
};

/**
 * Asks every minute until there is a file, the time is over, or it is stopped. Each try opens what it needs, with the
 * right to send if that is free, and releases it before the next: other processes may run, settle and pay in between.
 * @returns with a statement, the last try's resources, which the caller closes
 */
export async function askLettingGo<Opened extends AsyncDisposable>(
  open: () => Promise<Opened>,
  fetch: (opened: Opened) => Promise<Fetched>,
  { clock, waitMs, stop }: { readonly clock: Clock; readonly waitMs: number; readonly stop: AbortSignal },
): Promise<RequestedStatement<Opened>> {
  const untilMs = clock.now() + waitMs;
  const isStopped = (): boolean => stop.aborted;
  for (;;) {
    const asked = await askOnce(open, fetch);
    const { fetched } = asked;
    if (fetched.kind !== 'not-found' && fetched.kind !== 'unavailable') return asked;
    const leftMs = untilMs - clock.now();
    const askedMs = fetched.kind === 'unavailable' ? (fetched.retryAfterMs ?? 0) : 0;
    const waitsMs = Math.min(leftMs, Math.max(againMs, askedMs));
    if (waitsMs > 0 && !isStopped()) await clock.sleep(waitsMs, stop);
    if (isStopped() && fetched.kind === 'not-found') return { opened: undefined, fetched: stoppedWaiting };
    if (isStopped() || leftMs <= 0) return asked;
  }
}

async function askOnce<Opened extends AsyncDisposable>(
  open: () => Promise<Opened>,
  fetch: (opened: Opened) => Promise<Fetched>,
): Promise<RequestedStatement<Opened>> {
  await using stack = new AsyncDisposableStack();
  const opened = stack.use(await open());
  const fetched = await fetch(opened);
  if (fetched.kind !== 'fetched') return { opened: undefined, fetched };
  stack.move();
  return { opened, fetched };
}
