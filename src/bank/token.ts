/**
 * The life of the access token (§2.1, §5): reused while valid, and renewed shortly before it expires, by one request at
 * a time.
 */
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import type { TokenPlace } from '../core/bank-port.ts';
import type { Clock } from '../core/ports.ts';
import type { WireOutcome } from './exchange.ts';
import {
  type JsonObject,
  readCode,
  readJsonObject,
  readObject,
  readText,
  readWholeText,
} from './messages.ts';
import { grantTypeRefresh, tokenCodes } from './wire.ts';

export interface Token {
  readonly kind: 'token';
  /** Value of the Authorization header. */
  readonly authorization: string;
  readonly renewAtMs: number;
  readonly expiresAtMs: number;
  readonly refreshToken: string | undefined;
  readonly refreshExpiresAtMs: number;
  /** Number of the token, counted from 1, when machines share it. */
  readonly generation?: number;
}

/** A token, or the reason why there is none; without one no business request is sent. */
export type TokenReading =
  | Token
  | { readonly kind: 'not-sent'; readonly why: string }
  | { readonly kind: 'credentials-refused'; readonly code: string };

/**
 * Gets a shared token: one that another machine obtained, or one that this machine requests.
 * @param known the token that is due, and the one that the bank has answered with 401
 * @param ask asks the bank, with the refresh token of the previous one
 */
type TokenShare = (
  known: { readonly previous: Token | undefined; readonly refused: Token | undefined },
  ask: (previous: Token | undefined) => Promise<TokenReading>,
) => Promise<TokenReading>;

interface TokenServiceOptions {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly clock: Clock;
  /** Left out when each machine has its own token. */
  readonly share?: TokenShare | undefined;
  /** Posts a form to endpoint 1 or 2. */
  readonly postForm: (endpoint: 'token' | 'tokenRefresh', form: string) => Promise<WireOutcome>;
}

/** Time in ms before expiry at which a token is renewed, at most the last fifth of its life. */
const renewMarginMs = 60_000;
const renewMarginShare = 0.2;

/** Lives of §8, for a reply that leaves them out. */
const tokenLifeSeconds = 900;
const refreshTokenLifeSeconds = 86_400;

/** Pause in ms after a failed renewal, during which the token in force is used; refused credentials pause as well. */
const renewalPauseMs = 5_000;

/** Characters that an HTTP header can carry. */
const tokenPattern = /^[\x21-\x7e]+$/;
/** Limit on all headers of a request in common servers. */
const tokenLengthMax = 16_384;

/** Keeps one token for any number of callers. Its promises never reject. */
export function makeTokenService(options: TokenServiceOptions) {
  const { clock } = options;
  let inForce: Token | undefined;
  let refused: Token | undefined;
  let renewal: Promise<TokenReading> | undefined;
  let failed: { readonly reading: TokenReading; readonly atMs: number } | undefined;

  function isPausing(nowMs: number): boolean {
    return failed !== undefined && nowMs >= failed.atMs && nowMs - failed.atMs < renewalPauseMs;
  }
  async function obtain(previous: Token | undefined): Promise<TokenReading> {
    const reading = await obtainAnywhere(options, previous, refused);
    if (reading.kind === 'token') {
      inForce = reading;
      refused = undefined;
    }
    // While another machine renews the token, the previous one is used until the next look.
    const isNew = reading.kind === 'token' && reading !== previous;
    failed = isNew ? undefined : { reading, atMs: clock.now() };
    return reading;
  }
  function renew(previous: Token | undefined): Promise<TokenReading> {
    renewal ??= obtain(previous).finally(() => {
      renewal = undefined;
    });
    return renewal;
  }

  return {
    /** The token in force; a promise only when there is none. */
    current(): TokenReading | Promise<TokenReading> {
      const nowMs = clock.now();
      if (inForce !== undefined && nowMs < inForce.expiresAtMs) {
        // Callers do not wait for a renewal while the token in force is valid; later callers see its outcome.
        if (nowMs >= inForce.renewAtMs && !isPausing(nowMs)) void renew(inForce);
        return inForce;
      }
      if (failed?.reading.kind === 'credentials-refused' && isPausing(nowMs)) return failed.reading;
      return renew(inForce);
    },
    /** Replaces a token that the bank answered with 401; renews only if it is still in force. */
    replace(bad: Token): TokenReading | Promise<TokenReading> {
      if (inForce !== bad && inForce !== undefined) return inForce;
      // A refused token makes its refresh token doubtful: the credentials are used instead.
      inForce = undefined;
      refused = bad;
      return renew(undefined);
    },
  };
}

/**
 * Gets a token, through the shared place if there is one. While the place is out of reach no token is requested: a new
 * one could invalidate the others'.
 */
async function obtainAnywhere(
  options: TokenServiceOptions,
  previous: Token | undefined,
  refused: Token | undefined,
): Promise<TokenReading> {
  const { share } = options;
  if (share === undefined) return obtainToken(options, previous);
  try {
    return await share({ previous, refused }, (before) => obtainToken(options, before));
  } catch (error) {
    return noToken(`the journal, where it is shared, cannot be asked (${describeFailure(error)})`);
  }
}

const describeFailure = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Uses endpoint 2 while there is a valid refresh token, and endpoint 1 when that yields none. */
async function obtainToken(options: TokenServiceOptions, previous: Token | undefined): Promise<TokenReading> {
  if (previous?.refreshToken !== undefined && options.clock.now() < previous.refreshExpiresAtMs) {
    const grant = { grant_type: grantTypeRefresh, refresh_token: previous.refreshToken };
    const refreshed = await ask(options, 'tokenRefresh', grant);
    if (refreshed.kind === 'token') return refreshed;
  }
  return ask(options, 'token', {});
}

async function ask(
  { clientId, clientSecret, clock, postForm }: TokenServiceOptions,
  endpoint: 'token' | 'tokenRefresh',
  grant: Readonly<Record<string, string>>,
): Promise<TokenReading> {
  const startedMs = clock.now();
  const form = new URLSearchParams({ client_id: clientId, client_secret: clientSecret, ...grant });
  return readTokenOutcome(await postForm(endpoint, form.toString()), startedMs);
}

const noToken = (why: string): TokenReading => ({ kind: 'not-sent', why: `no access token: ${why}` });

/** Reads the outcome of endpoint 1 or 2 (§2.1). The token's life counts from `startedMs`, the moment of the request. */
function readTokenOutcome(outcome: WireOutcome, startedMs: number): TokenReading {
  switch (outcome.kind) {
    case 'not-sent':
    case 'lost':
      return noToken(outcome.why);
    case 'withheld':
      return noToken('the request was withheld');
    case 'answered': {
      const { httpStatus } = outcome;
      if (httpStatus >= 300 && httpStatus < 400)
        return noToken(`HTTP ${httpStatus}; redirects are never followed`);
      const object = readJsonObject(outcome.body);
      const code = object && readCode(object, 'code');
      if (code === tokenCodes.credentialsRefused) return { kind: 'credentials-refused', code };
      const token =
        object !== undefined && code === tokenCodes.success ? readToken(object, startedMs) : undefined;
      if (typeof token === 'string') return noToken(token);
      return token ?? noToken(`the token endpoint answered HTTP ${httpStatus}${describeCode(code)}`);
    }
  }
}

function describeCode(code: string | undefined): string {
  if (code === undefined) return ' with a body that is not what the interface says';
  if (code === tokenCodes.success) return ' without a usable bearer token';
  return /^\w{1,10}$/.test(code) ? ` with code ${code}` : ' with a code that is not what the interface says';
}

/** @returns the token, or a text that says why it cannot be used; undefined when there is none */
function readToken(object: JsonObject, startedMs: number): Token | string | undefined {
  const details = readObject(object, 'data');
  const accessToken = details && readWholeText(details, 'access_token');
  const tokenType = (details && readText(details, 'token_type')) ?? 'Bearer';
  if (details === undefined || accessToken === undefined || !tokenPattern.test(accessToken)) return undefined;
  if (tokenType.toLowerCase() !== 'bearer') return undefined;
  if (accessToken.length > tokenLengthMax)
    return `the access token has ${accessToken.length} characters, more than the ${tokenLengthMax} that can be sent: ask the bank for a shorter one`;
  const lifeMs = readLifeMs(details, 'expires_in', tokenLifeSeconds);
  const expiresAtMs = startedMs + lifeMs;
  return {
    kind: 'token',
    authorization: `Bearer ${accessToken}`,
    renewAtMs: expiresAtMs - Math.min(renewMarginMs, lifeMs * renewMarginShare),
    expiresAtMs,
    refreshToken: readWholeText(details, 'refresh_token'),
    refreshExpiresAtMs: startedMs + readLifeMs(details, 'refresh_token_expires_in', refreshTokenLifeSeconds),
  };
}

/** A life in seconds, as milliseconds; the interface's default for anything but a number above 0. */
function readLifeMs(details: JsonObject, name: string, otherwiseSeconds: number): number {
  const seconds = Number(readText(details, name) ?? otherwiseSeconds);
  return (Number.isFinite(seconds) && seconds > 0 ? seconds : otherwiseSeconds) * 1_000;
}

// ---------------------------------------------------------------- shared by machines

interface Sharing {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly baseUrl: string;
  /** Limit of one token request. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly place: TokenPlace;
}

/** The stored form, sealed: readable only with the client secret that obtained the token. */
interface Kept extends Pick<Token, 'authorization' | 'refreshToken'> {
  /** Durations from the moment before the token was requested. */
  readonly lifeMs: number;
  readonly renewAfterMs: number;
  readonly refreshLifeMs: number;
}

const cipher = 'aes-256-gcm';
const [keyBytes, ivBytes, tagBytes] = [32, 12, 16];

/** Interval in ms at which a waiting machine polls for another's renewal. */
const lookMs = 200;

/** Requests of one renewal at most (refresh token, then credentials), and time to store the result. */
const asksMax = 2;
const writeMs = 10_000;

/** The owner that a seal is bound to: a seal of one bank or client opens for no other. */
const describeOwner = ({ baseUrl, clientId }: Sharing): string =>
  `token shared by machines v1\n${baseUrl}\n${clientId}`;

function makeSeal(sharing: Sharing) {
  const owner = describeOwner(sharing);
  const key = Buffer.from(hkdfSync('sha256', sharing.clientSecret, '', owner, keyBytes));
  const boundTo = (generation: number): Buffer => Buffer.from(`${owner}\n${generation}`);
  return {
    close(kept: Kept, generation: number): string {
      const iv = randomBytes(ivBytes);
      const closing = createCipheriv(cipher, key, iv, { authTagLength: tagBytes }).setAAD(
        boundTo(generation),
      );
      const text = [closing.update(JSON.stringify(kept), 'utf8'), closing.final()];
      return Buffer.concat([iv, closing.getAuthTag(), ...text]).toString('base64url');
    },
    /** Undefined for a text sealed with another secret, and for one that is not a seal. */
    open(sealed: string, generation: number): Kept | undefined {
      const bytes = Buffer.from(sealed, 'base64url');
      if (bytes.length <= ivBytes + tagBytes) return undefined;
      try {
        const opening = createDecipheriv(cipher, key, bytes.subarray(0, ivBytes), {
          authTagLength: tagBytes,
        });
        opening.setAAD(boundTo(generation)).setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
        const text = [opening.update(bytes.subarray(ivBytes + tagBytes)), opening.final()];
        return JSON.parse(Buffer.concat(text).toString('utf8')) as Kept;
      } catch {
        return undefined;
      }
    },
  };
}

const toKept = (token: Token, startedMs: number): Kept => ({
  authorization: token.authorization,
  refreshToken: token.refreshToken,
  lifeMs: token.expiresAtMs - startedMs,
  renewAfterMs: token.renewAtMs - startedMs,
  refreshLifeMs: token.refreshExpiresAtMs - startedMs,
});

/** @param sinceMs time of the request, by this machine's clock */
const toToken = (kept: Kept, sinceMs: number, generation: number): Token => ({
  kind: 'token',
  authorization: kept.authorization,
  renewAtMs: sinceMs + kept.renewAfterMs,
  expiresAtMs: sinceMs + kept.lifeMs,
  refreshToken: kept.refreshToken,
  refreshExpiresAtMs: sinceMs + kept.refreshLifeMs,
  generation,
});

/**
 * One access token for all machines of one journal. The machine that first finds it due or refused renews it; the
 * others wait for that renewal. The interface does not say whether a new token ends the old (§2.1); if it does,
 * machines with a token each would invalidate one another's.
 */
export function makeTokenShare(sharing: Sharing): TokenShare {
  const { clock, place, timeoutMs } = sharing;
  const seal = makeSeal(sharing);
  const name = createHash('sha256').update(describeOwner(sharing)).digest('hex');
  const claimMs = asksMax * timeoutMs + writeMs;

  /** Reads the stored token in terms of this machine's clock. */
  async function look() {
    const askedMs = clock.now();
    const found = await place.read(name, claimMs);
    const { generation = 0, ageMs = 0, isClaimed = false } = found ?? {};
    const kept = found === undefined ? undefined : seal.open(found.sealed, generation);
    return { generation, isClaimed, token: kept && toToken(kept, askedMs - ageMs, generation) };
  }

  /** @returns undefined when another machine has renewed it meanwhile */
  async function renew(
    claim: { readonly generation: number; readonly claimedUntilMs: number },
    previous: Token | undefined,
    request: Parameters<TokenShare>[1],
  ): Promise<TokenReading | undefined> {
    const startedMs = clock.now();
    const reading = await request(previous);
    if (reading.kind !== 'token') {
      await place.release(name, claim.claimedUntilMs);
      return reading;
    }
    const kept = toKept(reading, startedMs);
    const generation = claim.generation + 1;
    const sinceMs = claim.claimedUntilMs - claimMs;
    try {
      const isKept = await place.put(name, { generation, sealed: seal.close(kept, generation), sinceMs });
      return isKept ? { ...reading, generation } : undefined;
    } catch {
      // The token is valid for this machine; the others request their own when they need one.
      return reading;
    }
  }

  return async ({ previous, refused }, request) => {
    // The claim of a machine that died expires with time.
    const endsAtMs = clock.elapsedMs() + 2 * claimMs;
    do {
      const { generation, isClaimed, token } = await look();
      const isOther = generation !== (refused ?? previous)?.generation;
      if (token !== undefined && isOther && clock.now() < token.expiresAtMs) return token;
      const claimedUntilMs = isClaimed ? undefined : await place.claim(name, generation, claimMs);
      if (claimedUntilMs !== undefined) {
        const known = refused === undefined ? token : undefined;
        const renewed = await renew({ generation, claimedUntilMs }, known, request);
        if (renewed !== undefined) return renewed;
      } else if (previous !== undefined && clock.now() < previous.expiresAtMs) return previous;
      else await clock.sleep(lookMs);
    } while (clock.elapsedMs() < endsAtMs);
    return {
      kind: 'not-sent',
      why: 'no access token: another machine renews it, and does not come to an end',
    };
  };
}
