/** A day of payouts paid at the sandbox bank over HTTP, some with faults, and its statement fetched and matched. */
import { inEnglish } from '../../src/core/message.ts';
import type { Session } from '../../src/app/session.ts';
import { openReconciler } from '../../src/app/reconciler.ts';
import { silentLogger } from '../../src/platform/log.ts';
import { header, makeRehearsal, type Rehearsal, type RehearsalSettings } from '../support/rehearsal.ts';

/** The day of a rehearsal, YYYYMMDD. */
export const date = '20261121';
export const never = new AbortController().signal;

/** Row numbers with a fate of their own, by the row's amount. */
export const fates = {
  /** In doubt, and the bank has completed it. */
  stuckPaid: 11,
  /** In doubt, and the bank has failed it. */
  stuckFailed: 12,
  /** Refused in so many words, and completed all the same. */
  deniedPaid: 13,
} as const;

const amountOf = (row: number): string => `${1_000 + row}.25`;

const behaviours = [
  { match: { amount: amountOf(fates.stuckPaid) }, money: 'stuck' },
  { match: { amount: amountOf(fates.stuckFailed) }, money: 'stuck' },
  { match: { amount: amountOf(fates.deniedPaid) }, money: 'fails', code: 'EM003' },
];

/** Names the line of a row in an edit of the statement. */
export const of = (row: number) => ({ match: { reference1: `INV${row}` } });

/** What the bank says in the end of those that are in doubt. */
export const settled = [
  { edit: 'alter', ...of(fates.stuckPaid), columns: { STATUS: '010004', 'REASON CODE': 'IC000' } },
  { edit: 'alter', ...of(fates.stuckFailed), columns: { STATUS: '030003', 'REASON CODE': 'EM003' } },
];

function csvOf(rows: number): string {
  const lines = Array.from(
    { length: rows },
    (_, place) =>
      `P${place + 1},MSISDN,08${String(10_000_000 + place)},,${amountOf(place + 1)},INV${place + 1},`,
  );
  return `${[header, ...lines].join('\n')}\n`;
}

/** Pays so many rows. @param statement what the bank's statement is like */
export async function openPaidDay(statement: object, rows: number): Promise<Rehearsal> {
  const sandbox = { behaviours, statement: { today: true, ...statement } };
  const settings: RehearsalSettings = {
    sandbox,
    transfer: { concurrency: 16 },
    verify: { enabled: false },
  };
  const rehearsal = await makeRehearsal(settings);
  await rehearsal.run(csvOf(rows), { waitMs: 1_500 });
  return rehearsal;
}

export async function openDesk(sender: Session) {
  return openReconciler({ ...sender, log: silentLogger });
}

/** @throws Error when there is no statement, or it is refused */
export async function fetchAndReconcile(sender: Session) {
  const desk = await openDesk(sender);
  const fetched = await desk.fetch(date, never);
  if (fetched.kind !== 'fetched') throw new Error(JSON.stringify(fetched));
  const done = await desk.reconcile(fetched.source, never);
  if (done.kind !== 'reconciled') throw new Error(inEnglish(done.refusal.message));
  return done;
}
