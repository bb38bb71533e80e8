/**
 * Counts the files of src/ that a row passes on its way from cli/run to its report: `node test/tidy/row-files.ts` lists
 * them. Pays a file of one row to the sandbox bank and asks V8 which functions ran. Modules that load do not count, nor
 * does what starts for any file: the functions that a run without a file calls as often.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stopCoverage, takeCoverage } from 'node:v8';
import { runCommandLine } from '../../src/commands.ts';
import { toProjectPath } from './source.ts';

/** Paths from the project root; the sandbox bank is not counted. */
export interface RowFiles {
  readonly files: readonly string[];
  readonly folders: readonly string[];
}

interface CoveredScript {
  readonly url: string;
  readonly functions: readonly {
    readonly ranges: readonly {
      readonly startOffset: number;
      readonly endOffset: number;
      readonly count: number;
    }[];
  }[];
}

const config = `dataDir: data
bank:
  baseUrl: sandbox
  clientId: sandbox-app
  clientSecret: sandbox-secret-of-no-value
  channelId: PAYDROP
  termId: TERM0001
  companyId: COMP000001
  payerAccount: '0000345924'
`;

/** @throws when the program does not pay the row */
export function findRowFiles(): RowFiles {
  const folder = mkdtempSync(join(tmpdir(), 'row-files-'));
  try {
    writeFileSync(join(folder, 'paydrop.yaml'), config);
    for (const [name, amount] of [
      ['first', '1250.00'],
      ['row', '980.50'],
    ]) {
      const row = `${name},MSISDN,0810000001,Somchai Jaidee,${amount}`;
      writeFileSync(join(folder, `${name}.csv`), `payoutId,proxyType,proxyNo,payeeName,amount\n${row}\n`);
    }
    const coverage = join(folder, 'coverage');
    // Functions of cached code are not counted surely.
    const env = { ...process.env, NODE_V8_COVERAGE: coverage, NODE_DISABLE_COMPILE_CACHE: '1' };
    const words = [import.meta.filename, 'pay'];
    const ended = spawnSync(process.execPath, words, { cwd: folder, env, encoding: 'utf8' });
    if (ended.status !== 0) throw new Error(`the row was not paid:\n${ended.stdout}${ended.stderr}`);
    // coverage-<pid>-<time>-<number>.json
    const [start, row] = readdirSync(coverage)
      .filter((name) => name.split('-')[1] === String(ended.pid))
      .toSorted()
      .slice(-2)
      .map((name) => countCalls(readFileSync(join(coverage, name), 'utf8')));
    const passed = [...(row ?? [])].filter(([called, count]) => count > (start?.get(called) ?? 0));
    const files = [...new Set(passed.map(([called]) => called.split('#')[0] ?? ''))].toSorted();
    return { files, folders: [...new Set(files.map(dirname))] };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Calls of each function of src/, by "path#start-end"; a module's top level is none. */
function countCalls(json: string): ReadonlyMap<string, number> {
  const { result } = JSON.parse(json) as { result: CoveredScript[] };
  const calls = result.flatMap(({ url, functions }) => {
    const path = url.startsWith('file:') ? toProjectPath(fileURLToPath(url)) : '';
    if (!path.startsWith('src/') || path.startsWith('src/sandbox/')) return [];
    return functions.flatMap(({ ranges: [whole] }) =>
      whole === undefined || whole.startOffset === 0
        ? []
        : [[`${path}#${whole.startOffset}-${whole.endOffset}`, whole.count] as const],
    );
  });
  return new Map(calls);
}

async function pay(): Promise<void> {
  // The first file loads all modules.
  await runCommandLine(['run', 'first.csv']);
  takeCoverage();
  await runCommandLine(['run', 'none.csv']);
  takeCoverage();
  process.exitCode = 0;
  await runCommandLine(['run', 'row.csv']);
  takeCoverage();
  stopCoverage();
}

if (process.argv[1] === import.meta.filename) {
  if (process.argv[2] === 'pay') await pay();
  else {
    const { files, folders } = findRowFiles();
    console.log([...files, `${files.length} files in ${folders.length} folders`].join('\n'));
  }
}
