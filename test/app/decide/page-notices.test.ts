/** The page by itself, where nobody sends: a user who is locked out is told of at once. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openPage } from '../../../src/app/decide/page.ts';
import { makeLogger } from '../../../src/platform/log.ts';
import { lockTries } from '../../../src/review/rules/password.ts';
import { loadSettings } from '../../../src/settings/settings.ts';
import { openJournal } from '../../../src/store/open.ts';
import { Browser } from '../../support/browser.ts';
import { eventually } from '../../support/eventually.ts';
import { Users } from '../../support/persons.ts';
import { makePasswordsQuick } from '../../support/quick-passwords.ts';

makePasswordsQuick();

let folder = '';
const fileOf = (name: string) => join(folder, name);

/** mali has given all wrong passwords but the one that locks her out. */
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paydrop-page-'));
  const bank = `{ baseUrl: sandbox, channelId: C, termId: T, companyId: COMP000001, payerAccount: "0000345924" }`;
  const notices = `{ command: ['/bin/sh', '-c', 'cat >> "$0"', '${fileOf('told')}'] }`;
  await writeFile(fileOf('paydrop.yaml'), `dataDir: ./data\nbank: ${bank}\nnotices: ${notices}\n`);
  await mkdir(fileOf('data'));
  const stamp = { bankAddress: 'sandbox', companyId: 'COMP000001', isSandbox: true };
  await using store = await openJournal({ dataDir: fileOf('data'), stamp, access: 'own' });
  await new Users(store).add('mali', 'admin', null);
  const { failedTries = 0, lockedUntilMs = 0 } = (await store.personPassword('mali')) ?? {};
  const almost = { failedTries: lockTries - 1, lockedUntilMs: Date.now() };
  await store.countTry(1, { failedTries, lockedUntilMs }, almost, undefined);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('a lock on the page is told of by a notice', async () => {
  const loaded = loadSettings({ cwd: folder, env: {} });
  await using page = await openPage(loaded, { host: '127.0.0.1', port: 0 }, makeLogger('silent'));
  const browser = new Browser(page.origin);
  expect((await browser.signIn('mali', 'the last wrong one')).status).toBe(401);
  const readTold = () => readFile(fileOf('told'), 'utf8');
  const told = await eventually(async () => {
    const text = await readTold();
    expect(text).toContain('locked-out');
    return text;
  });
  expect(told).toContain('mali is locked out after 12 wrong passwords');
  expect(told).not.toContain('sign-in-failed');
});
