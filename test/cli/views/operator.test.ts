/** What an operator reads of his own commands. */
import { expect, test } from 'vitest';
import { inWords } from '../../support/in-words.ts';
import { verbatim } from '../../../src/core/message.ts';
import { showChange } from '../../../src/cli/operator.ts';
import { showSettled } from '../../../src/cli/settle.ts';

const isOpen = 'The halt or pause of its payer account is lifted.';

test.each([
  ['resume', { rowsChanged: 1, refusals: [] }, ['1 row released.']],
  ['resume', { rowsChanged: 0, refusals: [], isLineOpened: true }, ['0 rows released.', isOpen]],
  [
    'cancel',
    { rowsChanged: 2, refusals: [verbatim('row 3 is paid')] },
    ['2 rows cancelled.', 'row 3 is paid'],
  ],
  ['retry', { rowsChanged: 2, refusals: [] }, ['2 rows tried again.']],
] as const)('%s %j', (verb, outcome, lines) => {
  const { text, json } = showChange(verb, 'P-1', outcome);
  expect(text.split('\n')).toEqual(lines);
  const { rowsChanged, refusals } = outcome;
  expect(json).toMatchObject({ target: 'P-1', rowsChanged, refusals: inWords(refusals) });
});

test.each([
  ['resume', { rowsChanged: 1, refusals: [] }, ['P-1: 1 row released.']],
  ['cancel', { rowsChanged: 0, refusals: [verbatim('row 3 is paid')] }, ['P-1: row 3 is paid']],
  [
    'retry',
    { rowsChanged: 1, refusals: [verbatim('row 3 is paid')] },
    ['P-1: 1 row tried again.', '  row 3 is paid'],
  ],
] as const)('%s %j, one of several', (verb, change, lines) => {
  expect(showChange(verb, 'P-1', change, true).text.split('\n')).toEqual(lines);
});

const outcome = {
  asked: 3,
  answers: 2,
  settled: 2,
  ended: ['4K7Q2M9XWD'],
  left: [],
  inDoubt: 1,
  alarms: 1,
  files: ['/outbox/a.csv'],
};

test('what was settled, for an operator and for a program', () => {
  const { text, json } = showSettled(outcome, 60);
  expect(text).toBe(`Inquired about 3 rows: 2 settled, 1 still in doubt.
1 row bears an alarm: see "paydrop list --alarms".
Batch 4K7Q2M9XWD is done: nothing of it is left to send or to ask.
/outbox/a.csv`);
  expect(JSON.stringify(json)).toBe(
    '{"asked":3,"told":2,"settled":2,"inDoubt":1,"alarms":1,"ended":["4K7Q2M9XWD"],"left":[],"files":["/outbox/a.csv"],"askedBy":null,"unasked":null}',
  );
});

test('a batch that has come to rest with rows in doubt is not called done', () => {
  const left = [{ batchId: '4K7Q2M9XWD', rows: 1 }];
  const { text } = showSettled({ ...outcome, alarms: 0, files: [], left }, 60);
  expect(text).toBe(`Inquired about 3 rows: 2 settled, 1 still in doubt.
Batch 4K7Q2M9XWD has come to rest, and 1 row stays in doubt: "paydrop status 4K7Q2M9XWD" says what settles it.`);
});

test('whoever has asked in our place is named', () => {
  const beside = {
    ...outcome,
    ended: [],
    left: [],
    alarms: 0,
    files: [],
    askedBy: '"paydrop watch" (process 7)',
    unasked: 2,
  };
  expect(showSettled(beside, 60).text)
    .toBe(`"paydrop watch" (process 7) is the process that sends: it asked the bank.
Inquired about 3 rows: 2 settled, 1 still in doubt.
2 rows were not asked about for 60 s: look again later.`);
});

test('a bank that tells nothing is said to', () => {
  const silent = { asked: 2, answers: 0, settled: 0, ended: [], left: [], inDoubt: 2, alarms: 0, files: [] };
  expect(showSettled(silent, 1.5).text).toBe(
    'Inquired about 2 rows: 0 settled, 2 still in doubt.\nThe bank told nothing for 1.5 s: run "paydrop settle" again later.',
  );
});

test('that nothing is in doubt is said in words', () => {
  const none = { asked: 0, answers: 0, settled: 0, ended: [], left: [], inDoubt: 0, alarms: 0, files: [] };
  expect(showSettled(none, 60).text).toBe('Nothing is in doubt.');
});
