/**
 * The bank's book of registrations: each that was taken, how it was decided, whom that was told, and every request that
 * was refused. Nothing here waits: how a registration stands follows from the clock.
 */
import { computeBackoffMs } from '../../core/backoff.ts';
import { formatBangkokDateTime } from '../../core/bangkok-time.ts';
import { identityKey, type RegistrationIdentity } from '../../registration/rules/callback.ts';
import type { StateLine } from '../state-file.ts';
import type { CallRow, RegistrationTable, ToldOutcome } from './table.ts';

/** How a try to call the partner ended. */
export interface Try {
  /** Of this very call. */
  readonly requestUid: string;
  /** When its answer came, or failed to. */
  readonly atMs: number;
  /** `acknowledged`, or why it is tried again. */
  readonly result: string;
}

/** A call that tells of a decision. Everything but its tries is fixed when the registration is taken. */
export interface Call extends Omit<CallRow, 'afterMs' | 'outcome'> {
  /** What it says, which need not be what was decided. */
  readonly outcome: ToldOutcome;
  readonly dueAtMs: number;
  readonly tries: Try[];
}

/** A registration that the bank has taken; everything but the count of requests and the tries is fixed from then on. */
export interface Registration extends RegistrationIdentity {
  /** ddrOapiSeqId */
  readonly seqId: number;
  /** Whose token the request bore. */
  readonly clientId: string;
  readonly requestUid: string;
  readonly digitalId: string;
  readonly acceptedAtMs: number;
  /** Null for one that is never decided. */
  readonly outcome: ToldOutcome | null;
  /** When it is, or would be, decided. */
  readonly decidedAtMs: number;
  readonly calls: readonly Call[];
  /** Requests for the very same, the first counted. */
  requests: number;
}

/** What tells of a registration before it stands in the book. */
export type NewRegistration = Omit<Registration, 'seqId' | 'requests'>;

/** The result of a call that was answered as §2.3 wants it. */
export const acknowledged = 'acknowledged';

/**
 * When the call is to be tried next, epoch milliseconds: each wait is twice the one before. Undefined once it was
 * answered, or tried often enough.
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

/** True while it keeps another of the same out: it is not decided yet, or has succeeded (BSN002). */
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
    /** What the bank has decided, whatever it tells; null while it has not. */
    outcome: decided ? registration.outcome : null,
    acceptedAt: formatBangkokDateTime(registration.acceptedAtMs),
    decidedAt: decided ? formatBangkokDateTime(registration.decidedAtMs) : null,
    /** Requests for the very same, the first counted. */
    requests: registration.requests,
    callbacks: registration.calls.map((call) => toCallEntry(call, table.callbackRetries)),
  };
}

/** What was registered, and what was told of it. */
export type RegistrationLedger = ReturnType<RegistrationBook['ledger']>;

// ---------------------------------------------------------------- the book

const firstSeqId = 100_001;

function withoutTries(call: Call): Omit<Call, 'tries'> {
  const { tries: _, ...planned } = call;
  return planned;
}

/** A registration as a line of the state file carries it; the tries have lines of their own. */
function writeRegistration(registration: Registration): StateLine {
  const { requests: _, calls, ...rest } = registration;
  return { kind: 'registration', ...rest, calls: calls.map(withoutTries) };
}

/** @throws TypeError when the line is no registration */
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

/** Writes a line that is to survive the bank's own end; undefined: there is no state file. */
type Append = (line: StateLine) => Promise<void> | undefined;

/** Holds the registrations of every client. */
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

  /** All of them, in the order in which they were taken. */
  get registrations(): readonly Registration[] {
    return this.#registrations;
  }

  /** True when a request of the client has borne this requestUID (BSN007). */
  hasSeen(clientId: string, requestUid: string): boolean {
    return this.#requestUids.has(keyOf(clientId, requestUid));
  }

  /** The one that keeps another of the same vendor, company, account and references out (BSN002). */
  findOpen(
    identity: RegistrationIdentity,
    { undecidedSeconds }: RegistrationTable,
    nowMs: number,
  ): Registration | undefined {
    const held = this.#byIdentity.get(identityKey(identity)) ?? [];
    return held.find((registration) => keepsOthersOut(registration, undecidedSeconds, nowMs));
  }

  /** Until when the client gets 0429, epoch milliseconds; 0 when it never did. */
  blockedUntilMs(clientId: string): number {
    return this.#blockedUntilMs.get(clientId) ?? 0;
  }

  /** Takes a registration in. `recorded` resolves when it would survive the bank's own end. */
  enter(draft: NewRegistration) {
    const registration = { ...draft, seqId: firstSeqId + this.#registrations.length, requests: 1 };
    this.#add(registration);
    return { registration, recorded: this.#append(writeRegistration(registration)) };
  }

  /** Uses the requestUID of a refused request up. @param held the one that it is a duplicate of */
  countRefused(clientId: string, requestUid: string, held: Registration | undefined) {
    this.#addRefused(clientId, requestUid, held);
    return this.#append({ kind: 'registration-refused', clientId, requestUid, seqId: held?.seqId });
  }

  /** Counts a request whose requestUID another had borne (BSN007). */
  countRepeat() {
    this.#repeatedUids += 1;
    return this.#append({ kind: 'registration-repeat' });
  }

  /** From now on, and after a restart, the client gets 0429. */
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
   * Takes a line of the state file back in.
   * @returns false when it is about something else
   * @throws TypeError when it cannot be read
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
      /** Requests for one that was undecided or had succeeded (BSN002). */
      duplicatesRefused: this.#duplicatesRefused,
      /** Requests that bore the requestUID of another (BSN007), which must never happen. */
      repeatedRequestUids: this.#repeatedUids,
      callbacks: {
        acknowledged: countState('acknowledged'),
        owed: countState('owed'),
        givenUp: countState('given-up'),
        tries: calls.flatMap(({ tries }) => tries).length,
      },
      /** In the order in which they were taken. */
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
