/** The views of batches over a real port: approving with the figures before one, and files that are taken. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sumSatang, zeroSatang } from '../../../src/core/money.ts';
import { sumOutcomes } from '../../../src/review/web/figures-panel.ts';
import {
  firstBatchId,
  ingest,
  ingestAs,
  makeBadRow,
  makeRow,
  makeRows,
  noonMs,
  statusesOf,
} from '../../support/journal-fixtures.ts';
import { type OpenTestPage, openTestPage } from '../../support/review-page.ts';

let rig: OpenTestPage;

beforeEach(async () => {
  rig = await openTestPage({}, { nok: 'maker', dao: 'checker', ploy: 'viewer' });
});
afterEach(async () => rig[Symbol.asyncDispose]());

const path = `/batch/${firstBatchId}`;
const always = (people: 1 | 2) => ({ when: 'always', aboveSatang: zeroSatang, people }) as const;
const digestIn = (text: string): string => /name="seen" value="(\w+)"/.exec(text)?.[1] ?? '';
const versionIn = (text: string): string => /name="version" value="([^"]*)"/.exec(text)?.[1] ?? '';
const squeeze = (text: string): string => text.replaceAll(/\s+/g, ' ');
const script = `<script>alert(1)</script>"'><img src=x onerror=alert(2)>`;

test('the money of a batch is summed from all of its rows', async () => {
  await ingestAs(rig.store, ['paid', 'submitted', 'failed'], [...makeRows(5), makeBadRow(6)]);
  const totals = await rig.store.totals(firstBatchId);
  const outcomes = sumOutcomes(totals);
  const rows = await rig.store.searchPayouts({ batchId: firstBatchId }, Number.MAX_SAFE_INTEGER, 100);
  const all = rows.reduce((sum, { row }) => sum + (row.amountSatang ?? 0n), 0n);
  expect(sumSatang(outcomes.map(({ amountSatang }) => amountSatang))).toBe(all);
  expect(outcomes.reduce((sum, one) => sum + one.rows, 0)).toBe(rows.length);
  const shown = squeeze((await (await rig.open('ploy')).get(path)).text);
  for (const said of [
    'Paid: 1 row, 100.01 baht',
    'Unknown if it moved: 1 row, 100.02 baht',
    'Not sent yet: 2 rows, 200.09 baht',
    'Not paid: 2 rows, 100.03 baht',
  ])
    expect(shown).toContain(said);
});

describe('a batch', () => {
  test('is approved by two people, each with its figures before him, and then goes on', async () => {
    await ingest(rig.store, makeRows(3), { approval: always(2), fileName: 'a.csv' });
    const [nok, mali] = [await rig.open('nok'), await rig.open('mali')];
    const digest = (await rig.store.approvalOf(firstBatchId))?.version ?? 'none';
    const form = await nok.get(`${path}/decide/approve-batch`);
    expect(versionIn(form.text)).toBe(digest);
    const same = [
      'Pay 3 people 300.06 baht from ••5924',
      '<dd class="n">300.06</dd>',
      '3 people were never paid before',
      'The five largest',
      'First file of this name',
      digest,
    ];
    for (const said of [...same, 'Propose to pay a.csv', 'Why (the checker reads it)'])
      expect(squeeze(form.text)).toContain(said);
    await nok.post(`${path}/decide/approve-batch`, { version: digest, note: 'compared with the order' });
    expect(squeeze((await mali.get(path)).text)).toContain('Approval 1 of 2');
    const proposal = await mali.get('/proposal/1');
    for (const said of same) expect(squeeze(proposal.text)).toContain(said);
    await mali.post('/proposal/1/approve', { seen: digestIn(proposal.text) });
    expect(await statusesOf(rig.store)).toEqual(['ready', 'ready', 'ready']);
    expect(squeeze((await mali.get(path)).text)).toContain('Approval 2 of 2');
  });

  test('is approved with what is held besides: the sum above the form is of all of it', async () => {
    await ingest(rig.store, [makeRow(1), makeRow(2, { holds: ['limit'] })], { approval: always(2) });
    const form = squeeze((await (await rig.open('nok')).get(`${path}/decide/approve-batch`)).text);
    for (const said of [
      'Approve 2 payouts, 200.03 baht: pay 1 payout, 100.01 baht from ••5924; 1 payout, 100.02 baht stays held',
      '<dd class="n">100.01</dd>',
      '1 row held for another reason, 100.02 baht',
    ])
      expect(form).toContain(said);
  });

  test('that needs one alone is approved by one who may check, and by nobody else', async () => {
    await ingest(rig.store, makeRows(1), { approval: always(1) });
    const { version = '' } = (await rig.store.approvalOf(firstBatchId)) ?? {};
    const [nok, dao] = [await rig.open('nok'), await rig.open('dao')];
    const refused = await nok.post(`${path}/decide/approve-batch`, { version, note: 'x' });
    expect([refused.status, refused.text.includes('a maker may not check')]).toEqual([409, true]);
    const other = await dao.post(`${path}/decide/approve-batch`, { version: 'a'.repeat(64), note: 'x' });
    expect(other.status).toBe(409);
    expect(await statusesOf(rig.store)).toEqual(['held']);
    const done = await dao.post(`${path}/decide/approve-batch`, { version, note: 'compared' });
    expect(done.text).toContain('<b>Applied.</b>');
    expect(await statusesOf(rig.store)).toEqual(['ready']);
  });

  test('is cancelled or resumed as a whole, with what that is about', async () => {
    await ingestAs(rig.store, ['paid'], makeRows(2));
    const nok = await rig.open('nok');
    expect((await nok.get(path)).text).toContain('it is running, and nothing of it is held as a whole');
    const form = await nok.get(`${path}/decide/cancel-batch`);
    expect(squeeze(form.text)).toContain('1 payout, 100.02 baht. It takes effect at once.');
    // No checker reads it, and the button says what it does.
    expect(form.text).not.toContain('the checker reads it');
    expect(squeeze(form.text)).toContain('Apply: cancel the batch (1 payout, 100.02 baht)');
    await nok.post(`${path}/decide/cancel-batch`, { version: versionIn(form.text), note: 'stop' });
    expect(await statusesOf(rig.store)).toEqual(['paid', 'cancelled']);
    const ploy = await rig.open('ploy');
    const late = await ploy.post(`${path}/decide/resume-batch`, { version: 'x', note: 'x' });
    expect(late.status).toBe(409);
  });

  test('stands in the list with its rows in pages, and what others wrote as text', async () => {
    await ingest(
      rig.store,
      makeRows(60).map((row) => ({ ...row, cells: { ...row.cells, payeeName: script } })),
      { fileName: `${script}.csv` },
    );
    const ploy = await rig.open('ploy');
    const list = await ploy.get('/batches');
    expect(list.text).toContain(`href="${path}"`);
    const first = await ploy.get(path);
    const [, further = ''] = /href="(\/batch\/\w+\/after\/\d+)#rows"/.exec(first.text) ?? [];
    const second = await ploy.get(further);
    const names = (text: string) => [...text.matchAll(/class="name">(INV-\d+)</g)].map(([, name]) => name);
    expect([...names(first.text), ...names(second.text)]).toEqual(
      makeRows(60).map(({ rowNo }) => `INV-${rowNo}`),
    );
    expect(names((await ploy.get(`${path}/in/ready`)).text)).toHaveLength(50);
    expect(names((await ploy.get(`${path}/in/paid`)).text)).toEqual([]);
    expect((await ploy.get('/batches/paused')).text).toContain('No batch matches');
    for (const { text } of [list, first, second]) expect(text).not.toMatch(/<script>|<img/);
    expect((await ploy.get('/batch/NOSUCH')).status).toBe(404);
  });

  test('hands its files out to those who may, as they were written, and notes who took them', async () => {
    await ingest(rig.store, makeRows(1));
    const file = join(rig.sqlite.dataDir, 'ผลลัพธ์ "1".result.csv');
    const content = 'rowNo,proxyNo\n1,0810000001\n';
    await writeFile(file, content);
    const report = { batchId: firstBatchId, kind: 'result', number: 0, eventSeq: 1, atMs: noonMs } as const;
    const sha256 = hash('sha256', content, 'hex');
    await rig.store.recordReports([{ ...report, path: file, temporaryPath: `${file}.tmp`, sha256 }]);
    const [nok, ploy] = [await rig.open('nok'), await rig.open('ploy')];
    await nok.get(path);
    const taken = await nok.post(`${path}/file/result/0`);
    expect([taken.status, taken.text]).toEqual([200, content]);
    expect(taken.headers.get('content-disposition')).toBe(
      `attachment; filename*=UTF-8''${encodeURIComponent('ผลลัพธ์ "1".result.csv')}`,
    );
    expect(taken.headers.get('x-content-type-options')).toBe('nosniff');
    const events = await rig.store.personEvents(0, 100);
    expect(events.at(-1)?.text).toContain(`{"batch":"${firstBatchId}","file":"result","what":"batch-file"}`);
    await ploy.get(path);
    expect((await ploy.post(`${path}/file/result/0`)).status).toBe(403);
    for (const name of ['summary/0', 'result/1', 'result/..%2f..%2fjournal.db'])
      expect((await nok.post(`${path}/file/${name}`)).status).toBe(404);
    await writeFile(file, 'something else');
    expect((await nok.post(`${path}/file/result/0`)).status).toBe(404);
  });
});
