/** Two who learn something about the same attempt at once: what the later records stands on what the earlier has changed. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { move } from '../../src/core/change.ts';
import type { Attempt } from '../../src/core/payout.ts';
import { applyOnAttempt } from '../../src/payout/apply-change.ts';
import type { InDoubt } from '../../src/payout/ports.ts';
import { decideIntent, noBankNames } from '../../src/payout/rules/intent.ts';
import { sendAttempt } from '../../src/payout/submit.ts';
import { Repetitions, settleAll } from '../../src/payout/settle.ts';
import type { Journal } from '../../src/store/store.ts';
import { lost, noonMs, payer, policy } from '../support/core-fixtures.ts';
import { applied, firstReady, ingestRunning, makeRows } from '../support/journal-fixtures.ts';
import { openTheatre, type Theatre } from '../support/theatre.ts';

/** Long enough after the first send that a not-found is trusted. */
const trustedMs = 200_000;

/** A row in doubt whose attempt was sent once, at noon. */
async function submitOne(theatre: Theatre): Promise<InDoubt> {
  const payout = await firstReady(theatre.journal);
  const names = noBankNames;
  const setup = { payout, attemptsRecorded: 0, number: 1, cleared: [], names, payer, policy };
  const { change } = decideIntent({ ...setup, nowMs: noonMs, bankNowMs: noonMs });
  return readInDoubt(theatre, (await applied(theatre.journal, change)).seq);
}

async function readInDoubt({ journal }: Theatre, seq: number): Promise<InDoubt> {
  const [one] = await journal.inDoubt(seq - 1, 1);
  if (one?.payout.seq !== seq) throw new Error(`row ${seq} is not in doubt`);
  return one;
}

const readAttempt = async ({ journal }: Theatre, { payout, attempt }: InDoubt): Promise<Attempt> => {
  const attempts = await journal.attemptsOf(attempt.order.companyId, payout.instruction.payoutId);
  const [latest = attempt] = attempts.filter(({ order }) => order.transRefNo === attempt.order.transRefNo);
  return latest;
};

type Saying = '010003' | '010004' | 'not-found' | 'silent';

/** Somebody who asks once: the bank takes its time, and says this. */
function makeAsker(theatre: Theatre, says: Saying, latencyMs: number, journal: Journal = theatre.journal) {
  const context = theatre.context({
    journal,
    bank: {
      ...theatre.bank,
      inquire: async (inquiry) => {
        await theatre.time.sleep(latencyMs);
        if (says === 'silent') return lost;
        return theatre.found(inquiry, says === 'not-found' ? undefined : says);
      },
    },
  });
  return async (one: InDoubt, maySend: boolean) => {
    await using repetitions = new Repetitions(context);
    await settleAll(context, [one], maySend ? repetitions : undefined);
  };
}

describe('an answer that comes when the attempt was sent again since it was asked for', () => {
  test.each([
    ['not-found', { sends: 2, acknowledged: false, inquiries: 1 }, 'submitted'],
    ['silent', { sends: 2, acknowledged: false, inquiries: 1 }, 'submitted'],
    ['010003', { sends: 2, acknowledged: true, inquiries: 2 }, 'submitted'],
    ['010004', { sends: 2, acknowledged: true, status: 'paid' }, 'paid'],
  ] as const)(
    '%s: the send stays counted, and only what is proof tells anything',
    async (says, after, status) => {
      await using theatre = await openTheatre();
      await ingestRunning(theatre.journal, makeRows(1));
      const one = await submitOne(theatre);
      theatre.script = { transfer: () => theatre.code('EM027') };
      theatre.time.jump(trustedMs);
      const slow = makeAsker(theatre, says, 30_000)(one, false);
      await theatre.time.drive(makeAsker(theatre, 'not-found', 100)(one, true));
      expect(theatre.sent).toHaveLength(1);
      await theatre.time.drive(slow);
      const attempt = await readAttempt(theatre, one);
      expect(attempt).toMatchObject(after);
      expect(attempt.lastSentAtMs).toBeGreaterThanOrEqual(noonMs + trustedMs);
      expect((await theatre.journal.payout(one.payout.seq))?.status).toBe(status);
    },
  );

  test('a reply to the first send, too', async () => {
    await using theatre = await openTheatre();
    await ingestRunning(theatre.journal, makeRows(1));
    const one = await submitOne(theatre);
    const context = theatre.context({
      bank: {
        ...theatre.bank,
        transfer: async () => {
          await theatre.time.sleep(trustedMs + 50_000);
          return lost;
        },
      },
    });
    const pass = await context.gate.enter();
    if (pass.kind !== 'go') throw new Error('the gate is shut');
    const sending = sendAttempt(context, one, pass, () => true).then((record) => record());
    theatre.script = { transfer: () => theatre.code('EM027') };
    await theatre.time.advanceTo(noonMs + trustedMs);
    await theatre.time.drive(makeAsker(theatre, 'not-found', 100)(one, true));
    expect(theatre.sent).toHaveLength(1);
    await theatre.time.drive(sending);
    const attempt = await readAttempt(theatre, one);
    expect(attempt.sends).toBe(2);
    expect(attempt.lastSentAtMs).toBeGreaterThanOrEqual(noonMs + trustedMs);
  });
});

describe('a change that was refused', () => {
  test('is decided again on payout and attempt as they are, and not at all when it is out of date', async () => {
    await using theatre = await openTheatre();
    await ingestRunning(theatre.journal, makeRows(1));
    const one = await submitOne(theatre);
    const { seq } = one.payout;
    const note = (sends: number) => (payout: InDoubt['payout'], attempt: Attempt) =>
      move({ payout, patch: {}, cause: 'inquired', nowMs: theatre.now(), attempt: { ...attempt, sends } });
    const context = theatre.context();
    await applyOnAttempt(context, one, note(7));
    const seen: number[][] = [];
    const current = await applyOnAttempt(context, one, (payout, latest) => {
      seen.push([payout.version, latest.sends]);
      return latest.sends === one.attempt.sends ? note(1)(payout, latest) : undefined;
    });
    expect(seen).toEqual([
      [one.payout.version, 1],
      [one.payout.version + 1, 7],
    ]);
    expect(current?.version).toBe(one.payout.version + 1);
    expect((await readInDoubt(theatre, seq)).attempt.sends).toBe(7);
  });
});

interface Look {
  readonly atMs: number;
  readonly latencyMs: number;
  readonly says: Saying;
  readonly maySend: boolean;
}

const looks = fc.array(
  fc.record({
    atMs: fc.integer({ min: 0, max: 80_000 }),
    latencyMs: fc.integer({ min: 0, max: 20_000 }),
    says: fc.constantFrom<Saying>('not-found', 'not-found', 'not-found', 'silent', '010003', '010004'),
    maySend: fc.boolean(),
  }),
  { minLength: 2, maxLength: 5 },
);

/** Everything that was recorded about an attempt, in order. */
function listenTo(journal: Journal): { journal: Journal; recorded: Attempt[] } {
  const recorded: Attempt[] = [];
  const apply: Journal['apply'] = async (changes) => {
    const verdicts = await journal.apply(changes);
    for (const [place, { attempt }] of changes.entries())
      if (verdicts[place] === true && attempt !== undefined) recorded.push(attempt);
    return verdicts;
  };
  return { journal: { ...journal, apply }, recorded };
}

async function look(theatre: Theatre, journal: Journal, seq: number, one: Look): Promise<void> {
  await theatre.time.sleep(trustedMs - 100_000 + one.atMs);
  const [inDoubt] = await theatre.journal.inDoubt(seq - 1, 1);
  if (inDoubt?.payout.seq !== seq) return;
  await makeAsker(theatre, one.says, one.latencyMs, journal)(inDoubt, one.maySend);
}

describe('any number of people who ask about one attempt without knowing of one another', () => {
  test('never take a send back, send it too soon, or lose a proof', async () => {
    await using theatre = await openTheatre();
    await ingestRunning(theatre.journal, makeRows(24));
    theatre.script = { transfer: () => theatre.code('EM027') };
    let sends = 0;
    await fc.assert(
      fc.asyncProperty(looks, async (schedule) => {
        theatre.time.jump(noonMs - theatre.now());
        theatre.sent.length = 0;
        const one = await submitOne(theatre);
        const { journal, recorded } = listenTo(theatre.journal);
        const { seq } = one.payout;
        await theatre.time.drive(Promise.all(schedule.map((each) => look(theatre, journal, seq, each))));
        const attempt = await readAttempt(theatre, one);
        expect(attempt.sends).toBe(1 + theatre.sent.length);
        for (const field of ['sends', 'lastSentAtMs'] as const) {
          const values = recorded.map((each) => each[field] ?? 0);
          expect(values).toEqual(values.toSorted((before, after) => before - after));
        }
        const times = [noonMs, ...theatre.sent.map(({ atMs }) => atMs)];
        for (const [place, atMs] of times.entries())
          expect(atMs - (times[place - 1] ?? 0)).toBeGreaterThanOrEqual(policy.notFoundTrustMs);
        const isProved = recorded.some(({ lastFinding }) => lastFinding === 'complete');
        expect((await theatre.journal.payout(seq))?.status === 'paid').toBe(isProved);
        sends += theatre.sent.length;
      }),
      { numRuns: 24, endOnFailure: true },
    );
    expect(sends).toBeGreaterThan(0);
  });
});
