/** A dropped file of decisions on the page: looked at, proposed by a maker in his own name, or thrown away. */
import { createHash } from 'node:crypto';
import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readAttention } from '../../../src/attention/attention-list.ts';
import { readItems } from '../../../src/attention/items.ts';
import {
  decisionFolders,
  listDropped,
  makeFileDecisions,
  writeRecord,
} from '../../../src/review/dropped/waiting.ts';
import type { ReadItems } from '../../../src/review/web/queue-items.ts';
import { ingest, makeRows, noonMs } from '../../support/journal-fixtures.ts';
import { useFolder } from '../../support/payout-file-kit.ts';
import { openTestPage, pageOptionsOf } from '../../support/review-page.ts';

const folder = useFolder();
const script = `<script>alert(1)</script>`;
let opened = 0;

/** Two rows that are held, and a queue with the files that wait. */
async function openFiles() {
  opened += 1;
  const dataDir = folder.path(`data-${opened}`);
  const folders = { decisions: join(dataDir, 'decisions') } as never;
  const contextOfQueue = () => ({
    journal: rig.store,
    clock: rig.users.clock,
    doubtAfterMs: 3_600_000,
    lateAtMs: 0,
    listDecisions: async () => listDropped(dataDir),
  });
  const readWaiting: ReadItems = async (asker, limit, kinds) =>
    readItems(contextOfQueue(), { asker, limit, kinds });
  const readList = async () => readAttention(contextOfQueue());
  const openSession = async () => {
    const context = await pageOptionsOf(rig.store, rig.users).readReview();
    return { journal: rig.store, context, loaded: { dataDir, folders } };
  };
  const fileDecisions = makeFileDecisions(openSession);
  const rig = await openTestPage(
    { fileDecisions, readItems: readWaiting, readAttention: readList },
    { nok: 'maker', dao: 'checker' },
  );
  const { batchId } = await ingest(
    rig.store,
    makeRows(2).map((row) => ({ ...row, holds: ['name'] as const })),
  );
  const wait = async (itemId: string, fileName: string, lines: readonly string[]) => {
    const text = `batchId,rowNo,version,payoutId,decision,note\n${lines.join('\n')}\n`;
    const place = join(decisionFolders(dataDir).work, itemId);
    await mkdir(place, { recursive: true });
    await writeFile(join(place, 'a.csv'), text);
    const sha256 = createHash('sha256').update(text).digest('hex');
    const asks = `Go on: ${lines.length} rows`;
    await writeRecord(dataDir, { itemId, fileName, droppedAtMs: noonMs, sha256, asks, amount: '100.01' });
    return { key: itemId, version: sha256, path: join(place, 'a.csv') };
  };
  const lineOf = async (payoutId: string) => {
    const [found] = await rig.store.findPayouts(payoutId);
    return `${batchId},${found?.row.rowNo},${found?.row.version},${payoutId},go-on,asked`;
  };
  return { rig, dataDir, wait, lineOf, [Symbol.asyncDispose]: () => rig[Symbol.asyncDispose]() };
}

test('a maker proposes what a dropped file says, and another approves it', async () => {
  await using files = await openFiles();
  const { rig, dataDir, wait, lineOf } = files;
  const lines = [await lineOf('INV-1'), await lineOf('INV-2')];
  const { key, version } = await wait('20261121T050001000-aaaaaa', `${script}.csv`, lines);
  const nok = await rig.open('nok');
  const queue = await nok.get('/queue');
  expect(queue.text).toContain('action="/queue/file"');
  const shown = await nok.post('/queue/file', { key });
  expect(shown.text).toContain('Go on: 2 rows');
  expect(shown.text).toContain(version);
  expect(shown.text).not.toContain(script);
  const dao = await rig.open('dao');
  await dao.get('/queue');
  expect((await dao.post('/queue/file/confirm', { key, version })).status).toBe(403);
  const stale = await nok.post('/queue/file/confirm', { key, version: 'a'.repeat(64) });
  expect([stale.status, stale.text.includes('not what you have looked at')]).toEqual([409, true]);
  const proposed = await nok.post('/queue/file/confirm', { key, version });
  expect(proposed.text).toContain('Proposed: ');
  expect(await listDropped(dataDir)).toEqual([]);
  expect(await rig.store.proposal(1)).toMatchObject({ maker: 'nok', items: 2, decision: 'go-on' });
  expect(await rig.store.reviewNotes('decisions', [key])).toMatchObject([{ person: 'nok', version }]);
  expect((await nok.post('/queue/file/confirm', { key, version })).status).toBe(404);
});

test('what has changed since, and what was written to, is refused; it is thrown away with a reason', async () => {
  await using files = await openFiles();
  const { rig, dataDir, wait, lineOf } = files;
  const line = await lineOf('INV-1');
  const { key, version, path } = await wait('20261121T050001000-aaaaaa', 'a.csv', [
    line,
    line.replace('INV-1', 'INV-9'),
  ]);
  const nok = await rig.open('nok');
  await nok.get('/queue');
  const refused = await nok.post('/queue/file/confirm', { key, version });
  expect(refused.status).toBe(409);
  expect(refused.text).toContain('Nothing was decided by this file');
  await appendFile(path, '\n');
  expect((await nok.post('/queue/file/confirm', { key, version })).text).toContain(
    'is not as it was dropped',
  );
  expect((await nok.post('/queue/file/discard', { key, note: ' ' })).status).toBe(409);
  expect((await listDropped(dataDir)).length).toBe(1);
  await nok.post('/queue/file/discard', { key, note: 'stale' });
  expect(await listDropped(dataDir)).toEqual([]);
  expect(await rig.store.proposals(['proposed', 'applied'], 99, 9)).toEqual([]);
});
