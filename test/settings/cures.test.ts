/** What the messages about settings say to do: each cure is typed, and then the settings are taken. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { SettingsError } from '../../src/settings/secrets.ts';
import { loadSettings } from '../../src/settings/settings.ts';

const root = mkdtempSync(join(tmpdir(), 'paydrop-cures-'));
afterAll(() => rmSync(root, { recursive: true }));

/** Seven lines: what a case adds begins on line 8. */
const bankText = `bank:
  baseUrl: https://bank.example
  channelId: PAYDROP
  termId: TERM0001
  companyId: COMP000001
  clientId: my-app
  payerAccount: "0000345924"
`;

let folders = 0;
function load(text: string) {
  folders += 1;
  const folder = join(root, String(folders));
  mkdirSync(folder);
  writeFileSync(join(folder, 'paydrop.yaml'), text, { mode: 0o600 });
  return loadSettings({ cwd: folder, env: {} });
}

function complain(text: string): string {
  try {
    load(text);
  } catch (error) {
    if (error instanceof SettingsError) return error.message.replace(/^.*paydrop\.yaml: /, '');
    throw error;
  }
  throw new Error('it was accepted');
}

/** What is wrong in the text, what it should be instead, and what is said. */
const inBank: readonly (readonly [wrong: string, cured: string, message: string])[] = [
  [
    '"0000345924"',
    '0000345924',
    'bank.payerAccount (line 7): is a number here, which loses leading zeros: put the',
  ],
  ['COMP000001', '""', 'bank.companyId (line 5): is empty: add the company ID that the bank gave you'],
  [
    '  termId: TERM0001\n',
    '',
    'bank.termId (line 1): is missing: add the terminal ID that the bank gave you',
  ],
  ['termId:', 'termID:', 'bank.termID (line 4): unknown key: did you mean termId?'],
  ['https://bank', 'http://bank', 'bank.baseUrl (line 2): is plain http to bank.example'],
];

test.each(inBank)('%j where %j belongs', (right, wrong, message) => {
  expect(complain(bankText.replace(right, wrong))).toContain(message);
  expect(load(bankText).settings.bank.companyId).toBe('COMP000001');
});

const cases: readonly (readonly [wrong: string, message: string, ...cures: string[]])[] = [
  [
    'transfer: { concurrency: "4" }',
    'transfer.concurrency (line 8): must be a number, found "4": take the quotes away',
    'transfer: { concurrency: 4 }',
  ],
  [
    'review:\n  people: "2"',
    'review.people (line 9): must be one of 1, 2, found "2": take the quotes away',
    'review:\n  people: 2',
  ],
  [
    'approval: { people: 3 }',
    'approval.people (line 8): must be one of 1, 2, found 3',
    'approval: { people: 1 }',
  ],
  [
    'notices: { command: /usr/local/bin/tell }',
    'notices.command (line 8): must be a list, in square brackets',
    'notices: { command: [/usr/local/bin/tell] }',
  ],
  [
    'watch: { listen: 8765 }',
    'watch.listen (line 8): is a number here: give host and port, such as "127.0.0.1:8765"',
    'watch: { listen: "127.0.0.1:8765" }',
  ],
  [
    'limits: { bahtPerDay: "1,000,000" }',
    'limits.bahtPerDay (line 8): must be an amount in baht such as 2000000 or 1500.50',
    'limits: { bahtPerDay: 2000000 }',
    'limits: { bahtPerDay: 1500.50 }',
  ],
  [
    'limits: { bahtPerBatch: 1000000000000000 }',
    'limits.bahtPerBatch (line 8): must be at most 999999999999999.99, which is all',
    'limits: { bahtPerBatch: 999999999999999.99 }',
    'limits: { bahtPerBatch: 0 }',
  ],
  [
    'limits:\n  closedDates:\n    - "2026-12-31"\n    - 31.12.2026',
    'limits.closedDates.1 (line 11): ',
    'limits:\n  closedDates:\n    - "2026-12-31"',
  ],
  [
    'settle: { firstDelayMs: 9000, maxDelayMs: 8000 }',
    'settle.firstDelayMs (line 8): is 9000, longer than settle.maxDelayMs: lower it to 8000, or raise settle.maxDelayMs to 9000',
    'settle: { firstDelayMs: 8000, maxDelayMs: 8000 }',
    'settle: { firstDelayMs: 9000, maxDelayMs: 9000 }',
  ],
  [
    'settle:\n  notFoundTrustMs: 100',
    'settle.notFoundTrustMs (line 9): is 100: the bank may have the request before it knows the transfer, and a request is on ' +
      'its way for up to bank.timeoutMs; raise it to 30000',
    'settle:\n  notFoundTrustMs: 30000',
  ],
  [
    'approval:\n  when: above',
    'approval.when (line 9): is "above" and approval.baht is 0: say in approval.baht above how many baht a batch waits, or ' +
      '"always" here',
    'approval:\n  when: above\n  baht: 50000',
    'approval:\n  when: always',
  ],
  [
    'folders:\n  inbox: in\n  outbox: in',
    'folders.outbox (line 10): is the folder of folders.inbox, too: each needs its own',
    'folders:\n  inbox: in\n  outbox: out',
  ],
  [
    'folders:\n  inbox: paydrop-data/outbox',
    'folders.inbox (line 9): is the folder of folders.outbox, too: each needs its own',
    'folders:\n  inbox: paydrop-data/in',
  ],
  [
    'journal:\n  url: postgres:///paydrop\n  urlFile: url',
    'journal.urlFile (line 10): stands here beside journal.url: remove one of the two',
    'journal:\n  url: postgres:///paydrop',
    'journal:\n  urlFile: url',
  ],
  [
    'registration:\n  callbacks:\n    keys: [long-enough]\n    keysFile: keys',
    'registration.callbacks.keysFile (line 11): stands here beside registration.callbacks.keys: remove one of the two',
    'registration:\n  callbacks:\n    keys: [long-enough]',
    'registration:\n  callbacks:\n    keysFile: keys',
  ],
];

test.each(cases)('%j is refused, and what the message says is taken', (wrong, message, ...cures) => {
  expect(complain(`${bankText}${wrong}\n`)).toContain(message);
  for (const cure of cures) load(`${bankText}${cure}\n`);
});

test('a token that machines share needs a database, or is left out', () => {
  const shared = bankText.replace('bank:\n', 'bank:\n  accessToken: shared\n');
  expect(complain(shared)).toBe(
    'bank.accessToken (line 2): is "shared", which is for machines that work one journal in a database: set journal.url, or ' +
      'leave it out',
  );
  load(`${shared}journal: { url: "postgres:///paydrop" }\n`);
  load(bankText);
});

test('a request that may be long on its way is waited for before "not found" counts', () => {
  const patient = bankText.replace('bank:\n', 'bank:\n  timeoutMs: 200000\n');
  expect(complain(patient)).toMatch(
    /^settle\.notFoundTrustMs \(line 1\): is 120000: .*; raise it to 200000$/,
  );
  load(`${patient}settle: { notFoundTrustMs: 200000 }\n`);
  load(
    `${patient.replace('https://bank.example', 'http://127.0.0.1:8080')}settle: { notFoundTrustMs: 100 }\n`,
  );
});

const wordsText = (lists: string): string => `${bankText}reconcile:\n  words:\n${lists}`;

/** A list of the words of STATUS, the key, and why. Without its last word the list is taken. */
const words: readonly (readonly [lists: string, key: string, why: string])[] = [
  ['    complete: [FAILED]', 'complete.0 (line 10)', 'means a failed transfer: take it out'],
  ['    complete: [DONE, failed]', 'complete.1 (line 10)', 'means a failed transfer: take it out'],
  ['    complete:\n      - DONE\n      - " Rejected "', 'complete.1 (line 12)', 'means a failed transfer'],
  ['    complete: ["030003"]', 'complete.0 (line 10)', 'means a failed transfer'],
  ['    complete: [PENDING]', 'complete.0 (line 10)', 'means a transfer in process'],
  ['    complete: ["030004"]', 'complete.0 (line 10)', 'means a transfer in process'],
  ['    complete: [EM053]', 'complete.0 (line 10)', 'means a failed transfer'],
  ['    complete: [ET001]', 'complete.0 (line 10)', 'means a transfer in process'],
  ['    failed: [Success]', 'failed.0 (line 10)', 'means a completed transfer'],
  ['    failed: ["010004"]', 'failed.0 (line 10)', 'means a completed transfer'],
  ['    failed: [IC000]', 'failed.0 (line 10)', 'means a completed transfer'],
  ['    failed: [processing]', 'failed.0 (line 10)', 'means a transfer in process'],
  ['    inProcess: [COMPLETE]', 'inProcess.0 (line 10)', 'means a completed transfer'],
  ['    inProcess: [transfer failed]', 'inProcess.0 (line 10)', 'means a failed transfer'],
  ['    complete: [DONE, done]', 'complete.1 (line 10)', 'stands here twice: take it out of one place'],
  [
    '    complete: [DONE]\n    failed: [" Done"]',
    'failed.0 (line 11)',
    'stands in reconcile.words.complete, too',
  ],
  [
    '    failed: [LOST]\n    inProcess: [lost]',
    'inProcess.0 (line 11)',
    'stands in reconcile.words.failed, too',
  ],
  ['    complete: [DONE, " "]', 'complete.1 (line 10)', 'is empty: give a value, or remove the line'],
];

test.each(words)('words of STATUS: %j', (lists, key, why) => {
  const message = complain(wordsText(lists));
  expect(message).toContain(`reconcile.words.${key}: ${why}`);
  const [, kind = '', place] = /words\.(\w+)\.(\d+)/.exec(message) ?? [];
  const cured = parse(`words:\n${lists}`) as { words: Record<string, string[]> };
  cured.words[kind]?.splice(Number(place), 1);
  load(`${bankText}${stringify({ reconcile: cured })}`);
});

test('words of STATUS that only paydrop takes for an outcome may be in process, and codes of an outcome may be named', () => {
  const lists = '    complete: [IC000, COMPLETED]\n    failed: [EM053, FAILED]\n    inProcess: [SUCCESS]';
  expect(load(wordsText(lists)).settings.reconcile.words).toEqual({
    complete: ['IC000', 'COMPLETED'],
    failed: ['EM053', 'FAILED'],
    inProcess: ['SUCCESS'],
  });
});
