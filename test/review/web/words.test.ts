/** The words of the page: every view is walked; a Thai one says nothing in English, and none names a command. */
import { message } from '../../../src/core/message.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Browser, type Shown } from '../../support/browser.ts';
import { makeBusyJournal } from '../../support/busy-journal.ts';
import {
  bringTo,
  firstBatchId,
  ingest,
  ingestRunning,
  makeBadRow,
  makeRow,
  makeRows,
  noonMs,
  payer,
  secondBatchId,
} from '../../support/journal-fixtures.ts';
import { passwordOf, Users } from '../../support/persons.ts';
import { type OpenTestPage, openTestPage, pageOptionsOf, servePage } from '../../support/review-page.ts';
import { shellCommand } from '../../support/shell-command.ts';

let rig: OpenTestPage;
const halt = {
  code: 'halted-by-operator',
  reason: message('payer.halted-by', { person: 'nok', note: 'โทร' }),
  remedy: message('payer.lift'),
};

beforeAll(async () => {
  rig = await openTestPage({}, { nok: 'maker', dao: 'checker', ploy: 'viewer', anan: 'admin' });
  const { store } = rig;
  await ingestRunning(store, [
    ...makeRows(6),
    makeRow(7, { holds: ['name'] }),
    makeRow(8, { holds: ['similar', 'limit'] }),
    makeBadRow(9),
  ]);
  for (const status of ['failed', 'unpayable', 'unresolved', 'paid', 'cancelled', 'submitted'] as const)
    await bringTo(store, status);
  const approval = { when: 'always', aboveSatang: 0n as never, people: 2 } as const;
  const later = [11, 12].map((rowNo) => makeRow(rowNo));
  await ingest(store, later, { batchId: secondBatchId, fileName: 'b.csv', approval });
  await store.recordPayerHalt({ ...payer, ...halt, sinceMs: noonMs });
  const refusal = {
    line: null,
    column: null,
    code: 'no-header',
    message: message('file.no-rows'),
    reason: 'x',
    batchId: null,
  };
  await store.endIntake('item-1', 'rejected', noonMs, { fileName: 'c.csv', droppedAtMs: noonMs, refusal });
});
afterAll(async () => rig[Symbol.asyncDispose]());

/** What stands on a page for its reader; what the bank or a file said, and what is signed, is in `code` or `pre`. */
const textsOf = (page: string, hidden = ['code', 'pre']): readonly string[] =>
  page
    .replaceAll(new RegExp(`<(script|style|head|${hidden.join('|')})\\b.*?</\\1>`, 'gs'), '')
    .split(/<[^>]*>/)
    .map((text) =>
      text
        .replaceAll(/&\w+;|&#\d+;/g, '"')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    );

/** Three words of English on end; commands, codes and names have none. */
const sentence = /\b[A-Za-z][a-z’']+(?: [a-z][a-z’']+){2,}/;
const commands = /"paydrop [^"]*"|\(paydrop \w+\)/g;
const findEnglish = ({ text }: Shown): readonly string[] =>
  textsOf(text).filter((one) => sentence.test(one.replaceAll(commands, '')));

async function openThai(name: string): Promise<Browser> {
  const browser = await rig.open(name);
  await browser.get('/today');
  browser.cookies.set('language', 'th');
  return browser;
}

/** What stands for the parts of a path, of those that show something. */
const values = {
  batchId: [firstBatchId, secondBatchId],
  personId: ['1', '2'],
  id: ['1'],
  date: ['20261121'],
};
const decisions = ['go-on', 'release', 'retry', 'retry-corrected', 'confirm-paid', 'acknowledge'];

function pathsOf(path: string): readonly string[] {
  const name = /:(\w+)/.exec(path)?.[1];
  if (name === undefined) return [path];
  const isBatch = path.startsWith('/batch');
  const decided = isBatch ? ['approve-batch', 'resume-batch', 'cancel-batch'] : decisions;
  const seqs = path.includes(':decision') ? ['3', '9'] : ['1', '2', '3', '4', '5', '6', '7', '8', '9'];
  const all = { ...values, seq: seqs, decision: decided } as Readonly<Record<string, readonly string[]>>;
  return (all[name] ?? ['1']).flatMap((value) => pathsOf(path.replace(`:${name}`, value)));
}

test.each(['en', 'th'])('no page of a busy journal tells people to type a command: %s', async (language) => {
  await using busy = await makeBusyJournal();
  const listen = { host: '127.0.0.1', port: 0 };
  const users = new Users(busy.store);
  users.clock.ms = 60_000;
  const usual = pageOptionsOf(busy.store, users);
  await using page = await servePage({ ...usual, listen, evidenceFolder: busy.dataDir });
  const browser = new Browser(page.origin);
  await browser.signIn('mali', passwordOf('mali'));
  browser.cookies.set('language', language);
  const seen = new Set<string>();
  const waiting = [
    '/today',
    ...page.views.filter(({ method }) => method === 'GET').flatMap(({ path }) => pathsOf(path)),
  ];
  for (const path of waiting) {
    if (seen.has(path)) continue;
    seen.add(path);
    const { text } = await browser.get(path);
    expect({ path, said: textsOf(text, ['pre']).filter((one) => shellCommand.test(one)) }).toEqual({
      path,
      said: [],
    });
    for (const [, href = ''] of text.matchAll(/href="(\/[^"#]+)"/g)) waiting.push(href);
  }
  expect(seen.size).toBeGreaterThan(150);
});

describe('a Thai page says nothing of ours in English', () => {
  // What a viewer may not is told him in the same places.
  test.each([
    ['mali', /^/],
    ['ploy', /^\/(?:queue|payout\/[19]|batch\/\w+|proposals)$/],
  ])('whatever %s looks at', async (name, shown) => {
    const browser = await openThai(name);
    const paths = rig.views.filter(({ method }) => method === 'GET').flatMap(({ path }) => pathsOf(path));
    const found: string[] = [];
    for (const path of [...paths, '/nowhere'].filter((one) => shown.test(one)))
      for (const text of findEnglish(await browser.get(path))) found.push(`${path}: ${text}`);
    expect(found).toEqual([]);
  });
});
