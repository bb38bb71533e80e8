/** One access token for several machines: as many requests for it as for one, and none of them takes it from another. */
import { afterEach, describe, expect, test } from 'vitest';
import { type BankClientOptions, makeBankClient } from '../../src/bank/client.ts';
import type { SharedToken, TokenPlace } from '../../src/core/bank-port.ts';
import { answer, clientOptions, startFakeBank, tokenReply } from '../support/fake-bank.ts';
import { makeVirtualClock, type VirtualClock } from '../support/virtual-clock.ts';

const check = { proxyType: 'MSISDN', proxyNo: '0812345678', proxyName: null } as const;
const token = '/oauth/authentication/api/v2/token';
const refresh = `${token}/refresh`;

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one[Symbol.asyncDispose]();
});

/** What the database does, by the clock of the test; `isAway` fails whoever asks. */
class MemoryPlace implements TokenPlace {
  kept: (SharedToken & { readonly sinceMs: number }) | undefined;
  claimedUntilMs = 0;
  isAway = false;
  readonly #clock: VirtualClock;

  constructor(clock: VirtualClock) {
    this.#clock = clock;
  }

  #requireThere(): void {
    if (this.isAway) throw new Error('no answer');
  }

  async read() {
    this.#requireThere();
    const nowMs = this.#clock.now();
    const { generation = 0, sealed = '', sinceMs = 0 } = this.kept ?? {};
    return { generation, sealed, ageMs: nowMs - sinceMs, isClaimed: this.claimedUntilMs > nowMs };
  }

  async claim(_name: string, generation: number, forMs: number) {
    this.#requireThere();
    if ((this.kept?.generation ?? 0) !== generation || this.claimedUntilMs > this.#clock.now())
      return undefined;
    return (this.claimedUntilMs = this.#clock.now() + forMs);
  }

  async put(_name: string, next: SharedToken & { readonly sinceMs: number }) {
    this.#requireThere();
    if ((this.kept?.generation ?? 0) !== next.generation - 1) return false;
    this.kept = next;
    this.claimedUntilMs = 0;
    return true;
  }

  async release(_name: string, claimedUntilMs: number) {
    if (this.claimedUntilMs === claimedUntilMs) this.claimedUntilMs = 0;
  }
}

/** A bank whose new tokens end the old, and machines that share what stands in one place. */
async function start(machines: number, changes: Partial<BankClientOptions> = {}) {
  const bank = await startFakeBank();
  const clock = makeVirtualClock();
  const place = new MemoryPlace(clock);
  let issued = 0;
  let refusals = 0;
  bank.behave = (arrival, response) => {
    if (arrival.path.startsWith(token)) return answer(response, tokenReply(`access-${(issued += 1)}`));
    if (arrival.headers.authorization === `Bearer access-${issued}`) return false;
    refusals += 1;
    return answer(response, {}, 401);
  };
  const opened = Array.from({ length: machines }, () =>
    makeBankClient(clientOptions(bank.baseUrl, { clock, tokenPlace: place, ...changes })),
  );
  open.push(...opened, bank);
  const askAll = (times = 1) =>
    clock.drive(
      Promise.all(opened.flatMap((client) => Array.from({ length: times }, () => client.checkPayee(check)))),
    );
  return {
    bank,
    clock,
    place,
    askAll,
    ask: (machine: number) => clock.drive(opened[machine]!.checkPayee(check)),
    refusals: () => refusals,
    /** As a bank does that starts anew. */
    revoke: () => void (issued += 100),
  };
}

const kinds = (replies: readonly { readonly kind: string }[]) => new Set(replies.map(({ kind }) => kind));

describe('a token that machines share', () => {
  test('is asked for once, however many machines begin', async () => {
    const { bank, askAll, refusals } = await start(5);
    expect(kinds(await askAll(3))).toEqual(new Set(['answered']));
    expect(bank.tokenPaths()).toEqual([token]);
    expect(refusals()).toBe(0);
  });

  test('is renewed by one of them, with the refresh token that another has got', async () => {
    const { bank, askAll, clock, refusals } = await start(3);
    await askAll();
    for (const paths of [
      [token, refresh],
      [token, refresh, refresh],
    ]) {
      await clock.advance(900_000);
      expect(kinds(await askAll(2))).toEqual(new Set(['answered']));
      expect(bank.tokenPaths()).toEqual(paths);
    }
    expect(refusals()).toBe(0);
  });

  test('that is due is used until the one that renews it is done, and then no more', async () => {
    const { bank, askAll, clock, place } = await start(2);
    await askAll();
    await clock.advance(850_000);
    place.claimedUntilMs = clock.now() + 3_000;
    expect(kinds(await askAll(2))).toEqual(new Set(['answered']));
    expect(bank.tokenPaths()).toEqual([token]);
    await clock.advance(6_000);
    await askAll();
    await clock.quieten();
    expect(bank.tokenPaths()).toEqual([token, refresh]);
  });

  test('that the bank does not know any more is renewed once for all', async () => {
    const { bank, askAll, revoke, refusals } = await start(4);
    await askAll();
    revoke();
    expect(kinds(await askAll(2))).toEqual(new Set(['answered']));
    expect(bank.tokenPaths()).toEqual([token, token]);
    expect(refusals()).toBe(8);
  });

  test('is kept so that none reads it who has not the secret', async () => {
    const { place, ask, bank } = await start(1);
    await ask(0);
    const { sealed = '' } = place.kept ?? {};
    for (const text of [sealed, Buffer.from(sealed, 'base64url').toString('latin1')])
      expect(text).not.toMatch(/access-1|Bearer|refresh/);
    const clock = makeVirtualClock();
    for (const change of [{ clientSecret: 'another' }, { clientId: 'another' }]) {
      const other = makeBankClient(clientOptions(bank.baseUrl, { clock, tokenPlace: place, ...change }));
      open.push(other);
      expect(await clock.drive(other.checkPayee(check))).toMatchObject({ kind: 'answered' });
    }
    expect(bank.tokenPaths()).toEqual([token, token, token]);
  });

  test('that was put back to an older one, or spoilt, is renewed', async () => {
    const { place, ask, bank, clock } = await start(1);
    await ask(0);
    for (const spoil of [
      (sealed: string) => sealed.slice(0, -2),
      () => '',
      (sealed: string) => `x${sealed}`,
    ]) {
      place.kept = { generation: 7, sealed: spoil(place.kept?.sealed ?? ''), sinceMs: clock.now() };
      const other = makeBankClient(clientOptions(bank.baseUrl, { clock, tokenPlace: place }));
      open.push(other);
      expect(await clock.drive(other.checkPayee(check))).toMatchObject({ kind: 'answered' });
      expect(place.kept.generation).toBe(8);
    }
  });

  test('whose machine has died while it renewed it is renewed by another, in its time', async () => {
    const { place, ask, clock, bank } = await start(1);
    place.claimedUntilMs = clock.now() + 20_000;
    expect(await ask(0)).toMatchObject({ kind: 'answered' });
    expect(clock.elapsedMs()).toBeGreaterThanOrEqual(20_000);
    expect(bank.tokenPaths()).toEqual([token]);
  });

  test('that cannot be had is left to the next that wants it', async () => {
    const { bank, ask, place } = await start(2);
    const { behave } = bank;
    bank.behave = (_, response) => answer(response, { code: 'TK001', message: 'no' }, 401);
    expect(await ask(0)).toEqual({ kind: 'credentials-refused', code: 'TK001' });
    expect(place.claimedUntilMs).toBe(0);
    bank.behave = behave;
    expect(await ask(1)).toMatchObject({ kind: 'answered' });
  });

  test('is used while the place is away, and nothing is sent without one', async () => {
    const { place, ask, clock } = await start(2);
    await ask(0);
    place.isAway = true;
    expect(await ask(0)).toMatchObject({ kind: 'answered' });
    expect(await ask(1)).toEqual({ kind: 'not-sent', why: expect.stringContaining('no answer') });
    await clock.advance(900_000);
    expect(await ask(0)).toMatchObject({ kind: 'not-sent' });
    place.isAway = false;
    await clock.advance(5_000);
    expect(await ask(0)).toMatchObject({ kind: 'answered' });
  });

  test('that was had and cannot be kept is used by this machine all the same', async () => {
    const { place, ask, bank } = await start(1);
    const { behave } = bank;
    bank.behave = (arrival, response) => {
      place.isAway = true;
      return behave(arrival, response);
    };
    expect(await ask(0)).toMatchObject({ kind: 'answered' });
    expect([place.kept, bank.tokenPaths()]).toEqual([undefined, [token]]);
  });
});

test('machines with a token each take it from one another where a new one ends the old', async () => {
  const { bank, askAll, refusals } = await start(3, { tokenPlace: undefined });
  await askAll();
  expect(bank.tokenPaths().length).toBeGreaterThan(3);
  expect(refusals()).toBeGreaterThan(0);
});
