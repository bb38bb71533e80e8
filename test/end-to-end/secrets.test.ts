import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import { runPaydrop } from '../cli/run-paydrop.ts';

const root = join(import.meta.dirname, '../..');

/** Every proxy of a sample, as it stands there and as its digits. */
async function readProxies(sample: string): Promise<string[]> {
  const rows = parse<Record<string, string>>(await readFile(join(root, 'samples', sample)), {
    columns: true,
    bom: true,
    relax_column_count: true,
    relax_quotes: true,
  });
  return rows
    .flatMap(({ proxyNo = '' }) => [proxyNo, proxyNo.replaceAll(/\D/g, '')])
    .filter((text) => text.length >= 9);
}

describe('what a run says', () => {
  test.each(['payouts.csv', 'payouts-broken-rows.csv'])(
    'about %s never holds a secret, a token or a full number, at any log level',
    async (sample) => {
      const dataDir = await mkdtemp(join(tmpdir(), 'paydrop-secrets-'));
      const common = [
        '--config',
        join(root, 'config/sandbox.yaml'),
        '--data-dir',
        dataDir,
        '--log-level',
        'trace',
      ];
      try {
        const ended = [
          await runPaydrop(['check', join(root, 'samples', sample), ...common]),
          await runPaydrop(['run', join(root, 'samples', sample), ...common]),
          await runPaydrop(['status', ...common]),
          await runPaydrop(['config', '--login', ...common]),
        ];
        const said = ended.map(({ stdout, stderr }) => stdout + stderr).join('\n');
        expect(said).toMatch(/"msg":"bank call"/);
        const proxies = await readProxies(sample);
        expect(proxies.length).toBeGreaterThan(5);
        for (const secret of [...proxies, '0000345924', 'sandbox-secret-of-no-value'])
          expect(said).not.toContain(secret);
        expect(said).not.toMatch(/bearer\s+[\w.-]{8,}/i);
        expect(said).not.toMatch(/"(access|refresh)_token"\s*:\s*"(?!\[)/);
      } finally {
        await rm(dataDir, { recursive: true, force: true });
      }
    },
  );
});
