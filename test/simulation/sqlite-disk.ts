/** The real journal as the disk of a run, for bugs that are in the journal itself; slower by far. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { formatBaht, toSatang } from '../../src/core/money.ts';
import { auditJournal } from '../../src/evidence/audit.ts';
import { openAuditOf } from '../../src/store/evidence/audit.ts';
import { openJournal } from '../../src/store/open.ts';
import { decodeHolds } from '../../src/store/schema.ts';
import { findContradictions } from '../support/store-consistency.ts';
import type { DiskView, SeenAttempt, SeenEvent } from './disk-view.ts';
import type { SeenItem, SeenProposal } from './decisions/judge.ts';
import type { SimulatedDisk } from './memory/disk.ts';
import { company } from './process.ts';

const orderColumns =
  'a.trans_ref_no transRefNo, a.channel_id channelId, a.term_id termId, a.company_id companyId, ' +
  'a.payer_account payerAccount, a.tran_date tranDate, a.tran_time tranTime, a.proxy_type proxyType, ' +
  'a.proxy_no proxyNo, a.proxy_name proxyName, a.amount_text amountText, a.reference1, a.reference2';

/** What the file shows through a connection of its own. */
export function makeView(db: DatabaseSync): DiskView {
  const attempts = db.prepare(
    `select ${orderColumns}, payout_seq seq, attempt_no attemptNo, status, sends, intent_at_ms intentAtMs, acknowledged,
       reference_conflict referenceConflict, last_finding lastFinding
     from attempt a where trans_ref_no = ? order by attempt_no`,
  );
  const row = db.prepare(
    `select p.seq, p.batch_id batchId, p.status, p.attempt_no attemptNo, p.holds, cast(p.amount_satang as text) amount, r.proxy_no proxyNo,
       r.payout_id payoutId, p.is_alarm isAlarm
     from payout p join payout_row r on r.seq = p.seq where p.seq = ?`,
  );
  const references = db.prepare(
    'select distinct trans_ref_no reference from attempt where payout_seq = ? order by 1',
  );
  const open = db.prepare(
    `select 1 from payout p join batch b on b.batch_id = p.batch_id
     where p.seq = ? and b.status = 'running' and not exists (select 1 from payer_halt s
       where s.company_id = b.company_id and s.payer_account = b.payer_account and s.lifted_at_ms is null)`,
  );
  const events = db.prepare(
    'select seq, payout_seq payoutSeq, from_status "from", to_status "to", cause, detail from event where seq > ? order by seq',
  );
  const resumes = db.prepare(
    `select count(*) count from proposal p join proposal_item i using (proposal_id)
     where p.decision = 'resume-payer' and i.status = 'applied'`,
  );
  const halts = db.prepare(
    `select batch_id id, case when status <> 'halted' then 'nothing' when is_halted_with_payer = 1 then 'payer'
       else 'own' end halt from batch`,
  );
  return {
    attempts: (transRefNo) =>
      attempts.all(transRefNo).map((found) => showAttempt(found as unknown as ShownAttempt)),
    row: (seq) => {
      const { amount, holds, isAlarm, ...shown } = row.get(seq) as unknown as Shown;
      const made = references.all(seq).map(({ reference }) => String(reference));
      const amountText = amount === null ? '' : formatBaht(toSatang(BigInt(amount)));
      return {
        ...shown,
        amountText,
        references: made,
        isAlarm: isAlarm === 1,
        holds: decodeHolds(holds),
      };
    },
    isOpen: (seq) => open.get(seq) !== undefined,
    proposal: (proposalId) => showProposal(db, proposalId),
    proposals: () =>
      db
        .prepare('select proposal_id id from proposal order by proposal_id')
        .all()
        .flatMap(({ id }) => showProposal(db, Number(id)) ?? []),
    resumes: () => ({
      resumes: Number(resumes.get()?.['count']),
      halts: new Map(halts.all().map(({ id, halt }) => [String(id), halt as 'own' | 'payer' | 'nothing'])),
    }),
    eventsAfter: (seq) => events.all(seq) as unknown as readonly SeenEvent[],
  };
}

function showAttempt(found: ShownAttempt): SeenAttempt {
  const {
    seq,
    attemptNo,
    status,
    sends,
    intentAtMs,
    acknowledged,
    referenceConflict,
    lastFinding,
    ...order
  } = found;
  const known = { acknowledged: acknowledged === 1, referenceConflict: referenceConflict === 1, lastFinding };
  return { seq, attemptNo, status, sends, intentAtMs, ...known, order: { ...order } };
}

function showProposal(db: DatabaseSync, proposalId: number): SeenProposal | undefined {
  const proposal = db
    .prepare(
      `select proposal_id proposalId, decision, status, people, maker_id makerId, checker_id checkerId
       from proposal where proposal_id = ?`,
    )
    .get(proposalId) as unknown as Omit<SeenProposal, 'items'> | undefined;
  const items = db
    .prepare(
      'select item_no itemNo, kind, key, version, status, correction from proposal_item where proposal_id = ? order by item_no',
    )
    .all(proposalId)
    .map(({ correction, ...item }) => ({
      ...(item as unknown as Omit<SeenItem, 'correction'>),
      ...(correction === null ? {} : { correction: JSON.parse(String(correction)) }),
    }));
  return proposal && { ...proposal, items };
}

type Shown = Omit<ReturnType<DiskView['row']>, 'holds' | 'isAlarm'> & {
  readonly isAlarm: number;
  readonly amount: string | null;
  readonly holds: number;
};

type ShownAttempt = Omit<SeenAttempt, 'order' | 'acknowledged' | 'referenceConflict'> &
  SeenAttempt['order'] & { readonly acknowledged: number; readonly referenceConflict: number };

/** What the audit finds: nothing, whatever has happened. */
async function auditFile(path: string): Promise<string[]> {
  await using reader = await openAuditOf(path);
  const { journalId } = reader;
  const { parts } = await auditJournal(reader, {
    journalId,
    outside: [],
    findEvidenceFault: () => undefined,
  });
  return parts.flatMap(({ findings }) => findings.map(({ place, why }) => `audit: ${place}: ${why}`));
}

export async function makeSqliteDisk(): Promise<SimulatedDisk> {
  const dataDir = await mkdtemp(join(tmpdir(), 'paydrop-simulation-'));
  const path = join(dataDir, 'journal.db');
  const stamp = { bankAddress: 'https://bank.example', companyId: company.companyId, isSandbox: false };
  const journal = await openJournal({ dataDir, stamp, access: 'own', nowMs: 0 });
  const db = new DatabaseSync(path, { readOnly: true });
  return {
    journal,
    onWritten: () => {},
    view: makeView(db),
    findContradictions: async () => [...findContradictions(path), ...(await auditFile(path))],
    close: async () => {
      db.close();
      await journal[Symbol.asyncDispose]();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
