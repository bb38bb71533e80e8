/** Whatever is shown of a rehearsal says that it is one. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { stringify } from 'yaml';
import type { CommandModule } from 'yargs';
import { describeIdentity } from '../../src/app/open-store.ts';
import { checkCommand } from '../../src/cli/check.ts';
import { cancelCommand, resumeCommand, retryCommand } from '../../src/cli/operator.ts';
import { settleCommand } from '../../src/cli/settle.ts';
import { showCommand, statusCommand } from '../../src/cli/status.ts';
import { sandboxBanner } from '../../src/cli/views/shown.ts';
import { loadSettings } from '../../src/settings/settings.ts';
import { openJournal } from '../../src/store/open.ts';
import { payer } from '../support/core-fixtures.ts';
import { ingest, makeRows } from '../support/journal-fixtures.ts';
import { noonMs } from '../support/report-fixtures.ts';

afterEach(() => {
  vi.restoreAllMocks();
  process.exitCode = undefined;
});

interface Rehearsal extends AsyncDisposable {
  readonly config: string;
  readonly payoutId: string;
  readonly file: string;
}

/** A journal of the sandbox with one row, and a payout file. */
async function openRehearsal(): Promise<Rehearsal> {
  const folder = await mkdtemp(join(tmpdir(), 'paydrop-banner-'));
  const config = join(folder, 'paydrop.yaml');
  await writeFile(config, stringify({ bank: { ...payer, baseUrl: 'sandbox' } }));
  const file = join(folder, 'payouts.csv');
  await writeFile(
    file,
    'payoutId,proxyType,proxyNo,payeeName,amount\nA-1,MSISDN,0812345678,Somchai Jaidee,10.00\n',
  );
  const loaded = loadSettings({ configPath: config, cwd: folder, env: {} });
  const { dataDir } = loaded;
  await using journal = await openJournal({
    dataDir,
    stamp: describeIdentity(loaded),
    access: 'own',
    nowMs: noonMs,
  });
  const [row] = makeRows(1);
  if (row === undefined) throw new Error('there is no row');
  await ingest(journal, [row]);
  const clear = (): Promise<void> => rm(folder, { recursive: true, force: true });
  return { config, file, payoutId: row.cells.payoutId, [Symbol.asyncDispose]: clear };
}

/** What the command prints. */
async function print(command: unknown, options: object): Promise<string> {
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  try {
    await (command as CommandModule<object, object>).handler({ logLevel: 'silent', ...options } as never);
    return write.mock.calls.map(([text]) => String(text)).join('');
  } finally {
    write.mockRestore();
  }
}

test('every command that works on its journal prints the banner first, and none in JSON', async () => {
  await using rehearsal = await openRehearsal();
  const { config, payoutId, file } = rehearsal;
  const commands = [
    [statusCommand, {}],
    [showCommand, { id: payoutId }],
    [checkCommand, { file: [file], payees: false, wait: 1 }],
    [resumeCommand, { target: payoutId }],
    [retryCommand, { target: payoutId }],
    [cancelCommand, { target: payoutId }],
    [settleCommand, { wait: 1 }],
  ] as const;
  for (const [command, options] of commands) {
    const name = command.command;
    expect([name, await print(command, { config, json: false, ...options })]).toEqual([
      name,
      expect.stringMatching(/^\*\*\* SANDBOX/),
    ]);
    const json = await print(command, { config, json: true, ...options });
    expect([name, json.includes(sandboxBanner)]).toEqual([name, false]);
  }
});
