/** The access token's life (§2.1, §5): reused while valid, renewed shortly before it expires, by one request at a time. */
import type { Clock } from '../core/ports.ts';
import type { WireOutcome } from './exchange.ts';
import { type JsonObject, readCode, readJsonObject, readObject, readText, readWholeText } from './replies.ts';
import { grantTypeRefresh, tokenCodes } from './wire.ts';

export interface Token {
  readonly kind: 'token';
  /** Value of the Authorization header. */
  readonly authorization: string;
  readonly renewAtMs: number;
  readonly expiresAtMs: number;
  readonly refreshToken: string | undefined;
  readonly refreshExpiresAtMs: number;
  /** How many there have been, where machines share it. */
  readonly generation?: number;
}

/** A token, or why there is none; then no business request was sent. */
export type TokenReading =
  | Token
  | { readonly kind: 'not-sent'; readonly why: string }
  | { readonly kind: 'credentials-refused'; readonly code: string };

/**
 * Gets a token where several machines share one: that of another machine, or one that this machine asks for.
 * @param known the token that is due, and the one that the bank has answered with 401
 * @param ask asks the bank, with the refresh token of the one before
 */
export type TokenShare = (
  known: { readonly previous: Token | undefined; readonly refused: Token | undefined },
  ask: (previous: Token | undefined) => Promise<TokenReading>,
) => Promise<TokenReading>;

interface TokenServiceOptions {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly clock: Clock;
  /** Left out where each machine has a token of its own. */
  readonly share?: TokenShare | undefined;
  /** Posts a form to endpoint 1 or 2. */
  readonly postForm: (endpoint: 'token' | 'tokenRefresh', form: string) => Promise<WireOutcome>;
}

/** A token is renewed this long before it expires, but never in more than the last fifth of its life. */
const renewMarginMs = 60_000;
const renewMarginShare = 0.2;

/** §8, for a reply that leaves them out. */
const tokenLifeSeconds = 900;
const refreshTokenLifeSeconds = 86_400;

/** After a failed renewal the token in force is used for so long before another is tried; refused credentials rest too. */
const renewalPauseMs = 5_000;

/** What an HTTP header can carry. */
const tokenPattern = /^[\x21-\x7e]+$/;
/** Servers take about so many characters in all the headers of a request. */
const tokenLengthMax = 16_384;

/** Keeps one token for any number of callers. It rejects never. */
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
    // Where another machine renews it, the one before is used until that is looked for again.
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
    /** The token in force; waits for one only when there is none. */
    current(): TokenReading | Promise<TokenReading> {
      const nowMs = clock.now();
      if (inForce !== undefined && nowMs < inForce.expiresAtMs) {
        // Nobody waits for a renewal while the token in force still holds; its outcome is read by later callers.
        if (nowMs >= inForce.renewAtMs && !isPausing(nowMs)) void renew(inForce);
        return inForce;
      }
      if (failed?.reading.kind === 'credentials-refused' && isPausing(nowMs)) return failed.reading;
      return renew(inForce);
    },
    /** A token in place of one that the bank answered with 401; renews only if it is still the one in force. */
    replace(bad: Token): TokenReading | Promise<TokenReading> {
      if (inForce !== bad && inForce !== undefined) return inForce;
      // A refused token casts doubt on its refresh token as well: the credentials decide.
      inForce = undefined;
      refused = bad;
      return renew(undefined);
    },
  };
}

/** From the other machines, where they share it. What cannot be shared now cannot be had: the others would lose theirs. */
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

/** By endpoint 2 while there is something to refresh with; where it brings no token, endpoint 1 is asked. */
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

/** Reads what came back from endpoint 1 or 2 (§2.1). Its life counts from `startedMs`, when it was asked for. */
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

/** @returns the token, or in words why it cannot be used; undefined when there is none */
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

/** A life in seconds, as milliseconds; what is no number above 0 is taken as the interface's own. */
function readLifeMs(details: JsonObject, name: string, otherwiseSeconds: number): number {
  const seconds = Number(readText(details, name) ?? otherwiseSeconds);
  return (Number.isFinite(seconds) && seconds > 0 ? seconds : otherwiseSeconds) * 1_000;
}
