/** Changes of registrations by time alone: their sender has ended, or no callback has come. */
import type { Clock, Log } from '../core/ports.ts';
import type { RegistrationStore } from './ports.ts';
import { decideAbandoned, decideOverdue } from './rules/after-answer.ts';
import type { RegistrationChange } from './rules/change.ts';
import type { Registration } from './rules/registration.ts';

type Swept = Pick<
  RegistrationStore,
  'submittedRegistrations' | 'overdueRegistrations' | 'applyRegistrations' | 'nextOverdueAtMs'
>;

interface SweepContext {
  readonly journal: Swept;
  readonly clock: Clock;
  readonly log: Log;
}

const pageRows = 500;

/**
 * Makes rows of a sender that has ended, or has broken off, await their callback. Only the owner of the sender lock may
 * call it.
 * @param inFlight rows that this process is sending now
 * @returns the number of such rows
 */
export async function sweepAbandoned(
  { journal, clock, log }: SweepContext,
  inFlight: ReadonlySet<number>,
): Promise<number> {
  let afterSeq = 0;
  let rows = 0;
  for (;;) {
    // Ignores the time of the intent: the clock may have been set back since.
    const page = await journal.submittedRegistrations(Number.MAX_SAFE_INTEGER, afterSeq, pageRows);
    const nowMs = clock.now();
    const abandoned = page.filter(({ seq }) => !inFlight.has(seq));
    rows += await applyAll(
      journal,
      abandoned.map((registration) => decideAbandoned(registration, nowMs)),
    );
    afterSeq = page.at(-1)?.seq ?? afterSeq;
    if (page.length < pageRows) break;
  }
  if (rows > 0) log('warn', 'registrations were with the bank when the program ended', { rows });
  return rows;
}

/** Marks overdue rows as unanswered. @returns the rows as they were before @forTests */
export async function sweepOverdue({ journal, clock, log }: SweepContext): Promise<readonly Registration[]> {
  const marked: Registration[] = [];
  for (;;) {
    const nowMs = clock.now();
    const page = await journal.overdueRegistrations(nowMs, pageRows);
    const changes = page.flatMap((registration) => decideOverdue(registration, nowMs) ?? []);
    const applied = await journal.applyRegistrations(changes);
    const done = changes.filter((_, index) => applied[index] === true).map(({ before }) => before);
    marked.push(...done);
    // A row that a callback ended at the same moment is absent from the next page.
    if (page.length < pageRows || done.length === 0) break;
  }
  if (marked.length > 0) log('warn', 'no callback has come in time', { rows: marked.length });
  return marked;
}

/** Longest time between two looks: the clock may be set, or the machine have slept. */
const lookAtLatestMs = 60_000;
/** The same while nothing is awaited: rows sent meanwhile may be due sooner. */
const lookAtNothingMs = 5_000;

/** Marks rows as they become overdue, until the end. @param onMarked called with the rows as they were before */
export async function keepSweeping(
  context: SweepContext,
  onMarked: (rows: readonly Registration[]) => Promise<void>,
  end: AbortSignal,
): Promise<void> {
  const { journal, clock } = context;
  while (!end.aborted) {
    const marked = await sweepOverdue(context);
    if (marked.length > 0) await onMarked(marked);
    const dueAtMs = await journal.nextOverdueAtMs();
    const waitMs = dueAtMs === undefined ? lookAtNothingMs : Math.max(dueAtMs - clock.now(), 1);
    await clock.sleep(Math.min(waitMs, lookAtLatestMs), end);
  }
}

async function applyAll(journal: Swept, changes: readonly RegistrationChange[]): Promise<number> {
  if (changes.length === 0) return 0;
  const applied = await journal.applyRegistrations(changes);
  return applied.filter(Boolean).length;
}
