/**
 * Benchmark (c): `check` of a million clean rows, in rows per second and peak memory, beside csv-parse that only
 * splits the same file into cells. Run it in a process of its own: `node test/bench/check.ts [rows]`. The file is written
 * by another process still, so that the peak is that of the check.
 */
import { execFileSync } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse';
import { checkFile } from '../../src/check/check.ts';
import { toSatang } from '../../src/core/money.ts';
import { makePayoutFileReader } from '../../src/intake/formats/payout-file.ts';

const rows = Number(process.argv[2] ?? 1_000_000);

const reader = makePayoutFileReader({
  columns: {},
  carry: [],
  encoding: 'auto',
  delimiter: 'auto',
  control: 'none',
  trailerMark: 'TRAILER',
  finalLineEnd: 'required',
  numberAfterAmount: 'refused',
  guardFormulas: true,
  limits: { rowsMax: rows, bytesMax: null, payoutSatangMax: toSatang(200_000_000n), fileSatangMax: null },
});

function formatRow(place: number): string {
  const mobile = `08${String((place * 7_919) % 100_000_000).padStart(8, '0')}`;
  const amount = `${100 + (place % 5_000)}.${String(place % 100).padStart(2, '0')}`;
  const name = place % 4 === 0 ? 'สมชาย ใจดี' : 'Somchai Jaidee';
  return `PAY-2026-${String(place).padStart(8, '0')},MSISDN,${mobile},${name},${amount},INV${place},\n`;
}

async function writePayouts(path: string): Promise<void> {
  await using handle = await open(path, 'w');
  await handle.write('payoutId,proxyType,proxyNo,payeeName,amount,reference1,reference2\n');
  const stretch = 1_000;
  for (let from = 0; from < rows; from += stretch) {
    const places = Array.from({ length: Math.min(stretch, rows - from) }, (_, index) => from + index);
    await handle.write(places.map(formatRow).join(''));
  }
}

/** Milliseconds. */
async function measure(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

async function check(path: string): Promise<void> {
  const outcome = await checkFile(reader, path, {
    onIssues: (issues) => {
      throw new Error(`a clean file has issues: ${JSON.stringify(issues[0])}`);
    },
  });
  if (outcome.kind !== 'checked' || outcome.totals.ready.rows !== rows) {
    throw new Error(`the check went wrong: ${JSON.stringify(outcome, (_, value: unknown) => String(value))}`);
  }
}

async function splitOnly(path: string): Promise<void> {
  let seen = 0;
  const parser = createReadStream(path).pipe(parse());
  parser.on('data', () => {
    seen += 1;
  });
  await new Promise((resolve, reject) => {
    parser.on('end', resolve).on('error', reject);
  });
  if (seen !== rows + 1) throw new Error(`csv-parse found ${seen} records`);
}

async function compare(path: string): Promise<void> {
  execFileSync(process.execPath, [import.meta.filename, String(rows), path]);
  const checkMs = await measure(() => check(path));
  const peakBytes = process.resourceUsage().maxRSS * 1_024;
  const splitMs = await measure(() => splitOnly(path));
  const perSecond = (ms: number): string => Math.round((rows / ms) * 1_000).toLocaleString('en');
  console.log(
    `(c) check: ${rows.toLocaleString('en')} rows in ${(checkMs / 1_000).toFixed(2)} s, ${perSecond(checkMs)} rows/s, ` +
      `peak memory ${Math.round(peakBytes / 1e6)} MB; csv-parse alone ${perSecond(splitMs)} rows/s, ` +
      `ratio ${(splitMs / checkMs).toFixed(2)}`,
  );
}

const writeTo = process.argv[3];
if (writeTo !== undefined) await writePayouts(writeTo);
else {
  const folder = await mkdtemp(join(tmpdir(), 'paydrop-bench-'));
  try {
    await compare(join(folder, 'payouts.csv'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
