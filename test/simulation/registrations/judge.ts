/** What must hold when a play is over: the journal against the files, the bank's book and every call that it made. */
import { identityKey } from '../../../src/registration/rules/callback.ts';
import { awaitedStatuses } from '../../../src/registration/rules/registration.ts';
import type { Store } from '../../../src/store/store.ts';
import type { RegistrationAuditor } from './auditor.ts';
import type { Call, RegisteringBank } from './bank.ts';
import type { JournalView, SeenCallback, SeenRow } from './journal.ts';
import type { RegistrationsPlan } from './plan.ts';

export interface EndParts {
  readonly plan: RegistrationsPlan;
  readonly bank: RegisteringBank;
  readonly auditor: RegistrationAuditor;
  readonly store: Store;
  readonly view: JournalView;
  /** Rows of each report, its header included. */
  readonly published: ReadonlyMap<string, number>;
}

const toleranceMs = 60_000;

const isOf =
  ({ identity, outcome, appliedAtMs }: Call) =>
  (kept: SeenCallback): boolean =>
    kept.identity === identityKey(identity) && kept.outcome === outcome && kept.appliedAtMs === appliedAtMs;

/** Every call that was taken is there for ever, once. */
function judgeCalls({ bank, view }: EndParts): string[] {
  const kept = view.callbacks();
  const broken = bank.calls.flatMap((call) => {
    const own = kept.filter(isOf(call));
    if (call.taken > 0 && own.length === 0) return [`call ${call.number} was taken and is not there`];
    if (own.length > 1) return [`call ${call.number} counts ${own.length} times`];
    const told = (own[0]?.repeats ?? 0) + 1;
    return call.taken > told ? [`call ${call.number} was taken ${call.taken} times and counts ${told}`] : [];
  });
  const invented = kept.filter((one) => !bank.calls.some((call) => call.tries > 0 && isOf(call)(one)));
  const owed = bank.owed.map(({ number }) => `call ${number} is never taken`);
  return [...broken, ...owed, ...invented.map(({ id }) => `the bank has never made callback ${id}`)];
}

/** One that means no row is bound to none; all others are bound, to one of their identity. */
function judgeBinding({ view }: EndParts): string[] {
  const attempts = view.attempts();
  return view.callbacks().flatMap(({ id, seq, identity, appliedAtMs }) => {
    const meant = attempts.filter(
      ({ instruction, intentAtMs }) =>
        identityKey(instruction) === identity && intentAtMs <= appliedAtMs + toleranceMs,
    );
    if (seq === null && meant.length > 0)
      return [`callback ${id} is bound to none, and row ${meant.at(-1)?.seq} was sent before`];
    if (seq !== null && !meant.some((attempt) => attempt.seq === seq))
      return [`callback ${id} is bound to row ${seq}, which it cannot mean`];
    return [];
  });
}

/** What the bank has said of a row is what it is called, and both is an alarm. */
function judgeOutcomes({ view, auditor }: EndParts): string[] {
  const contradicted = new Set(
    view
      .eventsAfter(0)
      .flatMap(({ cause, registrationSeq }) => (cause === 'contradicted' ? [registrationSeq] : [])),
  );
  const calls = Map.groupBy(view.callbacks(), ({ seq }) => seq);
  return view.rows().flatMap((row) => {
    const said = new Set((calls.get(row.seq) ?? []).map(({ outcome }) => outcome));
    const { decided, triedAgain } = auditor.people;
    if (triedAgain.has(row.seq)) return [];
    if (said.size > 1)
      return contradicted.has(row.seq) ? [] : [`row ${row.seq} was called both, and that is no alarm`];
    const [only] = said;
    if (only === undefined || decided.has(row.seq) || row.status === only) return [];
    return [`the bank calls row ${row.seq} ${only}, and it is ${row.status}`];
  });
}

/** Each row is there once, as it was in the file, and the counts add up. */
async function judgeFiles({ plan, store, published }: EndParts): Promise<string[]> {
  await using snapshot = await store.registrationReports.snapshot();
  const broken: string[] = [];
  for (const { name, batchId, rows } of plan.files) {
    const batch = await snapshot.batch(batchId);
    if (batch === undefined) {
      broken.push(`${name} was never taken in`);
      continue;
    }
    const pages = await Array.fromAsync(snapshot.resultRows(batchId));
    const shown = pages
      .flat()
      .map(({ rowNo, cells }) => `${rowNo} ${cells.registrationId} ${cells.accountNo}`);
    const wanted = rows.map(({ rowNo, cells }) => `${rowNo} ${cells.registrationId} ${cells.accountNo}`);
    if (shown.join() !== wanted.join()) broken.push(`the rows of ${name} are ${shown.join()}`);
    const totals = await snapshot.totals(batchId);
    const counted = totals.reduce((sum, total) => sum + total.rows, 0);
    if (counted !== rows.length) broken.push(`${name} adds up to ${counted} of ${rows.length} rows`);
    if (batch.status !== 'done') broken.push(`${name} ends ${batch.status}`);
    const results = [...published].filter(([path]) => path.includes(`.${batchId}.result.csv`));
    if (results.length !== 1 || results[0]?.[1] !== rows.length + 1)
      broken.push(`${name} has the results ${JSON.stringify(results)}`);
  }
  return broken;
}

const unended: readonly string[] = ['staged', 'ready', ...awaitedStatuses];

/** Nothing waits for ever. */
const judgeLiveness = ({ view }: EndParts): string[] =>
  view
    .rows()
    .flatMap(({ seq, status }: SeenRow) => (unended.includes(status) ? [`row ${seq} ends ${status}`] : []));

export async function judgeEnd(parts: EndParts): Promise<string | undefined> {
  const broken = [
    ...judgeCalls(parts),
    ...judgeBinding(parts),
    ...judgeOutcomes(parts),
    ...(await judgeFiles(parts)),
    ...judgeLiveness(parts),
  ];
  return broken[0];
}
