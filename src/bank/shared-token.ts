/**
 * One access token for all machines that work one journal: whichever finds first that it is due, or was refused, renews
 * it, and the others wait for that one. The interface does not say whether a new token ends the old (§2.1); where it
 * does, machines with a token each would take it from one another.
 */
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import type { TokenPlace } from '../core/bank-port.ts';
import type { Clock } from '../core/ports.ts';
import type { Token, TokenReading, TokenShare } from './token.ts';

interface Sharing {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly baseUrl: string;
  /** Of one request for a token. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly place: TokenPlace;
}

/** What is kept, sealed: nobody has a token who has not the secret that it was made with. */
interface Kept extends Pick<Token, 'authorization' | 'refreshToken'> {
  /** All from the moment before it was asked for. */
  readonly lifeMs: number;
  readonly renewAfterMs: number;
  readonly refreshLifeMs: number;
}

const cipher = 'aes-256-gcm';
const [keyBytes, ivBytes, tagBytes] = [32, 12, 16];

/** How often whoever waits for another machine's renewal looks whether it is done. */
const lookMs = 200;

/** A renewal asks twice at most (the refresh token, then the credentials), and writes down what it got. */
const asksMax = 2;
const writeMs = 10_000;

/** What a seal belongs to: what was sealed for one bank, client or generation opens as no other's. */
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
    /** Undefined for what was sealed with another secret, or is none. */
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

/** @param sinceMs by this machine's clock, when it was asked for */
const toToken = (kept: Kept, sinceMs: number, generation: number): Token => ({
  kind: 'token',
  authorization: kept.authorization,
  renewAtMs: sinceMs + kept.renewAfterMs,
  expiresAtMs: sinceMs + kept.lifeMs,
  refreshToken: kept.refreshToken,
  refreshExpiresAtMs: sinceMs + kept.refreshLifeMs,
  generation,
});

/** @returns how a token is had where it is shared: as `TokenShare` */
export function makeTokenShare(sharing: Sharing): TokenShare {
  const { clock, place, timeoutMs } = sharing;
  const seal = makeSeal(sharing);
  const name = createHash('sha256').update(describeOwner(sharing)).digest('hex');
  const claimMs = asksMax * timeoutMs + writeMs;

  /** What is kept now, as this machine sees it. */
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
      // It is good all the same, for this machine; the others ask for theirs when they need it.
      return reading;
    }
  }

  return async ({ previous, refused }, ask) => {
    // Whoever has claimed it and died gives it free by the time.
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
