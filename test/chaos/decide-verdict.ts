/** What was decided against what was done: in the journal, at the bank, and by what everybody was told. */
import { DatabaseSync } from 'node:sqlite';
import { causeOf, isPayoutDecision, payoutDecisions } from '../../src/review/rules/terms.ts';
import type { Ledger } from '../../src/sandbox/book.ts';
import { findPaidTwice } from '../end-to-end/as-bank.ts';
import { findContradictions } from '../support/store-consistency.ts';
import type { Told } from './decide-worker.ts';

/** By decision and end of its items. */
type Tally = Readonly<Record<string, number>>;

export interface Verdict {
  readonly complaints: readonly string[];
  readonly tally: Tally;
  /** Items that were applied, or refused with a reason. */
  readonly decided: number;
  readonly proposals: number;
  readonly paid: number;
}

const questions: Readonly<Record<string, string>> = {
  'a proposal that was approved and is not applied':
    "select proposal_id from proposal where status = 'approved'",
  'an item that is open, though nobody is to decide on it any more': `
    select i.proposal_id, i.item_no from proposal_item i join proposal p using (proposal_id)
    where i.status = 'open' and p.status <> 'proposed'`,
  'an item that was refused without a reason': `
    select proposal_id, item_no from proposal_item where status = 'refused' and coalesce(why, '') = ''`,
  'somebody has checked his own': `
    select proposal_id from proposal where status in ('approved', 'applied', 'stale') and people = 2
      and (maker_id is null or checker_id is null or maker_id = checker_id)`,
  'what needs two was decided by one': `
    select proposal_id from proposal where people = 1
      and decision not in ('cancel', 'acknowledge', 'cancel-batch', 'halt-payer')`,
  'a row that waits to be sent, though nobody keeps it': `
    select seq from payout where status in ('ready', 'submitted')`,
};

/** One event for each item that was applied, none for any other. */
function judgeItems(db: DatabaseSync): string[] {
  const causes = payoutDecisions
    .map((decision) => `when '${decision}' then '${causeOf[decision]}'`)
    .join(' ');
  const wrong = db.prepare(`
    with made as (
      select json_extract(detail, '$.proposal') proposal_id, payout_seq, cause, count(*) times
      from event where json_extract(detail, '$.proposal') is not null group by 1, 2, 3)
    select i.proposal_id, i.item_no, i.status, coalesce(m.times, 0) times
    from proposal_item i join proposal p using (proposal_id)
    left join made m on m.proposal_id = i.proposal_id and m.payout_seq = cast(i.key as integer)
      and m.cause = case p.decision ${causes} end
    where i.kind = 'payout' and coalesce(m.times, 0) <> (i.status = 'applied')`);
  const stray = db.prepare(`
    select e.seq from event e where json_extract(e.detail, '$.proposal') is not null and not exists (
      select 1 from proposal_item i where i.kind = 'payout' and i.status = 'applied'
        and i.proposal_id = json_extract(e.detail, '$.proposal') and cast(i.key as integer) = e.payout_seq)`);
  return [
    ...wrong.all().map((one) => `an item and its changes do not agree: ${JSON.stringify(one)}`),
    ...stray.all().map((one) => `a change that nobody decided: ${JSON.stringify(one)}`),
  ];
}

/** What the shells were told is what stands there. */
function judgeTold(db: DatabaseSync, told: readonly Told[]): string[] {
  const count = db.prepare('select count(*) times from proposal_item where proposal_id = ? and status = ?');
  return told.flatMap(({ proposalId, applied, refused }) => {
    const found = ['applied', 'refused'].map((status) => Number(count.get(proposalId, status)?.['times']));
    const isSo = found[0] === applied && found[1] === refused;
    return isSo
      ? []
      : [`told of proposal ${proposalId}: ${applied} and ${refused}, and it is ${found.join(' and ')}`];
  });
}

function judgeLedger(db: DatabaseSync, { entries }: Ledger): string[] {
  const twice = new Map<string, number>();
  for (const { reference1, status } of entries)
    if (status === '010004') twice.set(reference1, (twice.get(reference1) ?? 0) + 1);
  const paid = db
    .prepare(
      `
    select a.trans_ref_no reference, a.amount_text amount from payout p join attempt a on a.payout_seq = p.seq and a.status = 'paid'
    where p.status = 'paid'`,
    )
    .all();
  const ours = new Set(paid.map(({ reference, amount }) => `${String(reference)} ${String(amount)}`));
  const theirs = entries.filter(({ status }) => status === '010004');
  const unknown = theirs.filter(({ transRefNo, amount }) => !ours.has(`${transRefNo} ${amount}`));
  return [
    ...[...twice].filter(([, times]) => times > 1).map(([reference]) => `${reference} is paid twice`),
    ...unknown.map(({ transRefNo }) => `the bank has paid ${transRefNo}, and the journal does not say so`),
    ...(ours.size === theirs.length ? [] : [`${ours.size} rows are paid, and ${theirs.length} by the bank`]),
  ];
}

export function judgeDecisions(path: string, ledger: Ledger, told: readonly Told[]): Verdict {
  using db = new DatabaseSync(path, { readOnly: true });
  const asked = Object.entries(questions).flatMap(([what, text]) => {
    const found = db.prepare(text).all();
    return found.length === 0 ? [] : [`${what}: ${found.length}, first ${JSON.stringify(found[0])}`];
  });
  const counts = db
    .prepare(
      'select p.decision, i.status, count(*) times from proposal_item i join proposal p using (proposal_id) group by 1, 2',
    )
    .all();
  const tally = Object.fromEntries(
    counts.map(({ decision, status, times }) => [`${String(decision)} ${String(status)}`, Number(times)]),
  );
  const decided = counts
    .filter(({ decision, status }) => isPayoutDecision(String(decision)) && status !== 'open')
    .reduce((sum, { times }) => sum + Number(times), 0);
  const complaints = [
    ...asked,
    ...judgeItems(db),
    ...judgeTold(db, told),
    ...judgeLedger(db, ledger),
    ...findPaidTwice(ledger).map((one) => `paid twice: ${one}`),
    ...findContradictions(path),
  ];
  const proposals = Number(db.prepare('select count(*) times from proposal').get()?.['times']);
  const paid = Number(db.prepare("select count(*) times from payout where status = 'paid'").get()?.['times']);
  return { complaints, tally, decided, proposals, paid };
}
