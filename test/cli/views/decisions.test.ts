/** What is shown of proposals. */
import { expect, test } from 'vitest';
import { showProposal } from '../../../src/cli/views/decisions.ts';
import { nothingCounted, sumFigures } from '../../../src/review/rules/proposal-figures.ts';
import { noonMs } from '../../support/journal-fixtures.ts';

test('a corrected number is masked on the screen and as JSON, and nothing tells it by trial', () => {
  const proposal = {
    proposalId: 7,
    decision: 'retry-corrected',
    figures: sumFigures([nothingCounted]),
    status: 'proposed',
    makerId: 1,
    maker: 'mali',
    people: 2,
    note: 'told by phone',
    evidence: null,
    items: 1,
    totalSatang: 10_000n as never,
    madeAtMs: noonMs,
    expiresAtMs: noonMs + 1,
    digest: 'ab',
    checkerId: null,
    checker: null,
    checkedAtMs: null,
    checkNote: null,
    endedAtMs: null,
  } as const;
  const item = {
    proposalId: 7,
    itemNo: 1,
    kind: 'payout',
    key: '1',
    version: '3',
    status: 'open',
    why: null,
    salt: '0123456789abcdef',
    correction: {
      proxyNo: '0899999999',
      amount: '90.00',
      was: { proxyNo: '0811111111', amount: '80.00', accountNo: null },
    },
  } as const;
  const { text, json } = showProposal({ proposal, items: [{ item, where: 'INV-1 (row 1 of batch A)' }] });
  expect(text).toContain('INV-1 (row 1 of batch A): ******1111 -> ******9999, 80.00 baht -> 90.00 baht');
  const said = JSON.stringify(json);
  expect(said).toContain('{"proxyNo":"******9999","amount":"90.00",');
  expect(said).not.toMatch(/0899999999|0811111111|0123456789abcdef/v);
});
