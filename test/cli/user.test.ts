/** `paydrop user`: what each is shown, what is told, and what nobody may. */
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { makeToken } from '../../src/review/tokens.ts';
import { openDecisions } from '../../src/app/decide/open.ts';
import { loadSettings } from '../../src/settings/settings.ts';
import { openJournal } from '../../src/store/open.ts';
import { passwordOf, Users } from '../support/persons.ts';
import { makePasswordsQuick } from '../support/quick-passwords.ts';
import { callPaydrop } from './call-paydrop.ts';

makePasswordsQuick();

let folder = '';
const fileOf = (name: string) => join(folder, name);
/** By name. */
const tokens: Record<string, string> = {};

/** mali and anan, admins, who know their passwords and have a token each. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paydrop-user-'));
  const bank = `{ baseUrl: sandbox, channelId: C, termId: T, companyId: COMP000001, payerAccount: "0000345924" }`;
  const notices = `{ command: ['/bin/sh', '-c', 'cat >> "$0"', '${fileOf('told')}'] }`;
  const settings = `dataDir: ./data\nbank: ${bank}\nnotices: ${notices}\nreview: { tokenFile: ./token }\n`;
  await writeFile(fileOf('paydrop.yaml'), settings);
  await mkdir(fileOf('data'));
  const stamp = { bankAddress: 'sandbox', companyId: 'COMP000001', isSandbox: true };
  await using store = await openJournal({ dataDir: fileOf('data'), stamp, access: 'own' });
  const users = new Users(store);
  users.clock.ms = Date.now() - users.clock.now() - 1_000;
  await users.add('mali', 'admin', null);
  await users.add('anan', 'admin', await users.find('mali'));
  for (const name of ['mali', 'anan']) {
    const made = await makeToken(users.context, await users.prove(name), { label: '', days: 1 });
    tokens[name] = 'token' in made ? made.token : '';
  }
  await writeFile(fileOf('token'), `${tokens['mali']}\n`, { mode: 0o600 });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Typed {
  /** Lines of standard input. */
  readonly lines?: readonly string[];
  readonly token?: string | undefined;
}

/** By mali, whose token the settings name, where no other is given. */
async function user(args: string, { lines = [], token = '' }: Typed = {}) {
  vi.stubEnv('PAYDROP_TOKEN', token);
  const typed = Readable.from(lines.map((line) => `${line}\n`));
  const stdin = vi.spyOn(process, 'stdin', 'get').mockReturnValue(typed as never);
  try {
    return await callPaydrop('user', ...args.split(' '), '--config', fileOf('paydrop.yaml'));
  } finally {
    stdin.mockRestore();
    vi.unstubAllEnvs();
  }
}

const refusedAs = (why: string) => ({ code: 2, stderr: expect.stringContaining(why) });

test('nobody is taken for somebody by a name, a token that is none, or a file that all can read', async () => {
  for (const token of ['mali', `pdt_${'A'.repeat(43)}`]) {
    const ended = await user('list', { token });
    expect(ended).toMatchObject(refusedAs('PAYDROP_TOKEN: the token is n'));
    expect(ended.stdout + ended.stderr).not.toContain(token);
  }
  await chmod(fileOf('token'), 0o644);
  expect(await user('list')).toMatchObject(refusedAs('chmod 600'));
  await chmod(fileOf('token'), 0o600);
  expect(await user('token mali', { lines: ['wrong wrong wrong'] })).toMatchObject(refusedAs('not right'));
});

test('somebody new is made by two admins, begins with both halves, and ends at once', async () => {
  const half = (text: string): string => /half.*: ([0-9A-Z]{4}-[0-9A-Z]{4})$/m.exec(text)?.[1] ?? '';
  const asked = await user('add dao --role checker --full-name ดาว');
  expect(asked).toMatchObject({ code: 6, stdout: expect.stringContaining('paydrop user confirm 1') });
  expect((await user('list')).stdout).toContain('1  add dao as a checker  proposed by mali');
  expect(await user('confirm 1')).toMatchObject(refusedAs('you proposed this'));
  const confirmed = await user('confirm 1', { token: tokens['anan'] });
  const oneTime = `${half(asked.stdout)}-${half(confirmed.stdout)}`;
  const own = passwordOf('dao');
  expect(await user('password dao', { lines: [oneTime, own, `${own}!`] })).toMatchObject(
    refusedAs('same twice'),
  );
  expect(await user('password dao', { lines: [oneTime, own, own] })).toEndWith(0);
  const made = await user('token dao', { lines: [own] });
  // Nothing else goes into the file.
  expect(made.stdout).toMatch(/^pdt_[\w-]{43}\n$/);
  const dao = made.stdout.trim();
  expect(await user('list', { token: dao })).toMatchObject(refusedAs('a checker may not'));
  expect(await user('token --revoke 1', { token: dao })).toMatchObject(refusedAs('you have no token 1'));
  expect(await user('disable dao')).toEndWith(0);
  expect(await user('list', { token: dao })).toMatchObject(refusedAs('revoked'));
  expect(await user('disable anan')).toEndWith(0);
  expect(await user('recover anan --why left')).toEndWith(0);

  const kept = await readFile(fileOf('told'), 'utf8');
  const told = kept
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const begun = ['made', 'password-changed'];
  const asOne = ['token-made', 'token-made', 'policy-changed', 'change-proposed'];
  const ended = ['token-made', 'disabled', 'disabled', 'recovered'];
  const codes = told.map(({ reasonCode }) => reasonCode);
  expect(codes).toEqual([...begun, ...begun, ...asOne, ...begun, ...ended]);
  const alarm = { kind: 'people', severity: 'critical', reason: expect.stringContaining(': left') };
  expect(told.at(-1)).toMatchObject(alarm);
  const listed = (await user('list dao --json')).stdout;
  expect(JSON.parse(listed)).toMatchObject({
    users: [{ name: 'dao', displayName: 'ดาว', standing: 'disabled' }],
  });
  for (const secret of [oneTime, half(asked.stdout), own, dao, tokens['mali']])
    expect(kept + listed).not.toContain(secret);
});

test('one who changes the settings changes nothing of how many people decide', async () => {
  const path = fileOf('paydrop.yaml');
  const before = await readFile(path, 'utf8');
  await user('list');
  await writeFile(path, before.replace('review: {', 'review: { people: 1,'));
  await using session = await openDecisions(loadSettings({ configPath: path, cwd: folder, env: {} }));
  expect(session.context.people).toBe(2);
  expect(await user('policy')).toMatchObject({ code: 6, stdout: expect.stringContaining('user confirm 2') });
  expect((await user('list')).stdout).toContain('agree on review.people 1');
  await writeFile(path, before);
});

test.each([
  ['role mali', '--role is missing'],
  ['disable', 'NAME is missing'],
  ['confirm x', 'the number of a proposal'],
  ['enable nobody', 'no user nobody'],
  ['password mali', 'nothing was given'],
  ['policy', 'nothing is to be agreed on'],
  ['frob mali', 'takes one of'],
])('%s is refused with what to type', async (args, why) => {
  expect(await user(args)).toMatchObject(refusedAs(why));
});
