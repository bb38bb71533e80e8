/**
 * Benchmark (g): a day of payouts with faults paid at the sandbox bank over HTTP, and its statement reconciled from each
 * form that a bank may send: what was in doubt is settled, both sides tie out, the tables are there. Says so in figures,
 * and ends with 1 where one is not as it must be. `node test/bench/statement-day.ts [rows]`
 */
import { readFile } from 'node:fs/promises';
import type { Session } from '../../src/app/session.ts';
import { reportDueBatches } from '../../src/app/reconcile.ts';
import { formatBaht, toSatang } from '../../src/core/money.ts';
import type { Figures } from '../../src/reconcile/rules/types.ts';
import { date, fates, fetchAndReconcile, openPaidDay, settled } from '../end-to-end/statement-day.ts';

const rows = Number(process.argv[2] ?? 5_000);

const show = ({ count, satang }: Figures): string => `${count} (${formatBaht(satang)})`;

function addUp(places: ReadonlyMap<string, Figures>): Figures {
  const figures = [...places.values()];
  const satang = figures.reduce((sum, place) => sum + place.satang, 0n);
  return { count: figures.reduce((sum, place) => sum + place.count, 0), satang: toSatang(satang) };
}

const countLines = async (path: string): Promise<number> =>
  (await readFile(path, 'utf8')).trimEnd().split('\n').length - 1;

/** Each sum as it must be: from the rows themselves, not from what was reconciled. */
function computeExpected() {
  let all = 0n;
  for (let row = 1; row <= rows; row += 1) all += BigInt(1_000 + row) * 100n + 25n;
  const of = (row: number): bigint => BigInt(1_000 + row) * 100n + 25n;
  const paid = all - of(fates.stuckFailed) - of(fates.deniedPaid);
  return {
    statement: { count: rows, satang: toSatang(all) },
    paid: { count: rows - 2, satang: toSatang(paid) },
  };
}

async function reconcileForm(sender: Session, form: string): Promise<boolean> {
  const inDoubt = await sender.journal.countInDoubt();
  const startMs = performance.now();
  const { totals, files, recorded } = await fetchAndReconcile(sender);
  const tookMs = performance.now() - startMs;
  const updates = await reportDueBatches(sender);
  const breaks = [...(await sender.journal.countOpenBreaks(date)).values()].reduce((sum, of) => sum + of, 0);
  const again = await fetchAndReconcile(sender);
  const [statement, paid] = [addUp(totals.lines), addUp(totals.paid)];
  const lines = await Promise.all(files.map(async ({ kind, path }) => `${kind} ${await countLines(path)}`));
  console.log(
    `${form}: statement ${show(statement)}, paid by us ${show(paid)}, in doubt ${inDoubt} -> ${await sender.journal.countInDoubt()} ` +
      `(${[...recorded.causes].map(([cause, of]) => `${cause} ${of}`).join(', ')}), open breaks ${breaks}, rows of ${lines.join(', ')}, ` +
      `updates ${updates.length}, again: ${again.isRepeat ? 'nothing new' : 'NEW VERSION'}; ${Math.round(tookMs)} ms`,
  );
  const expected = computeExpected();
  return (
    show(statement) === show(expected.statement) &&
    show(paid) === show(expected.paid) &&
    inDoubt === 2 &&
    (await sender.journal.countInDoubt()) === 0 &&
    breaks === 0 &&
    updates.length === 1 &&
    lines.join() === `matched ${rows},breaks 0` &&
    again.isRepeat
  );
}

console.log(`(g) a day of ${rows} payouts, three of them with faults, from each form of the statement`);
for (const form of ['plain', 'gzip', 'zipcrypto', 'aes']) {
  await using rehearsal = await openPaidDay({ form, edits: settled }, rows);
  if (await rehearsal.withSender((sender) => reconcileForm(sender, form))) continue;
  console.error(`${form}: not as it must be`);
  process.exitCode = 1;
}
