import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  bindKeptCallbacks,
  type CallbackContext,
  takeCallback,
} from '../../src/registration/take-callback.ts';
import { registrationStatuses } from '../../src/registration/rules/registration.ts';
import { CallbackBook, makeHeardLog, makeRecord, rejected } from '../support/callback-kit.ts';
import { noonMs } from '../support/core-fixtures.ts';
import { instruction } from '../support/registration-fixtures.ts';

const nowMs = noonMs + 180_000;

function open(): CallbackContext & { readonly book: CallbackBook; readonly lines: string[] } {
  const book = new CallbackBook();
  return {
    book,
    journal: book,
    clock: { now: () => nowMs },
    mayMissAttempts: async () => false,
    ...makeHeardLog(),
  };
}

describe('a callback for a registration that is awaited', () => {
  test('tells how it ended, and is kept with it', async () => {
    const context = open();
    const { seq } = context.book.add({ awaitedUntilMs: nowMs + 1 });
    const record = makeRecord();
    expect(await takeCallback(context, record)).toMatchObject({
      kind: 'applied',
      registration: { version: 2 },
    });
    expect(context.book.at(seq)).toMatchObject({
      status: 'registered',
      respCode: 'I0000',
      respDesc: 'Success',
      applyDtm: '2026-11-21 12:01:00',
      settledAtMs: nowMs,
      settledBy: 'callback',
      awaitedUntilMs: null,
      isAlarm: false,
    });
    expect(context.book.kept.get(record.key)).toMatchObject({ registrationSeq: seq, body: record.body });
  });

  test('counts once however often it is told, at the same moment and later', async () => {
    const context = open();
    const { seq } = context.book.add();
    const records = ['CALL-1', 'CALL-2', 'CALL-3'].map((uid) => makeRecord({}, uid));
    const kinds = await Promise.all(records.map(async (one) => (await takeCallback(context, one)).kind));
    expect(kinds.toSorted()).toEqual(['applied', 'repeated', 'repeated']);
    expect((await takeCallback(context, makeRecord({ applyDtm: '20261121 12:01:00' }))).kind).toBe(
      'repeated',
    );
    expect(context.book.at(seq)).toMatchObject({ status: 'registered', version: 2, isAlarm: false });
    expect([...context.book.kept.values()]).toMatchObject([{ repeats: 3 }]);
  });

  test('is decided again when something else has changed it meanwhile', async () => {
    const context = open();
    const { seq } = context.book.add({ status: 'submitted' });
    context.book.meanwhile = () => {
      context.book.meanwhile = () => undefined;
      context.book.add({ status: 'acknowledged', version: 9 });
    };
    expect(await takeCallback(context, makeRecord())).toMatchObject({ kind: 'applied' });
    expect(context.book.at(seq)).toMatchObject({ status: 'registered', version: 10 });
  });

  test('is kept for later when it never stands still', async () => {
    const context = open();
    let version = 1;
    context.book.add();
    context.book.meanwhile = () => void context.book.add({ version: (version += 1) });
    expect(await takeCallback(context, makeRecord())).toMatchObject({ kind: 'unknown' });
    context.book.meanwhile = () => undefined;
    expect(await bindKeptCallbacks(context)).toMatchObject([[{}, { kind: 'applied' }]]);
  });
});

test('the contrary of what was told is an alarm, and counts once, too', async () => {
  const context = open();
  const { seq } = context.book.add();
  await takeCallback(context, makeRecord());
  const contrary = makeRecord({ ...rejected, applyDtm: '2026-11-21 12:02:00' });
  expect(await takeCallback(context, contrary)).toMatchObject({ kind: 'applied' });
  const contradicted = { status: 'contradicted', isAlarm: true, version: 3, reasonCode: 'contradicted' };
  expect(context.book.at(seq)).toMatchObject(contradicted);
  for (const again of [makeRecord(), contrary])
    expect(await takeCallback(context, again)).toMatchObject({ kind: 'repeated' });
  expect(context.book.at(seq)).toMatchObject(contradicted);
  expect(context.lines.filter((line) => line.startsWith('error'))).toHaveLength(1);
});

test('one told before people decided otherwise changes nothing when it is told again', async () => {
  const context = open();
  const { seq } = context.book.add();
  await takeCallback(context, makeRecord());
  context.book.add({ seq, status: 'refused', version: 7 });
  expect(await takeCallback(context, makeRecord())).toMatchObject({ kind: 'repeated' });
  expect(context.book.at(seq)).toMatchObject({ status: 'refused', version: 7 });
});

test.each(registrationStatuses)('of one that is %s it is durable, whatever it does', async (status) => {
  const context = open();
  context.book.add({ status });
  for (const record of [makeRecord(), makeRecord({ ...rejected, applyDtm: '2026-11-21 12:02:00' })]) {
    const { kind } = await takeCallback(context, record);
    expect(['applied', 'nothing-new']).toContain(kind);
    expect(context.book.kept.get(record.key)).toMatchObject({ registrationSeq: 7 });
  }
});

describe('a callback that means no registration', () => {
  test('is kept, and bound when one turns up', async () => {
    const context = open();
    expect(await takeCallback(context, makeRecord())).toMatchObject({ kind: 'unknown' });
    expect(await takeCallback(context, makeRecord({}, 'CALL-2'))).toMatchObject({ kind: 'repeated' });
    expect(await bindKeptCallbacks(context)).toEqual([]);
    const { seq } = context.book.add({ status: 'submitted' });
    expect(await bindKeptCallbacks(context)).toMatchObject([[{}, { kind: 'applied' }]]);
    expect(context.book.at(seq)?.status).toBe('registered');
    expect(await bindKeptCallbacks(context)).toEqual([]);
  });

  test('is told again after its registration has turned up: bound at once', async () => {
    const context = open();
    await takeCallback(context, makeRecord());
    context.book.add();
    expect(await takeCallback(context, makeRecord())).toMatchObject({ kind: 'applied' });
  });

  test('of an earlier time than any intent stays unbound, and stands in no way of others', async () => {
    const context = open();
    for (let second = 10; second < 60; second += 1)
      for (const minute of [1, 2, 3, 4, 5])
        await takeCallback(context, makeRecord({ applyDtm: `2026-11-20 12:0${minute}:${second}` }));
    await takeCallback(context, makeRecord());
    context.book.add();
    expect(await bindKeptCallbacks(context)).toMatchObject([[{}, { kind: 'applied' }]]);
    expect(context.book.at(7)?.status).toBe('registered');
  });
});

describe('a callback with a time of before our request', () => {
  const early = makeRecord({ ...rejected, applyDtm: '2026-11-21 11:58:55' });

  test('ends the only attempt, and is said to be early', async () => {
    const context = open();
    const { seq } = context.book.add();
    expect(await takeCallback(context, early)).toMatchObject({ kind: 'applied' });
    expect(context.book.at(seq)).toMatchObject({ status: 'refused', isAlarm: false });
    const [line] = context.lines.filter((one) => one.startsWith('warn'));
    expect(line).toContain('compare the clocks');
    expect(line).toContain('"earlySeconds":65');
  });

  test('of a journal that may miss attempts, a refusal ends nothing, and a success does', async () => {
    const context = { ...open(), mayMissAttempts: async () => true };
    const { seq } = context.book.add();
    expect(await takeCallback(context, early)).toEqual({ kind: 'unknown', isAmbiguous: true });
    expect(context.book.at(seq)?.status).toBe('acknowledged');
    expect(context.lines.join()).toContain('bound to no attempt');
    expect(await takeCallback(context, makeRecord({ applyDtm: '2026-11-21 11:58:55' }))).toMatchObject({
      kind: 'applied',
    });
  });

  test('that had been told before the request, too, is about something else', async () => {
    const context = open();
    await takeCallback(context, { ...early, receivedAtMs: noonMs - 60_000 });
    const { seq } = context.book.add();
    expect(await takeCallback(context, early)).toMatchObject({ kind: 'repeated' });
    expect(await bindKeptCallbacks(context)).toEqual([]);
    expect(context.book.at(seq)?.status).toBe('acknowledged');
  });
});

test('a refusal of an earlier attempt is said loudly while the later one is awaited', async () => {
  const context = open();
  const { seq } = context.book.add();
  context.book.sent.set(seq, { ...context.book.sent.get(seq)!, isLatest: false });
  expect(await takeCallback(context, makeRecord(rejected))).toMatchObject({ kind: 'nothing-new' });
  expect(context.lines.filter((line) => line.startsWith('warn'))).toMatchObject([
    expect.stringContaining('refuses an earlier attempt'),
  ]);
});

test('one that came before an intent is not bound to it, whatever its time says', async () => {
  const context = open();
  const ahead = { ...makeRecord({ applyDtm: '2026-11-21 12:05:00' }), receivedAtMs: noonMs - 180_000 };
  await takeCallback(context, ahead);
  context.book.add();
  expect(await bindKeptCallbacks(context)).toEqual([]);
  expect(await takeCallback(context, { ...ahead, receivedAtMs: noonMs + 9_000 })).toMatchObject({
    kind: 'repeated',
  });
});

describe('a journal', () => {
  test('that refuses writes has taken nothing', async () => {
    const context = open();
    context.book.add();
    context.book.isFull = true;
    await expect(takeCallback(context, makeRecord())).rejects.toThrow('the disk is full');
    context.book.isFull = false;
    expect(await takeCallback(context, makeRecord())).toMatchObject({ kind: 'applied' });
  });

  test('that a fault of ours meets keeps the callback nevertheless', async () => {
    const context = open();
    context.book.add();
    context.book.meanwhile = () => {
      throw new TypeError('a fault');
    };
    expect(await takeCallback(context, makeRecord())).toMatchObject({ kind: 'unknown' });
    expect(context.book.kept.size).toBe(1);
    expect(await bindKeptCallbacks(context)).toEqual([]);
    context.book.meanwhile = () => undefined;
    expect(await bindKeptCallbacks(context)).toMatchObject([[{}, { kind: 'applied' }]]);
  });
});

test('in any order and number, each callback is kept once, and one outcome or a contradiction stands', async () => {
  const told = fc.array(fc.record({ isReject: fc.boolean(), minute: fc.integer({ min: 1, max: 3 }) }), {
    minLength: 1,
    maxLength: 8,
  });
  await fc.assert(
    fc.asyncProperty(told, fc.boolean(), async (all, isLate) => {
      const context = open();
      if (!isLate) context.book.add();
      const records = all.map(({ isReject, minute }) =>
        makeRecord({ ...(isReject ? rejected : {}), applyDtm: `2026-11-21 12:0${minute}:00` }),
      );
      await Promise.all(records.map((one) => takeCallback(context, one)));
      if (isLate) context.book.add();
      await bindKeptCallbacks(context);
      const outcomes = new Set(records.map(({ callback }) => callback.outcome));
      expect(context.book.at(7)?.status).toBe(outcomes.size === 2 ? 'contradicted' : [...outcomes][0]);
      expect(context.book.kept.size).toBe(new Set(records.map(({ key }) => key)).size);
    }),
    { numRuns: 50 },
  );
});

test('the log has neither an account number nor a body', async () => {
  const context = open();
  await takeCallback(context, makeRecord());
  context.book.add();
  await takeCallback(context, makeRecord());
  await takeCallback(context, makeRecord(rejected));
  expect(context.lines).toHaveLength(3);
  expect(context.lines.join('\n')).not.toContain(instruction.accountNo);
});
