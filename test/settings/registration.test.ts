import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { parseAddressRange } from '../../src/core/network-address.ts';
import { requireCallbackKeys, SettingsError } from '../../src/settings/secrets.ts';
import { type LoadedSettings, loadSettings } from '../../src/settings/settings.ts';
import { describeSettings } from '../../src/settings/shown-settings.ts';

const root = mkdtempSync(join(tmpdir(), 'paydrop-registration-settings-'));
afterAll(() => rmSync(root, { recursive: true }));

const bank = {
  baseUrl: 'https://bank.example',
  channelId: 'PAYDROP',
  termId: 'TERM0001',
  companyId: 'COMP000001',
  payerAccount: '0000345924',
};

let folders = 0;
function makeFolder(): string {
  folders += 1;
  const folder = join(root, String(folders));
  mkdirSync(folder);
  return folder;
}

interface Place {
  readonly env?: Record<string, string>;
  readonly folder?: string;
  readonly baseUrl?: string;
}

function load(registration: object, { env = {}, folder = makeFolder(), ...other }: Place = {}) {
  const path = join(folder, 'paydrop.yaml');
  writeFileSync(path, stringify({ bank: { ...bank, ...other }, registration }), { mode: 0o600 });
  return loadSettings({ configPath: path, cwd: root, env });
}

const keysOf = ({ callbacks }: LoadedSettings) => requireCallbackKeys(callbacks.keys);

function complain(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof SettingsError) return error.message;
    throw error;
  }
  throw new Error('it was accepted');
}

describe('the settings of registrations', () => {
  test('have defaults that listen nowhere', () => {
    const { settings, callbacks } = load({});
    expect(settings.registration).toEqual({
      vendorId: '',
      companyId: '',
      columns: {},
      concurrency: 4,
      answerWithinMs: 86_400_000,
      ipAddress: '',
      callbacks: {
        address: '127.0.0.1',
        port: 0,
        path: '/callbacks',
        keys: [],
        keysFile: '',
        allowFrom: [],
        trustedProxies: [],
        tls: { certFile: '', keyFile: '' },
        bodyBytesMax: 65_536,
        requestTimeoutMs: 10_000,
        connectionsMax: 1_000,
      },
    });
    expect(callbacks.tls).toBeUndefined();
  });

  test.each([
    [
      'a company code that is too long',
      { vendorId: 'VENDOR00011' },
      /vendorId .*at most 10 characters, found 11/,
    ],
    ['a company ID that is too long', { companyId: 'C'.repeat(16) }, /companyId .*at most 15 characters/],
    ['a company code with a space', { vendorId: 'VEN DOR' }, /vendorId .*printable ASCII without spaces/],
    ['a column that we do not have', { columns: { amount: 'Amount' } }, /columns.* unknown key|columns/],
    ['one header for two columns', { columns: { ref1: 'R', ref2: 'R' } }, /two columns to the same header/],
    ['nobody at work', { concurrency: 0 }, /concurrency .*at least 1/],
    ['no time for an answer', { answerWithinMs: 0 }, /answerWithinMs .*at least 1/],
    ['an address that is none', { ipAddress: 'here' }, /ipAddress .*IP address/],
  ])('refuse %s', (_name, registration, message) => {
    expect(complain(() => load(registration))).toMatch(message);
  });

  test.each([
    ['a port beyond all', { port: 65_536 }, /callbacks\.port .*at most 65535/],
    ['an address with a port', { address: '127.0.0.1:80' }, /callbacks\.address .*without port/],
    ['a path without its slash', { path: 'callbacks' }, /callbacks\.path .*such as \/callbacks/],
    ['a path with a query', { path: '/callbacks?x=1' }, /callbacks\.path/],
    ['a range that is none', { allowFrom: ['203.0.113.0/33'] }, /allowFrom\.0 .*range of them/],
    ['a range twice', { trustedProxies: ['10.0.0.1', '10.0.0.1'] }, /trustedProxies .*twice/],
    [
      'a certificate alone',
      { tls: { certFile: 'a.pem' } },
      /tls\.certFile .*without registration\.callbacks\.tls\.keyFile: give both/,
    ],
    [
      'a key of a certificate alone',
      { tls: { keyFile: 'a.pem' } },
      /tls\.keyFile .*without registration\.callbacks\.tls\.certFile: give both/,
    ],
    ['bodies without bound', { bodyBytesMax: 100_000_000 }, /bodyBytesMax .*at most/],
    [
      'keys in two places',
      { keys: ['long-enough-key'], keysFile: 'a' },
      /callbacks\.keysFile \(line \d+\): stands here beside registration\.callbacks\.keys: remove one/,
    ],
  ])('refuse callbacks with %s', (_name, callbacks, message) => {
    expect(complain(() => load({ callbacks }))).toMatch(message);
  });

  test('hang the files of TLS on the settings file', () => {
    const folder = makeFolder();
    const tls = { certFile: 'cert.pem', keyFile: '/etc/key.pem' };
    const { callbacks } = load({ callbacks: { tls } }, { folder });
    expect(callbacks.tls).toEqual({ certFile: join(folder, 'cert.pem'), keyFile: '/etc/key.pem' });
  });
});

describe('the keys of callbacks', () => {
  const own = { callbacks: { port: 8090, keys: ['key-of-settings'] } };
  const variable = { PAYDROP_CALLBACK_KEYS: 'key-of-variable, next-of-variable' };

  test.each([
    ['the settings', own, {}, ['key-of-settings'], 'registration.callbacks.keys'],
    ['the environment', {}, variable, ['key-of-variable', 'next-of-variable'], 'PAYDROP_CALLBACK_KEYS'],
    [
      'the environment first',
      own,
      variable,
      ['key-of-variable', 'next-of-variable'],
      'PAYDROP_CALLBACK_KEYS',
    ],
    [
      'not an empty variable',
      own,
      { PAYDROP_CALLBACK_KEYS: '' },
      ['key-of-settings'],
      'registration.callbacks.keys',
    ],
  ])('come from %s', (_name, registration, env, keys, from) => {
    const loaded = load(registration, { env });
    expect(keysOf(loaded)).toEqual(keys);
    expect(describeSettings(loaded)).toMatchObject({ callbackKeysFrom: from });
  });

  test('come from a file with one a line', () => {
    const folder = makeFolder();
    writeFileSync(join(folder, 'keys'), 'key-of-file-1\r\n\nkey-of-file-2\n', { mode: 0o600 });
    const loaded = load({ callbacks: { keysFile: 'keys' } }, { folder });
    expect(keysOf(loaded)).toEqual(['key-of-file-1', 'key-of-file-2']);
  });

  test.each([
    [
      'no key',
      {},
      {},
      /^no key for callbacks: set PAYDROP_CALLBACK_KEYS, registration\.callbacks\.keysFile or/,
    ],
    ['commas alone', {}, { PAYDROP_CALLBACK_KEYS: ' , ' }, /PAYDROP_CALLBACK_KEYS holds no key/],
    ['a short one', {}, { PAYDROP_CALLBACK_KEYS: 'long-enough-key,hush' }, /each key must be 8 to 512/],
    ['a file that is gone', { keysFile: 'gone' }, {}, /keysFile .*cannot be read \(ENOENT\)/],
  ])(
    'are asked for where somebody listens, and %s stops no other command',
    (_name, callbacks, env, message) => {
      const loaded = load({ callbacks: { port: 8090, ...callbacks } }, { env });
      const said = complain(() => keysOf(loaded));
      expect(said).toMatch(message);
      expect(said).not.toContain('hush');
      expect(describeSettings(loaded)).toMatchObject({ callbackKeysFrom: said });
    },
  );

  test('in a file that is open to all are refused', () => {
    const folder = makeFolder();
    writeFileSync(join(folder, 'keys'), 'hush-hush-hush');
    chmodSync(join(folder, 'keys'), 0o644);
    const said = complain(() => keysOf(load({ callbacks: { keysFile: 'keys' } }, { folder })));
    expect(said).toMatch(/open to every user of this machine/);
    expect(said).not.toContain('hush');
  });

  test.each([
    ['too short', ['hush'], /keys\.0 .*must be 8 to 512 .*found a value that is not shown here/],
    ['with a comma', ['hush-hush,hush'], /keys\.0 .*without spaces and commas/],
    ['no text', [12_345_678], /keys\.0/],
    ['no list', 'hush-hush-hush', /keys .*must be a list.*found a value that is not shown here/],
    ['twice', ['hush-hush-hush', 'hush-hush-hush'], /keys .*twice/],
    ['too many', Array.from({ length: 11 }, (_, place) => `hush-hush-${place}`), /keys .*at most 10/],
  ])('that are wrong are refused unseen: %s', (_name, keys, message) => {
    const said = complain(() => load({ callbacks: { keys } }));
    expect(said).toMatch(message);
    expect(said).not.toMatch(/hush|12345678/);
  });

  test('are masked in what `paydrop config` shows', () => {
    for (const loaded of [
      load({ callbacks: { keys: ['hush-hush-hush'] } }),
      load({}, { env: { PAYDROP_CALLBACK_KEYS: 'hush-hush-hush' } }),
    ]) {
      const shown = describeSettings(loaded);
      expect(shown).toMatchObject({ settings: { registration: { callbacks: { keys: ['****'] } } } });
      expect(JSON.stringify(shown)).not.toContain('hush');
    }
  });

  test('of a rehearsal are its own, whatever the environment holds', () => {
    const rehearsal = { baseUrl: 'sandbox', env: variable };
    expect(keysOf(load({}, rehearsal))).toEqual(['sandbox-callback-key']);
    expect(keysOf(load(own, rehearsal))).toEqual(['key-of-settings']);
  });

  test('in settings that every user may read are told of', () => {
    const folder = makeFolder();
    load(own, { folder });
    const path = join(folder, 'paydrop.yaml');
    chmodSync(path, 0o644);
    const { notes } = loadSettings({ configPath: path, cwd: root, env: {} });
    expect(notes.map(({ text }) => text).join()).toMatch(
      /registration\.callbacks\.keys stands in .* registration\.callbacks\.keysFile/,
    );
  });
});

test('the settings of the sandbox fit its own table', () => {
  const { settings, callbacks } = loadSettings({
    configPath: 'config/sandbox.yaml',
    cwd: process.cwd(),
    env: {},
  });
  const { registration, vendors } = settings.sandbox as {
    registration: { callbackUrl: string; apiKey: string };
    vendors: { vendorId: string; companyIds: string[] }[];
  };
  const { port, address, path } = settings.registration.callbacks;
  expect(registration.callbackUrl).toBe(`http://${address}:${port}${path}`);
  expect(requireCallbackKeys(callbacks.keys)).toEqual([registration.apiKey]);
  const { vendorId, companyId } = settings.registration;
  expect(vendors.find((one) => one.vendorId === vendorId)?.companyIds).toContain(companyId);
});

describe('ranges of addresses', () => {
  test.each([
    ['203.0.113.7', { address: '203.0.113.7', family: 'ipv4', prefixLength: 32 }],
    ['203.0.113.0/24', { address: '203.0.113.0', family: 'ipv4', prefixLength: 24 }],
    ['0.0.0.0/0', { address: '0.0.0.0', family: 'ipv4', prefixLength: 0 }],
    ['2001:db8::/32', { address: '2001:db8::', family: 'ipv6', prefixLength: 32 }],
    ['::1', { address: '::1', family: 'ipv6', prefixLength: 128 }],
    ['::ffff:10.0.0.1', { address: '::ffff:10.0.0.1', family: 'ipv6', prefixLength: 128 }],
  ])('%s', (text, range) => expect(parseAddressRange(text)).toEqual(range));

  test.each([
    '',
    '10',
    '10.0.0',
    '10.0.0.0.0',
    '10.0.0.256',
    '10.0.0.01',
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0.0/08',
    '10.0.0.0/-1',
    ' 10.0.0.1',
    'bank.example',
    '2001:db8::/129',
    ':',
    '1::2::3',
    '[::1]',
    '::1%eth0',
  ])('%j is none', (text) => expect(parseAddressRange(text)).toBeUndefined());
});
