/** Which days the watcher's round asks for, and when it is over. */
import { expect, test, vi } from 'vitest';
import type { Session } from '../../src/app/session.ts';
import { reconcileDayBefore } from '../../src/app/reconciler.ts';
import { parseBangkokDate } from '../../src/core/bangkok-time.ts';
import { header, makeRehearsal, type Rehearsal } from '../support/rehearsal.ts';

const never = new AbortController().signal;
const minuteMs = 60_000;

/** A bank whose days without transfers have a file. */
const openQuiet = (statement: object): Promise<Rehearsal> =>
  makeRehearsal({ sandbox: { statement: { today: true, emptyDays: true, ...statement } } });

/** The same with a transfer on 21 November. */
async function openSent(statement: object): Promise<Rehearsal> {
  const rehearsal = await openQuiet(statement);
  await rehearsal.run(`${header}\nP1,MSISDN,0810000001,,10.00,,\n`);
  return rehearsal;
}

const later = (sender: Session, minutes: number): Session => ({
  ...sender,
  clock: { ...sender.clock, now: () => sender.clock.now() + minutes * minuteMs },
});

/** The sender of a process of its own, which notes the days it asks for. */
function watchAsking(sender: Session): { readonly sender: Session; readonly asked: string[] } {
  const asked: string[] = [];
  const bank: Session['bank'] = Object.create(sender.bank, {
    requestStatement: {
      value: async (request: Parameters<Session['bank']['requestStatement']>[0]) => {
        asked.push(request.date);
        return sender.bank.requestStatement(request);
      },
    },
  });
  return { sender: { ...sender, bank, journal: { ...sender.journal } }, asked };
}

test.each(['cut', 'html', 'truncated'])(
  '%s: a day without transfers of ours is asked for again',
  async (damage) => {
    await using rehearsal = await openQuiet({ damages: [{ damage, toIssue: 1 }] });
    await rehearsal.withSender(async (own) => {
      const sender = { ...own, journal: { ...own.journal, firstDaySent: async () => '20261120' } };
      expect(await reconcileDayBefore(sender, '20261121', never)).toBe(false);
      expect(await reconcileDayBefore(later(sender, 61), '20261121', never)).toBe(true);
      expect(await sender.journal.statementDays()).toMatchObject([{ date: '20261120' }]);
    });
  },
);

test('no statement is asked for of a day before anything was sent', async () => {
  await using rehearsal = await openSent({});
  await rehearsal.withSender(async (own) => {
    const { sender, asked } = watchAsking(own);
    expect(await reconcileDayBefore(sender, '20261121', never)).toBe(true);
    expect(asked).toEqual([]);
  });
});

test('a late day with payouts is asked for every hour until it is there, though the day before is done', async () => {
  await using rehearsal = await openSent({ damages: [{ damage: 'html', toIssue: 2 }] });
  await rehearsal.withSender(async (own) => {
    const { sender, asked } = watchAsking(own);
    expect(await reconcileDayBefore(sender, '20261122', never)).toBe(false);
    const rounds = [];
    for (const minutes of [61, 71, 122, 132]) {
      rounds.push(await reconcileDayBefore(later(sender, minutes), '20261123', never));
    }
    expect(rounds).toEqual([false, false, true, true]);
    expect(asked.filter((day) => day === '20261121')).toHaveLength(3);
  });
});

test('what was refused is asked for every hour, what has not come with every try', async () => {
  await using rehearsal = await openSent({ notBefore: { requests: 3 }, damages: [{ damage: 'html' }] });
  await rehearsal.withSender(async (own) => {
    const { sender, asked } = watchAsking(own);
    for (const [minutes, requests] of [
      [0, 1],
      [10, 2],
      [20, 3],
      [30, 3],
      [79, 3],
      [81, 4],
    ] as const) {
      expect(await reconcileDayBefore(later(sender, minutes), '20261122', never)).toBe(false);
      expect([minutes, asked.length]).toEqual([minutes, requests]);
    }
  });
});

const startOf = (date: string): number => parseBangkokDate(date) ?? Number.NaN;

const wrongAmount = { edit: 'alter', match: {}, columns: { AMOUNT: '1.00' } };

test('a corrected statement is asked for every hour while breaks are open', async () => {
  await using rehearsal = await openSent({ edits: [{ ...wrongAmount, toIssue: 2 }] });
  await rehearsal.withSender(async (own) => {
    const { sender, asked } = watchAsking(own);
    for (const [minutes, requests, isMade] of [
      [0, 1, false],
      [10, 1, false],
      [61, 2, false],
      [122, 3, true],
      [183, 3, true],
    ] as const) {
      expect(await reconcileDayBefore(later(sender, minutes), '20261122', never)).toBe(isMade);
      expect([minutes, asked.length]).toEqual([minutes, requests]);
    }
    expect(await sender.journal.statementDays()).toMatchObject([{ version: 2, openBreaks: 0 }]);
  });
});

test('a day with open breaks is asked for every hour for a week, then once a round, until a month is over', async () => {
  await using rehearsal = await openSent({ edits: [wrongAmount] });
  await rehearsal.withSender(async (own) => {
    const { sender, asked } = watchAsking(own);
    const rounds: unknown[] = [];
    for (const date of ['20261122', '20261125', '20261128', '20261129', '20261222', '20261223'])
      for (const minutes of [0, 61]) {
        asked.length = 0;
        const at = later(sender, minutes + (startOf(date) - startOf('20261122')) / minuteMs);
        const isMade = await reconcileDayBefore(at, date, never);
        rounds.push([date, isMade, asked.filter((day) => day === '20261121').length]);
      }
    expect(rounds).toEqual([
      ['20261122', false, 1],
      ['20261122', false, 1],
      ['20261125', false, 1],
      ['20261125', false, 1],
      ['20261128', false, 1],
      ['20261128', false, 1],
      ['20261129', true, 1],
      ['20261129', true, 0],
      ['20261222', true, 1],
      ['20261222', true, 0],
      ['20261223', true, 0],
      ['20261223', true, 0],
    ]);
  });
});

test('days of the week before are asked for, with transfers or without, from the first on which any was sent', async () => {
  await using rehearsal = await openSent({ emptyDays: false, notBefore: { requests: 2 } });
  await rehearsal.withSender(async (own) => {
    const { sender, asked } = watchAsking(own);
    expect(await reconcileDayBefore(sender, '20261124', never)).toBe(false);
    expect(asked).toEqual(['20261121', '20261122', '20261123']);
    // The one that is late waits for its hour, though the round is tried again.
    expect(await reconcileDayBefore(sender, '20261124', never)).toBe(false);
    expect(asked).toEqual(['20261121', '20261122', '20261123', '20261123']);
    expect(await reconcileDayBefore(later(sender, 60), '20261125', never)).toBe(true);
    expect(await sender.journal.statementDays()).toMatchObject([{ date: '20261121' }]);
  });
});

test('a day that breaks keeps no other day from its turn', async () => {
  await using rehearsal = await openSent({});
  await rehearsal.withSender(async (own) => {
    const { sender, asked } = watchAsking(own);
    const error = vi.spyOn(sender.log, 'error');
    const journal: Session['journal'] = {
      ...sender.journal,
      beginStatement: async (run) => {
        if (run.date === '20261121') throw new Error('it does not tie out');
        return sender.journal.beginStatement(run);
      },
    };
    const sick = { ...sender, journal };
    const onBroken = vi.fn(async () => {});
    await expect(reconcileDayBefore(sick, '20261123', never, onBroken)).rejects.toThrow(
      'it does not tie out',
    );
    expect(onBroken).toHaveBeenCalledExactlyOnceWith('20261121', expect.any(Error));
    expect(asked).toEqual(['20261121', '20261122']);
    expect(error).toHaveBeenCalledWith(
      expect.objectContaining({ statement: '20261121' }),
      expect.any(String),
    );
    // The next try asks for nothing before an hour is over, and the round is not made.
    expect(await reconcileDayBefore(sick, '20261123', never)).toBe(false);
  });
});

test('a day with payouts that falls out of the week is told of, once a day', async () => {
  await using rehearsal = await openSent({ emptyDays: false, notBefore: { requests: 99 } });
  await rehearsal.withSender(async (own) => {
    const { sender } = watchAsking(own);
    const warn = vi.spyOn(sender.log, 'warn');
    await reconcileDayBefore(sender, '20261128', never);
    expect(warn).not.toHaveBeenCalled();
    await reconcileDayBefore(sender, '20261129', never);
    await reconcileDayBefore(sender, '20261129', never);
    expect(warn.mock.calls).toEqual([
      [{ statements: ['2026-11-21'] }, expect.stringContaining('the bank is not asked for it any more')],
    ]);
  });
});
