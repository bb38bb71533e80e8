import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { folderNames } from '../../src/settings/files-schema.ts';
import { SettingsError } from '../../src/settings/secrets.ts';
import { loadSettings } from '../../src/settings/settings.ts';
import { describeSettings } from '../../src/settings/shown-settings.ts';
import type { LoadedSettings } from '../../src/settings/settings.ts';

const root = mkdtempSync(join(tmpdir(), 'paydrop-config-'));
afterAll(() => rmSync(root, { recursive: true }));

let folders = 0;
function makeFolder(): string {
  folders += 1;
  const folder = join(root, String(folders));
  mkdirSync(folder);
  return folder;
}

const bank = {
  baseUrl: 'https://bank.example',
  clientId: 'my-app',
  clientSecret: 'hush-hush',
  channelId: 'PAYDROP',
  termId: 'TERM0001',
  companyId: 'COMP000001',
  payerAccount: '0000345924',
};

interface Sources {
  readonly folder?: string;
  readonly configPath?: string;
  readonly dataDir?: string;
  readonly env?: Record<string, string>;
}

function loadText(text: string | Uint8Array, sources: Sources = {}): LoadedSettings {
  const folder = sources.folder ?? makeFolder();
  writeFileSync(join(folder, 'paydrop.yaml'), text, { mode: 0o600 });
  const { configPath, dataDir, env = {} } = sources;
  return loadSettings({ configPath, dataDir, cwd: folder, env });
}

const load = (settings: unknown, sources?: Sources) => loadText(stringify(settings), sources);

function complain(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof SettingsError) return error.message;
    throw error;
  }
  throw new Error('it was accepted');
}

describe('where settings are found', () => {
  test('none: says what to do, and never falls back to the sandbox', () => {
    const cwd = makeFolder();
    expect(complain(() => loadSettings({ cwd, env: {} }))).toMatch(/no paydrop\.yaml in .* --config FILE/);
  });

  test('a file that is not there', () => {
    const cwd = makeFolder();
    expect(complain(() => loadSettings({ configPath: 'a.yaml', cwd, env: {} }))).toMatch(
      /no settings file .*a\.yaml: correct --config/,
    );
  });

  test('a folder', () => {
    const cwd = makeFolder();
    expect(complain(() => loadSettings({ configPath: '.', cwd, env: {} }))).toMatch(/is not a file/);
  });

  test('--config is relative to the working directory', () => {
    const cwd = makeFolder();
    mkdirSync(join(cwd, 'etc'));
    writeFileSync(join(cwd, 'etc', 'a.yaml'), stringify({ bank }));
    expect(loadSettings({ configPath: 'etc/a.yaml', cwd, env: {} }).path).toBe(join(cwd, 'etc', 'a.yaml'));
  });
});

describe('what is no settings file', () => {
  test.each([
    ['', /is empty/],
    ['# nothing\n', /is empty/],
    ['just text', /the file \(line 1\): must be a section with keys of its own, found text/],
    ['- a\n', /found a list/],
    [
      'bank:\n  a: 1\n  a: 2\n',
      /paydrop\.yaml, line 3, column 3: not readable as YAML: Map keys must be unique/,
    ],
    [
      'verify: {}\nbank: {}\nverify: {}\n',
      /line 3, column 1: not readable as YAML: verify stands here for the second time: put all of it into one place/,
    ],
    ['bank:\n\tclientId: a\n', /line 2, column 1: not readable as YAML: Tabs are not allowed as indentation/],
    ['bank: {a: 1\nverify: 2', /line \d+, column \d+: not readable as YAML/],
    ['bank: *gone\n', /not readable as YAML: Unresolved alias/],
    ['bank: !secret x\n', /line 1, column 7: not readable as YAML: Unresolved tag/],
    [Uint8Array.of(0x62, 0xe9, 0x3a), /is not UTF-8/],
    ['x'.repeat(1_048_577), /too large/],
  ])('%j', (text, message) => {
    expect(complain(() => loadText(text))).toMatch(message);
  });

  test('a broken line is never quoted: it may hold the secret', () => {
    expect(complain(() => loadText('bank:\n  clientSecret: "hush-hush\n'))).not.toContain('hush');
  });
});

describe('wrong keys and values', () => {
  test.each([
    [{}, /: bank \(line 1\): is missing: add a section/],
    [
      { bank: { ...bank, payerAccount: undefined } },
      /bank\.payerAccount \(line 1\): is missing: add the account/,
    ],
    [{ bank, settel: {} }, /settel \(line 9\): unknown key: did you mean settle\?/],
    [{ bank: { ...bank, cliendId: 'x' } }, /bank\.cliendId \(line 9\): unknown key: did you mean clientId\?/],
    [{ bank, transfer: { speed: 1 } }, /transfer\.speed .*unknown key: known here are concurrency/],
    [{ bank, input: { columns: { payoutID: 'A' } } }, /input\.columns\.payoutID .*did you mean payoutId\?/],
    [{ bank, folders: { inbx: 'A' } }, /folders\.inbx .*did you mean inbox\?/],
    [{ bank, transfer: { concurrency: 'many' } }, /transfer\.concurrency .*must be a number, found "many"/],
    [{ bank, transfer: { concurrency: '4' } }, /must be a number, found "4": take the quotes away$/],
    [{ bank, verify: { enabled: 'true' } }, /must be true or false, found "true": take the quotes away$/],
    [
      { bank, notices: { command: '/usr/local/bin/on-paydrop' } },
      /must be a list, in square brackets, found "\/usr/,
    ],
    [{ bank, transfer: { concurrency: 0 } }, /must be at least 1, found 0/],
    [{ bank, transfer: { concurrency: 1001 } }, /must be at most 1000, found 1001/],
    [{ bank: { ...bank, timeoutMs: 1.5 } }, /bank\.timeoutMs .*must be a whole number, found 1\.5/],
    [
      { bank, settle: { giveUpAfterMs: 2 ** 31 } },
      /settle\.giveUpAfterMs .*at most 2147483647, found 2147483648: no timer/,
    ],
    [{ bank, verify: null }, /verify .*must be a section with keys of its own, found nothing/],
    [{ bank, verify: { enabled: 'yes' } }, /verify\.enabled .*must be true or false, found "yes"/],
    [{ bank, verify: { whenUnavailable: 'wait' } }, /must be one of "hold", "pay", found "wait"/],
    [{ bank, brake: { failureShare: 50 } }, /brake\.failureShare .*at most 1, found 50/],
    [
      { bank, settle: { firstDelayMs: 900, maxDelayMs: 800 } },
      /firstDelayMs \(line 10\): is 900, longer than/,
    ],
    [
      { bank, approval: { when: 'above' } },
      /approval\.when \(line 10\): is "above" and approval\.baht is 0: say in/,
    ],
    [{ bank, limits: { batchMaxAgeHours: -1 } }, /limits\.batchMaxAgeHours .*at least 0, found -1/],
    [{ bank, limits: { batchMaxAgeHours: 0.5 } }, /batchMaxAgeHours .*must be a whole number, found 0\.5/],
    [{ bank, limits: { similarDays: 'week' } }, /limits\.similarDays .*must be a number, found "week"/],
    [{ bank, limits: { serviceDays: ['mon', 'funday'] } }, /limits\.serviceDays\.1 .*found "funday"/],
    [{ bank, limits: { serviceDays: ['mon', 'mon'] } }, /limits\.serviceDays .*must not name a day twice/],
    [{ bank, limits: { closedDates: ['2026-02-30'] } }, /limits\.closedDates\.0 .*names no day of the years/],
    [{ bank, limits: { closedDates: ['20261128'] } }, /limits\.closedDates\.0 .*must be a day such as/],
    [{ bank, limits: { bahtPerDay: -5 } }, /limits\.bahtPerDay .*must be an amount in baht/],
    [{ bank, journal: { url: 'journal.db' } }, /journal\.url .*must be empty, for SQLite in dataDir/],
    [{ bank, input: { columns: { amount: 'A', payoutId: 'A' } } }, /two columns to the same header$/],
    [
      { bank, folders: { inbox: 'a', outbox: './a' } },
      /folders\.outbox \(line 11\): is the folder of folders\.inbox, too/,
    ],
    [{ bank: { ...bank, channelId: 'ELEVENCHARS' } }, /at most 10 characters, found 11$/],
    [{ bank: { ...bank, termId: 'ห้อง' } }, /bank\.termId .*printable ASCII/],
    [
      { bank: { ...bank, companyId: '' } },
      /bank\.companyId \(line 7\): is empty: add the company ID that the bank gave you$/,
    ],
    [{ bank: { ...bank, scheme: 'Proxy' } }, /lower-case letters, found "Proxy"/],
    [
      { bank: { ...bank, clientSecretFile: 'a' } },
      /bank\.clientSecretFile \(line 9\): stands here beside bank\.clientSecret: remove one/,
    ],
  ])('%j', (settings, message) => {
    expect(complain(() => load(settings))).toMatch(message);
  });

  test('a closed day of the Buddhist era, which would close no day, names the day to write', () => {
    const message = complain(() => load({ bank, limits: { closedDates: ['2569-11-28'] } }));
    expect(message).toMatch(
      /limits\.closedDates\.0 .*: is of the Buddhist era: write 2026-11-28, found "2569-11-28"$/,
    );
    const [, cure = ''] = /write (\S+),/.exec(message) ?? [];
    expect(load({ bank, limits: { closedDates: [cure] } }).settings.limits.closedDates).toEqual([
      '2026-11-28',
    ]);
  });

  test('every wrong key is named, not only the first', () => {
    const message = complain(() => load({ bank: { ...bank, termId: 7, nonsense: 1 }, settel: {} }));
    expect(message).toMatch(/3 settings are wrong\n {2}bank\.termId .*\n {2}bank\.nonsense .*\n {2}settel /);
  });

  test('an account number without quotes', () => {
    const text = stringify({ bank }).replace('"0000345924"', '0000345924');
    expect(complain(() => loadText(text))).toMatch(
      /bank\.payerAccount .*loses leading zeros: put the value in quotes/,
    );
  });

  test('a port alone', () => {
    expect(complain(() => load({ bank, watch: { listen: 8765 } }))).toMatch(
      /watch\.listen .*is a number here: give host and port, such as "127\.0\.0\.1:8765"$/,
    );
  });

  test.each([
    { ...bank, clientSecret: 90210 },
    { ...bank, clientSecret: ['90210'] },
    { ...bank, payerAccount: '90210-90210' },
    { ...bank, baseUrl: 'https://me:90210@bank.example' },
  ])('a value that must stay secret is not shown', (wrong) => {
    expect(complain(() => load({ bank: wrong }))).not.toContain('90210');
  });
});

describe("the bank's address", () => {
  test.each([
    'sandbox',
    'https://bank.example',
    'https://bank.example:8443/gateway/',
    'http://127.0.0.1:8080',
    'http://localhost:8080',
    'http://[::1]:8080',
  ])('%s is accepted', (baseUrl) => {
    expect(load({ bank: { ...bank, baseUrl } }).isSandbox).toBe(baseUrl === 'sandbox');
  });

  test.each([
    ['http://bank.example', /bank\.baseUrl \(line 2\): is plain http to bank\.example.*use https/],
    ['http://127.0.0.1.bank.example', /plain http/],
    ['ftp://bank.example', /https:\/\/host/],
    ['bank.example', /https:\/\/host/],
    ['Sandbox', /https:\/\/host/],
    ['', /https:\/\/host/],
    ['https://me:pw@bank.example', /user or password/],
    ['https://bank.example/?a=1', /\?/],
  ])('%s is refused', (baseUrl, message) => {
    expect(complain(() => load({ bank: { ...bank, baseUrl } }))).toMatch(message);
  });
});

describe('amounts', () => {
  test.each([
    ['2000000', 200_000_000n],
    ['1500.5', 150_050n],
    ['"1500.50"', 150_050n],
    ['0.10', 10n],
    ['99999999999999.99', 9_999_999_999_999_999n],
    ['0', null],
  ])('bahtPerPayout: %s', (text, satang) => {
    const { limits } = loadText(`${stringify({ bank })}limits: { bahtPerPayout: ${text} }\n`);
    expect(limits.satangPerPayout).toBe(satang);
  });

  test.each(['-1', '1e6', '1.005', '1,000', '.nan', 'lots', '""'])('bahtPerBatch: %s is refused', (text) => {
    const settings = `${stringify({ bank })}limits: { bahtPerBatch: ${text} }\n`;
    expect(complain(() => loadText(settings))).toMatch(/limits\.\S+ \(line 9\): /);
  });
});

test('defaults', () => {
  const folder = makeFolder();
  const { settings, limits, ...loaded } = load({ bank }, { folder });
  expect(limits).toEqual({
    rowsPerFile: 1_000_000,
    bytesPerFile: 536_870_912,
    satangPerPayout: 200_000_000n,
    satangPerBatch: null,
  });
  expect(settings).toMatchObject({
    bank: { scheme: 'proxy', timeoutMs: 30_000, requestsPerSecond: 0 },
    limits: { batchMaxAgeHours: 24, similarDays: 3 },
    verify: { enabled: true, concurrency: 8, whenUnavailable: 'hold', onThaiNameMismatch: 'hold' },
    transfer: { concurrency: 4 },
    settle: { notFoundTrustMs: 120_000, resendsMax: 2, intentMaxAgeMs: 0 },
    input: { columns: {}, encoding: 'auto', delimiter: 'auto', control: 'none', finalLineEnd: 'required' },
  });
  expect(loaded.dataDir).toBe(join(folder, 'paydrop-data'));
  for (const name of folderNames) expect(loaded.folders[name]).toBe(join(loaded.dataDir, name));
});

test('a tab may be written as a word', () => {
  expect(load({ bank, input: { delimiter: 'tab' } }).settings.input.delimiter).toBe('\t');
});

describe('paths', () => {
  const settings = { bank, dataDir: '../money', folders: { inbox: 'drop', outbox: '/srv/out' } };

  test('hang on the settings file, wherever the command starts', () => {
    const folder = makeFolder();
    writeFileSync(join(folder, 'a.yaml'), stringify(settings));
    const fromAfar = loadSettings({ configPath: join(folder, 'a.yaml'), cwd: tmpdir(), env: {} });
    expect(fromAfar.dataDir).toBe(join(root, 'money'));
    expect(fromAfar.folders).toMatchObject({
      inbox: join(folder, 'drop'),
      outbox: '/srv/out',
      work: join(root, 'money', 'work'),
    });
  });

  test('--data-dir hangs on the working directory', () => {
    const folder = makeFolder();
    const loaded = load(settings, { folder, dataDir: 'here' });
    expect(loaded.dataDir).toBe(join(folder, 'here'));
    expect(loaded.folders).toMatchObject({
      archive: join(folder, 'here', 'archive'),
      inbox: join(folder, 'drop'),
    });
  });

  test('is never within a package, which the next install removes', () => {
    const folder = makeFolder();
    const inPackage = join(folder, 'node_modules/paydrop/config');
    mkdirSync(inPackage, { recursive: true });
    writeFileSync(join(inPackage, 'sandbox.yaml'), stringify({ bank, dataDir: '../paydrop-data' }));
    const configPath = join(inPackage, 'sandbox.yaml');
    const loaded = loadSettings({ configPath, dataDir: undefined, cwd: folder, env: {} });
    expect(loaded.dataDir).toBe(join(folder, 'paydrop-data'));
    const named = { configPath, dataDir: 'data', cwd: inPackage, env: {} };
    expect(() => loadSettings(named)).toThrow(/lies in node_modules.*--data-dir/);
  });
});

describe('credentials', () => {
  const { clientId: _id, clientSecret: _secret, ...nameless } = bank;

  function writeSecret(text: string, mode = 0o600): { folder: string; settings: unknown } {
    const folder = makeFolder();
    writeFileSync(join(folder, 'secret'), text);
    chmodSync(join(folder, 'secret'), mode);
    return { folder, settings: { bank: { ...nameless, clientId: 'my-app', clientSecretFile: 'secret' } } };
  }

  test('from the settings', () => {
    expect(load({ bank }).credentials).toMatchObject({
      ok: true,
      clientId: 'my-app',
      clientSecret: 'hush-hush',
    });
  });

  test('the environment comes first', () => {
    const env = { PAYDROP_CLIENT_ID: 'other', PAYDROP_CLIENT_SECRET: 'psst' };
    expect(load({ bank }, { env }).credentials).toEqual({
      ok: true,
      clientId: 'other',
      clientSecret: 'psst',
      secretFrom: 'PAYDROP_CLIENT_SECRET',
    });
  });

  test('but never for the sandbox, which prints what it is given', () => {
    const env = { PAYDROP_CLIENT_ID: 'other', PAYDROP_CLIENT_SECRET: 'psst' };
    const { credentials } = load({ bank: { ...nameless, baseUrl: 'sandbox' } }, { env });
    expect(credentials).toMatchObject({
      ok: true,
      clientId: 'sandbox-client',
      clientSecret: 'sandbox-secret',
    });
  });

  test('from a file beside the settings, without its line end', () => {
    const { folder, settings } = writeSecret('hush-hush\r\n');
    expect(load(settings, { folder }).credentials).toMatchObject({ clientSecret: 'hush-hush' });
  });

  test.each([
    ['open to everybody', 'hush-hush', 0o604, /open to every user of this machine: run chmod 600/],
    ['empty', '\n', 0o600, /is empty/],
    ['far too long', 'x'.repeat(5_000), 0o600, /more than 4096 bytes/],
  ])('a secret file that is %s', (_, text, mode, message) => {
    const { folder, settings } = writeSecret(text, mode);
    expect(load(settings, { folder }).credentials).toEqual({
      ok: false,
      message: expect.stringMatching(message),
    });
  });

  test('a secret file that is not there', () => {
    const settings = { bank: { ...nameless, clientId: 'a', clientSecretFile: 'gone' } };
    expect(load(settings).credentials).toMatchObject({
      message: expect.stringMatching(/gone cannot be read \(ENOENT\)/),
    });
  });

  test.each([
    [{}, /no client ID: set bank\.clientId or the variable PAYDROP_CLIENT_ID/],
    [
      { clientId: 'a' },
      /no client secret: set PAYDROP_CLIENT_SECRET, bank\.clientSecretFile or bank\.clientSecret/,
    ],
  ])('missing: %j', (given, message) => {
    const env = { PAYDROP_CLIENT_ID: '', PAYDROP_CLIENT_SECRET: '' };
    const { credentials } = load({ bank: { ...nameless, ...given } }, { env });
    expect(credentials).toEqual({ ok: false, message: expect.stringMatching(message) });
  });
});

describe('shown settings', () => {
  test('hide secret and account, and show defaults and absolute paths', () => {
    const folder = makeFolder();
    const shown = JSON.stringify(describeSettings(load({ bank, sandbox: { payees: [] } }, { folder })));
    expect(shown).not.toContain('hush-hush');
    expect(shown).not.toContain('0000345924');
    expect(shown).not.toContain('payees');
    expect(shown).toContain('"clientSecret":"****","channelId":"PAYDROP"');
    expect(shown).toContain('"payerAccount":"******5924"');
    expect(shown).toContain('"resendsMax":2');
    expect(shown).toContain(`"outbox":"${join(folder, 'paydrop-data', 'outbox')}"`);
  });

  test('say what is missing', () => {
    const { clientSecret: _, ...secretless } = bank;
    expect(describeSettings(load({ bank: secretless }))).toMatchObject({
      secretFrom: expect.stringMatching(/^no client secret/),
    });
  });
});

test('whoever has written settle.intentMaxAgeMs 0 himself is told what it means now', () => {
  expect(load({ bank, settle: { intentMaxAgeMs: 0 } }).notes).toMatchObject([
    { code: 'intent-age-zero', text: expect.stringMatching(/before, nothing was ever sent then/) },
  ]);
  for (const settle of [{}, { intentMaxAgeMs: 300_000 }]) expect(load({ bank, settle }).notes).toEqual([]);
});

describe('a secret that every user of this machine may read in the settings', () => {
  const notesOf = (mode: number, settings: unknown): readonly string[] => {
    const folder = makeFolder();
    const path = join(folder, 'paydrop.yaml');
    writeFileSync(path, stringify(settings));
    chmodSync(path, mode);
    return loadSettings({ cwd: folder, env: {} }).notes.map(({ text }) => text.replaceAll(path, 'FILE'));
  };
  const note =
    'bank.clientSecret stands in FILE, which every user of this machine may read: run chmod 600 FILE, ' +
    'or name a file of its own with bank.clientSecretFile';

  test('is told of, with what to type', () => {
    expect(notesOf(0o644, { bank })).toEqual([note]);
  });

  test('is not, where only the owner and the group may read it, or it is a rehearsal bank of this machine', () => {
    expect(notesOf(0o640, { bank })).toEqual([]);
    expect(notesOf(0o644, { bank: { ...bank, baseUrl: 'http://127.0.0.1:8080' } })).toEqual([]);
    expect(notesOf(0o644, { bank: { ...bank, clientSecret: undefined } })).toEqual([]);
  });
});
