/**
 * One access token for all machines of one journal. The machine that first finds it due or refused renews it; the
 * others wait for that renewal. The interface does not say whether a new token ends the old (§2.1); if it does,
 * machines with a token each would invalidate one another's.
 */
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import type { TokenPlace } from '../core/bank-port.ts';
import type { Clock } from '../core/ports.ts';
import type { Token, TokenReading, TokenShare } from './token.ts';

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

/** Makes the `TokenShare` of a shared place. */
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
    ask: Parameters<TokenShare>[1],
  ): Promise<TokenReading | undefined> {
    const startedMs = clock.now();
    const reading = await ask(previous);
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

  return async ({ previous, refused }, ask) => {
    // The claim of a machine that died expires with time.
    const endsAtMs = clock.elapsedMs() + 2 * claimMs;
    do {
      const { generation, isClaimed, token } = await look();
      const isOther = generation !== (refused ?? previous)?.generation;
      if (token !== undefined && isOther && clock.now() < token.expiresAtMs) return token;
      const claimedUntilMs = isClaimed ? undefined : await place.claim(name, generation, claimMs);
      if (claimedUntilMs !== undefined) {
        const known = refused === undefined ? token : undefined;
        const renewed = await renew({ generation, claimedUntilMs }, known, ask);
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
