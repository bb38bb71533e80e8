/** Batches, their payouts, what was sent for them, and the history of each; halts, pauses and sums of payer accounts. */
import type { ColumnType } from 'kysely';
import type {
  AttemptStatus,
  BatchStatus,
  InquiryFinding,
  PayoutCause,
  PayoutStatus,
  ProxyType,
  SettledBy,
} from '../../core/payout.ts';
import type { ReportKind } from '../../core/ports.ts';
import { counted, flag, integer, satang, text } from './column.ts';
import { areAsBefore, areChanged, areGone, question, when } from './condition.ts';
import { isBatchMoving, isErased, isPayoutMoving, isSealed } from './questions.ts';
import { index, indexInOrder, neverChanges, neverGoes, refuses, table, uniqueIndex } from './table.ts';

export const batch = table('batch', {
  columns: {
    batch_id: text().key(),
    sha256: text(),
    file_name: text(),
    company_id: text(),
    payer_account: text(),
    status: text<BatchStatus>(),
    /** Why it is paused, halted or rejected. */
    reason_code: text().orNull(),
    reason: text().orNull(),
    remedy: text().orNull(),
    rows: integer(),
    /** Decimal text: a million amounts of 10^17 pass 2^63. */
    total_satang: text(),
    unreadable_amounts: integer(),
    /** JSON: names of the carried-through columns, in file order. */
    extra_columns: text(),
    started_at_ms: integer(),
    sealed_at_ms: integer().orNull(),
    rested_at_ms: integer().orNull(),
    /** When its file was dropped, or when a person last let it go on: what its age is counted from. */
    age_from_ms: integer().usually(0),
    /** Number of the latest event, of any batch, when it last came to rest. */
    rested_event_seq: integer().usually(0),
    /** The latest event that its reports show, kept by report_of_batch, and the latest that a notice tells of; -1 before any. */
    reported_event_seq: integer().usually(-1),
    noticed_event_seq: integer().usually(-1),
    /** Taken at the seal, and never changed: `BatchSeal.digest`. */
    digest: text().orNull(),
    /** `BatchSeal.versionsDigest`. */
    versions_digest: text().orNull(),
    /** Why all its rows were held at the seal, as another file's; rows that have it as their reason bear its code alone. */
    like_reason: text().orNull(),
    /** When it last came back from an archive. */
    recalled_at_ms: integer().usually(0),
    /** How many people must approve it before it is paid; null where no approval is needed. */
    approval_people: integer<1 | 2>().orNull().oneOf(1, 2),
    approved_digest: text().orNull(),
    approved_payer: text().orNull(),
    /** `ApprovalBound`, of one that needed none at its seal: decimal text, and how many people. */
    approval_bound_satang: text().orNull(),
    approval_bound_people: integer<1 | 2>().orNull().oneOf(1, 2),
    /** Halted because its payer account is, and for no cause of its own: it goes on when that halt is lifted. */
    is_halted_with_payer: flag().usually(0),
  },
  keepsOrder: true,
  indexes: [
    index('batch_open', 'age_from_ms', `status not in ('done', 'rejected')`),
    index(
      'batch_unreported',
      'age_from_ms',
      `status in ('done', 'paused', 'halted') and reported_event_seq < rested_event_seq`,
    ),
    index('batch_rested', 'rested_at_ms'),
  ],
  rules: [
    refuses(
      'batch_digest_never_changes',
      'update of digest',
      'what was sealed is never changed',
      when`old.digest is not null`,
    ),
    refuses(
      'approval_never_lessened',
      'update of approval_people',
      'how many people must approve a batch is never changed',
      when`old.approval_people is not null and ${areChanged('approval_people')}`,
    ),
    refuses(
      'approval_bound_never_changes',
      'update of approval_bound_satang, approval_bound_people',
      'what a batch may come to without an approval is never changed',
      when`old.approval_bound_satang is not null and ${areChanged('approval_bound_satang, approval_bound_people')}`,
    ),
  ],
});

/** Files that the journal knows to be due, recorded after their bytes are safe under a temporary name. */
export const reportsOf = <const Name extends string>(name: Name, batches: string) =>
  table(name, {
    columns: {
      batch_id: text().of(batches),
      kind: text<ReportKind>(),
      /** 0 for the first; counts the updates from 1. */
      number: integer(),
      path: text(),
      temporary_path: text(),
      sha256: text(),
      /** Latest event that the report shows. */
      event_seq: integer(),
      at_ms: integer(),
    },
    key: ['batch_id', 'kind', 'number'],
    consequences: [
      {
        name: `${name}_of_batch`,
        after: 'insert',
        statement: `update ${batches} set reported_event_seq = max(reported_event_seq, new.event_seq) where batch_id = new.batch_id`,
        when: null,
      },
    ],
  });

export const report = reportsOf('report', 'batch');

/** The latest version of a row's instruction. */
const latestVersion = (seq: string): string =>
  `select 1 from instruction_version v where v.payout_seq = ${seq}
    and v.version = (select max(version) from instruction_version where payout_seq = ${seq})`;

const isAmountCorrected = question(
  'is_corrected_to',
  ['integer', 'integer'],
  (seq, amount) => when`exists (${latestVersion(seq)}
    and json_extract(v.instruction, '$.amountSatang') = cast(${amount} as text))`,
);

const isRowCorrected = question(
  'is_corrected_to',
  ['integer', 'text', 'text', 'text', 'text', 'text'],
  (seq, proxyType, proxyNo, payeeName, reference1, reference2) => when`exists (${latestVersion(seq)}
    and json_extract(v.instruction, '$.proxyType') is not distinct from ${proxyType}
    and json_extract(v.instruction, '$.proxyNo') is not distinct from ${proxyNo}
    and json_extract(v.instruction, '$.payeeName') is not distinct from ${payeeName}
    and json_extract(v.instruction, '$.reference1') is not distinct from ${reference1}
    and json_extract(v.instruction, '$.reference2') is not distinct from ${reference2})`,
);

/** The present state of a row. */
export const payout = table('payout', {
  columns: {
    seq: integer().key(),
    batch_id: text().of('batch'),
    row_no: integer(),
    amount_satang: satang().orNull(),
    status: text<PayoutStatus>(),
    /** A set as bits (`holdBits`). */
    holds: integer(),
    reason_code: text().orNull(),
    reason: text().orNull(),
    /** JSON. */
    issues: text().orNull(),
    version: integer(),
    attempt_no: integer(),
    bank_payee_name: text().orNull(),
    bank_payee_name_th: text().orNull(),
    submitted_at_ms: integer().orNull(),
    settled_at_ms: integer().orNull(),
    settled_by: text<SettledBy>().orNull(),
    last_event_seq: integer(),
    /** A set as bits (`holdBits`). `approval` among them: the row was approved as it is; a correction takes that away. */
    accepted_holds: integer().usually(0),
    is_alarm: flag().usually(0),
    is_acknowledged: flag().usually(0),
    /** The amount in the file, of a row that was corrected; null for any other. */
    sealed_satang: satang().orNull(),
  },
  archiving: {
    by: 'seq',
    digested: 'seq, row_no, amount_satang, status, version, attempt_no, settled_at_ms, settled_by',
  },
  indexes: [
    uniqueIndex('payout_in_batch', 'batch_id, row_no'),
    index('payout_ready', 'batch_id, row_no', `status = 'ready'`),
    index('payout_in_doubt', 'seq', `status in ('submitted', 'unresolved')`),
    index('payout_alarm', 'batch_id', 'is_alarm = 1'),
    index('payout_of_account', 'batch_id', 'holds & 24 <> 0'),
  ],
  rules: [
    refuses(
      'payout_amount_never_changes',
      'update of amount_satang',
      'an amount is changed by a correction alone',
      when`${areChanged('amount_satang')} and not ${isAmountCorrected('old.seq', 'new.amount_satang')}`,
    ),
    neverGoes(
      'a payout that was sealed is never removed',
      when`${isSealed('old.batch_id')} and not ${isBatchMoving('old.batch_id')}`,
    ),
  ],
});

/** A row as its file has it; written once. Apart from its state, so that a change of state rewrites few bytes. */
export const payoutRow = table('payout_row', {
  columns: {
    seq: integer().key().of('payout', 'cascade'),
    /** Trimmed; null when the cell is empty. */
    payout_id: text().orNull(),
    line: integer(),
    /** JSON. */
    cells: text(),
    /** JSON. */
    extras: text().orNull(),
    /** Null, with the four that follow, when the row has no instruction. */
    proxy_type: text<ProxyType>().orNull(),
    proxy_no: text().orNull(),
    payee_name: text().orNull(),
    reference1: text().orNull(),
    reference2: text().orNull(),
    /** `computeInstructionDigest`; null when the row has no instruction. */
    digest: text().orNull(),
    /** The salt with which the chain commits to the digest; null without a digest. */
    salt: text().orNull(),
    /** The beginning of its chain after cells, digest and salt were erased; null until then. */
    commitment: text().orNull(),
    /** `computeSimilarKey` of the payoutId; null when there is none. */
    similar_key: text().orNull(),
  },
  archiving: {
    by: 'seq',
    digested: 'seq, payout_id, line, cells, extras, proxy_type, proxy_no, payee_name, digest, salt',
  },
  indexes: [index('payout_row_erased', 'seq', 'commitment is not null')],
  rules: [
    /** A row stays as its file has it, is corrected, validated anew, or erased. */
    neverChanges(
      'a row as its file has it is never changed',
      when`${areChanged('seq, payout_id, similar_key, line')} or old.commitment is not null
        or (new.commitment is null and (${areChanged('cells, extras, digest, salt')}
          or (old.proxy_type is not null and not ${isRowCorrected(
            'old.seq',
            'new.proxy_type',
            'new.proxy_no',
            'new.payee_name',
            'new.reference1',
            'new.reference2',
          )})))
        or (new.commitment is not null and not (new.cells = '[]'
          and ${areGone('extras, proxy_type, proxy_no, payee_name, reference1, reference2, digest, salt')}))`,
    ),
  ],
  consequences: [
    /** A row that was validated anew, or corrected. */
    {
      name: 'payee_of_row',
      after: 'update of proxy_no',
      statement: `insert into payee_place
        select new.proxy_no, amount_satang, seq from payout where seq = new.seq and amount_satang is not null
        on conflict do nothing`,
      when: when`new.proxy_no is not null`,
    },
  ],
});

/**
 * Rows by payoutId: one row for each sealed row that names it. Filled at the seal, in its own order: as an index of
 * payout_row it would slow the reading of a file, whose payoutIds come in any order.
 */
export const payoutPlace = table('payout_place', {
  columns: { payout_id: text(), payout_seq: integer() },
  key: ['payout_id', 'payout_seq'],
});

/** Rows by payee and amount: each sealed row that may be paid. Filled at the seal, in its own order. */
export const payeePlace = table('payee_place', {
  columns: { proxy_no: text(), amount_satang: satang(), payout_seq: integer() },
  key: ['proxy_no', 'amount_satang', 'payout_seq'],
});

/** The payouts that wait for a person, with what they are looked for by: rows of the view payout_listed. */
export const openPayout = table('open_payout', {
  columns: {
    seq: integer().key().of('payout', 'cascade'),
    batch_id: text(),
    status: text<PayoutStatus>(),
    amount_satang: satang().orNull(),
    holds: integer(),
    is_alarm: flag(),
    is_acknowledged: flag(),
    placed_at_ms: integer(),
    payout_id: text().orNull(),
    reference1: text().orNull(),
    reference2: text().orNull(),
    proxy_no: text().orNull(),
    /** The number in the file, of a row without an instruction (`encodeCells`); its name stands among the names. */
    unread_no: text().orNull(),
    /** In small letters, a line each. */
    names: text(),
    /** The code of why it waits: that of its first issue, else that of its reason; empty without one. */
    cause: text(),
  },
  indexes: [
    /** Everything that the sum over causes takes. */
    index(
      'open_payout_by_cause',
      'status, is_alarm, holds, cause, batch_id, is_acknowledged, placed_at_ms, amount_satang',
    ),
  ],
});

/** A version of a row's instruction that came into force after the seal; what was sealed stays beside it. */
export const instructionVersion = table('instruction_version', {
  columns: {
    /** In the order in which they came. */
    id: counted(),
    batch_id: text().of('batch'),
    payout_seq: integer().of('payout'),
    /** Counts the row's versions from 1; the sealed one is 0. */
    version: integer(),
    digest: text(),
    at_ms: integer(),
    /** JSON, of a correction: what it asks for, and what it asked for before; null of a row that asked for nothing. */
    instruction: text().orNull(),
    replaced: text().orNull(),
    salt: text().orNull(),
  },
  archiving: {
    by: 'payout_seq',
    digested: 'id, payout_seq, version, digest, at_ms, instruction, replaced, salt',
  },
  indexes: [uniqueIndex('version_of_instruction', 'payout_seq, version')],
  rules: [
    neverChanges(
      'a version of an instruction is never changed',
      when`not (${isErased('old.payout_seq')} and ${areGone('instruction, replaced, salt')}
        and ${areAsBefore('id, batch_id, payout_seq, version, at_ms')})`,
    ),
    neverGoes('a version of an instruction is never removed', when`not ${isPayoutMoving('old.payout_seq')}`),
  ],
});

const isUsedReference = question(
  'is_used_reference',
  ['text'],
  (transRefNo) => when`exists (select 1 from used_reference where trans_ref_no = ${transRefNo})`,
);

const sent =
  'trans_ref_no, channel_id, term_id, company_id, payer_account, tran_date, tran_time, proxy_type, amount_text, intent_at_ms';
const personal = 'proxy_name, reference1, reference2';

/** One send under a reference, with its identical repetitions: `Attempt`. Sending it again uses exactly what was stored. */
export const attempt = table('attempt', {
  columns: {
    payout_seq: integer().of('payout'),
    attempt_no: integer(),
    status: text<AttemptStatus>(),
    trans_ref_no: text(),
    channel_id: text(),
    term_id: text(),
    company_id: text(),
    payer_account: text(),
    tran_date: text(),
    tran_time: text(),
    proxy_type: text<ProxyType>(),
    proxy_no: text(),
    proxy_name: text().orNull(),
    amount_text: text(),
    reference1: text().orNull(),
    reference2: text().orNull(),
    order_hash: text(),
    intent_at_ms: integer(),
    sends: integer(),
    last_sent_at_ms: integer().orNull(),
    acknowledged: flag(),
    reference_conflict: flag(),
    inquiries: integer(),
    last_inquiry_at_ms: integer().orNull(),
    last_finding: text<InquiryFinding>().orNull(),
    next_inquiry_at_ms: integer().orNull(),
    sys_ref_no: text().orNull(),
    fee_text: text().orNull(),
    last_sent_bank_ms: integer().orNull(),
    refusals: integer().usually(0),
    uncounted_sends: integer().usually(0),
    unproven_refusals: integer().usually(0),
    refusal_code: text().orNull(),
    has_failed_item: flag().usually(0),
  },
  key: ['payout_seq', 'attempt_no'],
  archiving: {
    by: 'payout_seq',
    digested: `payout_seq, attempt_no, status, trans_ref_no, company_id, payer_account, tran_date,
      tran_time, proxy_type, proxy_no, amount_text, order_hash, intent_at_ms, sys_ref_no, fee_text`,
  },
  indexes: [
    // With the day: SQLite without statistics would go through all attempts of a day to find one reference.
    index('attempt_by_trans_ref_no', 'trans_ref_no, tran_date'),
    index('attempt_by_sys_ref_no', 'sys_ref_no', 'sys_ref_no is not null'),
    index('attempt_to_inquire', 'next_inquiry_at_ms', 'next_inquiry_at_ms is not null'),
    index('attempt_to_payee', 'proxy_no, amount_text, intent_at_ms'),
    indexInOrder('attempt_by_tran_date', 'tran_date'),
  ],
  rules: [
    refuses(
      'order_never_changes',
      `update of ${sent}, ${personal}, proxy_no, order_hash`,
      'what an attempt sends is never changed',
      when`not (${isErased('old.payout_seq')} and new.proxy_no = '' and ${areGone(personal)} and ${areAsBefore(sent)})`,
    ),
    refuses(
      'reference_used_once',
      'insert',
      'a reference of an archived batch is not used before the batch is back',
      isUsedReference('new.trans_ref_no'),
    ),
    neverGoes('an attempt is never removed', when`not ${isPayoutMoving('old.payout_seq')}`),
  ],
});

/**
 * One row a (company, payoutId) for ever. It names a payout without a foreign key: dropping a half-read file would have to
 * search every claim.
 */
export const claim = table('claim', {
  columns: {
    company_id: text(),
    /** `computeSimilarKey` of the payoutId; leads the key, so that similar ones are neighbours. */
    similar_key: text(),
    payout_id: text(),
    /** The row that holds it; null when it was given back. */
    payout_seq: integer().orNull(),
    /** Intents ever recorded for the payoutId, over all files. */
    attempts_recorded: integer(),
  },
  key: ['company_id', 'similar_key', 'payout_id'],
  indexes: [index('claim_tried_again', 'company_id, payout_id', 'attempts_recorded > 1')],
  rules: [neverGoes('a claim is never removed')],
});

/** Append-only: the database itself refuses to change or remove one. */
export const event = table('event', {
  columns: {
    seq: integer().key(),
    payout_seq: integer().of('payout'),
    from_status: text<PayoutStatus>(),
    to_status: text<PayoutStatus>(),
    cause: text<PayoutCause>(),
    at_ms: integer(),
    attempt_no: integer(),
    /** JSON. */
    detail: text(),
    /** Over the event and the one before it of its payout. */
    hash: text(),
  },
  archiving: {
    by: 'payout_seq',
    digested: 'seq, payout_seq, from_status, to_status, cause, at_ms, attempt_no, detail, hash',
  },
  indexes: [indexInOrder('event_of_payout', 'payout_seq')],
  rules: [
    neverChanges(
      'an event is never changed',
      when`not (${isErased('old.payout_seq')}
        and ${areAsBefore('seq, payout_seq, from_status, to_status, cause, at_ms, attempt_no, hash')})`,
    ),
    neverGoes('an event is never removed', when`not ${isPayoutMoving('old.payout_seq')}`),
  ],
});

/** The cause of a row, of payout `p`. */
const causeOf = `  coalesce(case when p.status = 'rejected' then json_extract(p.issues, '$[0].code') end, p.reason_code, '') as cause`;

/** The view of payouts that lists and searches read: SQLite takes the rows in the order of the payouts. */
const sqliteView = `
create view payout_listed as
select p.seq, p.batch_id, p.status, p.amount_satang, p.holds, p.is_alarm, p.is_acknowledged,
  coalesce(p.submitted_at_ms, (select b.started_at_ms from batch b where b.batch_id = p.batch_id)) as placed_at_ms,
  r.payout_id, r.reference1, r.reference2, r.proxy_no,
  iif(r.proxy_type is null, replace(replace(json_extract(r.cells, '$[2]'), '-', ''), ' ', ''), null) as unread_no,
  lower(concat_ws(char(10), r.payee_name, p.bank_payee_name, p.bank_payee_name_th,
    iif(r.proxy_type is null, json_extract(r.cells, '$[3]'), null))) as names,
${causeOf}
from payout p cross join payout_row r on r.seq = p.seq;`;

/** In byte order `lower` knows the letters of ASCII alone, as SQLite's does. */
export const selectListed = (payouts: string, rows: string): string => `
select p.seq, p.batch_id, p.status, p.amount_satang, p.holds, p.is_alarm, p.is_acknowledged,
  coalesce(p.submitted_at_ms, (select b.started_at_ms from batch b where b.batch_id = p.batch_id)) as placed_at_ms,
  r.payout_id, r.reference1, r.reference2, r.proxy_no,
  case when r.proxy_type is null then replace(replace(json_extract(r.cells, '$[2]'), '-', ''), ' ', '') end as unread_no,
  lower(concat_ws(chr(10), r.payee_name, p.bank_payee_name, p.bank_payee_name_th,
    case when r.proxy_type is null then json_extract(r.cells, '$[3]') end) collate "C") as names,
${causeOf}
from ${payouts} p join ${rows} r on r.seq = p.seq`;

export const listedView = {
  sqlite: sqliteView,
  postgres: `create view payout_listed as ${selectListed('payout', 'payout_row')};`,
};

export const payerHalt = table('payer_halt', {
  columns: {
    company_id: text(),
    payer_account: text(),
    code: text(),
    reason: text(),
    remedy: text(),
    since_ms: integer(),
    /** Null while it is in force. */
    lifted_at_ms: integer().orNull(),
  },
  indexes: [uniqueIndex('payer_halt_in_force', 'company_id, payer_account', 'lifted_at_ms is null')],
});

/** At most one row for a payer account. */
export const payerPause = table('payer_pause', {
  columns: {
    company_id: text(),
    payer_account: text(),
    code: text(),
    reason: text(),
    remedy: text(),
    /** Troubles met one after another; the next pause is longer for each. */
    troubles: integer(),
    /** A transfer met the trouble: only another transfer proves that it is over. */
    is_transfer: flag(),
    since_ms: integer(),
    until_ms: integer(),
  },
  key: ['company_id', 'payer_account'],
});

/** A part of a sum of satang: many of them pass 2^63. The two parts come out as text. */
const part = () => integer<ColumnType<number, bigint | number, bigint>>();

/** Sums of a day: of all of it, of each payee, of each file. */
export const dayUse = table('day_use', {
  columns: {
    company_id: text(),
    date: text(),
    kind: text<'day' | 'payee' | 'file'>().oneOf('day', 'payee', 'file'),
    key: text(),
    rows: integer(),
    high: part(),
    low: part(),
  },
  key: ['company_id', 'date', 'kind', 'key'],
});

/** Payees that rows which have left for an archive have paid. */
export const paidPayee = table('paid_payee', {
  columns: { company_id: text(), proxy_no: text() },
  key: ['company_id', 'proxy_no'],
});
