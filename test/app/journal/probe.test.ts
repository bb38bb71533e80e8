/** A database that is away is told of soon, and is asked one question at a time. */
import { expect, test } from 'vitest';
import { makeJournalProbe } from '../../../src/app/journal/probe.ts';
import { makeVirtualClock } from '../../support/virtual-clock.ts';

const settings = {
  dataDir: '/data',
  journalUrl: { ok: true, secret: 'postgres://paydrop:hush@db.example/journal', from: 'journal.url' },
} as const;

test('a database that is away is told of after 5 s, and no second question waits behind the first', async () => {
  const clock = makeVirtualClock();
  let [asked, answer] = [0, Promise.withResolvers<void>()];
  const probe = makeJournalProbe(settings, clock, () => {
    asked += 1;
    return answer.promise;
  });
  const looks = [await clock.drive(probe()), await clock.drive(probe())];
  expect([asked, clock.elapsedMs()]).toEqual([1, 10_000]);
  for (const look of looks)
    expect(look).toMatchObject({ message: expect.stringMatching(/db\.example.*does not answer: look at/) });
  expect(String(looks)).not.toContain('hush');
  answer.reject(new Error('cut off'));
  await clock.quieten();
  answer = Promise.withResolvers();
  answer.reject(new Error('read-only'));
  expect(await clock.drive(probe())).toMatchObject({ message: 'read-only' });
  answer = Promise.withResolvers();
  answer.resolve();
  expect(await clock.drive(probe())).toBeUndefined();
  expect(asked).toBe(3);
});

test('a file is waited for: another process has it', async () => {
  const clock = makeVirtualClock();
  const probe = makeJournalProbe(
    { ...settings, journalUrl: { ok: true, secret: '', from: 'journal.url' } },
    clock,
    () => clock.sleep(30_000),
  );
  expect(await clock.drive(probe())).toBeUndefined();
  expect(clock.elapsedMs()).toBe(30_000);
});
