import { expect, test } from 'vitest';
import type { RegistrationChange } from '../../src/registration/rules/change.ts';
import { awaitedStatuses, type Registration } from '../../src/registration/rules/registration.ts';
import { keepSweeping, sweepAbandoned, sweepOverdue } from '../../src/registration/sweep.ts';
import { noonMs } from '../support/core-fixtures.ts';
import { makeRegistration } from '../support/registration-fixtures.ts';
import { makeVirtualClock } from '../support/virtual-clock.ts';

/** So many that they come in pages. */
const rowsMax = 1_203;

function makeScene(status: Registration['status'], rows: number) {
  const clock = makeVirtualClock(noonMs);
  const held = new Map<number, Registration>();
  for (let seq = 1; seq <= rows; seq += 1)
    held.set(
      seq,
      makeRegistration({ seq, status, attemptNo: 1, submittedAtMs: noonMs, awaitedUntilMs: noonMs + seq }),
    );
  const all = (): Registration[] => [...held.values()];
  const isAwaited = ({ status: one }: Registration): boolean => awaitedStatuses.some((open) => open === one);
  const journal = {
    submittedRegistrations: async (beforeMs: number, afterSeq: number, limit: number) =>
      all()
        .filter(
          (one) => one.status === 'submitted' && (one.submittedAtMs ?? 0) < beforeMs && one.seq > afterSeq,
        )
        .slice(0, limit),
    overdueRegistrations: async (nowMs: number, limit: number) =>
      all()
        .filter(
          (one) => isAwaited(one) && one.status !== 'submitted' && (one.awaitedUntilMs ?? Infinity) <= nowMs,
        )
        .slice(0, limit),
    nextOverdueAtMs: async () => {
      const due = all().flatMap((one) => (isAwaited(one) ? (one.awaitedUntilMs ?? []) : []));
      return due.length === 0 ? undefined : Math.min(...due);
    },
    applyRegistrations: async (changes: readonly RegistrationChange[]) =>
      changes.map(
        ({ before, after }) => held.get(before.seq) === before && Boolean(held.set(before.seq, after)),
      ),
  };
  const statuses = (): Record<string, number> => {
    const counted: Record<string, number> = {};
    for (const one of all()) counted[one.status] = (counted[one.status] ?? 0) + 1;
    return counted;
  };
  return { context: { journal, clock, log: () => {} }, clock, statuses };
}

test('what a process has left behind is in doubt, page after page; what is our own stays', async () => {
  const { context, statuses } = makeScene('submitted', rowsMax);
  expect(await sweepAbandoned(context, new Set([3, 900]))).toBe(rowsMax - 2);
  expect(statuses()).toEqual({ 'in-doubt': rowsMax - 2, submitted: 2 });
});

test('what is overdue is unanswered, page after page, and nothing that is not', async () => {
  const { context, clock, statuses } = makeScene('acknowledged', rowsMax);
  await clock.advance(1_100);
  expect(await sweepOverdue(context)).toHaveLength(1_100);
  expect(statuses()).toEqual({ unanswered: 1_100, acknowledged: rowsMax - 1_100 });
});

test('each is marked when it falls due, until told to end', async () => {
  const { context, clock, statuses } = makeScene('in-doubt', 3);
  const end = new AbortController();
  const marked: number[] = [];
  const sweeping = keepSweeping(
    context,
    async (rows) => void marked.push(...rows.map(({ seq }) => seq)),
    end.signal,
  );
  await clock.advance(2);
  expect(marked).toEqual([1, 2]);
  end.abort();
  await sweeping;
  expect(statuses()).toEqual({ unanswered: 2, 'in-doubt': 1 });
});
