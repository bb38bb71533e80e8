/** The view `payout_listed`: what payouts are looked for by, of all of them. */

/** SQLite takes the rows in the order of the payouts. */
const sqliteView = `
create view payout_listed as
select p.seq, p.batch_id, p.status, p.amount_satang, p.holds, p.is_alarm, p.is_acknowledged,
  coalesce(p.submitted_at_ms, (select b.started_at_ms from batch b where b.batch_id = p.batch_id)) as placed_at_ms,
  r.payout_id, r.reference1, r.reference2, r.proxy_no,
  iif(r.proxy_type is null, replace(replace(json_extract(r.cells, '$[2]'), '-', ''), ' ', ''), null) as unread_no,
  lower(concat_ws(char(10), r.payee_name, p.bank_payee_name, p.bank_payee_name_th,
    iif(r.proxy_type is null, json_extract(r.cells, '$[3]'), null))) as names
from payout p cross join payout_row r on r.seq = p.seq;`;

/** In byte order `lower` knows the letters of ASCII alone, as SQLite's does. */
export const selectListed = (payout: string, payoutRow: string): string => `
select p.seq, p.batch_id, p.status, p.amount_satang, p.holds, p.is_alarm, p.is_acknowledged,
  coalesce(p.submitted_at_ms, (select b.started_at_ms from batch b where b.batch_id = p.batch_id)) as placed_at_ms,
  r.payout_id, r.reference1, r.reference2, r.proxy_no,
  case when r.proxy_type is null then replace(replace(json_extract(r.cells, '$[2]'), '-', ''), ' ', '') end as unread_no,
  lower(concat_ws(chr(10), r.payee_name, p.bank_payee_name, p.bank_payee_name_th,
    case when r.proxy_type is null then json_extract(r.cells, '$[3]') end) collate "C") as names
from ${payout} p join ${payoutRow} r on r.seq = p.seq`;

export const listedView = {
  sqlite: sqliteView,
  postgres: `create view payout_listed as ${selectListed('payout', 'payout_row')};`,
};
