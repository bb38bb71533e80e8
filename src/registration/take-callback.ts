/** Takes callbacks: each is durable, with its changes, before the bank gets its answer. */
import { maskDigits } from '../core/proxy-id.ts';
import type { Clock, Log } from '../core/ports.ts';
import type { RegistrationStore, SentRegistrationRow } from './ports.ts';
import { clockToleranceMs, computeEarlyMs, findMeant, identityKey } from './rules/callback.ts';
import { afterRegistrationChange, type CallbackRecord } from './rules/change.ts';
import type { Registration } from './rules/registration.ts';
import { decideTakenCallback } from './rules/take-callback.ts';

/** The journal as the taking of callbacks uses it. */
export type CallbackStore = Pick<
  RegistrationStore,
  | 'sentRegistrations'
  | 'registration'
  | 'applyRegistrations'
  | 'keepCallback'
  | 'unboundCallbacks'
  | 'callbackReceivedAtMs'
>;

export interface CallbackContext {
  readonly journal: CallbackStore;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
}

/** Outcome of a callback. */
export type CallbackTaking =
  /** The registration as it is now. */
  | { readonly kind: 'applied'; readonly registration: Registration }
  /** The callback repeats what was known of the registration. */
  | { readonly kind: 'nothing-new'; readonly registration: Registration }
  /** The same callback came before. */
  | { readonly kind: 'repeated'; readonly registration: Registration | undefined }
  /** The callback is kept: no known registration fits. */
  | { readonly kind: 'unknown' };

/** Tries on a registration that keeps changing; after these, the next `bindKeptCallbacks` takes the callback. */
const triesMax = 20;

/**
 * Takes one callback. When it resolves, the callback is in the journal.
 * @throws JournalWriteError when the journal refuses writes: the callback is not taken
 */
export async function takeCallback(
  context: CallbackContext,
  record: CallbackRecord,
): Promise<CallbackTaking> {
  const taking = await keepAtLeast(context, record, async () => {
    for (let tries = 0; tries < triesMax; tries += 1) {
      const meant = await readMeant(context, record);
      const taken = meant && (await takeFor(context, record, meant));
      if (taken !== undefined || meant === undefined) return taken;
    }
    return undefined;
  });
  reportTaking(context, record, taking);
  return taking;
}

async function readMeant(
  { journal }: CallbackContext,
  { key, callback: { identity, appliedAtMs }, receivedAtMs }: CallbackRecord,
): Promise<SentRegistrationRow | undefined> {
  const sent = await journal.sentRegistrations(identityKey(identity));
  const meant = findMeant(sent, { appliedAtMs, receivedAtMs });
  if (meant === undefined || computeEarlyMs(meant, { appliedAtMs }) <= clockToleranceMs) return meant;
  // A repeat may come after the request although the callback first came before it.
  const firstAtMs = await journal.callbackReceivedAtMs(key);
  return findMeant(sent, { appliedAtMs, receivedAtMs: firstAtMs ?? receivedAtMs });
}

/** Undefined when the registration has changed meanwhile. */
async function takeFor(
  { journal, clock, log }: CallbackContext,
  record: CallbackRecord,
  meant: SentRegistrationRow,
): Promise<CallbackTaking | undefined> {
  const { registration, isLatest } = meant;
  const change = decideTakenCallback(registration, record, isLatest, clock.now());
  if (change !== undefined) {
    const [isApplied] = await journal.applyRegistrations([change]);
    if (isApplied === true) {
      reportEarly(log, record, meant);
      return { kind: 'applied', registration: afterRegistrationChange(change) };
    }
    const latest = await journal.registration(registration.seq);
    if (latest?.version !== registration.version) return undefined;
    // The row is unchanged, so that the callback's own guard refused the change: it has counted before.
  }
  const isNew = await journal.keepCallback(record, registration.seq);
  if (isNew && change !== undefined)
    log('error', 'a callback was kept and could not be applied', describeCallback(record, registration));
  return { kind: isNew ? 'nothing-new' : 'repeated', registration };
}

/** Keeps the callback unbound if it cannot be applied, even through a fault of paydrop: it is never lost. */
async function keepAtLeast(
  { journal, log }: CallbackContext,
  record: CallbackRecord,
  take: () => Promise<CallbackTaking | undefined>,
): Promise<CallbackTaking> {
  const taken = await take().catch((error: unknown) => {
    // The journal can keep nothing at all.
    if (error instanceof Error && error.name === 'JournalWriteError') throw error;
    log('error', 'a callback could not be applied: it is kept', { ...describeCallback(record), err: error });
    return undefined;
  });
  if (taken !== undefined) return taken;
  const isNew = await journal.keepCallback(record, null);
  return isNew ? { kind: 'unknown' } : { kind: 'repeated', registration: undefined };
}

// ---------------------------------------------------------------- callbacks that came before

/** Callbacks read at first. */
const pageSize = 200;

/**
 * Binds kept callbacks to registrations that have turned up since.
 * @returns the bound callbacks, with the outcome of each
 */
export async function bindKeptCallbacks(
  context: CallbackContext,
): Promise<readonly (readonly [CallbackRecord, CallbackTaking])[]> {
  const bound: (readonly [CallbackRecord, CallbackTaking])[] = [];
  // Grows the page: callbacks that stay unbound come again each time, and must not block the others for ever.
  for (let limit = pageSize; ; limit *= 2) {
    const kept = await context.journal.unboundCallbacks(limit);
    for (const record of kept) {
      const taking = await bindOne(context, record);
      if (taking !== undefined) bound.push([record, taking]);
    }
    if (kept.length < limit) return bound;
  }
}

async function bindOne(
  context: CallbackContext,
  record: CallbackRecord,
): Promise<CallbackTaking | undefined> {
  try {
    const meant = await readMeant(context, record);
    const taking = meant && (await takeFor(context, record, meant));
    if (taking !== undefined) reportTaking(context, record, taking);
    return taking;
  } catch (error) {
    if (error instanceof Error && error.name === 'JournalWriteError') throw error;
    context.log('error', 'a kept callback could not be applied', { ...describeCallback(record), err: error });
    return undefined;
  }
}

// ---------------------------------------------------------------- the log

function describeCallback(
  { callback: { identity, respCode, requestUid }, fromAddress }: CallbackRecord,
  registration?: Registration,
) {
  return {
    registrationId: registration?.instruction?.registrationId,
    batchId: registration?.batchId,
    rowNo: registration?.rowNo,
    companyCode: identity.vendorId,
    accountNo: maskDigits(identity.accountNo),
    respCode,
    requestUid,
    fromAddress,
  };
}

/** Logs an impossible time, whatever the outcome: the next callback may be taken for another attempt's. */
function reportEarly(log: Log, record: CallbackRecord, meant: SentRegistrationRow): void {
  const earlyMs = computeEarlyMs(meant, record.callback);
  if (earlyMs <= clockToleranceMs) return;
  log('warn', 'the bank calls back with a time before our request: compare the clocks, and the time zone', {
    ...describeCallback(record, meant.registration),
    earlySeconds: Math.round(earlyMs / 1_000),
  });
}

/** Logs a callback: at a high level if it needs a person, else for close inspection. */
function reportTaking({ log }: CallbackContext, record: CallbackRecord, taking: CallbackTaking): void {
  const registration = taking.kind === 'unknown' ? undefined : taking.registration;
  const facts = describeCallback(record, registration);
  if (taking.kind === 'unknown') log('warn', 'a callback means no registration that was sent', facts);
  else if (taking.kind !== 'applied') log('debug', 'a callback told nothing new', facts);
  else if (taking.registration.isAlarm)
    log('error', 'a callback contradicts what was known', { status: taking.registration.status, ...facts });
  else log('debug', 'a callback was taken', { status: taking.registration.status, ...facts });
}
