import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { Settings } from '../../src/settings/schema.ts';
import { loadSettings } from '../../src/settings/settings.ts';

const folder = mkdtempSync(join(tmpdir(), 'paydrop-hours-'));
afterAll(() => rmSync(folder, { recursive: true }));

const bank = {
  baseUrl: 'https://bank.example',
  clientId: 'my-app',
  clientSecret: 'hush-hush',
  channelId: 'PAYDROP',
  termId: 'TERM0001',
  companyId: 'COMP000001',
  payerAccount: '0000345924',
};

function load(more: string): Settings {
  writeFileSync(join(folder, 'paydrop.yaml'), `${stringify({ bank })}${more}\n`);
  return loadSettings({ cwd: folder, env: {} }).settings;
}

test.each([
  ['serviceHours: { open: "06:00", close: "22:30" }', { open: '06:00', close: '22:30' }],
  ['serviceHours: { open: 22:00, close: 06:00 }', { open: '22:00', close: '06:00' }],
  ['serviceHours: { open: "06:00", close: "24:00" }', { open: '06:00', close: '24:00' }],
  ['', undefined],
])('%s is taken', (text, hours) => expect(load(text).serviceHours).toEqual(hours));

test.each([
  [
    '{ open: "6:00", close: "22:30" }',
    /serviceHours\.open \(line 9\): must be a time of day in Bangkok, such as "06:00", found "6:00"/,
  ],
  ['{ open: "06:00", close: "25:00" }', /serviceHours\.close \(line 9\): must be a time of day/],
  [
    '{ open: "06:00", close: "06:00" }',
    /serviceHours\.close \(line 9\): must differ from serviceHours\.open/,
  ],
  [
    '{ open: "24:00", close: "06:00" }',
    /serviceHours\.open \(line 9\): must be "00:00" when the service opens at midnight/,
  ],
  [
    '{ open: "06:00", close: "00:00" }',
    /serviceHours\.close \(line 9\): must be "24:00" when the service closes at midnight/,
  ],
  ['{ open: "06:00" }', /serviceHours\.close \(line 9\): is missing: add the time of day/],
  ['{ opens: "06:00", close: "22:30" }', /serviceHours\.opens \(line 9\): unknown key: did you mean open\?/],
  ['"06:00-22:30"', /serviceHours \(line 9\): must be a section with keys of its own, found text/],
])('%s is refused with words that name the key', (text, complaint) =>
  expect(() => load(`serviceHours: ${text}`)).toThrow(complaint),
);
