/** What `status` says of the machines that work one journal. */
import { expect, test } from 'vitest';
import type { ActiveMachines } from '../../../src/app/status.ts';
import { linesOfMachines } from '../../../src/cli/views/machines.ts';
import { noonMs } from '../../support/report-fixtures.ts';

const owner = (machine: string, pid: number) => ({ machine, pid, command: 'watch', sinceMs: noonMs });
const since = '2026-11-21 14:03:05';

const machines: ActiveMachines = {
  machines: [
    { owner: owner('pay-3', 3), role: 'sender', isThere: false, shards: 1, transfers: 4 },
    { owner: owner('pay-2', 2), role: 'helper', isThere: true, shards: 1, transfers: 1 },
    { owner: owner('pay-1', 1), role: 'sender', isThere: true, shards: 2, transfers: 300 },
  ],
  requestsPerSecond: 19.84,
  left: [{ itemId: 'I', fileName: 'a\u0007.csv', machine: 'pay-3', claimedAtMs: noonMs }],
};

test('names who sends, who helps and who is not heard of, with what each does', () => {
  expect(linesOfMachines(undefined, machines, 20)).toEqual([
    `Sending: "paydrop watch" (process 1 on pay-1, since ${since}), with 2 shards, 300 transfers in the last minute`,
    `Helping: "paydrop watch" (process 2 on pay-2, since ${since}), with 1 shard, 1 transfer in the last minute`,
    `Not heard of: "paydrop watch" (process 3 on pay-3, since ${since})`,
    'Together: 305 transfers in the last minute, 19.8 of 20 requests a second',
    expect.stringMatching(
      /^Not read: a.*\.csv, taken in on pay-3 at 2026-11-21 14:03:05: start the watcher there again/,
    ),
  ]);
});

test('says nothing of requests without a limit, of all together where there is one, and of nobody', () => {
  const [, , first] = machines.machines;
  const alone = { ...machines, machines: first === undefined ? [] : [first], left: [] };
  expect(linesOfMachines(undefined, alone, 20)).toHaveLength(1);
  expect(linesOfMachines(undefined, { ...machines, left: [] }, 0).at(-1)).toBe(
    'Together: 305 transfers in the last minute',
  );
  expect(linesOfMachines(undefined, { ...machines, requestsPerSecond: null, left: [] }, 0.5).at(-1)).toMatch(
    /, 0 of 0\.5 requests a second$/,
  );
  expect(linesOfMachines(undefined, { ...machines, requestsPerSecond: 22.4, left: [] }, 20).at(-1)).toMatch(
    /, 20 of 20 requests a second$/,
  );
  expect(linesOfMachines(undefined, { ...alone, machines: [] }, 0)).toEqual([]);
});

test('names whoever sends on the one machine of a journal in a file', () => {
  const { machine: _none, ...local } = owner('', 7);
  expect(linesOfMachines(local, undefined, 20)).toEqual([
    `Sending: "paydrop watch" (process 7, since ${since})`,
  ]);
  expect(linesOfMachines(undefined, undefined, 20)).toEqual([]);
});
