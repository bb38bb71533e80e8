/** What `settle` prints. */
import type { SettleOutcome } from '../../app/settle.ts';
import type { Shown } from './shown.ts';

/** @param wait seconds after which it gave up */
export function showSettled(outcome: SettleOutcome, wait: number): Shown {
  const { asked, told, inDoubt, alarms, ended, files } = outcome;
  const settled = Math.max(0, asked - inDoubt);
  const isSilent = asked > 0 && told === 0;
  const lines = [
    `Inquired about ${asked}: ${settled} settled, ${inDoubt} still in doubt.`,
    ...(isSilent ? [`The bank told nothing for ${wait} s: run "paydrop settle" again later.`] : []),
    ...(alarms === 0 ? [] : [`${alarms} rows bear an alarm: look at the exceptions of their batches.`]),
    ...ended.map((batchId) => `Batch ${batchId} is done: nothing of it is left to send or to ask.`),
    ...files,
  ];
  return { json: { asked, told, settled, inDoubt, alarms, ended, files }, text: lines.join('\n') };
}
