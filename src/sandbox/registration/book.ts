/**
 * The bank's book of registrations: each accepted one with its decision and its callbacks, and every refused request.
 * The book has no timers: the state of a registration follows from the clock.
 */
import { computeBackoffMs } from '../../core/backoff.ts';
import { formatBangkokDateTime } from '../../core/bangkok-time.ts';
import { identityKey, type RegistrationIdentity } from '../../registration/rules/callback.ts';
import type { StateLine } from '../state-file.ts';
import type { CallRow, RegistrationTable, ToldOutcome } from './table.ts';

/** One try to call the partner, and its result. */
interface Try {
  /** requestUID of this try. */
  readonly requestUid: string;
  /** Time of its answer or failure. */
  readonly atMs: number;
  /** `acknowledged`, or the reason for the next try. */
  readonly result: string;
}

/** A callback about a decision. Only its tries change after the registration is accepted. */
export interface Call extends Omit<CallRow, 'afterMs' | 'outcome'> {
  /** The outcome that it reports, which may differ from the decision. */
  readonly outcome: ToldOutcome;
  readonly dueAtMs: number;
  readonly tries: Try[];
}

/** An accepted registration; from then on only the count of requests and the tries change. */
export interface Registration extends RegistrationIdentity {
  /** ddrOapiSeqId */
  readonly seqId: number;
  /** Client of the request's token. */
  readonly clientId: string;
  readonly requestUid: string;
  readonly digitalId: string;
  readonly acceptedAtMs: number;
  /** Null when it is never decided. */
  readonly outcome: ToldOutcome | null;
  /** Time of the decision, even if there is none. */
  readonly decidedAtMs: number;
  readonly calls: readonly Call[];
  /** Requests for the same registration, including the first. */
  requests: number;
}

/** A registration before it enters the book. */
export type NewRegistration = Omit<Registration, 'seqId' | 'requests'>;

/** Result of a call with the answer that §2.3 requires. */
export const acknowledged = 'acknowledged';

/**
 * Time of the next try, epoch milliseconds; each wait is twice the one before. Undefined once the call was answered, or
 * has used up its tries.
 */
export function computeNextTryMs(
  { tries, retries, dueAtMs }: Pick<Call, 'tries' | 'retries' | 'dueAtMs'>,
  { max, delayMs, delayMaxMs }: RegistrationTable['callbackRetries'],
): number | undefined {
  const last = tries.at(-1);
  if (last === undefined) return dueAtMs;
  if (last.result === acknowledged || tries.length > (retries ?? max)) return undefined;
  return last.atMs + computeBackoffMs({ baseMs: delayMs, maxMs: delayMaxMs }, tries.length - 1);
}

const isDecided = ({ outcome, decidedAtMs }: Registration, nowMs: number): boolean =>
  outcome !== null && nowMs >= decidedAtMs;

/** True while it blocks another of the same: it is undecided, or has succeeded (BSN002). */
function keepsOthersOut(registration: Registration, undecidedSeconds: number, nowMs: number): boolean {
  const { outcome, acceptedAtMs } = registration;
  if (outcome === null) return nowMs < acceptedAtMs + undecidedSeconds * 1_000;
  return outcome === 'success' || !isDecided(registration, nowMs);
}

// ---------------------------------------------------------------- the ledger

type CallState = 'acknowledged' | 'owed' | 'given-up';

function computeCallState(call: Call, retries: RegistrationTable['callbackRetries']): CallState {
  if (call.tries.at(-1)?.result === acknowledged) return 'acknowledged';
  return computeNextTryMs(call, retries) === undefined ? 'given-up' : 'owed';
}

const toCallEntry = (call: Call, retries: RegistrationTable['callbackRetries']) => ({
  outcome: call.outcome,
  key: call.key,
  dueAt: formatBangkokDateTime(call.dueAtMs),
  state: computeCallState(call, retries),
  tries: call.tries.map(({ requestUid, atMs, result }) => ({
    at: formatBangkokDateTime(atMs),
    requestUID: requestUid,
    result,
  })),
});

function toEntry(registration: Registration, table: RegistrationTable, nowMs: number) {
  const { seqId, requestUid, clientId, digitalId, vendorId, companyId, accountNo } = registration;
  const [ref1, ref2, ref3, ref4] = registration.refs.map((ref) => ref ?? '');
  const decided = isDecided(registration, nowMs);
  return {
    ddrOapiSeqId: seqId,
    requestUID: requestUid,
    clientId,
    digitalId,
    vendorId,
    companyId,
    accountNo,
    ref1,
    ref2,
    ref3,
    ref4,
    /** The bank's decision, regardless of its callbacks; null before it. */
    outcome: decided ? registration.outcome : null,
    acceptedAt: formatBangkokDateTime(registration.acceptedAtMs),
    decidedAt: decided ? formatBangkokDateTime(registration.decidedAtMs) : null,
    /** Requests for the same registration, including the first. */
    requests: registration.requests,
    callbacks: registration.calls.map((call) => toCallEntry(call, table.callbackRetries)),
  };
}

/** The registrations and their callbacks. */
export type RegistrationLedger = ReturnType<RegistrationBook['ledger']>;

// ---------------------------------------------------------------- the book

const firstSeqId = 100_001;

function withoutTries(call: Call): Omit<Call, 'tries'> {
  const { tries: _, ...planned } = call;
  return planned;
}

/** The state file's line of a registration; its tries have their own lines. */
function writeRegistration(registration: Registration): StateLine {
  const { requests: _, calls, ...rest } = registration;
  return { kind: 'registration', ...rest, calls: calls.map(withoutTries) };
}

/** @throws TypeError when the line is not a registration */
function readRegistration(line: StateLine): Registration {
  const { kind: _, seqId, calls, ...rest } = line;
  if (typeof seqId !== 'number' || !Array.isArray(calls)) throw new TypeError('not a registration');
  const planned = calls as Omit<Call, 'tries'>[];
  return {
    ...(rest as unknown as Registration),
    seqId,
    calls: planned.map((call) => ({ ...call, tries: [] })),
    requests: 1,
  };
}

const keyOf = (clientId: string, requestUid: string): string => `${clientId} ${requestUid}`;

/** Writes a line that survives the bank's own end; undefined without a state file. */
type Append = (line: StateLine) => Promise<void> | undefined;

/** The registrations of every client. */
export class RegistrationBook {
  readonly #registrations: Registration[] = [];
  readonly #byIdentity = new Map<string, Registration[]>();
  readonly #requestUids = new Set<string>();
  readonly #blockedUntilMs = new Map<string, number>();
  #duplicatesRefused = 0;
  #repeatedUids = 0;
  readonly #append: Append;

  constructor(append: Append) {
    this.#append = append;
  }

  /** All registrations, in order of acceptance. */
  get registrations(): readonly Registration[] {
    return this.#registrations;
  }

  /** True when the client has already used this requestUID (BSN007). */
  hasSeen(clientId: string, requestUid: string): boolean {
    return this.#requestUids.has(keyOf(clientId, requestUid));
  }

  /** The registration that blocks another of the same vendor, company, account and references (BSN002). */
  findOpen(
    identity: RegistrationIdentity,
    { undecidedSeconds }: RegistrationTable,
    nowMs: number,
  ): Registration | undefined {
    const held = this.#byIdentity.get(identityKey(identity)) ?? [];
    return held.find((registration) => keepsOthersOut(registration, undecidedSeconds, nowMs));
  }

  /** End of the time in which the client gets 0429, epoch milliseconds; 0 when there was none. */
  blockedUntilMs(clientId: string): number {
    return this.#blockedUntilMs.get(clientId) ?? 0;
  }

  /** Adds a registration. `recorded` resolves when it would survive the bank's own end. */
  enter(draft: NewRegistration) {
    const registration = { ...draft, seqId: firstSeqId + this.#registrations.length, requests: 1 };
    this.#add(registration);
    return { registration, recorded: this.#append(writeRegistration(registration)) };
  }

  /**
   * Uses up the requestUID of a refused request.
   * @param held the registration that it duplicates
   */
  countRefused(clientId: string, requestUid: string, held: Registration | undefined) {
    this.#addRefused(clientId, requestUid, held);
    return this.#append({ kind: 'registration-refused', clientId, requestUid, seqId: held?.seqId });
  }

  /** Counts a request with a requestUID that was used before (BSN007). */
  countRepeat() {
    this.#repeatedUids += 1;
    return this.#append({ kind: 'registration-repeat' });
  }

  /** Blocks the client with 0429 from now on, also after a restart. */
  block(clientId: string, untilMs: number) {
    this.#blockedUntilMs.set(clientId, untilMs);
    return this.#append({ kind: 'registration-block', clientId, untilMs });
  }

  /** Counts a try of one of the registration's calls. */
  countTry({ seqId, calls }: Registration, call: Call, result: Try) {
    call.tries.push(result);
    return this.#append({ kind: 'callback', seqId, call: calls.indexOf(call), ...result });
  }

  /**
   * Applies a line of the state file.
   * @returns false when it is of another kind
   * @throws TypeError when it is unreadable
   */
  replay(line: StateLine): boolean {
    switch (line['kind']) {
      case 'registration':
        this.#add(readRegistration(line));
        return true;
      case 'registration-refused':
        this.#addRefused(
          String(line['clientId']),
          String(line['requestUid']),
          line['seqId'] === undefined ? undefined : this.#find(line),
        );
        return true;
      case 'registration-repeat':
        this.#repeatedUids += 1;
        return true;
      case 'registration-block':
        this.#blockedUntilMs.set(String(line['clientId']), Number(line['untilMs']));
        return true;
      case 'callback':
        this.#replayTry(line);
        return true;
    }
    return false;
  }

  ledger(table: RegistrationTable, nowMs: number) {
    const entries = this.#registrations.map((registration) => toEntry(registration, table, nowMs));
    const calls = entries.flatMap(({ callbacks }) => callbacks);
    const countOutcome = (outcome: ToldOutcome | null) =>
      entries.filter((entry) => entry.outcome === outcome).length;
    const countState = (state: CallState) => calls.filter((call) => call.state === state).length;
    return {
      totals: {
        success: countOutcome('success'),
        reject: countOutcome('reject'),
        undecided: countOutcome(null),
      },
      /** Requests for a registration that was undecided or had succeeded (BSN002). */
      duplicatesRefused: this.#duplicatesRefused,
      /** Requests with a requestUID that was used before (BSN007), which must never happen. */
      repeatedRequestUids: this.#repeatedUids,
      callbacks: {
        acknowledged: countState('acknowledged'),
        owed: countState('owed'),
        givenUp: countState('given-up'),
        tries: calls.flatMap(({ tries }) => tries).length,
      },
      /** Entries in order of acceptance. */
      entries,
    };
  }

  #add(registration: Registration): void {
    const key = identityKey(registration);
    const held = this.#byIdentity.get(key);
    if (held === undefined) this.#byIdentity.set(key, [registration]);
    else held.push(registration);
    this.#registrations.push(registration);
    this.#requestUids.add(keyOf(registration.clientId, registration.requestUid));
  }

  #addRefused(clientId: string, requestUid: string, held: Registration | undefined): void {
    this.#requestUids.add(keyOf(clientId, requestUid));
    if (held === undefined) return;
    held.requests += 1;
    this.#duplicatesRefused += 1;
  }

  #find({ seqId }: StateLine): Registration {
    const registration = this.#registrations[Number(seqId) - firstSeqId];
    if (registration === undefined) throw new TypeError('a line about no registration');
    return registration;
  }

  #replayTry(line: StateLine): void {
    const { call, requestUid, atMs, result } = line;
    const made = this.#find(line).calls[Number(call)];
    if (made === undefined) throw new TypeError('a line about no callback');
    made.tries.push({ requestUid: String(requestUid), atMs: Number(atMs), result: String(result) });
  }
}
