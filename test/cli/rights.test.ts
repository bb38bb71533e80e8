/** Who may do what in the shell: each command that decides or reveals, for each role and without a token. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { agreeSettings } from '../../src/review/policy.ts';
import { makeToken } from '../../src/review/tokens.ts';
import { loadSettings } from '../../src/settings/settings.ts';
import { openJournal } from '../../src/store/open.ts';
import { firstBatchId, ingest, makeRows } from '../support/journal-fixtures.ts';
import { Users } from '../support/persons.ts';
import { makePasswordsQuick } from '../support/quick-passwords.ts';
import { callPaydrop } from './call-paydrop.ts';

makePasswordsQuick();

const staff = { vi: 'viewer', nok: 'maker', dao: 'checker', mali: 'admin' } as const;
const visitors = ['no token', ...Object.values(staff)] as const;
type Visitor = (typeof visitors)[number];

const anyone = 'no token, viewer, maker, checker, admin';
const everyRole = 'viewer, maker, checker, admin';
const notViewers = 'maker, checker, admin';
const makers = 'maker, admin';
const checkers = 'checker, admin';

/** The visitors whom each command does not refuse for who they are. Names are unknown, so that nothing is decided. */
const whoMay = {
  'confirm NOPE --paid --evidence letter --note seen': makers,
  'confirm NOPE --failed --evidence letter --note seen': makers,
  'ack NOPE --note seen': makers,
  'release NOPE --note seen': makers,
  'retry NOPE': makers,
  'cancel NOPE': makers,
  'resume NOPE': makers,
  'cancel BATCH': makers,
  'accept 2026-11-20 --all --note seen': makers,
  'accept 2026-11-20 --statement --note seen': makers,
  'halt --note seen': makers,
  'decide FILE': makers,
  'decide --dropped NOPE': makers,
  'decide --dropped NOPE --discard --note seen': makers,
  'decide --waiting': anyone,
  queue: anyone,
  'queue day:2026-11-20 --ack --note seen': makers,
  'queue day:2026-11-20 --take': notViewers,
  'queue day:2026-11-20 --give-back': notViewers,
  proposals: anyone,
  'approve 9': checkers,
  'approve 9 --send-back --note seen': checkers,
  'approve 9 --withdraw': makers,
  'approve --batch NOPE': everyRole,
  'approve --batch BATCH': everyRole,
  'user list': 'admin',
  'user add mali --role viewer': 'admin',
  'user role gone --role maker': 'admin',
  'user enable gone': 'admin',
  'user disable gone': 'admin',
  'user password gone --reset': 'admin',
  'user policy': 'admin',
  'user confirm 1': 'admin',
  'user confirm 1 --send-back': 'admin',
  'user token --revoke 99': everyRole,
  'evidence INV-1 --full --out evidence.json': notViewers,
  'list --payee 0812345678': notViewers,
} as const;

let folder = '';
const tokens: Record<string, string> = {};
const fileOf = (name: string): string => join(folder, name);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paydrop-rights-'));
  const bank = `{ baseUrl: sandbox, channelId: C, termId: T, companyId: COMP000001, payerAccount: "0000345924" }`;
  const settings = `dataDir: ./data\nbank: ${bank}\n`;
  await writeFile(fileOf('paydrop.yaml'), settings);
  await writeFile(fileOf('decisions.csv'), 'decision\n');
  await mkdir(fileOf('data'));
  const stamp = { bankAddress: 'sandbox', companyId: 'COMP000001', isSandbox: true };
  await using store = await openJournal({ dataDir: fileOf('data'), stamp, access: 'own' });
  await ingest(store, makeRows(1));
  const users = new Users(store);
  users.clock.ms = Date.now() - users.clock.now() - 1_000;
  for (const [name, role] of Object.entries(staff).toReversed()) {
    await users.add(name, role, name === 'mali' ? null : await users.find('mali'));
    const made = await makeToken(users.context, await users.prove(name), { label: '', days: 1 });
    tokens[role] = 'token' in made ? made.token : '';
  }
  // A change waits for the second admin, and the settings are not what both agreed on.
  const mali = await users.find('mali');
  await users.add('gone', 'viewer', mali);
  await users.add('anan', 'admin', mali);
  await users.ask({ kind: 'add', name: 'ek', displayName: 'Ek', role: 'admin' }, mali);
  await agreeSettings(loadSettings({ configPath: fileOf('paydrop.yaml'), cwd: folder, env: {} }), store);
  await writeFile(fileOf('paydrop.yaml'), `${settings}review: { people: 1 }\n`);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const refusals = [/a \w+ may not /, /no personal token/];

/** Tells whether a command goes further than the question who types it. */
async function isLet(command: string, visitor: Visitor): Promise<boolean> {
  vi.stubEnv('PAYDROP_TOKEN', visitor === 'no token' ? '' : tokens[visitor]);
  const typed = command.replace('FILE', fileOf('decisions.csv')).replace('BATCH', firstBatchId);
  const words = typed.replace('evidence.json', fileOf(`${visitors.indexOf(visitor)}.json`)).split(' ');
  try {
    const { stdout, stderr } = await callPaydrop(...words, '--config', fileOf('paydrop.yaml'));
    return !refusals.some((refusal) => refusal.test(stdout + stderr));
  } finally {
    vi.unstubAllEnvs();
  }
}

test.each(Object.keys(whoMay) as (keyof typeof whoMay)[])('paydrop %s', async (command) => {
  const found: Visitor[] = [];
  for (const visitor of visitors) if (await isLet(command, visitor)) found.push(visitor);
  expect(found.join(', ')).toBe(whoMay[command]);
});
