/** A file of a run that somebody goes on writing to, and one that is refused as a whole. */
import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runFile } from '../../src/app/run-file.ts';
import type { Session } from '../../src/app/session.ts';
import { openProgress } from '../../src/cli/views/progress.ts';
import { showOutcome } from '../../src/cli/views/summary.ts';
import { csvOf, rowOf } from '../support/payout-csv.ts';
import { makeRehearsal, type Rehearsal } from '../support/rehearsal.ts';

/** Runs a file of two rows to which a row is added before a step of the journal. */
function runGrowing(rehearsal: Rehearsal, step: 'seal' | 'recordReports') {
  return rehearsal.withSender(async (sender) => {
    const path = join(rehearsal.dataDir, 'a.csv');
    await writeFile(path, csvOf('A', 2));
    const before: Session['journal'] = Object.assign(Object.create(sender.journal) as Session['journal'], {
      [step]: async (...given: never[]) => {
        await appendFile(path, `${rowOf('B1')}\n`);
        return await (sender.journal[step] as (...given: never[]) => Promise<unknown>)(...given);
      },
    });
    const session = { ...sender, journal: before };
    const progress = await openProgress();
    const options = {
      waitMs: 60_000,
      exceptionsOk: false,
      interrupted: new AbortController().signal,
      progress,
    };
    return showOutcome('payouts', session, path, await runFile(session, path, options));
  });
}

test('that grows before anything of it was sent is halted', async () => {
  await using rehearsal = await makeRehearsal();
  const { exitCode, text } = await runGrowing(rehearsal, 'seal');
  expect([exitCode, rehearsal.bank.ledger().totals.count]).toEqual([6, 0]);
  expect(text).toContain('was written to after its 2 rows had been read: nothing of it was sent');
});

test('that grows while it is paid ends with an alarm that names the rows that were not paid', async () => {
  await using rehearsal = await makeRehearsal();
  const { exitCode, text } = await runGrowing(rehearsal, 'recordReports');
  expect([exitCode, rehearsal.bank.ledger().totals.count]).toEqual([3, 2]);
  expect(text).toMatch(
    /ALARM: a\.csv was written to .*: 1 row of 10\.00 baht \(B1\) was added, and not paid\./,
  );
});

test('one that is refused waits for a person, until it is taken corrected', async () => {
  await using rehearsal = await makeRehearsal();
  await rehearsal.withSender(async (session) => {
    const path = join(rehearsal.dataDir, 'a.csv');
    const interrupted = new AbortController().signal;
    const options = { waitMs: 60_000, exceptionsOk: false, interrupted, progress: await openProgress() };
    const refused = async () =>
      (await session.journal.refusedFiles(9)).map(({ fileName, code }) => [fileName, code]);
    await writeFile(path, csvOf('A', 2).replace('payoutId', 'number'));
    expect(await runFile(session, path, options)).toMatchObject({ kind: 'rejected' });
    expect(await refused()).toEqual([['a.csv', expect.stringMatching(/^\w/)]]);
    expect(await runFile(session, `${path}.gone`, options)).toMatchObject({ kind: 'rejected' });
    expect(await refused()).toHaveLength(1);
    await writeFile(path, csvOf('A', 2));
    expect(await runFile(session, path, options)).toMatchObject({ kind: 'rested' });
    expect(await refused()).toEqual([]);
  });
});
