/** Signing in: what is right gets in, and what is wrong learns nothing. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Message } from '../../src/core/message.ts';
import {
  hashPassword,
  isRightPassword,
  isWeaker,
  makeHalf,
  usualCost,
} from '../../src/review/password-hash.ts';
import { lockTries, personTriesMax } from '../../src/review/rules/password.ts';
import { changePassword, signIn, signInRefusal } from '../../src/review/sign-in.ts';
import { SourceTries } from '../../src/review/source-tries.ts';
import { cheap, passwordOf, Users } from '../support/persons.ts';
import { makeSqliteStore, type SqliteStore } from '../support/sqlite-store.ts';
import { inWords } from '../support/in-words.ts';

describe('a hash', () => {
  test('bears what it cost and a salt of its own, and knows its password however it is composed', async () => {
    const [one, other] = [
      await hashPassword('ก\u0e33café noodles', cheap),
      await hashPassword('ก\u0e33café noodles', cheap),
    ];
    expect(one).toMatch(/^scrypt\$1\$1\$1\$[\w-]{22}\$[\w-]{43}$/);
    expect(one).not.toBe(other);
    expect(await isRightPassword('ก\u0e33cafe\u0301 noodles', one, cheap)).toBe(true);
    expect(await isRightPassword('ก\u0e33cafe noodles', one, cheap)).toBe(false);
  });

  test.each([
    undefined,
    '',
    'plain',
    'scrypt$1$1$1$short$short',
    `scrypt$30$99$1$${'A'.repeat(22)}$${'A'.repeat(43)}`,
  ])('nobody gets in by %j', async (encoded) => {
    for (const password of ['', 'plain', 'green tea at noon'])
      expect(await isRightPassword(password, encoded, cheap)).toBe(false);
  });

  test('is never of a password that is too long to be one: to look at it would take time', async () => {
    const tooLong = 'green tea '.repeat(200);
    expect(await isRightPassword(tooLong, await hashPassword(tooLong, cheap), cheap)).toBe(false);
  });

  test('costs what a guess should, once', async () => {
    const encoded = await hashPassword('green tea at noon');
    expect(encoded).toMatch(/^scrypt\$15\$8\$3\$/);
    expect([isWeaker(encoded, usualCost), isWeaker(await hashPassword('x', cheap), usualCost)]).toEqual([
      false,
      true,
    ]);
  });

  test('one-time passwords are of chance', () => {
    const halves = Array.from({ length: 100 }, makeHalf);
    expect(new Set(halves).size).toBe(100);
    for (const half of halves) expect(half).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/);
  });
});

let sqlite: SqliteStore;
let users: Users;
beforeEach(async () => {
  sqlite = await makeSqliteStore();
  users = new Users(sqlite.store);
  await users.add('Mali', 'admin', null);
});
afterEach(() => sqlite[Symbol.asyncDispose]());

const sign = (name: string, password: string) => signIn(users.context, name, password);
const right = passwordOf('Mali');

describe('signing in', () => {
  test('takes the name in any case, and the password', async () => {
    expect(await sign('mali', right)).toMatchObject({
      kind: 'signed-in',
      proof: 'password',
      person: { name: 'Mali' },
    });
    expect((await users.find('Mali')).lastSignInAtMs).toBe(users.clock.now());
  });

  test('with a one-time password lets nobody do anything but set his own, for a week', async () => {
    const done = await users.ask(
      { kind: 'add', name: 'boon', displayName: 'Boon', role: 'maker' },
      await users.find('Mali'),
    );
    if (done.kind !== 'done') throw new Error(done.kind);
    const oneTime = done.oneTimePassword?.text ?? '';
    expect(await sign('boon', oneTime)).toMatchObject({ kind: 'must-change' });
    const change = (wanted: string) => changePassword(users.context, 'boon', oneTime, wanted);
    expect(inWords(await change('short'))).toContain('at least 12');
    expect(inWords(await change(oneTime))).toContain('the one that you have');
    users.clock.ms += 7 * 86_400_000;
    expect(await sign('boon', oneTime)).toMatchObject({ kind: 'refused' });
    users.clock.ms -= 86_400_000;
    expect(await change('green tea at noon')).toBeUndefined();
    expect(await sign('boon', oneTime)).toMatchObject({ kind: 'refused' });
    expect(await sign('boon', 'green tea at noon')).toMatchObject({ kind: 'signed-in' });
  });

  test('hashes a password anew that was hashed with less', async () => {
    const kept = async () => (await sqlite.store.personPassword('mali'))?.passwordHash;
    const dearer = { ...users.context, cost: { logN: 2, r: 1, p: 1 } };
    expect(await kept()).toMatch(/^scrypt\$1\$/);
    expect(await signIn(dearer, 'mali', right)).toMatchObject({ kind: 'signed-in' });
    expect(await kept()).toMatch(/^scrypt\$2\$/);
    expect(await sign('mali', right)).toMatchObject({ kind: 'signed-in' });
  });
});

describe('a password that an admin replaces', () => {
  /** `meanwhile` comes between the look at the old password and the new one being kept. */
  async function changeBeside(meanwhile: () => Promise<unknown>): Promise<Message | undefined> {
    await users.add('boon', 'maker', await users.find('Mali'));
    const { store } = users.context;
    const noteSignIn: typeof store.noteSignIn = async (...asked) => {
      await store.noteSignIn(...asked);
      await meanwhile();
    };
    const context = { ...users.context, store: { ...store, noteSignIn } };
    return changePassword(context, 'boon', passwordOf('boon'), 'green tea at noon');
  }

  test.each(['reset-password', 'disable'] as const)(
    'is not brought back by who knew it: %s',
    async (kind) => {
      const mali = await users.find('Mali');
      const why = await changeBeside(() => users.ask({ kind, personId: 2 }, mali));
      expect(why).toBe(signInRefusal);
      expect(await sign('boon', 'green tea at noon')).toMatchObject({ kind: 'refused' });
      if (kind === 'disable') await users.ask({ kind: 'enable', personId: 2 }, mali);
      expect(await sign('boon', 'green tea at noon')).toMatchObject({ kind: 'refused' });
    },
  );
});

describe('whoever guesses', () => {
  test('learns nothing: neither names nor locks, by words or by time', async () => {
    await users.ask(
      { kind: 'add', name: 'off', displayName: 'Off', role: 'viewer' },
      await users.find('Mali'),
    );
    await users.ask({ kind: 'disable', personId: 2 }, await users.find('Mali'));
    const answers: unknown[] = [];
    for (const name of ['nobody', 'mali', 'off', '', '\u0000']) {
      const startMs = users.clock.ms;
      answers.push([await sign(name, 'wrong wrong wrong'), users.clock.ms - startMs]);
    }
    expect(answers).toEqual(answers.map(() => [{ kind: 'refused', why: signInRefusal }, 1_000]));
  });

  test('nor on a machine that is busy, where each look takes longer', async () => {
    const { store } = users.context;
    const takes =
      <Asked extends readonly unknown[], Answer>(ms: number, look: (...asked: Asked) => Answer) =>
      (...asked: Asked): Answer => {
        users.clock.ms += ms;
        return look(...asked);
      };
    const busy = {
      ...store,
      personPassword: takes(1_200, store.personPassword),
      countTry: takes(7, store.countTry),
    };
    const times: number[] = [];
    for (const name of ['nobody', 'mali']) {
      const startMs = users.clock.ms;
      await signIn({ ...users.context, store: busy }, name, 'wrong wrong wrong');
      times.push(users.clock.ms - startMs);
    }
    expect(times).toEqual([2_000, 2_000]);
  });

  test('waits, then is locked out, and a right password tells nothing then', async () => {
    let looks = 0;
    while (looks < 10_000) {
      const tries = await sqlite.store.personPassword('mali');
      if ((tries?.failedTries ?? 0) >= lockTries) break;
      users.clock.ms = Math.max(
        users.clock.ms,
        (tries?.lockedUntilMs ?? 0) - (users.clock.now() - users.clock.ms),
      );
      await sign('mali', `guess number ${looks}`);
      looks += 1;
    }
    expect(looks).toBe(lockTries);
    expect(await sign('mali', right)).toEqual({ kind: 'refused', why: signInRefusal });
    expect(await users.kindsOfEvents()).toContain('1 locked-out');
    users.clock.ms += 86_400_000;
    expect(await sign('mali', right)).toMatchObject({ kind: 'signed-in' });
    expect(await sqlite.store.personPassword('mali')).toMatchObject({ failedTries: 0, lockedUntilMs: 0 });
  });

  test('is told of at each lock, and keeps nobody out by one guess a day', async () => {
    const guessUntilLocked = async () => {
      for (let guess = 0; guess < lockTries; guess += 1) {
        const { lockedUntilMs = 0 } = (await sqlite.store.personPassword('mali')) ?? {};
        users.clock.ms += Math.max(0, lockedUntilMs - users.clock.now());
        await sign('mali', `guess number ${guess}`);
      }
    };
    const countLocks = async () =>
      (await users.kindsOfEvents()).filter((event) => event === '1 locked-out').length;
    await guessUntilLocked();
    expect(await countLocks()).toBe(1);
    users.clock.ms += 86_400_000;
    await sign('mali', 'the one guess of this day');
    expect(await sign('mali', right)).toMatchObject({ kind: 'signed-in' });
    await guessUntilLocked();
    expect([await countLocks(), users.locks]).toEqual([2, 2]);
  });

  test('many at once get no more looks than one after the other', async () => {
    await using other = await sqlite.openAnother();
    const contexts = [users.context, { ...users.context, store: other }];
    const guesses = Array.from({ length: 40 }, (_, place) =>
      signIn(contexts[place % 2]!, 'mali', `guess ${place}`),
    );
    await Promise.all(guesses);
    // What was not counted was not looked at.
    expect((await sqlite.store.personPassword('mali'))?.failedTries).toBeLessThanOrEqual(5);
    // Nor does the right one among them get in beyond its turn.
    const later = await Promise.all(contexts.map((context) => signIn(context, 'mali', right)));
    const { failedTries = 0, lockedUntilMs = 0 } = (await sqlite.store.personPassword('mali')) ?? {};
    expect(later.some(({ kind }) => kind === 'signed-in')).toBe(failedTries === 0 && lockedUntilMs === 0);
  });

  test('from one address has so many tries at a name as an admin gives back', async () => {
    const tries = new SourceTries().of('203.0.113.9');
    const there = () => ({ ...users.context, place: { ...users.context.place, tries } });
    const type = async (password: string) => {
      const { lockedUntilMs = 0 } = (await sqlite.store.personPassword('boon')) ?? {};
      users.clock.ms += Math.max(0, lockedUntilMs - users.clock.now());
      return (await signIn(there(), 'boon', password)).kind;
    };
    await users.add('boon', 'maker', await users.find('Mali'));
    for (let guess = 0; guess < personTriesMax; guess += 1) await type(`wrong number ${guess}`);
    expect(await type(passwordOf('boon'))).toBe('refused');
    await users.ask({ kind: 'enable', personId: 2 }, await users.find('Mali'));
    expect(await type(passwordOf('boon'))).toBe('signed-in');
    // What was got wrong here before is forgiven, too.
    for (let guess = 1; guess < personTriesMax; guess += 1) await type(`wrong number ${guess}`);
    expect(await type(passwordOf('boon'))).toBe('signed-in');
  });

  test('an admin lets somebody try again', async () => {
    await users.add('boon', 'maker', await users.find('Mali'));
    for (let guess = 0; guess < 5; guess += 1) await sign('boon', `wrong number ${guess}`);
    expect(await sign('boon', passwordOf('boon'))).toMatchObject({ kind: 'refused' });
    const done = await users.ask({ kind: 'enable', personId: 2 }, await users.find('Mali'));
    expect(done).toMatchObject({ kind: 'done', oneTimePassword: undefined });
    expect(await sign('boon', passwordOf('boon'))).toMatchObject({ kind: 'signed-in' });
  });
});
