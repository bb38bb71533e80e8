/** What must hold in the file of a journal at any moment, whatever has happened to its process. */
import { DatabaseSync } from 'node:sqlite';
import { openStatuses } from '../../src/payout/rules/search.ts';
import { findBrokenEvent } from '../../src/review/rules/payout-chain.ts';
import { readChainPage } from '../../src/store/payouts/chain.ts';
import { drive } from '../../src/store/statements.ts';

const contradictions: Readonly<Record<string, string>> = {
  'a payout whose latest event is another, or says another status': `
    select p.seq from payout p left join event e on e.seq = p.last_event_seq
    where p.last_event_seq <> 0 and (e.payout_seq is not p.seq or e.to_status <> p.status)`,
  'a payout with a later event than its latest': `
    select p.seq from payout p join event e on e.payout_seq = p.seq where e.seq > p.last_event_seq`,
  'a sealed payout without an event': `
    select seq from payout where last_event_seq = 0 and status not in ('staged', 'rejected')`,
  'a version that does not count the events': `
    select p.seq from payout p where p.version <> 1 + (select count(*) from event e where e.payout_seq = p.seq)`,
  'a payout that was sent without an attempt': `
    select p.seq from payout p left join attempt a on a.payout_seq = p.seq and a.attempt_no = p.attempt_no
    where p.status in ('submitted', 'paid', 'failed', 'unresolved') and a.attempt_no is null`,
  'an attempt of a payout that was never sent': `
    select a.payout_seq from attempt a join payout p on p.seq = a.payout_seq where p.attempt_no < a.attempt_no`,
  'a claim that is not at the number of the last attempt': `
    select c.payout_id from claim c where c.attempts_recorded <>
      (select coalesce(max(a.attempt_no), 0) from payout_place o join attempt a on a.payout_seq = o.payout_seq
       where o.payout_id = c.payout_id)
    and not exists (select 1 from payout_place o join archived_rows g on o.payout_seq between g.first_seq and g.last_seq
      where o.payout_id = c.payout_id)`,
  'a number that was skipped and not adopted over': `
    select a.payout_seq from attempt a join payout_row r on r.seq = a.payout_seq
    where a.attempt_no > 1 and not exists (
      select 1 from payout_place o join attempt b on b.payout_seq = o.payout_seq
      where o.payout_id = r.payout_id and b.attempt_no = a.attempt_no - 1)
    and not exists (
      select 1 from event e where e.payout_seq = a.payout_seq and e.cause = 'found-after-loss')`,
  'a claim whose holder has given it back': `
    select c.payout_id from claim c join payout p on p.seq = c.payout_seq
    where p.status in ('failed', 'unpayable', 'rejected', 'staged')`,
  'a live payout that does not hold its claim': `
    select p.seq from payout p join payout_row r on r.seq = p.seq left join claim c on c.payout_id = r.payout_id
    where p.status in ('ready', 'held', 'submitted', 'paid') and c.payout_seq is not p.seq`,
  'a staged row in a sealed batch, or another in one that is being read': `
    select p.seq from payout p join batch b on b.batch_id = p.batch_id
    where p.status <> 'rejected' and (p.status = 'staged') <> (b.status = 'ingesting')`,
  'a payout that waits for a person and cannot be found by that, or not as it is': `
    select seq from (
      select l.* from payout_listed l join batch b on b.batch_id = l.batch_id
      where b.sealed_at_ms is not null and (l.is_alarm = 1 or l.status in (${openStatuses.map((one) => `'${one}'`).join(', ')}))
      except select * from open_payout)
    union all select seq from (select * from open_payout except select * from payout_listed)`,
  'a sum of a day that is not what its payouts add up to': `
    with counted as (
      select b.company_id, strftime('%Y%m%d', p.submitted_at_ms / 1000 + 25200, 'unixepoch') as date, p.batch_id,
        r.proxy_no, p.amount_satang, p.accepted_holds
      from payout p join payout_row r on r.seq = p.seq join batch b on b.batch_id = p.batch_id
      where p.status in ('submitted', 'paid', 'unresolved', 'disputed') and p.submitted_at_ms is not null),
    sums as (
      select company_id, date, 'day' as kind, '' as key, amount_satang from counted
      union all select company_id, date, 'payee', proxy_no, amount_satang from counted
      union all select company_id, date, 'file', batch_id, amount_satang from counted where accepted_holds & 256 = 0)
    select company_id, date, kind, key, count(*), sum(amount_satang) from sums
      where (company_id, date) in (select company_id, date from day_use) group by 1, 2, 3, 4
    except select company_id, date, kind, key, rows, high * 1000000000 + low from day_use`,
  'a sum of a day without payouts': `
    select * from day_use u where u.rows > 0 and not exists (
      select 1 from payout p join payout_row r on r.seq = p.seq
      where strftime('%Y%m%d', p.submitted_at_ms / 1000 + 25200, 'unixepoch') = u.date
        and (u.kind = 'day' or u.kind = 'payee' and r.proxy_no = u.key or u.kind = 'file' and p.batch_id = u.key))
    union all select * from day_use where rows = 0 and high * 1000000000 + low <> 0`,
  'a payout that is called open and is not': `
    select seq from open_payout
    where is_alarm = 0 and status not in (${openStatuses.map((one) => `'${one}'`).join(', ')})`,
};

/** Reads every payout of a file with its history, in their order. */
export function* readChains(db: DatabaseSync) {
  for (let afterSeq = 0; ;) {
    const page = drive(db, readChainPage(afterSeq));
    if (page === undefined) return;
    yield* page.chains;
    afterSeq = page.lastSeq;
  }
}

/** Everything in the file that contradicts itself. */
export function findContradictions(path: string): string[] {
  using db = new DatabaseSync(path);
  const found = Object.entries(contradictions).flatMap(([what, statement]) => {
    const rows = db.prepare(statement).all();
    return rows.length === 0 ? [] : [`${what}: ${rows.length}, first ${JSON.stringify(rows[0])}`];
  });
  const damage = [
    ...db.prepare('pragma integrity_check').all(),
    ...db.prepare('pragma foreign_key_check').all(),
  ];
  for (const payout of readChains(db)) {
    const broken = findBrokenEvent(payout);
    if (broken !== undefined) found.push(`event ${broken.seq} of payout ${payout.seq}: ${broken.why}`);
  }
  return [...found, ...damage.map((row) => JSON.stringify(row)).filter((row) => !row.includes('"ok"'))];
}
