import { verbatim } from '../../../src/core/message.ts';
import { describe, expect, test } from 'vitest';
import { toSatang } from '../../../src/core/money.ts';
import type { Batch } from '../../../src/core/ports.ts';
import {
  describeBatchDone,
  describeBatchHalted,
  describeFileRejected,
  describeInDoubt,
} from '../../../src/notify/rules/notice-body.ts';
import type { NoticeDraft } from '../../../src/notify/rules/notice.ts';
import { summariseBatch } from '../../../src/reports/rules/summary.ts';
import { makeBatch, makeTotal, noonMs } from '../../support/report-fixtures.ts';
import { rejected } from '../../support/notice-samples.ts';
import { noticeScene } from '../../support/notices.ts';

const scene = { ...noticeScene, nowMs: noonMs };
const reports = ['/outbox/a.result.csv', '/outbox/a.summary.json'];
const totals = [
  makeTotal('paid', 2, 1_234_567_890_050n),
  makeTotal('submitted', 3, 95n),
  makeTotal('held', 1, 5n),
];

function news(changes: Partial<Batch> = {}) {
  const batch = makeBatch({ rows: 6, totalSatang: toSatang(1_234_567_890_150n), ...changes });
  const summary = summariseBatch(batch, totals, [{ hold: 'name', rows: 1 }], { exceptionsOk: false });
  return { summary, reports };
}

const sent = ({ body }: NoticeDraft): Record<string, unknown> =>
  JSON.parse(JSON.stringify(body)) as Record<string, unknown>;

describe('the body', () => {
  test('of a batch that is done', () => {
    const notice = describeBatchDone(scene, news(), 41);
    expect(notice).toMatchObject({
      key: 'batch-done:4K7Q2M9XWD:41',
      kind: 'batch-done',
      batchId: '4K7Q2M9XWD',
      atMs: noonMs,
    });
    expect(sent(notice)).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      kind: 'batch-done',
      severity: 'high',
      machine: 'pay-1',
      dataDir: '/srv/paydrop',
      at: expect.stringMatching(/^2026-11-21T\d\d:\d\d:\d\d\+07:00$/),
      isSandbox: false,
      batchId: '4K7Q2M9XWD',
      file: 'เงินเดือน payouts.csv',
      status: 'done',
      reasonCode: null,
      reason: 'the batch has come to its end: 1 row held, 3 rows submitted, 2 rows paid',
      remedy: 'Look at its exceptions: each says what to do',
      rows: 6,
      amount: '12345678901.50',
      byStatus: {
        held: { rows: 1, amount: '0.05' },
        submitted: { rows: 3, amount: '0.95' },
        paid: { rows: 2, amount: '12345678900.50' },
      },
      holds: { name: 1 },
      alarms: 0,
      inDoubtRows: 3,
      exitCode: 4,
      commands: ['paydrop status 4K7Q2M9XWD --config /etc/paydrop.yaml'],
      reports,
    });
  });

  test('of a halted batch says why and what to do', () => {
    const why = {
      reasonCode: 'EM005',
      reason: verbatim('no funds'),
      remedy: verbatim('Fund the account, then resume.'),
    };
    const said = { reasonCode: 'EM005', reason: 'no funds', remedy: 'Fund the account, then resume.' };
    const notice = describeBatchHalted(scene, news({ status: 'halted', ...why }), noonMs - 1);
    expect(notice.key).toBe(`batch-halted:4K7Q2M9XWD:EM005:${noonMs - 1}`);
    expect(sent(notice)).toMatchObject({ kind: 'batch-halted', status: 'halted', exitCode: 6, ...said });
  });

  test('of transfers in doubt says since when', () => {
    const notice = describeInDoubt(scene, news({ status: 'running' }), Date.UTC(2026, 10, 20, 17, 0, 1));
    expect(notice.key).toBe('in-doubt:4K7Q2M9XWD:20261121');
    expect(sent(notice)).toMatchObject({
      kind: 'in-doubt',
      inDoubtRows: 3,
      oldestInDoubtAt: '2026-11-21T00:00:01+07:00',
      severity: 'high',
      reason: 'transfers have been in doubt for too long: 1 row held, 3 rows submitted, 2 rows paid',
      remedy: expect.stringContaining('"paydrop reconcile --date"'),
      commands: ['paydrop settle 4K7Q2M9XWD --config /etc/paydrop.yaml'],
    });
  });

  test('says of a rejected file that has grown what file-grown says', () => {
    const rejection = { ...rejected.rejection, code: 'changed-after-reading' };
    const { body } = describeFileRejected(scene, { ...rejected, batchId: 'B000000001', rejection });
    expect(body['remedy']).toContain(
      'rows of batch B000000001 are refused by their payoutIds, the others are paid',
    );
    expect(body['remedy']).not.toContain('ids of their own');
  });

  test('sends what only a statement settles to the statement, not to settle', () => {
    const total = { ...makeTotal('unresolved', 3, 95n), byStatement: { rows: 3, firstSentAtMs: 0 } };
    const summary = summariseBatch(makeBatch({ status: 'running' }), [total], [], { exceptionsOk: false });
    for (const language of ['en', 'th'] as const) {
      const inDoubtAtMs = Date.UTC(2026, 10, 19, 5);
      const { body } = describeInDoubt({ ...scene, language }, { summary, reports: [] }, inDoubtAtMs);
      expect(body['commands']).toEqual([expect.stringContaining('paydrop reconcile --date 2026-11-19')]);
      expect(body['remedy']).toContain('"paydrop confirm"');
      expect(body['remedy']).not.toContain('paydrop settle');
    }
  });

  test('of transfers in doubt since an earlier day names the statement of that', () => {
    const notice = describeInDoubt(scene, news({ status: 'running' }), Date.UTC(2026, 10, 19, 5));
    expect(sent(notice)['commands']).toEqual([
      'paydrop settle 4K7Q2M9XWD --config /etc/paydrop.yaml',
      'paydrop reconcile --date 2026-11-19 --config /etc/paydrop.yaml',
    ]);
  });

  test('of a rejected file', () => {
    const notice = describeFileRejected(scene, rejected);
    expect(notice).toMatchObject({ key: 'file-rejected:item-1', batchId: null });
    expect(sent(notice)).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      kind: 'file-rejected',
      severity: 'high',
      machine: 'pay-1',
      dataDir: '/srv/paydrop',
      at: expect.any(String),
      isSandbox: false,
      batchId: null,
      file: 'broken.csv',
      path: '/srv/paydrop/rejected/broken.csv',
      status: 'rejected',
      reasonCode: 'column-missing',
      reason: 'there is no column "amount"',
      line: 1,
      column: 'amount',
      remedy: expect.stringContaining('Nothing of it was paid'),
      exitCode: 5,
      commands: ['paydrop check /srv/paydrop/rejected/broken.csv --config /etc/paydrop.yaml'],
      reports: [],
    });
  });

  test('of a file whose rows a batch has names the batch', () => {
    const notice = describeFileRejected(scene, { ...rejected, batchId: '4K7Q2M9XWD' });
    expect(notice.batchId).toBe('4K7Q2M9XWD');
    expect(sent(notice)['commands']).toEqual(['paydrop status 4K7Q2M9XWD --config /etc/paydrop.yaml']);
  });

  test('offers no command that would leave with its words masked', () => {
    const path = '/srv/paydrop/rejected/0812345678.csv';
    const notice = describeFileRejected(scene, { ...rejected, path });
    expect(sent(notice)).toMatchObject({
      path: '/srv/paydrop/rejected/******5678.csv',
      commands: ['paydrop status --config /etc/paydrop.yaml'],
    });
  });

  test.each([
    ['account 0000345924 is unknown', 'account ******5924 is unknown'],
    ['"9000000000004" is a citizen ID', '"*********0004" is a citizen ID'],
    [
      'the rows add up to 1234567890.50, the trailer says 123456789012',
      'the rows add up to 1234567890.50, the trailer says ********9012',
    ],
    ['the citizen ID 9-0000-00000-00-4', 'the citizen ID *************00-4'],
    ['2026-11-21 14:03:05, batch 4K7Q2M9XWD', '2026-11-21 14:03:05, batch 4K7Q2M9XWD'],
  ])('masks numbers of people and accounts: %s', (text, shown) => {
    const said = { reason: verbatim(text), remedy: verbatim(text) };
    const halted = news({ status: 'halted', reasonCode: 'X', ...said });
    expect(sent(describeBatchHalted(scene, halted, 0))).toMatchObject({ reason: shown, remedy: shown });
    const rejection = { code: 'X', line: null, column: text, message: verbatim(text) };
    const file = describeFileRejected(scene, { ...rejected, rejection });
    expect(sent(file)).toMatchObject({ reason: shown, column: shown });
  });
});

describe('the id', () => {
  const idOf = (notice: NoticeDraft) => notice.body['id'];

  test('is the same for the same happening, whenever it is told', () => {
    const later = { ...scene, nowMs: noonMs + 1 };
    expect(idOf(describeBatchDone(later, news(), 41))).toBe(idOf(describeBatchDone(scene, news(), 41)));
  });

  test('differs for every other one, and for another journal', () => {
    const rehearsal = { ...scene, journalId: 'journal-2' };
    const nextDay = { ...scene, nowMs: noonMs + 86_400_000 };
    const ids = [
      describeBatchDone(scene, news(), 41),
      describeBatchDone(scene, news(), 42),
      describeBatchDone(rehearsal, news(), 41),
      describeBatchHalted(scene, news(), 41),
      describeBatchHalted(scene, news({ reasonCode: 'EM005' }), 41),
      describeInDoubt(scene, news(), noonMs),
      describeInDoubt(nextDay, news(), noonMs),
      describeFileRejected(scene, rejected),
      describeFileRejected(scene, { ...rejected, fileKey: 'item-2' }),
    ].map(idOf);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

test('a file that is called after a number is told without it, on one line', () => {
  const file = { ...rejected, fileName: 'ID 9-1000-00000-01-1\u009b\n.csv' };
  expect(describeFileRejected(scene, file).body).toMatchObject({ file: 'ID *************01-1??.csv' });
});
