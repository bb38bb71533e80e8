/** An approval of rows that another hold keeps back: each sentence names what is sent and what stays, summed from the rows. */
import { expect, test } from 'vitest';
import { showBaht } from '../../src/core/figures.ts';
import { inEnglish } from '../../src/core/message.ts';
import { sumSatang, toSatang, zeroSatang } from '../../src/core/money.ts';
import type { ResultRow } from '../../src/core/ports.ts';
import type { ReviewContext } from '../../src/review/context.ts';
import { check } from '../../src/review/review.ts';
import { describeProposed, heldOf, paidOf } from '../../src/review/rules/proposal-figures.ts';
import { headlineOf } from '../../src/review/web/figures-panel.ts';
import { payer } from '../support/core-fixtures.ts';
import { ingest, makeRow, makeRows, resultRows } from '../support/journal-fixtures.ts';
import { propose } from '../support/review.ts';
import { openTheatre } from '../support/theatre.ts';

const approval = { when: 'always', aboveSatang: zeroSatang, people: 2 } as const;
const boon = { personId: 1, name: 'Boon' };
const nok = { personId: 2, name: 'Nok' };

const sumOf = (rows: readonly ResultRow[]) =>
  sumSatang(rows.map(({ amountSatang }) => toSatang(amountSatang ?? 0n)));

test.each([
  ['several', ['name', 'limit', 'similar'] as const],
  ['one', ['name'] as const],
])('of %s, it says what is paid and what stays held', async (_, kept) => {
  await using theatre = await openTheatre();
  const { journal } = theatre;
  const held = kept.map((hold, place) => makeRow(11 + place, { holds: [hold] }));
  const { batchId } = await ingest(journal, [...makeRows(4), ...held], { approval });
  const { version = '' } = (await journal.approvalOf(batchId)) ?? {};
  const context: ReviewContext = {
    journal,
    clock: theatre.time,
    rules: { payoutSatangMax: null },
    payerAccount: payer.payerAccount,
    people: 2,
    expireDays: 7,
  };
  const targets = [{ kind: 'batch', key: batchId, version }] as const;
  const proposed = await propose(
    context,
    { decision: 'approve-batch', targets, note: 'seen', evidence: null },
    boon,
  );
  if (proposed.kind !== 'waiting') throw new Error('it waits for its checker');
  const { proposal } = proposed;
  await check(context, proposal.proposalId, 'approve', nok);
  await theatre.run(batchId);
  const rows = await resultRows(journal, batchId);
  const [paid, stays] = (['paid', 'held'] as const).map((status) =>
    rows.filter((row) => row.status === status),
  );
  if (paid === undefined || stays === undefined) throw new Error('there are both');
  expect(theatre.sent).toHaveLength(4);
  expect(paidOf(proposal)).toMatchObject({ rows: paid.length, amountSatang: sumOf(paid) });
  expect(heldOf(proposal.figures)).toEqual({ rows: stays.length, amountSatang: sumOf(stays) });
  // The approval, and its signature, cover all of them.
  expect(proposal.totalSatang).toBe(sumOf(rows));
  const [all, those, stay] = [rows, paid, stays].map(
    (some) => `${some.length} payout${some.length === 1 ? '' : 's'}, ${showBaht(sumOf(some))} baht`,
  );
  const verb = stays.length === 1 ? 'stays' : 'stay';
  expect(inEnglish(describeProposed(proposal))).toBe(`${all}, of which ${stay} ${verb} held`);
  expect(inEnglish(headlineOf(proposal))).toBe(
    `Approve ${all}: pay ${those} from ••5924; ${stay} ${verb} held`,
  );
});
