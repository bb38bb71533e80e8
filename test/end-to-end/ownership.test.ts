/** What others could change is refused with a real bank, and warned of against a sandbox; as a shell sees it. */
import { chmod, chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { findForeignHand } from '../../src/platform/ownership.ts';
import { runPaydrop } from '../cli/run-paydrop.ts';
import { partner } from '../support/core-fixtures.ts';

const [us, them] = [1_000, 1_001];

describe('who may change what', () => {
  test.each([
    ['ours alone', us, 0o600, 'own', undefined],
    ["root's, to be read by all", 0, 0o644, 'own', undefined],
    ["somebody else's", them, 0o600, 'own', 'chown 1000 /x'],
    ["our group's to write", us, 0o620, 'own', 'chmod g-w /x'],
    ["root's, and the group's to write", 0, 0o2770, 'own', 'chmod g-w /x'],
    ["all the world's to write", us, 0o1777, 'own', 'chmod go-w /x'],
    ["a dropper's folder, his group's to write", them, 0o2770, 'shared', undefined],
    ["a folder that is all the world's", us, 0o1777, 'shared', 'chmod o-w /x'],
  ] as const)('%s', (_name, uid, mode, keeping, mend) => {
    const found = findForeignHand('/x', { uid, mode }, us, keeping);
    expect(found?.split(': run ')[1]).toBe(mend);
  });
});

interface Place {
  readonly folder: string;
  readonly config: string;
  readonly dataDir: string;
  readonly secret: string;
  readonly inbox: string;
}

async function withPlace(baseUrl: string, use: (place: Place) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'paydrop-owner-'));
  const dataDir = join(folder, 'data');
  const place = { folder, dataDir, config: join(folder, 'paydrop.yaml'), secret: join(folder, 'secret') };
  const inbox = join(dataDir, 'inbox');
  try {
    await mkdir(join(inbox, '.paydrop'), { recursive: true, mode: 0o700 });
    await writeFile(place.secret, 'x', { mode: 0o600 });
    const bank = { ...partner, baseUrl, clientSecret: undefined, clientSecretFile: './secret' };
    await writeFile(place.config, stringify({ dataDir: './data', bank }), { mode: 0o600 });
    await use({ ...place, inbox });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const isRoot = process.geteuid?.() === 0;

describe('paydrop', () => {
  /** Lets somebody else in, and says where. */
  type Open = (place: Place) => Promise<string>;
  const opened =
    (where: (place: Place) => string, mode: number): Open =>
    async (place) => {
      await chmod(where(place), mode);
      return where(place);
    };
  const given: Open = async ({ config }) => {
    await chown(config, 12_345, 0);
    return config;
  };
  test.each<[string, Open]>([
    ['settings', opened(({ config }) => config, 0o666)],
    ['a secret', opened(({ secret }) => secret, 0o620)],
    ['the data directory', opened(({ dataDir }) => dataDir, 0o770)],
    ['an inbox of all the world', opened(({ inbox }) => inbox, 0o777)],
    ['what is ours in the inbox', opened(({ inbox }) => join(inbox, '.paydrop'), 0o770)],
    ...(isRoot ? [['settings of somebody else', given] satisfies [string, Open]] : []),
  ])('refuses %s with a real bank', async (_name, open) => {
    await withPlace('https://bank.example', async (place) => {
      const before = await runPaydrop(['status', '--config', place.config]);
      expect(before.stderr).not.toContain('run ch');
      const path = await open(place);
      const { code, stderr } = await runPaydrop(['status', '--config', place.config]);
      expect([code, stderr]).toEqual([
        2,
        expect.stringMatching(new RegExp(`run ch(mod|own) \\S+ ${path}\n`)),
      ]);
    });
  });

  test('takes an inbox that belongs to a dropper and his group', async () => {
    await withPlace('https://bank.example', async ({ config, inbox }) => {
      await chmod(inbox, 0o2770);
      if (isRoot) await chown(inbox, 12_345, 12_345);
      expect((await runPaydrop(['status', '--config', config])).stderr).not.toContain('run ch');
    });
  });

  test('only warns against the sandbox', async () => {
    await withPlace('sandbox', async ({ config }) => {
      await chmod(config, 0o666);
      const { code, stderr } = await runPaydrop(['status', '--config', config]);
      expect([code, stderr]).toEqual([
        0,
        expect.stringContaining(`run chmod go-w ${config} (refused with a real bank)`),
      ]);
    });
  });
});
