/** Everything that an audit reads, as of one moment: the journal beside whoever sends, and its archives. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { TransferOrder } from '../../core/payout.ts';
import type { AuditReader, AuditSource } from '../../evidence/ports.ts';
import type { KeptAttempt, KeptRow, KeptVersion } from '../../evidence/rules/audit.ts';
import { proposalStatuses } from '../../review/rules/proposal.ts';
import { digestCopy, findArchive, findArchivedRow } from '../archive/move.ts';
import { openArchive, readArchive } from '../archive/archive-file.ts';
import { asRefusal, JournalRefusedError, openReader } from '../connection.ts';
import { readSchemaVersion, schemaVersion } from '../migrations.ts';
import { readLoss } from '../loss.ts';
import { readChain, readChains } from '../payouts/chain.ts';
import { readCountedDays, readDayUse } from '../payouts/day-use.ts';
import { readSealNow } from '../payouts/digests.ts';
import { readRegistrationChains } from '../registration/chain.ts';
import { drive } from '../statements.ts';
import { dayHeadReads, readEventHashes } from './day-heads.ts';
import { personReads } from '../review/people.ts';
import { readNotes } from '../review/queue.ts';
import { proposalReads } from '../review/proposals.ts';

/** What a row asks for and has asked for; amounts as text, which a number cannot hold. */
const rowColumns = `
p.seq as seq, p.batch_id as batchId, p.row_no as rowNo, b.company_id as companyId, cast(p.amount_satang as text) as amountText,
r.payout_id as payoutId, r.proxy_type as proxyType, r.proxy_no as proxyNo, r.payee_name as payeeName,
r.reference1, r.reference2, r.digest, r.salt, r.commitment,
(select json_group_array(e.detail ->> '$.asksFor' order by e.seq) from event e where e.payout_seq = p.seq
 and e.cause in ('corrected', 'tried-again') and e.detail ->> '$.asksFor' is not null) as told,
(select json_group_array(json_object('digest', v.digest, 'salt', v.salt, 'instruction', v.instruction, 'replaced', v.replaced) order by v.version)
 from instruction_version v where v.payout_seq = p.seq) as versions
from payout p join payout_row r on r.seq = p.seq join batch b on b.batch_id = p.batch_id`;

/** 0 for all, or those to which something happened since. */
const since = '(?1 = 0 or p.last_event_seq > ?1)';

const attemptColumns = `
a.attempt_no as attemptNo, a.order_hash as orderHash, a.trans_ref_no, a.channel_id, a.term_id, a.company_id, a.payer_account,
a.tran_date, a.tran_time, a.proxy_type, a.proxy_no, a.proxy_name, a.amount_text, a.reference1 as order_reference1,
a.reference2 as order_reference2,
(select coalesce(e.detail ->> '$.orderHash.sha256', e.detail ->> '$.orderHash') from event e where e.payout_seq = a.payout_seq
 and e.attempt_no = a.attempt_no and e.cause = 'intent-recorded' order by e.seq limit 1) as saidHash`;

type Columns = Readonly<Record<string, string | null>>;

function toRow(columns: Columns): KeptRow {
  const { batchId, companyId, payoutId, amountText, proxyType, proxyNo, payeeName, reference1, reference2 } =
    columns;
  const asks = payoutId !== null && amountText !== null && proxyType !== null;
  const instruction = asks && {
    payoutId,
    proxyType,
    proxyNo,
    payeeName,
    reference1,
    reference2,
    amountSatang: BigInt(amountText ?? ''),
  };
  return {
    seq: Number(columns['seq']),
    batchId: batchId ?? '',
    rowNo: Number(columns['rowNo']),
    companyId: companyId ?? '',
    payoutId: payoutId ?? null,
    instruction: instruction === false ? null : (instruction as KeptRow['instruction']),
    digest: columns['digest'] ?? null,
    salt: columns['salt'] ?? null,
    isErased: columns['commitment'] !== null,
    told: JSON.parse(columns['told'] ?? '[]') as string[],
    versions: JSON.parse(columns['versions'] ?? '[]') as KeptVersion[],
  };
}

function toAttempt(columns: Columns): KeptAttempt {
  const order = {
    transRefNo: columns['trans_ref_no'],
    channelId: columns['channel_id'],
    termId: columns['term_id'],
    companyId: columns['company_id'],
    payerAccount: columns['payer_account'],
    tranDate: columns['tran_date'],
    tranTime: columns['tran_time'],
    proxyType: columns['proxy_type'],
    proxyNo: columns['proxy_no'],
    proxyName: columns['proxy_name'],
    amountText: columns['amount_text'],
    reference1: columns['order_reference1'],
    reference2: columns['order_reference2'],
  } as unknown as TransferOrder;
  const [attemptNo, orderHash] = [Number(columns['attemptNo']), columns['orderHash'] ?? ''];
  return { row: toRow(columns), attemptNo, order, orderHash, saidHash: columns['saidHash'] ?? null };
}

/** @param batchIds those that count: batches that have come back have left their rows in the archive, too */
function makeSource(db: DatabaseSync, batchIds: ReadonlySet<string> | undefined): AuditSource {
  const counts = ({ batchId }: { readonly batchId: string }): boolean => batchIds?.has(batchId) ?? true;
  const iterate = (sql: string, afterSeq: number) =>
    Iterator.from(db.prepare(sql).iterate(afterSeq) as Iterable<unknown> as Iterable<Columns>);
  return {
    chains: (afterSeq) =>
      Iterator.from(readChains(db)).filter(
        (chain) => (afterSeq === 0 || chain.lastEventSeq > afterSeq) && counts(chain),
      ),
    rows: (afterSeq) =>
      iterate(`select ${rowColumns} where ${since} order by p.seq`, afterSeq).map(toRow).filter(counts),
    attempts: (afterSeq) =>
      iterate(
        `select ${attemptColumns}, ${rowColumns} join attempt a on a.payout_seq = p.seq where ${since} order by p.seq`,
        afterSeq,
      )
        .map(toAttempt)
        .filter(({ row }) => counts(row)),
    lostAttempts: (afterSeq) =>
      iterate(
        `select e.attempt_no as attemptNo, ${rowColumns} join event e on e.payout_seq = p.seq and e.cause = 'intent-recorded'
         where ${since} and not exists (select 1 from attempt a where a.payout_seq = p.seq and a.attempt_no = e.attempt_no)
         order by p.seq`,
        afterSeq,
      )
        .map((columns) => ({ row: toRow(columns), attemptNo: Number(columns['attemptNo']) }))
        .filter(({ row }) => counts(row)),
    *seals(afterSeq) {
      const sealed = db.prepare(
        `select batch_id as batchId from batch b where sealed_at_ms is not null and (?1 = 0 or exists (
           select 1 from payout p where p.batch_id = b.batch_id and p.last_event_seq > ?1)) order by sealed_at_ms`,
      );
      for (const { batchId } of sealed.all(afterSeq) as unknown as { readonly batchId: string }[]) {
        const isElsewhere = batchIds === undefined && isArchived(db, batchId);
        if (!isElsewhere && counts({ batchId }))
          yield { batchId, seal: { ...drive(db, readSealNow(batchId)), kept: [] } };
      }
    },
  };
}

const isArchived = (db: DatabaseSync, batchId: string): boolean =>
  db.prepare('select 1 from archived_batch where batch_id = ?').get(batchId) !== undefined;

/** Items are read a thousand at a time. */
const pageSize = 1_000;

function* readPages<Row>(read: (after: Row | undefined) => readonly Row[]): Generator<Row, void> {
  for (let last: Row | undefined; ;) {
    const page = read(last);
    yield* page;
    if (page.length < pageSize) return;
    last = page.at(-1);
  }
}

function readPayout(db: DatabaseSync, seq: number): ReturnType<AuditReader['payout']> {
  const chain = drive(db, readChain(seq));
  const row = db.prepare(`select ${rowColumns} where p.seq = ?`).get(seq) as unknown as Columns | undefined;
  return chain && row && { chain, versions: toRow(row).versions };
}

/** @throws JournalRefusedError for what is no journal, or one of another version */
function openCurrent(path: string): DatabaseSync {
  try {
    const db = openReader(path);
    const version = readSchemaVersion(db);
    if (version === schemaVersion) return db;
    db.close();
    const other = version > schemaVersion ? 'a newer' : 'an older';
    throw new JournalRefusedError(`${path} was written by ${other} paydrop: audit it with that one`);
  } catch (error) {
    throw asRefusal(path, error);
  }
}

/**
 * @param path of the journal's file, or of a backup of it
 * @param folder with its archives
 */
export function openAudit(path: string, folder = dirname(path)): AuditReader {
  const db = openCurrent(path);
  db.exec('begin');
  const named = db.prepare(
    'select archive, batch_id as batchId, digest, latest_event_seq as seq from archived_batch',
  );
  const archives = Map.groupBy(
    named.all() as unknown as { archive: string; batchId: string; digest: string; seq: number }[],
    ({ archive }) => archive,
  );
  return {
    journal: makeSource(db, undefined),
    registrations: () => readRegistrationChains(db),
    archives: [...archives].map(([name, batches]) => {
      const archivePath = join(folder, name);
      return {
        name,
        isThere: existsSync(archivePath),
        latestEventSeq: Math.max(...batches.map(({ seq }) => seq)),
        digests: () =>
          Iterator.from(batches).map(({ batchId, digest }) => ({
            batchId,
            isSame: digestCopy(archivePath, batchId) === digest,
          })),
        read: (use) => {
          using opened = openArchive(archivePath);
          use(makeSource(opened, new Set(batches.map(({ batchId }) => batchId))));
        },
      };
    }),
    loss: drive(db, readLoss()),
    payout: (seq) => {
      const archived = findArchivedRow(db, seq);
      if (archived === undefined) return readPayout(db, seq);
      const found = drive(db, findArchive(path, archived.batchId));
      return found && readArchive(found.path, (opened) => readPayout(opened, seq));
    },
    proposalsAbout: (payouts, batchIds) => {
      const about = db.prepare(
        `select distinct proposal_id as id from proposal_item where (kind = 'payout' and key in (select value from json_each(?)))
           or (kind = 'batch' and key in (select value from json_each(?))) order by 1`,
      );
      const ids = about.all(JSON.stringify(payouts), JSON.stringify(batchIds)).map(({ id }) => Number(id));
      return ids.flatMap((id) => drive(db, proposalReads.proposal(id)) ?? []);
    },
    journalId: String(db.prepare(`select value from meta where key = 'journalId'`).get()?.['value']),
    notes: () => readPages((last) => drive(db, readNotes(last?.seq ?? 0, pageSize))),
    *dayUses() {
      for (const day of drive(db, readCountedDays())) yield drive(db, readDayUse(day));
    },
    people: () => drive(db, personReads.persons()).people,
    personEvents: () => readPages((last) => drive(db, personReads.personEvents(last?.seq ?? 0, pageSize))),
    proposals: () =>
      readPages((last) =>
        drive(
          db,
          proposalReads.proposals(proposalStatuses, last?.proposalId ?? Number.MAX_SAFE_INTEGER, pageSize),
        ),
      ),
    proposalEvents: () =>
      readPages((last) => drive(db, proposalReads.proposalEvents(last?.seq ?? 0, pageSize))),
    itemsOf: (proposalId) =>
      readPages((last) => drive(db, proposalReads.proposalItems(proposalId, last?.itemNo ?? 0, pageSize))),
    signaturesOf: (proposalId) => drive(db, personReads.signaturesOf(proposalId)),
    dayHeads: () => readPages((last) => drive(db, dayHeadReads.dayHeads(last?.number ?? 0, pageSize))),
    eventHashes: (chain, after, upTo) => readEventHashes(path, chain, after, upTo, folder),
    [Symbol.dispose]: () => db.close(),
  };
}
