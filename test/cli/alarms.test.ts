import { describe, expect, test } from 'vitest';
import { describeBatch, describePayout, renderBatch, renderPayout } from '../../src/cli/render-status.ts';
import { makeBatchOf, makeRow, makeTotal } from '../support/report-fixtures.ts';

const row = makeRow({ isAlarm: true, reasonCode: 'paid-twice', reason: 'two transfers were made' });
const batch = makeBatchOf([row]);
const history = { row, batch, attempts: [], events: [] };
const totals = [{ ...makeTotal('paid'), alarmRows: 1 }];

describe('an alarm', () => {
  test('is told with its batch', () => {
    expect(renderBatch(batch, totals, [])).toContain('ALARM: 1 rows contradict');
    expect(describeBatch(batch, totals, [])).toMatchObject({ alarms: 1 });
    expect(renderBatch(batch, [makeTotal('paid')], [])).not.toContain('ALARM');
  });

  test('is told with its payout, whose remedy is that of the alarm', () => {
    expect(renderPayout(history)).toMatch(/ALARM: .*\n {2}remedy: Two transfers were made/);
    expect(describePayout(history)).toMatchObject({
      isAlarm: true,
      remedy: expect.stringContaining('return one') as string,
    });
    expect(renderPayout({ ...history, row: makeRow() })).not.toContain('ALARM');
  });
});
