import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { complainAboutJournalUrl, nameJournalUrl } from '../../src/settings/journal-url.ts';
import { requireJournalUrl, SettingsError } from '../../src/settings/secrets.ts';
import { type LoadedSettings, loadSettings } from '../../src/settings/settings.ts';
import { describeSettings } from '../../src/settings/shown-settings.ts';

const root = mkdtempSync(join(tmpdir(), 'paydrop-journal-url-'));
afterAll(() => rmSync(root, { recursive: true }));

const bank = {
  baseUrl: 'sandbox',
  channelId: 'PAYDROP',
  termId: 'TERM0001',
  companyId: 'COMP000001',
  payerAccount: '0000345924',
};

let folders = 0;
function makeFolder(): string {
  const folder = join(root, String((folders += 1)));
  mkdirSync(folder);
  return folder;
}

interface Place {
  readonly folder?: string;
  readonly env?: Record<string, string>;
  readonly mode?: number;
}

function load(journal: object, { folder = makeFolder(), env = {}, mode = 0o600 }: Place = {}) {
  const path = join(folder, 'paydrop.yaml');
  writeFileSync(path, stringify({ bank, journal }));
  chmodSync(path, mode);
  return loadSettings({ configPath: path, cwd: root, env });
}

const urlOf = ({ journalUrl }: LoadedSettings) => requireJournalUrl(journalUrl);

function complain(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof SettingsError) return error.message;
    throw error;
  }
  throw new Error('it was accepted');
}

const safe = 'postgres://app:hush%40hush@db.example:5433/paydrop?sslmode=verify-full';

describe('the address of the journal', () => {
  test.each([
    '',
    safe,
    'postgresql://db.example/paydrop',
    'postgres://app@127.0.0.1/paydrop?sslmode=disable',
    'postgres:///paydrop?host=/run/postgresql',
    'postgres://app@%2Frun%2Fpostgresql/paydrop',
    'postgres://[::1]:5432/paydrop?sslmode=verify-full&sslrootcert=/etc/ca.pem',
  ])('%j is taken', (url) => {
    expect(urlOf(load({ url }))).toBe(url);
  });

  test.each([
    ['db.example/hush', /journal\.url \(line 8\): must be empty, for SQLite in dataDir, or the address/],
    ['mysql://app:hush@db.example/paydrop', /must be empty/],
    ['postgres://app:hush@a.example:1,b.example:2/paydrop', /must have the form/],
    ['postgres://app:hush@a.example,b.example/paydrop', /names several servers/],
    ['postgres://app:hush@db.example', /must name one database behind the host/],
    ['postgres://app:hush@db.example/', /must name one database/],
    ['postgres://app:hush@db.example/a/b', /must name one database/],
    ['postgres://app:hu#sh@db.example/paydrop', /in the password @ .* as %40 %2F %3F %23/],
    ['postgres://app:hush%@db.example/paydrop', /write it as %25/],
    ['postgres://app@db.example/paydrop?password=hush', /must have nothing behind its \? but sslmode/],
    ['postgres://app:hush@db.example/paydrop?max=9', /must have nothing behind/],
    ['postgres://app:hush@db.example/paydrop?sslmode=require', /must have sslmode=verify-full/],
    ['postgres://app:hush@db.example/paydrop?sslrootcert=ca.pem', /by absolute paths, sslrootcert too/],
    ['postgres://app:hush@db.example/paydrop?host=other', /the folder of a socket/],
  ])('%j is refused, and nothing of it shown', (url, message) => {
    const said = complain(() => load({ url }));
    expect(said).toMatch(message);
    expect(said).not.toMatch(/hush|app:/);
  });

  test('is named without who asks, and how', () => {
    expect(nameJournalUrl(safe)).toBe('postgres://db.example:5433/paydrop');
    expect(nameJournalUrl('postgresql://app@db/x')).toBe('postgres://db/x');
    expect(nameJournalUrl('postgres:///x?host=/run/pg')).toBe('postgres:///run/pg/x');
    expect(complainAboutJournalUrl(nameJournalUrl(safe))).toBeUndefined();
  });
});

describe('where it comes from', () => {
  test('the variable wins, then its file', () => {
    const folder = makeFolder();
    writeFileSync(join(folder, 'where'), `${safe}\n`, { mode: 0o600 });
    const loaded = load({ urlFile: './where' }, { folder });
    expect(urlOf(loaded)).toBe(safe);
    expect(describeSettings(loaded)).toMatchObject({ journalUrlFrom: join(folder, 'where') });
    const env = { PAYDROP_JOURNAL_URL: 'postgres://other.example/x?sslmode=verify-full' };
    expect(urlOf(load({ urlFile: './where' }, { folder, env }))).toBe(env.PAYDROP_JOURNAL_URL);
    expect(urlOf(load({ url: safe }, { env: { PAYDROP_JOURNAL_URL: '' } }))).toBe(safe);
  });

  test('both in the settings are refused', () => {
    expect(complain(() => load({ url: safe, urlFile: './where' }))).toMatch(
      /journal\.urlFile \(line \d+\): stands here beside journal\.url: remove one/,
    );
  });

  test('a file that is missing, or holds something else, is told of by whoever opens the journal', () => {
    const folder = makeFolder();
    const loaded = load({ urlFile: './where' }, { folder });
    expect(complain(() => urlOf(loaded))).toMatch(/journal\.urlFile .*where cannot be read \(ENOENT\)/);
    writeFileSync(join(folder, 'where'), 'mysql://app:hush@db/x', { mode: 0o600 });
    const said = complain(() => urlOf(load({ urlFile: './where' }, { folder })));
    expect(said).toMatch(/where must be empty, for SQLite/);
    expect(said).not.toContain('hush');
    const env = { PAYDROP_JOURNAL_URL: 'postgres://app:hush@db' };
    expect(complain(() => urlOf(load({}, { env })))).toMatch(/^PAYDROP_JOURNAL_URL must name one database/);
  });
});

describe('its password', () => {
  test('is not shown with the settings', () => {
    const shown = describeSettings(load({ url: safe }));
    expect(shown).toMatchObject({
      settings: {
        journal: { url: 'postgres://app:****@db.example:5433/paydrop?sslmode=verify-full' },
      },
    });
    expect(JSON.stringify(shown)).not.toContain('hush');
    expect(describeSettings(load({}))).not.toHaveProperty('journalUrlFrom');
  });

  test('in settings that everybody may read is told of', () => {
    expect(load({ url: safe }, { mode: 0o644 }).notes).toMatchObject([{ code: 'secret-open' }]);
    expect(load({ url: 'postgres://app@localhost/x' }, { mode: 0o644 }).notes).toEqual([]);
  });
});

test.each([
  ['postgres://app@db.example/x', 1],
  ['postgres://app@db.example/x?sslmode=disable', 1],
  [safe, 0],
  ['postgres://app@127.0.0.1/x', 0],
  ['postgres:///x?host=/run/postgresql', 0],
  ['postgres://%2Frun%2Fpostgresql/x', 0],
])('%s through a network without TLS is told of', (url, notes) => {
  const told = load({ url }).notes.filter(({ code }) => code === 'journal-in-clear');
  expect(told).toHaveLength(notes);
});

test('a token that machines share needs a journal that they share', () => {
  const folder = makeFolder();
  const loadWith = (journal: object, env: Record<string, string> = {}) => {
    const path = join(folder, 'paydrop.yaml');
    writeFileSync(path, stringify({ bank: { ...bank, accessToken: 'shared' }, journal }), { mode: 0o600 });
    return loadSettings({ configPath: path, cwd: root, env }).settings.bank.accessToken;
  };
  expect(complain(() => loadWith({}))).toContain('is "shared", which is for machines that work one');
  expect(loadWith({ url: safe })).toBe('shared');
  expect(loadWith({}, { PAYDROP_JOURNAL_URL: safe })).toBe('shared');
});
