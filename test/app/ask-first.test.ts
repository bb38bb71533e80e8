import { expect, test } from 'vitest';
import { makeAskFirst, makeMayMissAttempts, makeMissesSince } from '../../src/app/ask-first.ts';
import { startSandbox } from '../../src/sandbox/server.ts';
import type { LoadedSettings } from '../../src/settings/settings.ts';
import { noonMs, partner } from '../support/core-fixtures.ts';

const clock = { now: () => noonMs, elapsedMs: () => 0, sleep: async () => {} };

/** Asks with a server that says what it is, or keeps it to itself; or with none at all. */
async function asksFirst(askFirst: string, server: 'sandbox' | 'bank' | 'none', newSinceMs?: number) {
  await using owned = new AsyncDisposableStack();
  const asBank = server === 'bank';
  const { payerAccount, ...company } = partner;
  const options = { ...company, payerAccounts: [payerAccount], asBank };
  const opened = server === 'none' ? undefined : owned.use(await startSandbox(options));
  const baseUrl = opened?.baseUrl ?? 'http://127.0.0.1:9';
  const loaded = { settings: { transfer: { askFirst }, bank: { baseUrl } }, isSandbox: false };
  return await makeAskFirst(loaded as unknown as LoadedSettings, { newSinceMs }, clock)();
}

test.each([
  ['newJournal', 'bank', noonMs, true],
  ['newJournal', 'bank', undefined, false],
  ['newJournal', 'sandbox', noonMs, false],
  ['newJournal', 'none', noonMs, true],
  ['always', 'sandbox', undefined, true],
  ['never', 'bank', noonMs, false],
] as const)('%s with a %s, new since %s: %s', async (askFirst, server, newSinceMs, expected) => {
  expect(await asksFirst(askFirst, server, newSinceMs)).toBe(expected);
});

test('what an adopted journal may miss counts for good', () => {
  expect(makeMissesSince({ missesSinceMs: 1 })()).toBe(1);
});

const lossOf = (sinceDate: string) => ({ sinceDate, untilDate: '2026-11-20', recoveredAtMs: noonMs });
test.each([
  ['new', noonMs, undefined, true],
  ['old', undefined, undefined, false],
  ['old, a part of it in question', undefined, lossOf('2026-11-19'), true],
  ['old, its loss settled', undefined, lossOf('2026-11-21'), false],
])('a journal that is %s may miss registrations', async (_, newSinceMs, loss, expected) => {
  const loaded = {
    settings: { transfer: { askFirst: 'newJournal' }, bank: { baseUrl: 'https://bank.example' } },
    isSandbox: false,
  } as unknown as LoadedSettings;
  const journal = { newSinceMs, loss: async () => loss };
  expect(await makeMayMissAttempts(loaded, journal, clock)()).toBe(expected);
});
