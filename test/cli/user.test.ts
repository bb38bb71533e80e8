/** `paydrop user` from the first admin to the last resort: what each is shown, what is told, and what nobody may. */
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openJournal } from '../../src/store/open.ts';
import { callPaydrop } from './call-paydrop.ts';

let folder = '';
const fileOf = (name: string) => join(folder, name);
const noticed = fileOf.bind(null, 'noticed.jsonl');

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paydrop-user-'));
  const command = `['${process.execPath}', '-e', 'fs.appendFileSync(process.argv[1], fs.readFileSync(0))', '${noticed()}']`;
  const bank = `{ baseUrl: sandbox, channelId: C, termId: T, companyId: COMP000001, payerAccount: "0000345924" }`;
  await writeFile(
    fileOf('paydrop.yaml'),
    `dataDir: ./data\nbank: ${bank}\nnotices: { command: ${command} }\nreview: { tokenFile: ./token }\n`,
  );
  await mkdir(fileOf('data'));
  const stamp = { bankAddress: 'sandbox', companyId: 'COMP000001', isSandbox: true };
  await (await openJournal({ dataDir: fileOf('data'), stamp, access: 'own' }))[Symbol.asyncDispose]();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Typed {
  /** Lines of standard input. */
  readonly lines?: readonly string[];
  readonly token?: string;
}

async function user(args: string, { lines = [], token = '' }: Typed = {}) {
  vi.stubEnv('PAYDROP_TOKEN', token);
  const stdin = vi
    .spyOn(process, 'stdin', 'get')
    .mockReturnValue(Readable.from(lines.map((line) => `${line}\n`)) as never);
  try {
    return await callPaydrop('user', ...args.split(' '), '--config', fileOf('paydrop.yaml'));
  } finally {
    stdin.mockRestore();
    vi.unstubAllEnvs();
  }
}

const as = (name: string): Typed => ({ token: tokens[name] ?? '' });

const oneTimeIn = (text: string): string => /[0-9A-Z]{4}(?:-[0-9A-Z]{4}){3}/.exec(text)?.[0] ?? '';
const halfIn = (text: string): string => /half.*: ([0-9A-Z]{4}-[0-9A-Z]{4})$/m.exec(text)?.[1] ?? '';
const passwordOf = (name: string) => `${name} likes green tea`;

/** Tokens by name. */
const tokens: Record<string, string> = {};
/** What nothing but the screen may have shown. */
const secrets: string[] = [];

async function begin(name: string, oneTime: string): Promise<void> {
  const lines = [oneTime, passwordOf(name), passwordOf(name)];
  expect(await user(`password ${name}`, { lines })).toMatchObject({ code: 0 });
  const made = await user(`token ${name}`, { lines: [passwordOf(name)] });
  // Nothing else goes into the file.
  expect(made.stdout).toMatch(/^pdt_[\w-]{43}\n$/);
  tokens[name] = made.stdout.trim();
  secrets.push(oneTime, passwordOf(name), tokens[name]);
}

test('the first admin makes the second, and each proves who he is', async () => {
  expect((await user('list')).stdout).toContain('There is no user yet');
  expect(await user('add boon --role maker')).toMatchObject({ code: 2 });
  const first = await user('add mali --role admin');
  await begin('mali', oneTimeIn(first.stdout));

  // A name proves nobody, nor does a token that is none.
  for (const token of ['', 'mali', `pdt_${'A'.repeat(43)}`]) {
    const ended = await user('add anan --role admin', { token });
    expect(ended).toMatchObject({ code: 2, stderr: expect.stringMatching(/token/) });
    if (token !== '') expect(ended.stdout + ended.stderr).not.toContain(token);
  }
  // A file that everybody can read is none.
  await writeFile(fileOf('token'), `${tokens['mali']}\n`);
  await chmod(fileOf('token'), 0o644);
  expect((await user('list')).stderr).toContain('chmod 600');
  await chmod(fileOf('token'), 0o600);
  const second = await user('add anan --role admin');
  expect(second).toMatchObject({ code: 0 });
  await begin('anan', oneTimeIn(second.stdout));
}, 30_000);

test('what neither does alone, what ends at once, and the last resort', async () => {
  const asked = await user('add dao --role checker --full-name ดาว');
  expect(asked).toMatchObject({ code: 6, stdout: expect.stringContaining('paydrop user confirm 1') });
  expect((await user('list')).stdout).toContain('1  add dao as a checker  proposed by mali');
  expect(await user('confirm 1')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('you proposed this'),
  });
  const confirmed = await user('confirm 1', as('anan'));
  await begin('dao', `${halfIn(asked.stdout)}-${halfIn(confirmed.stdout)}`);
  expect(await user('list', as('dao'))).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('a checker may not'),
  });

  // Her token ends with her, at once.
  expect(await user('disable anan')).toMatchObject({ code: 0 });
  expect(await user('list', as('anan'))).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('revoked'),
  });
  expect(await user('token --revoke 3')).toMatchObject({ code: 0 });
  expect(await user('list', as('dao'))).toMatchObject({ code: 2 });

  const recovered = await user('recover anan --why left');
  expect(recovered).toMatchObject({ code: 0, stdout: expect.stringContaining('One-time password') });
  const told = (await readFile(noticed(), 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const [begun, made] = [
    ['password-changed', 'token-made'],
    ['made', 'password-changed', 'token-made'],
  ];
  const ended = ['disabled', 'token-revoked', 'recovered'];
  const codes = told.map(({ reasonCode }) => reasonCode);
  expect(codes).toEqual(['made', ...begun, ...made, 'change-proposed', ...made, ...ended]);
  expect(told.at(-1)).toMatchObject({
    kind: 'people',
    severity: 'critical',
    reason: expect.stringContaining('left'),
  });
  const kept = `${await readFile(noticed(), 'utf8')}${(await user('list mali --json')).stdout}`;
  expect(secrets).toHaveLength(9);
  for (const secret of secrets) expect(kept).not.toContain(secret);
}, 30_000);

test.each([
  ['role mali', '--role is missing'],
  ['disable', 'NAME is missing'],
  ['confirm x', 'the number of a change'],
  ['enable nobody', 'no user nobody'],
  ['password mali', 'nothing was given'],
  ['frob mali', 'takes one of'],
])('%s is refused with what to type', async (args, why) => {
  expect(await user(args)).toMatchObject({ code: 2, stderr: expect.stringContaining(why) });
});
