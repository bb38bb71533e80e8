/** One payout's story is checked by the script that stands in the docs, and by nothing of ours. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { dayMs } from '../../src/core/bangkok-time.ts';
import { move } from '../../src/core/change.ts';
import { makeDayHeads } from '../../src/evidence/day-heads.ts';
import { auditJournal } from '../../src/evidence/audit.ts';
import { gatherEvidence } from '../../src/evidence/payout-evidence.ts';
import { renderHead } from '../../src/evidence/rules/day-head.ts';
import { eraseNames } from '../../src/review/rules/payout-chain.ts';
import { nothingCounted, sumFigures } from '../../src/review/rules/proposal-figures.ts';
import {
  applied,
  bringTo,
  firstBatchId,
  ingestDone,
  ingestRunning,
  makeRows,
  noonMs,
  secondBatchId,
} from '../support/journal-fixtures.ts';
import { placeScript, verifyBy } from '../support/evidence-script.ts';
import { makeSqliteStore, type SqliteStore } from '../support/sqlite-store.ts';
import { archiveAll, settled, tamper } from '../support/store-fixtures.ts';

const linesMax = 220;

let sqlite: SqliteStore;
/** The script, and the heads that were kept outside. */
let [script, heads] = ['', ''];
let whole = '';
const payeeNo = makeRows(1)[0]!.instruction!.proxyNo;

const gather = async (numbers: 'whole' | 'masked', name = 'INV-1'): Promise<string> => {
  const { store } = sqlite;
  await using reader = await store.openAudit();
  const wish = { journalId: store.journalId, isSandbox: false, madeAtMs: noonMs, madeBy: null, numbers };
  return await gatherEvidence(store, reader, { ...wish, histories: await store.findPayouts(name) });
};

/** A payout that failed, that mali and nok had tried again, and that was paid; another one beside it. */
beforeAll(async () => {
  sqlite = await makeSqliteStore();
  const { store, dataDir } = sqlite;
  await ingestRunning(store, makeRows(2));
  const payout = await bringTo(store, 'failed');
  const target = { kind: 'payout', key: String(payout.seq), version: String(payout.version) } as const;
  const made = { madeAtMs: noonMs, expiresAtMs: noonMs + dayMs, totalSatang: 0n as never };
  const maker = { personId: 1, name: 'mali' };
  const draft = {
    decision: 'retry',
    figures: sumFigures([nothingCounted]),
    note: 'the payee asks',
    evidence: null,
    people: 2,
    digest: 'a'.repeat(64),
  } as const;
  await store.addProposals([{ ...draft, ...made, maker, targets: [target] }]);
  const by = { personId: 2, name: 'nok' };
  await store.moveProposal(1, { to: 'approved', by, note: null, nowMs: noonMs + 5 });
  const detail = { by: 'mali', checkedBy: 'nok', proposal: 1 };
  const patch = { status: 'ready' } as const;
  await applied(store, move({ payout, patch, cause: 'tried-again', nowMs: noonMs + 6, detail }));
  await bringTo(store, 'paid', firstBatchId, 1);
  const [head] = await makeDayHeads(store, store.journalId, noonMs + dayMs);
  heads = join(dataDir, 'heads.txt');
  await writeFile(heads, renderHead(head!));
  script = await placeScript(dataDir);
  whole = await gather('whole');
});
afterAll(() => sqlite[Symbol.asyncDispose]());

/** As far as these tests look at it. */
interface Told {
  readonly rows: readonly {
    readonly batch: { readonly payerAccount: string };
    readonly chain: { readonly events: unknown[] };
  }[];
}

const read = (text: string): Told => JSON.parse(text) as Told;

const verify = async (evidence: string, ...given: readonly string[]) => verifyBy(script, evidence, given);

test('the script is short, and finds a whole story whole', async () => {
  expect((await readFile(script, 'utf8')).split('\n').length - 1).toBeLessThanOrEqual(linesMax);
  expect(await verify(whole, heads)).toEqual({
    code: 2,
    said: [
      '8 events, 0 of them under no head yet; 1 heads, 1 files of heads',
      'proposal 1: NOT SIGNED',
      'NOT CHECKED: proposal 1: who approved it (NOT SIGNED)',
      'all else holds',
    ],
  });
  expect(whole).toContain(payeeNo);
  expect(whole).toContain('mali');
});

/** By which a number is found by trial. */
function readHidden(path: string) {
  using db = new DatabaseSync(path);
  const digest = String(db.prepare('select digest from payout_row where seq = 1').get()?.['digest']);
  const attempts = db.prepare('select order_hash from attempt where payout_seq = 1').all();
  return { digest, attempts: attempts.map((attempt) => String(attempt['order_hash'])) };
}

test('masked, it names no number of a payee or an account, and holds as well', async () => {
  const masked = await gather('masked');
  expect(masked).not.toContain(payeeNo);
  expect(masked).not.toContain(read(whole).rows[0]!.batch.payerAccount);
  expect(masked).toMatch(/"transRefNo": "PD\w{18}"/v);
  const { digest, attempts } = readHidden(sqlite.path);
  for (const hidden of [digest, ...attempts]) {
    expect(whole).toContain(hidden);
    expect(masked).not.toContain(hidden);
  }
  const { code, said } = await verify(masked, heads);
  expect([code, said.at(-1)]).toEqual([2, 'all else holds']);
  expect(said.at(-2)).toContain('(numbers are masked)');
});

test.each<[what: string, change: (text: string) => string, named: RegExp]>([
  [
    'an event',
    (text) => text.replace(String.raw`\nfailed\nready\n`, String.raw`\nfailed\npaid\n`),
    /event \d/v,
  ],
  [
    'story without an event',
    (text) => {
      const told = read(text);
      told.rows[0]!.chain.events.splice(1, 1);
      return JSON.stringify(told);
    },
    /row 1 .*event/v,
  ],
  ['a status', (text) => text.replace('"status": "paid"', '"status": "failed"'), /status/v],
  [
    'digest that its events hang on',
    (text) => text.replace(/"salt": "[\w\-]{22}"/v, '"salt": "AAAAAAAAAAAAAAAAAAAAAA"'),
    /what its events begin with/v,
  ],
  [
    'story that hides the digest',
    (text) =>
      text.replace(/"digest": "[\w\-]{43}",\n *"salt": "[\w\-]{22}"/v, '"digest": null, "salt": null'),
    /what its events begin with/v,
  ],
  ['a payee', (text) => text.replaceAll(payeeNo, '0899999999'), /what it asks|attempt/v],
  ['what was sent', (text) => text.replace('"termId": "', '"termId": "X'), /what attempt 1 sent/v],
  [
    'who decided',
    (text) => text.replaceAll(String.raw`\"by\":\"mali\"`, String.raw`\"by\":\"somchai\"`),
    /name/v,
  ],
  ['why', (text) => text.replace('"value": "the payee asks"', '"value": "because"'), /note/v],
  ['the proof', (text) => text.replace('"side": "left"', '"side": "right"'), /under the head/v],
  [
    'the head',
    (text) => text.replaceAll(String.raw`day 20261121\n`, String.raw`day 20261120\n`),
    /the head/v,
  ],
])('another %s is found', async (_what, change, named) => {
  const changed = change(whole);
  expect(changed).not.toBe(whole);
  const { code, said } = await verify(changed, heads);
  expect(code).toBe(1);
  expect(said.at(-1)).toMatch(/^NOT PROVED: /v);
  expect(said.at(-1)).toMatch(named);
});

test('a story that fits together is not enough: the head must be one that was kept outside', async () => {
  const other = join(sqlite.dataDir, 'other.txt');
  await writeFile(other, (await readFile(heads, 'utf8')).replace('20261121', '20261120'));
  expect((await verify(whole, other)).said.at(-1)).toContain('not among those given');
});

test('an archived payout is told and proved as one in the journal', async () => {
  const { store, path } = sqlite;
  await ingestDone(store, secondBatchId, 11);
  tamper(path, settled);
  expect(await archiveAll(store, [secondBatchId])).toEqual([true]);
  const { code, said } = await verify(await gather('whole', 'INV-11'), heads);
  expect([code, said[0]]).toEqual([
    2,
    expect.stringMatching(/^\d events, \d of them under no head yet; 0 heads/v),
  ]);
});

test('names that were erased, with their salts, take nothing from any proof', async () => {
  const { path, store } = sqlite;
  using db = new DatabaseSync(path);
  db.exec('drop trigger event_never_changes');
  const erase = db.prepare('update event set detail = ? where seq = ?');
  for (const { seq, detail } of db.prepare(`select seq, detail from event where detail like '%"by"%'`).all())
    erase.run(eraseNames(String(detail)), seq as number);
  db.exec('update proposal_event set cells = null');
  const erased = await gather('whole');
  expect(erased).not.toMatch(/"by\\":\\"mali|the payee asks"\s*\}/v);
  expect(await verify(erased, heads)).toEndWith(2);
  await using reader = await store.openAudit();
  const { parts } = await auditJournal(reader, {
    journalId: store.journalId,
    outside: [],
    findEvidenceFault: () => undefined,
  });
  const broken = parts.filter(({ part, findings }) => part !== 'proposals' && findings.length > 0);
  expect(broken).toEqual([]);
});
