/** An attempt, or several under one reference, is asked about for each day and terminal on which it went. */
import { describe, expect, test } from 'vitest';
import { formatBangkokDate } from '../../src/core/bangkok-time.ts';
import type { Attempt } from '../../src/core/payout.ts';
import { inquire } from '../../src/payout/inquire.ts';
import { makeSubmitted, noonMs } from '../support/core-fixtures.ts';
import { dayMs, openTheatre } from '../support/theatre.ts';

const today = formatBangkokDate(noonMs);
const dayOf = (days: number): string => formatBangkokDate(noonMs - days * dayMs);

/** Sent on a day before today, from a terminal. */
function sentFrom(attemptNo: number, termId: string, days: number): Attempt {
  const { attempt } = makeSubmitted();
  return { ...attempt, attemptNo, order: { ...attempt.order, termId, tranDate: dayOf(days) } };
}

/** @returns what was asked, and what became of it, where the bank finds the transfer for one day and terminal alone */
async function ask(attempts: readonly Attempt[], foundAt: string) {
  await using theatre = await openTheatre(noonMs);
  const asked: string[] = [];
  theatre.script = {
    inquire: (inquiry) => {
      const { tranDate, termId } = inquiry;
      asked.push(`${tranDate} ${termId}`);
      return theatre.found(inquiry, foundAt === `${tranDate} ${termId}` ? '010001' : undefined);
    },
  };
  const [latest, ...others] = attempts.toReversed();
  if (latest === undefined) throw new Error('there is none');
  const asking = inquire(theatre.context(), latest, others, false);
  await theatre.time.drive(asking);
  return { asked, found: (await asking)?.finding.kind };
}

describe('an inquiry', () => {
  const attempts = [sentFrom(1, 'TERM0001', 2), sentFrom(2, 'TERM0002', 1)];
  const own = [`${dayOf(1)} TERM0002`, `${dayOf(2)} TERM0001`];
  const todays = [`${today} TERM0002`, `${today} TERM0001`];

  test('asks under the terminal of each send, for its day and for today', async () => {
    expect(await ask(attempts, 'nowhere')).toEqual({ asked: [...own, ...todays], found: 'not-found' });
  });

  test.each([...own, ...todays])('finds what the bank shows for %s', async (foundAt) => {
    expect(await ask(attempts, foundAt)).toMatchObject({ found: 'in-process' });
  });

  test('asks once for a send of today', async () => {
    const { asked } = await ask([sentFrom(1, 'TERM0001', 0), sentFrom(2, 'TERM0001', 0)], 'nowhere');
    expect(asked).toEqual([`${today} TERM0001`]);
  });
});
