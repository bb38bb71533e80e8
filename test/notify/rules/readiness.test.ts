/** When a watcher's trouble is told outside: once, after a while, and not each time that it comes and goes. */
import { verbatim } from '../../../src/core/message.ts';
import { expect, test } from 'vitest';
import { beginReadiness, decideReadiness } from '../../../src/notify/rules/readiness.ts';
import type { HealthReason } from '../../../src/watch/rules/health.ts';

const afterMs = 60_000;

const reason = (code: string): HealthReason => ({
  code: code as HealthReason['code'],
  text: verbatim(code),
  remedy: verbatim('wait'),
  command: 'paydrop status',
});

/** Looks every 10 seconds for so long; `said` lists the second and what was told. */
function play(
  spans: readonly (readonly [seconds: number, ...codes: string[]])[],
  told: readonly string[] = [],
) {
  let state = beginReadiness(told, 0);
  let atS = 0;
  const said: string[] = [];
  for (const [seconds, ...codes] of spans)
    for (const untilS = atS + seconds; atS < untilS; atS += 10) {
      const health = { ready: codes.length === 0, reasons: codes.map(reason) };
      const { after, tell } = decideReadiness(state, health, atS * 1_000, afterMs);
      state = after;
      if (tell !== undefined) said.push(`${atS} ${tell}`);
    }
  return said;
}

test.each<[string, Parameters<typeof play>[0], string[], string[]?]>([
  ['nothing while all is well', [[600]], []],
  ['a trouble once it has lasted, once', [[30], [7_200, 'bank']], ['90 not-ready']],
  ['that it is over, once it has lasted', [[120, 'bank'], [600]], ['60 not-ready', '180 ready']],
  ['nothing of a short one', [[50, 'disk'], [600]], []],
  ['nothing of a short end', [[120, 'disk'], [30], [300, 'disk']], ['60 not-ready']],
  [
    'another trouble that joins the first',
    [
      [120, 'bank'],
      [120, 'bank', 'disk'],
    ],
    ['60 not-ready', '180 not-ready'],
  ],
  [
    'nothing when one of two ends',
    [
      [120, 'bank', 'disk'],
      [300, 'bank'],
    ],
    ['60 not-ready'],
  ],
  [
    'one that comes back while another lasts',
    [
      [120, 'bank', 'disk'],
      [120, 'bank'],
      [120, 'bank', 'disk'],
    ],
    ['60 not-ready', '300 not-ready'],
  ],
  [
    'nothing of a start, a standby and a stop',
    [
      [300, 'starting'],
      [300, 'standby'],
      [300, 'stopping'],
    ],
    [],
  ],
  [
    'a pause of sending only when it is long',
    [[590, 'payer-paused'], [60], [700, 'payer-paused']],
    ['1250 not-ready'],
  ],
  [
    'nothing again after a restart',
    [
      [300, 'starting'],
      [300, 'bank'],
    ],
    [],
    ['bank'],
  ],
  ['the end after a restart', [[300, 'starting'], [300]], ['360 ready'], ['bank']],
  [
    'nothing of a short trouble of one that stands by',
    [
      [10, 'starting', 'journal-away'],
      [10, 'standby', 'journal-away'],
      [600, 'standby'],
    ],
    [],
  ],
  [
    'a long trouble of one that stands by, and its end',
    [
      [120, 'standby', 'journal-away'],
      [600, 'standby'],
    ],
    ['60 not-ready', '180 ready'],
  ],
  [
    'the end once it sends, where it had a trouble as it stood by',
    [[120, 'standby', 'journal-away'], [30, 'standby'], [30, 'starting'], [600]],
    ['60 not-ready', '240 ready'],
  ],
  ['nothing of what one that stands by does not look at', [[600, 'standby']], [], ['bank']],
  ['what is new after a restart', [[300, 'bank', 'disk']], ['60 not-ready'], ['bank']],
])('tells %s', (_, spans, said, told) => expect(play(spans, told)).toEqual(said));

test('a trouble that comes and goes is told three times an hour at most', () => {
  const hours = Array.from({ length: 90 }, (): [number, ...string[]][] => [[70, 'bank'], [70]]).flat();
  const said = play(hours);
  const inFirstHour = said.filter((one) => Number(one.split(' ')[0]) < 3_600);
  expect(inFirstHour.filter((one) => one.endsWith('not-ready'))).toHaveLength(3);
  expect(said.length).toBeLessThan(4 * 2 * 3 + 2);
});
