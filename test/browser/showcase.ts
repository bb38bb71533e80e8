/**
 * The review page of a company on a bad day: something of every kind waits, so that each view has something to show.
 * The journal is filled by hand; there is no bank, and no other process.
 */
import { inEnglish, verbatim } from '../../src/core/message.ts';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { stringify } from 'yaml';
import { readAttention } from '../../src/attention/attention-list.ts';
import { readItems } from '../../src/attention/items.ts';
import { openUploads } from '../../src/app/decide/page.ts';
import { afterChange, move } from '../../src/core/change.ts';
import { toSatang, zeroSatang } from '../../src/core/money.ts';
import type { StagedRow } from '../../src/core/payout-file.ts';
import { decideIntent, noBankNames } from '../../src/payout/rules/intent.ts';
import { Challenges } from '../../src/review/challenges.ts';
import type { ReviewContext } from '../../src/review/context.ts';
import { askForPasskey, enrolPasskey, type Question, type Signer } from '../../src/review/passkeys.ts';
import type { ApprovalPolicy } from '../../src/review/rules/approval.ts';
import type { ProvedPerson } from '../../src/review/rules/people.ts';
import type { Target } from '../../src/review/rules/proposal.ts';
import type { Decision } from '../../src/review/rules/terms.ts';
import { deciderOf, giveVerdict } from '../../src/review/verdict.ts';
import { loadSettings } from '../../src/settings/settings.ts';
import type { Store } from '../../src/store/store.ts';
import { Authenticator } from '../support/authenticator.ts';
import { noonMs, partner, payer, policy, toJson } from '../support/core-fixtures.ts';
import {
  applied,
  firstReady,
  holdOf,
  makeBadRow,
  makeRow,
  start,
  totalsOf,
  why,
} from '../support/journal-fixtures.ts';
import { Users } from '../support/persons.ts';
import { attemptsOn, openDayOf } from '../support/reconcile-kit.ts';
import { propose } from '../support/review.ts';
import { pageOptionsOf, servePage } from '../support/review-page.ts';
import { fillRegistrations, registeredBatchId } from '../support/registration-journal.ts';
import { makeSqliteStore } from '../support/sqlite-store.ts';
import { makeLine } from '../support/statement-fixtures.ts';
import { type Browsers, openBrowsers } from './browsers.ts';

/** A refusal that is of the whole file. */
const noPlace = { line: null, column: null };

const [hourMs, dayMs] = [3_600_000, 86_400_000];
/** In the afternoon. */
const nowMs = noonMs + 3 * hourMs;
const yesterday = '20261120';

/** One view, and the way to it. */
export interface Stop {
  /** Of its picture. */
  readonly name: string;
  /** Who looks at it; mali, an admin, when left out; null: nobody has signed in. */
  readonly who?: string | null;
  readonly reach: (page: Page) => Promise<unknown>;
  /** Of one that has an address, and takes nothing but that. */
  readonly path?: string;
}

export interface Showcase extends Browsers, AsyncDisposable {
  readonly stops: readonly Stop[];
}

// ---------------------------------------------------------------- what was paid

const names = ['สมชาย ใจดี', 'Malee Srisuk', 'ประภาส วงศ์ทองประเสริฐ', 'Niran Chaiyaporn Na Ayutthaya'];

/** A row with a payee and an amount of its own. */
function rowOf(rowNo: number, letters: string, changes: Partial<StagedRow> = {}): StagedRow {
  const payoutId = `${letters}-${String(rowNo).padStart(4, '0')}`;
  const amountSatang = toSatang(BigInt(150_000 + ((rowNo * 791_923) % 9_000_000)));
  const row = makeRow(rowNo, { payoutId, amountSatang, ...changes });
  const payeeName = names[rowNo % names.length] ?? '';
  const instruction = row.instruction && { ...row.instruction, payeeName };
  return { ...row, cells: { ...row.cells, payeeName }, instruction };
}

const rowsOf = (count: number, letters: string): StagedRow[] =>
  Array.from({ length: count }, (_, place) => rowOf(place + 1, letters));

const endings = {
  paid: { cause: 'proved', reason: null },
  failed: { cause: 'refused-for-payout', reason: ['PX012', 'Payee account is closed'] },
  unresolved: { cause: 'given-up', reason: ['EM027', 'Timeout from destination bank'] },
} as const;

/** Sends the next ready row of a batch at a moment, and ends it. */
async function send(
  store: Store,
  batchId: string,
  ending: keyof typeof endings | 'submitted' | 'unpayable',
  atMs: number,
): Promise<void> {
  const payout = await firstReady(store, batchId);
  if (ending === 'unpayable') {
    const patch = {
      status: ending,
      reasonCode: 'PX004',
      reason: verbatim('Proxy ID is not registered'),
    } as const;
    await applied(store, move({ payout, patch, cause: 'payee-check-refused', nowMs: atMs }));
    return;
  }
  const known = { number: 1, cleared: [], names: noBankNames, payer, policy, nowMs: atMs };
  const { change, attempt } = decideIntent({ payout, attemptsRecorded: 0, ...known });
  await applied(store, change);
  if (ending === 'submitted') return;
  const { cause, reason } = endings[ending];
  const [reasonCode, text] = reason ?? [null, null];
  const settled = { settledAtMs: atMs + 1_400, settledBy: 'reply' } as const;
  const patch = { status: ending, reasonCode, reason: text === null ? null : verbatim(text), ...settled };
  const ended = { ...attempt, status: ending, nextInquiryAtMs: null };
  const detail = reasonCode === null ? {} : { code: reasonCode };
  await applied(
    store,
    move({ payout: afterChange(change), patch, cause, nowMs: atMs + 1_400, attempt: ended, detail }),
  );
}

interface NamedFile {
  readonly batchId: string;
  readonly fileName: string;
  readonly atMs: number;
}

/** Takes a file in and seals it. */
async function seal(store: Store, file: NamedFile, rows: readonly StagedRow[], policies?: ApprovalPolicy) {
  const { batchId, fileName, atMs } = file;
  await start(store, { batchId, fileName }, atMs);
  await store.stage(batchId, rows);
  await store.seal(batchId, totalsOf(rows), atMs + 2_000, undefined, policies);
}

/** A batch of so many rows, some of which have ended so. */
async function fill(
  store: Store,
  file: NamedFile,
  rows: readonly StagedRow[],
  ends: Partial<Record<Parameters<typeof send>[2], number>>,
): Promise<void> {
  await seal(store, file, rows);
  await store.moveBatch(file.batchId, 'running', null, file.atMs + 5_000);
  let atMs = file.atMs + 60_000;
  for (const [ending, count] of Object.entries(ends)) {
    for (let done = 0; done < count; done += 1) {
      await send(store, file.batchId, ending as keyof typeof ends, atMs);
      atMs += 2_000;
    }
  }
}

const [running, held, approving, halted, before, older] = [
  '7B3KQ0M9ZX',
  '2C5MR8T1WD',
  '9F4NS6V3YE',
  '4H7PT2X8AG',
  '6J1QV5Z0BK',
  '8M3RW9C4DN',
] as const;

const approval = { when: 'always', aboveSatang: zeroSatang, people: 2 } as const;

async function fillBatches(store: Store): Promise<void> {
  const of = (batchId: string, fileName: string, atMs: number): NamedFile => ({ batchId, fileName, atMs });
  await fill(store, of(older, 'commission-2026-11-19.csv', noonMs - 2 * dayMs), rowsOf(4, 'COM19'), {
    paid: 4,
  });
  await fill(store, of(before, 'commission-2026-11-20.csv', noonMs - dayMs), rowsOf(14, 'COM20'), {
    paid: 12,
    failed: 2,
  });
  const today = { paid: 11, submitted: 3, unresolved: 2, failed: 3, unpayable: 2 };
  await fill(store, of(running, 'commission-2026-11-21.csv', noonMs), rowsOf(26, 'COM21'), today);
  await seal(store, of(held, 'โอนคืนลูกค้า พ.ย. 2569.csv', noonMs + hourMs), [
    rowOf(1, 'REF', { holds: ['name'] }),
    rowOf(2, 'REF', { holds: ['limit', 'new-payee'] }),
    makeBadRow(3),
    rowOf(4, 'REF', { holds: ['similar'] }),
  ]);
  await seal(store, of(approving, 'salary-november.xlsx', noonMs + 2 * hourMs), rowsOf(7, 'SAL'), approval);
  await fill(store, of(halted, 'vendors-2026-11-21.csv', noonMs + hourMs), rowsOf(5, 'VEN'), {});
  await store.moveBatch(halted, 'halted', why, noonMs + 1.5 * hourMs);
  for (const [batchId, hours] of [
    [older, -47],
    [before, -23],
  ] as const)
    await store.moveBatch(batchId, 'done', null, noonMs + hours * hourMs);
  await store.recordPayerHalt({ ...why, ...payer, sinceMs: noonMs + 1.5 * hourMs });
  const refusal = {
    ...noPlace,
    code: 'no-header',
    message: verbatim('line 1 has no column payoutId'),
    reason: 'x',
    batchId: null,
  };
  const refused = { fileName: 'payouts final (2).csv', droppedAtMs: nowMs, refusal };
  await store.endIntake('20261121T070000-0001', 'rejected', nowMs, refused);
}

/** The bank's word on yesterday: one amount is another, one line is missing, and one is nobody's. */
async function reconcileYesterday(store: Store, path: string): Promise<void> {
  await using day = await openDayOf(store, path, new AsyncDisposableStack());
  const attempts = await attemptsOn(store, yesterday);
  const [first, , third] = attempts;
  const lines = attempts.slice(0, -3).map((attempt) => makeLine(attempt, 'complete'));
  if (first === undefined || third === undefined) throw new Error('nothing was sent');
  lines[0] = makeLine(first, 'complete', { amountSatang: toSatang(151_000n), netSatang: toSatang(151_500n) });
  lines.push(makeLine(third, 'complete', { transRefNo: 'X00000000000000000099' }));
  day.daysLater = -0.3;
  await day.reconcile(lines, { on: yesterday });
}

// ---------------------------------------------------------------- who decides

async function addPeople(users: Users): Promise<void> {
  await users.add('mali', 'admin', null);
  await users.add('nok', 'checker', await users.find('mali'));
  await addPasskeys(users);
  await users.add('anan', 'admin', await users.find('mali'));
  // By another admin than the checker: nobody's two people are one.
  await users.add('boon', 'maker', await users.find('anan'));
  await users.add('wan', 'viewer', await users.find('anan'));
}

const reviewOf = (journal: Store, { clock }: Users): ReviewContext => ({
  journal,
  clock,
  rules: { payoutSatangMax: null },
  payerAccount: payer.payerAccount,
  people: 2,
  expireDays: 7,
  signing: { companyId: payer.companyId, journalId: journal.journalId, isSandbox: true, keys: [] },
});

async function targetOf(store: Store, payoutId: string): Promise<Target> {
  const [found] = await store.findPayouts(payoutId);
  if (found === undefined) throw new Error(`there is no ${payoutId}`);
  return { kind: 'payout', key: String(found.row.seq), version: String(found.row.version) };
}

/** It is held for one more reason than when it was proposed. */
async function changeSince(store: Store, payoutId: string): Promise<void> {
  const [found] = await store.findPayouts(payoutId);
  const payout = found && (await store.payout(found.row.seq));
  if (payout !== undefined) await applied(store, holdOf(payout, 'new-payee'));
}

/** Proposals: one as it was made, one of which a row has changed since, and one that was sent back. */
async function addProposals(store: Store, users: Users): Promise<void> {
  const review = reviewOf(store, users);
  const prove = async (name: string): Promise<ProvedPerson> => ({
    ...(await users.prove(name)),
    proof: 'session',
  });
  const make = async (decision: Decision, note: string, name: string, ...ids: string[]) => {
    const targets = await Promise.all(ids.map(async (id) => targetOf(store, id)));
    const evidence = 'letter of the bank, 21 Nov, folder 7';
    const end = await propose(review, { decision, targets, note, evidence }, deciderOf(await prove(name)));
    if (end.kind !== 'waiting') throw new Error(`${decision} of ${ids.join()} does not wait: ${toJson(end)}`);
    return end.proposal;
  };
  await make(
    'retry',
    'the payees have opened new accounts',
    'boon',
    'COM21-0017',
    'COM21-0018',
    'COM21-0019',
  );
  await make('go-on', 'ตรวจสอบชื่อกับบัตรประชาชนแล้ว', 'boon', 'REF-0001', 'REF-0004');
  await changeSince(store, 'REF-0004');
  const later = await make('confirm-paid', 'the payee has the money', 'mali', 'COM21-0016');
  const back = await make('retry', 'try them again', 'boon', 'COM21-0020', 'COM21-0021');
  await giveVerdict(review, back.proposalId, 'send-back', await prove('nok'), {
    note: 'the numbers are still not registered: ask the payees first',
    seen: back.digest,
  });
  if (later.proposalId !== 3) throw new Error('the third proposal is another one');
  // The fifth waits for the second admin.
  await users.add('ploy', 'checker', await users.find('anan'));
}

/** A key of a checker that counts, and one of an admin that nobody has confirmed yet. */
async function addPasskeys(users: Users): Promise<void> {
  const place = { origin: 'http://localhost:8484', rpId: 'localhost' };
  const challenges = new Challenges<Question>();
  for (const [name, label] of [
    ['nok', 'laptop'],
    ['mali', 'โทรศัพท์'],
  ] as const) {
    users.clock.ms += 1;
    const context = { ...users.context, place, challenges };
    const signer: Signer = { person: await users.find(name), proof: 'session', sessionHash: name };
    const asked = (await askForPasskey(context, signer)) as { readonly challenge: string };
    const answer = new Authenticator().create(asked.challenge, {});
    const made = await enrolPasskey(context, signer, JSON.stringify(answer), label);
    if ('why' in made) throw new Error(inEnglish(made.why));
    const { personId, credentialId } = made;
    if (name === 'nok')
      await users.ask({ kind: 'confirm-passkey', personId, credentialId }, await users.find('mali'));
  }
}

// ---------------------------------------------------------------- the way to each view

const at = (name: string, path: string, who?: string): Stop => ({
  name,
  ...(who === undefined ? {} : { who }),
  path,
  reach: async (page) => page.goto(path),
});

/** Chooses payouts of a group of the queue. */
async function choose(page: Page, group: string, ...ids: readonly string[]): Promise<void> {
  await page.goto(`/queue/${group}`);
  for (const id of ids) await page.locator('tr', { hasText: id }).getByRole('checkbox').check();
  await page.locator('.bar button.main').click();
}

/** Sends a file to be looked at; it is not dropped yet. */
export async function upload(page: Page, name: string, text: string): Promise<void> {
  await page.goto('/upload');
  const discard = page.locator('form[action="/upload/discard"] button');
  if (await discard.count()) await discard.click();
  await page.setInputFiles('#file', { name, mimeType: 'text/csv', buffer: Buffer.from(text) });
  await page.locator('form.card button.main').click();
  await page.locator('form[action="/upload/discard"]').waitFor();
}

const header = 'payoutId,proxyType,proxyNo,payeeName,amount,reference1,reference2';
const goodFile = `${header}\nUP-1,MSISDN,0810000001,Somchai Jaidee,12500.00,U-1,\nUP-2,MSISDN,0810000002,มาลี สุขใจ,50.25,U-2,\n`;
const mixedFile = `${goodFile}UP-3,MSISDN,0810000003,Anan Thongdee,1.234,U-3,\nUP-4,MSISDN,081,Anan Thongdee,100.00,U-4,\n`;

/** What waits, and each way to decide on it. */
const listQueueStops = (failed: number): readonly Stop[] => [
  at('queue', '/queue'),
  {
    name: 'group',
    reach: async (page) => {
      await page.goto('/queue');
      await page.locator('.q li > a[href^="/queue/not-paid"]').first().click();
      await page.waitForURL('**/queue/not-paid*');
    },
  },
  {
    name: 'search-nothing-found',
    reach: async (page) => {
      await page.goto('/queue');
      await page.fill('.top input[type=search]', 'nobody');
      await page.keyboard.press('Enter');
      await page.waitForURL('**/search');
    },
  },
  {
    name: 'search',
    reach: async (page) => {
      await page.goto('/queue');
      await page.fill('.top input[type=search]', 'malee');
      await page.keyboard.press('Enter');
      await page.waitForURL('**/search');
    },
  },
  {
    name: 'queue-item-decide',
    reach: async (page) => {
      await page.goto('/queue/high-breaks.20261120');
      await page.locator('form[action="/queue/item"] button').first().click();
    },
  },
  {
    name: 'decide-several',
    reach: async (page) => choose(page, 'not-paid.PX012', 'COM20-0013', 'COM20-0014'),
  },
  {
    name: 'decide-several-form',
    reach: async (page) => {
      await choose(page, 'not-paid.PX012', 'COM20-0013', 'COM20-0014');
      await page.check('[value=retry]');
    },
  },
  {
    name: 'payout-decide',
    reach: async (page) => {
      await page.goto(`/payout/${failed}`);
      await page.check('[value=retry-corrected]');
    },
  },
  {
    name: 'payout-decide-wrong',
    reach: async (page) => {
      await page.goto(`/payout/${failed}`);
      await page.check('[value=retry-corrected]');
      await page.fill('#note', 'a word');
      await page.locator('form.act button.main:visible').click();
    },
  },
];

/** What was proposed, as an admin and as a checker with a key see it. */
const proposalStops: readonly Stop[] = [
  at('proposals', '/proposals'),
  at('proposal', '/proposal/1'),
  at('proposal-stale', '/proposal/2'),
  at('proposal-own', '/proposal/3'),
  at('proposal-sent-back', '/proposal/4'),
  at('change-of-people', '/proposal/5', 'mali'),
  at('proposal-to-sign', '/proposal/1', 'nok'),
  at('sign', '/proposal/1/sign', 'nok'),
];

const uploadStops: readonly Stop[] = [
  at('upload', '/upload'),
  { name: 'upload-good', reach: async (page) => upload(page, 'commission-late.csv', goodFile) },
  { name: 'upload-mixed', reach: async (page) => upload(page, 'ค่าคอมมิชชัน พ.ย..csv', mixedFile) },
  { name: 'upload-rejected', reach: async (page) => upload(page, 'rows.csv', 'a,b\n1,2\n') },
];

async function listRegistrationStops(store: Store): Promise<readonly Stop[]> {
  const seqOf = async (id: string) => (await store.findRegistrations(id))[0]?.row.seq ?? 0;
  return [
    at('registrations', '/registrations'),
    at('registration', `/registration/${await seqOf('REG-7')}`),
    at('registration-failed', `/registration/${await seqOf('REG-3')}`),
    at('registration-unanswered', `/registration/${await seqOf('REG-6')}`),
    at('registration-batch', `/registrations/batch/${registeredBatchId}`),
  ];
}

async function listStops(store: Store): Promise<readonly Stop[]> {
  const seqOf = async (payoutId: string) => (await store.findPayouts(payoutId))[0]?.row.seq ?? 0;
  const failed = await seqOf('COM20-0013');
  return [
    { name: 'sign-in', who: null, reach: async (page) => page.goto('/sign-in') },
    at('today', '/today'),
    ...listQueueStops(failed),
    at('payout-paid', `/payout/${await seqOf('COM20-0001')}`),
    at('payout-failed', `/payout/${failed}`),
    at('payout-in-doubt', `/payout/${await seqOf('COM21-0012')}`),
    ...proposalStops,
    at('batches', '/batches'),
    at('batch', `/batch/${running}`),
    at('batch-for-approval', `/batch/${approving}`),
    at('batch-approve', `/batch/${approving}/decide/approve-batch`),
    at('batch-halted', `/batch/${halted}`),
    at('reconciliation', '/reconciliation'),
    at('reconciliation-day', `/reconciliation/${yesterday}`),
    ...(await listRegistrationStops(store)),
    at('payees', '/payees'),
    at('people', '/people'),
    at('person', '/people/3'),
    at('log', '/log'),
    at('passkeys', '/passkeys'),
    ...uploadStops,
    at('nothing-here', '/batch/NOSUCH'),
  ];
}

// ---------------------------------------------------------------- the page

export async function openShowcase(): Promise<Showcase> {
  await using stack = new AsyncDisposableStack();
  const { store, path, dataDir } = stack.use(await makeSqliteStore());
  const users = new Users(store);
  await fillBatches(store);
  await reconcileYesterday(store, path);
  await fillRegistrations(store, partner.companyId, noonMs);
  users.clock.ms = nowMs - noonMs;
  await addPeople(users);
  await addProposals(store, users);
  const configPath = join(dataDir, 'paydrop.yaml');
  await mkdir(join(dataDir, 'inbox'));
  await writeFile(configPath, stringify({ dataDir, bank: { ...partner, baseUrl: 'https://bank.example' } }));
  const loaded = loadSettings({ configPath, cwd: dataDir, env: {} });
  const uploads = stack.use(await openUploads(loaded, store, users.clock));
  const surroundings = {
    sender: { command: 'watch', sinceMs: noonMs - 7 * hourMs },
    freeBytes: 187n << 30n,
  };
  const dropped = {
    itemId: '20261121T073500-0001',
    fileName: 'decisions-boon.xlsx',
    droppedAtMs: nowMs - 25 * 60_000,
    sha256: 'ab12cd34'.repeat(8),
    asks: '4 × try again, 1 × acknowledge',
    totalSatang: toSatang(4_812_050n),
  };
  const waiting = {
    journal: store,
    clock: users.clock,
    doubtAfterMs: hourMs,
    lateAtMs: 0,
    listDecisions: async () => [dropped],
  };
  const page = stack.use(
    await servePage({
      ...pageOptionsOf(store, users),
      readSurroundings: async () => surroundings,
      uploads,
      onSignOut: async (sessionHash) => uploads.discard(sessionHash),
      listen: { host: 'localhost', port: 0 },
      readReview: async () => reviewOf(store, users),
      readItems: async (asker, limit, kinds) => readItems(waiting, { asker, limit, kinds }),
      readAttention: async () => readAttention(waiting),
      payer: partner,
    }),
  );
  const browsers = stack.use(await openBrowsers(page.origin));
  const owned = stack.move();
  return { ...browsers, stops: await listStops(store), [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
