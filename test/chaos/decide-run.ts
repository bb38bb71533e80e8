/**
 * Thousands of decisions from two shells and the page on one journal, beside a watcher that pays what they let go on; the
 * journal, the bank's ledger and what everybody was told are held against one another.
 * `npm run decide-soak -- [--decisions 40000] [--rows 28000] [--seed N]`
 */
import { parseArgs } from 'node:util';
import { besiegeDecisions } from './decide-siege.ts';

const waitMs = 3_600_000;
const complaintsShown = 40;

const { values } = parseArgs({
  options: {
    decisions: { type: 'string', default: '40000' },
    rows: { type: 'string', default: '28000' },
    seed: { type: 'string', default: '1' },
  },
});

function spread(tookMs: readonly number[]): string {
  const sorted = tookMs.toSorted((one, other) => one - other);
  const at = (share: number): number => Math.round(sorted[Math.floor(share * (sorted.length - 1))] ?? 0);
  return `${at(0.5)} / ${at(0.95)} / ${at(1)} ms`;
}

const options = { decisions: Number(values.decisions), rows: Number(values.rows), seed: Number(values.seed) };
const besieged = await besiegeDecisions({ ...options, shells: 2, rowsPerFile: 1_000, waitMs }, (line) =>
  console.log(line),
);
const { verdict, shells, page, workedMs } = besieged;
const seconds = workedMs / 1_000;
console.log(
  [
    `${verdict.decided} decisions in ${verdict.proposals} proposals, ${seconds.toFixed(1)} s, ${Math.round(verdict.decided / seconds)} a second; ${verdict.paid} rows paid`,
    ...shells.map(
      ({ decided, turnedAway, tookMs }, place) =>
        `shell ${place + 1}: ${decided} decided, ${turnedAway} turned away; a word takes ${spread(tookMs)} (median, 95 %, longest)`,
    ),
    `page: ${page.proposed} proposed, ${page.approved} approved, ${page.refused} refused; a word takes ${spread(page.tookMs)}`,
    ...Object.entries(verdict.tally).map(([name, times]) => `  ${name.padEnd(28)} ${times}`),
    verdict.complaints.length === 0
      ? 'None was lost, none was applied twice, and the ledger agrees.'
      : `BROKEN PROMISES: ${verdict.complaints.length}\n${verdict.complaints.slice(0, complaintsShown).join('\n')}`,
  ].join('\n'),
);
if (verdict.complaints.length > 0) process.exitCode = 1;
