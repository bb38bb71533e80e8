import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { maskWebAddress, requireWebhook, SettingsError } from '../../src/settings/secrets.ts';
import { type LoadedSettings, loadSettings } from '../../src/settings/settings.ts';
import { describeSettings } from '../../src/settings/shown-settings.ts';

const root = mkdtempSync(join(tmpdir(), 'paydrop-notices-'));
afterAll(() => rmSync(root, { recursive: true }));

const webhookUrl = 'https://hooks.example/services/path-token?key=query-token';
const bank = {
  baseUrl: 'sandbox',
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

function load(notices: object, env: Record<string, string> = {}, folder = makeFolder()): LoadedSettings {
  writeFileSync(join(folder, 'paydrop.yaml'), stringify({ bank, notices }));
  return loadSettings({ configPath: join(folder, 'paydrop.yaml'), cwd: root, env });
}

const webhookOf = ({ notices }: LoadedSettings) => requireWebhook(notices.webhookUrl, notices.webhookSecret);

function complain(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof SettingsError) return error.message;
    throw error;
  }
  throw new Error('it was accepted');
}

describe('the secret of the webhook', () => {
  const variable = { PAYDROP_WEBHOOK_SECRET: 'from-env' };

  test.each([
    ['the settings', { webhookSecret: 'from-settings' }, {}, 'from-settings', 'notices.webhookSecret'],
    ['the environment', {}, variable, 'from-env', 'PAYDROP_WEBHOOK_SECRET'],
    [
      'the environment first',
      { webhookSecret: 'from-settings' },
      variable,
      'from-env',
      'PAYDROP_WEBHOOK_SECRET',
    ],
    [
      'not from an empty variable',
      { webhookSecret: 'from-settings' },
      { PAYDROP_WEBHOOK_SECRET: '' },
      'from-settings',
      'notices.webhookSecret',
    ],
  ])('comes from %s', (_name, notices, env, secret, from) => {
    const loaded = load({ webhookUrl, ...notices }, env);
    expect(webhookOf(loaded)).toEqual({ url: webhookUrl, secret });
    expect(describeSettings(loaded)).toMatchObject({ webhookSecretFrom: from });
  });

  test('comes from a file, which hangs on the settings file', () => {
    const folder = makeFolder();
    const file = join(folder, 'webhook-secret');
    writeFileSync(file, 'from-file\n', { mode: 0o600 });
    const loaded = load({ webhookUrl, webhookSecretFile: 'webhook-secret' }, {}, folder);
    expect(webhookOf(loaded)).toEqual({ url: webhookUrl, secret: 'from-file' });
    expect(describeSettings(loaded)).toMatchObject({ webhookSecretFrom: file });
  });

  test('is not needed without a webhook', () => {
    expect(webhookOf(load({}))).toBeUndefined();
    expect(webhookOf(load({ webhookSecretFile: 'gone', command: ['true'] }))).toBeUndefined();
    expect(describeSettings(load({}))).not.toHaveProperty('webhookSecretFrom');
  });

  test('is asked for where notices are posted, and does not stop other commands', () => {
    const loaded = load({ webhookUrl });
    const message = complain(() => webhookOf(loaded));
    expect(message).toMatch(
      /^notices\.webhookUrl stands without a secret .*: set PAYDROP_WEBHOOK_SECRET, notices\.webhookSecretFile or notices\.webhookSecret$/,
    );
    expect(describeSettings(loaded)).toMatchObject({ webhookSecretFrom: message });
  });

  test('given twice is refused', () => {
    const both = { webhookUrl, webhookSecret: 'hush-hush', webhookSecretFile: 'a' };
    expect(complain(() => load(both))).toMatch(
      /paydrop\.yaml: notices\.webhookSecretFile \(line \d+\): stands here beside notices\.webhookSecret: remove one of the two$/,
    );
  });

  test.each([
    ['gone', () => {}, /webhookSecretFile .*gone cannot be read \(ENOENT\)/],
    ['empty', (file: string) => writeFileSync(file, '\n', { mode: 0o600 }), /is empty: write the secret/],
    ['a folder', (file: string) => mkdirSync(file), /is not a file/],
    ['too long', (file: string) => writeFileSync(file, 'x'.repeat(4_097), { mode: 0o600 }), /more than 4096/],
    [
      'open to all',
      (file: string) => {
        writeFileSync(file, 'hush-hush');
        chmodSync(file, 0o644);
      },
      /open to every user of this machine: run chmod 600/,
    ],
  ])('in a file that is %s is refused', (name, prepare, message) => {
    const folder = makeFolder();
    prepare(join(folder, name));
    const loaded = load({ webhookUrl, webhookSecretFile: name }, {}, folder);
    const said = complain(() => webhookOf(loaded));
    expect(said).toMatch(message);
    expect(said).not.toContain('hush');
  });
});

describe('what `paydrop config` shows', () => {
  test('neither the secret nor the rest of the address', () => {
    const shown = describeSettings(load({ webhookUrl, webhookSecret: 'hush-hush' }));
    expect(shown).toMatchObject({
      settings: { notices: { webhookUrl: 'https://hooks.example/****', webhookSecret: '****' } },
    });
    expect(JSON.stringify(shown)).not.toMatch(/hush|token/);
  });

  test('nor a secret without a webhook, nor an address among the arguments', () => {
    const notices = { webhookSecret: 'hush-hush', command: ['curl', '-d', '@-', webhookUrl] };
    const shown = describeSettings(load(notices));
    expect(shown).toMatchObject({
      settings: { notices: { webhookUrl: '', command: ['curl', '-d', '@-', 'https://hooks.example/****'] } },
    });
    expect(JSON.stringify(shown)).not.toMatch(/hush|token/);
  });

  test.each([
    ['https://hooks.example', 'https://hooks.example'],
    ['https://hooks.example:8443/', 'https://hooks.example:8443'],
    ['https://hooks.example/?a=b', 'https://hooks.example/****'],
    ['https://hooks.example/#a', 'https://hooks.example/****'],
    ['http://127.0.0.1:9/x', 'http://127.0.0.1:9/****'],
    ['', ''],
    ['--verbose', '--verbose'],
    ['mailto:a@example.com', 'mailto:a@example.com'],
  ])('%j as %j', (address, shown) => {
    expect(maskWebAddress(address)).toBe(shown);
  });
});

describe('the program of notices.command', () => {
  test.each([
    ['none', [], []],
    ['a name, found in PATH', ['notify', './a'], ['notify', './a']],
    ['an absolute path', ['/opt/notify', 'a/b'], ['/opt/notify', 'a/b']],
  ])('%s stays as it is', (_name, command, resolved) => {
    expect(load({ command }).notices.command).toEqual(resolved);
  });

  test('a relative path hangs on the settings file', () => {
    const folder = makeFolder();
    const { command } = load({ command: ['./bin/notify', './a'] }, {}, folder).notices;
    expect(command).toEqual([join(folder, 'bin', 'notify'), './a']);
  });
});
