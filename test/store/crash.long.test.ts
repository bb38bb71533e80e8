import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { openJournal } from '../../src/store/open.ts';
import {
  firstBatchId,
  ingest,
  makeRows,
  readyOf,
  resultRows,
  totalsOf,
} from '../support/journal-fixtures.ts';
import { makeFolder, openingIn } from '../support/sqlite-store.ts';
import { findContradictions } from '../support/store-consistency.ts';
import { startChild } from './child.ts';

const payScript = new URL('pay-until-killed.ts', import.meta.url);
const ingestScript = new URL('ingest-until-killed.ts', import.meta.url);

describe('killed while paying', () => {
  test('every intent and proof that was said to be durable is there, and nothing contradicts itself', async () => {
    await using folder = await makeFolder();
    let said = 0;
    for (const linesBeforeKill of [20, 150, 400]) {
      await using child = startChild(payScript, [folder.path]);
      await child.waitForLines(linesBeforeKill);
      await child.kill();
      said += child.lines.length;
      await using journal = await openJournal(openingIn(folder.path));
      const statuses = new Map((await resultRows(journal)).map((row) => [row.cells.payoutId, row.status]));
      for (const line of child.lines) {
        const [what, payoutId = ''] = line.split(' ');
        expect(what === 'proof' ? ['paid'] : ['submitted', 'paid']).toContain(statuses.get(payoutId));
      }
      expect(findContradictions(`${folder.path}/journal.db`)).toEqual([]);
    }
    expect(said).toBeGreaterThanOrEqual(570);
  });
});

describe('killed while reading a file', () => {
  test.each([1, 15])('after %i chunks the file is read again from the start', async (chunks) => {
    await using folder = await makeFolder();
    await using child = startChild(ingestScript, [folder.path]);
    await child.waitForLines(chunks);
    await child.kill();
    await using journal = await openJournal(openingIn(folder.path));
    expect(await journal.batch(firstBatchId)).toMatchObject({ status: 'ingesting' });
    expect(await readyOf(journal)).toEqual([]);
    const rows = makeRows(50);
    expect(await ingest(journal, rows)).toMatchObject({ rows: 50, totalSatang: totalsOf(rows).totalSatang });
    expect(await readyOf(journal)).toHaveLength(50);
    expect(findContradictions(`${folder.path}/journal.db`)).toEqual([]);
  });

  test.each([
    [0, 'seal'],
    [30, 'seal'],
    [400, 'seal-in-thread'],
  ])('%i ms into the %s, all of it is done or nothing', async (delayMs, seals) => {
    await using folder = await makeFolder();
    await using child = startChild(ingestScript, [folder.path, seals]);
    await child.waitForLines(1);
    // Real time: the moment of the kill is the point.
    await setTimeout(delayMs);
    await child.kill();
    await using journal = await openJournal(openingIn(folder.path));
    const batch = await journal.batch(firstBatchId);
    const totals = (await journal.totals(firstBatchId)).map(({ status, rows }) => [status, rows]);
    expect(totals).toEqual([[batch?.status === 'sealed' ? 'ready' : 'staged', 10_000]]);
    expect(findContradictions(`${folder.path}/journal.db`)).toEqual([]);
    const again = batch?.status === 'sealed' ? batch : await ingest(journal, makeRows(10_000));
    expect(again).toMatchObject({ status: 'sealed', rows: 10_000 });
  });
});
