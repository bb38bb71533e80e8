/** What a setting means now is told once, over all later starts. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { openSession } from '../../src/app/session.ts';
import { type Logger, silentLogger } from '../../src/platform/log.ts';
import { loadSettings } from '../../src/settings/settings.ts';
import { partner } from '../support/core-fixtures.ts';

test('settle.intentMaxAgeMs: 0 is explained at the first start, and at no later one', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'paydrop-told-'));
  const configPath = join(folder, 'paydrop.yaml');
  const settings = {
    dataDir: './data',
    bank: { baseUrl: 'sandbox', ...partner },
    settle: { intentMaxAgeMs: 0 },
  };
  await writeFile(configPath, stringify(settings));
  const told: string[] = [];
  const log: Logger = Object.assign(Object.create(silentLogger), {
    warn: (text: string) => void told.push(text),
  });
  try {
    for (let starts = 0; starts < 3; starts += 1) {
      await using _ = await openSession(loadSettings({ configPath, cwd: folder, env: {} }), log, 'test');
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  expect(told.filter((text) => text.startsWith('settle.intentMaxAgeMs is 0'))).toHaveLength(1);
});
