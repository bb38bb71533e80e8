/** Everything that an audit reads, as of one moment: the journal beside the process that sends, and its archives. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { sql } from 'kysely';
import type { TransferOrder } from '../../core/payout.ts';
import type { AuditReader, AuditSource } from '../../evidence/ports.ts';
import type { KeptAttempt, KeptRow, KeptVersion } from '../../evidence/rules/audit.ts';
import type {
  AppliedApproval,
  KeptBatches,
  KeptReport,
  KeptTerms,
} from '../../evidence/rules/batch-audit.ts';
import { type AnyProposal, proposalStatuses } from '../../review/rules/proposal.ts';
import type { Decision } from '../../review/rules/terms.ts';
import { showAttempt } from '../../review/rules/payout-chain.ts';
import { digestCopy } from '../archive/move.ts';
import { openArchive, readArchive } from '../archive/archive-file.ts';
import { asRefusal, JournalRefusedError, openReader } from '../connection.ts';
import { type Engine, openOn, openSqliteView, type Reader, readerOf, type View } from '../engine.ts';
import { isListed } from '../lists.ts';
import { readSchemaVersion, schemaVersion } from '../migrations.ts';
import { readLoss } from '../loss.ts';
import { readChain, readChainPage } from '../payouts/chain.ts';
import { readChangedClaims } from '../payouts/claims.ts';
import { readCountedDays, readDayUse } from '../payouts/day-use.ts';
import { readSealNow } from '../payouts/digests.ts';
import { readCallPages, readRegistrationChains } from '../registration/chain.ts';
import { readChangedRegistrationClaims } from '../registration/claims.ts';
import { isArchivedSeq } from '../schema.ts';
import {
  define,
  drive,
  inDialect,
  query,
  type Reading,
  select,
  selectFirst,
  textStatement,
} from '../statements.ts';
import { dayHeadReads, readEventHashes } from './day-heads.ts';
import { personReads, readKeptPersons } from '../review/people.ts';
import { readNotes } from '../review/queue.ts';
import { personProposalReads, proposalReads, readEveryItem } from '../review/proposals.ts';

/** Rows that are read at a time. */
const pageRows = 500;
/** Items that are read at a time, of which there are fewer. */
const pageItems = 1_000;

// ---------------------------------------------------------------- rows and attempts

const asksFor = sql`e.detail ->> '$.asksFor'`;

/** The values as a JSON list; null or empty where there is nothing. */
const told = inDialect({
  sqlite: sql`json_group_array(${asksFor} order by e.seq)`,
  postgres: sql`cast(json_agg(${asksFor} order by e.seq) as text)`,
});
const version = sql`'digest', v.digest, 'salt', v.salt, 'instruction', v.instruction, 'replaced', v.replaced`;
const versions = inDialect({
  sqlite: sql`json_group_array(json_object(${version}) order by v.version)`,
  postgres: sql`cast(json_agg(json_build_object(${version}) order by v.version) as text)`,
});

/** The columns of what a row asks for and has asked for; amounts as text, which a number cannot hold. */
const rowColumns = sql`
p.seq as seq, p.batch_id as "batchId", p.row_no as "rowNo", b.company_id as "companyId", cast(p.amount_satang as text) as "amountText",
r.payout_id as "payoutId", r.proxy_type as "proxyType", r.proxy_no as "proxyNo", r.payee_name as "payeeName",
r.reference1, r.reference2, r.digest, r.salt, r.commitment,
(select ${told} from event e where e.payout_seq = p.seq
 and e.cause in ('corrected', 'tried-again') and ${asksFor} is not null) as told,
(select ${versions} from instruction_version v where v.payout_seq = p.seq) as versions`;

const rowTables = sql`payout p join payout_row r on r.seq = p.seq join batch b on b.batch_id = p.batch_id`;

const attemptColumns = sql`
a.attempt_no as "attemptNo", a.order_hash as "orderHash", a.trans_ref_no, a.channel_id, a.term_id, a.company_id, a.payer_account,
a.tran_date, a.tran_time, a.proxy_type, a.proxy_no, a.proxy_name, a.amount_text, a.reference1 as order_reference1,
a.reference2 as order_reference2,
(select coalesce(e.detail ->> '$.orderHash.sha256', e.detail ->> '$.orderHash') from event e where e.payout_seq = a.payout_seq
 and e.attempt_no = a.attempt_no and e.cause = 'intent-recorded' order by e.seq limit 1) as "saidHash",
a.status, a.sys_ref_no, a.fee_text,
(select e.detail ->> '$.shows' from event e where e.payout_seq = a.payout_seq
 and e.detail ->> '$.shows' like '[' || a.attempt_no || ',%' order by e.seq desc limit 1) as shows`;

/** A place in the order of the rows, and of what belongs to each. */
interface RowCursor {
  readonly seq: number;
  readonly partNo: number;
}

interface Wanted extends RowCursor {
  /** The event after which something must have happened to a row. */
  readonly sinceSeq: number;
}

const page = sql.lit(pageRows);

/** The rows of a page. Each bound is for each table: PostgreSQL would go through the others from their beginning. */
const rows = define(({ seq, sinceSeq }: Wanted) =>
  textStatement<Columns>(
    sql`select 0 as "partNo", ${rowColumns} from ${rowTables}
      where p.seq > ${seq} and r.seq > ${seq} and p.last_event_seq > ${sinceSeq} order by p.seq limit ${page}`,
  ),
);

const attempts = define(({ seq, partNo, sinceSeq }: Wanted) =>
  textStatement<Columns>(
    sql`select a.attempt_no as "partNo", ${attemptColumns}, ${rowColumns} from ${rowTables} join attempt a on a.payout_seq = p.seq
      where (a.payout_seq, a.attempt_no) > (${seq}, ${partNo}) and p.seq >= ${seq} and r.seq >= ${seq}
        and p.last_event_seq > ${sinceSeq}
      order by a.payout_seq, a.attempt_no limit ${page}`,
  ),
);

const lostAttempts = define(({ seq, partNo, sinceSeq }: Wanted) =>
  textStatement<Columns>(
    sql`select e.seq as "partNo", e.attempt_no as "attemptNo", ${rowColumns}
      from ${rowTables} join event e on e.payout_seq = p.seq and e.cause = 'intent-recorded'
      where (p.seq, e.seq) > (${seq}, ${partNo}) and p.seq >= ${seq} and r.seq >= ${seq} and e.payout_seq >= ${seq}
        and p.last_event_seq > ${sinceSeq}
        and not exists (select 1 from attempt a where a.payout_seq = p.seq and a.attempt_no = e.attempt_no)
      order by p.seq, e.seq limit ${page}`,
  ),
);

const rowOf = define(({ seq }: { seq: number }) =>
  textStatement<Columns>(sql`select 0 as "partNo", ${rowColumns} from ${rowTables} where p.seq = ${seq}`),
);

type Columns = RowCursor & { readonly rowNo: number; readonly attemptNo: number } & Readonly<
    Record<TextColumn, string | null>
  >;

type TextColumn =
  | 'batchId'
  | 'companyId'
  | 'amountText'
  | 'payoutId'
  | 'proxyType'
  | 'proxyNo'
  | 'payeeName'
  | 'reference1'
  | 'reference2'
  | 'digest'
  | 'salt'
  | 'commitment'
  | 'told'
  | 'versions'
  | 'orderHash'
  | 'saidHash'
  | 'shows'
  | 'status'
  | 'sys_ref_no'
  | 'fee_text'
  | OrderColumn;

type OrderColumn =
  | 'trans_ref_no'
  | 'channel_id'
  | 'term_id'
  | 'company_id'
  | 'payer_account'
  | 'tran_date'
  | 'tran_time'
  | 'proxy_type'
  | 'proxy_no'
  | 'proxy_name'
  | 'amount_text'
  | 'order_reference1'
  | 'order_reference2';

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
    amountSatang: BigInt(amountText),
  };
  return {
    seq: columns.seq,
    batchId: batchId ?? '',
    rowNo: columns.rowNo,
    companyId: companyId ?? '',
    payoutId,
    instruction: instruction === false ? null : (instruction as KeptRow['instruction']),
    digest: columns.digest,
    salt: columns.salt,
    isErased: columns.commitment !== null,
    told: JSON.parse(columns.told ?? '[]') as string[],
    versions: JSON.parse(columns.versions ?? '[]') as KeptVersion[],
  };
}

function toAttempt(columns: Columns): KeptAttempt {
  const order = {
    transRefNo: columns.trans_ref_no,
    channelId: columns.channel_id,
    termId: columns.term_id,
    companyId: columns.company_id,
    payerAccount: columns.payer_account,
    tranDate: columns.tran_date,
    tranTime: columns.tran_time,
    proxyType: columns.proxy_type,
    proxyNo: columns.proxy_no,
    proxyName: columns.proxy_name,
    amountText: columns.amount_text,
    reference1: columns.order_reference1,
    reference2: columns.order_reference2,
  } as unknown as TransferOrder;
  const { attemptNo, orderHash, saidHash, shows: saidShows } = columns;
  const { status, sys_ref_no: sysRefNo, fee_text: feeText } = columns;
  const shows = showAttempt({ attemptNo, status, sysRefNo, feeText });
  return { row: toRow(columns), attemptNo, order, orderHash: orderHash ?? '', saidHash, shows, saidShows };
}

// ---------------------------------------------------------------- the journal, and an archive of it

const sealedBatches = define(({ sinceSeq }: { sinceSeq: number }) =>
  textStatement<{ readonly batchId: string }>(
    sql`select batch_id as "batchId" from batch b where sealed_at_ms is not null
        and (cast(${sinceSeq} as bigint) < 0 or exists (
          select 1 from payout p where p.batch_id = b.batch_id and p.last_event_seq > ${sinceSeq}))
        and not exists (select 1 from archived_batch a where a.batch_id = b.batch_id)
      order by sealed_at_ms`,
  ),
);

/** The number of an event before the first, where all is wanted. */
const since = (afterSeq: number): number => (afterSeq === 0 ? -1 : afterSeq);

/** @param batchIds the batches that count: those that have come back have left their rows in the archive, too */
function makeSource(reader: Reader, batchIds?: ReadonlySet<string>): AuditSource {
  const counts = ({ batchId }: { readonly batchId: string | null }): boolean =>
    batchIds?.has(batchId ?? '') ?? true;
  async function* readPages<Kept>(
    statement: typeof rows,
    afterSeq: number,
    toKept: (columns: Columns) => Kept,
  ): AsyncGenerator<readonly Kept[]> {
    const sinceSeq = since(afterSeq);
    for (let last: RowCursor | undefined = { seq: 0, partNo: 0 }; last !== undefined;) {
      const asked: Wanted = { seq: last.seq, partNo: last.partNo, sinceSeq };
      const found: readonly Columns[] = await reader.read(() => statement.all(asked));
      yield found.filter(counts).map(toKept);
      last = found.length < pageRows ? undefined : found.at(-1);
    }
  }
  return {
    async *chains(afterSeq) {
      for (let lastSeq = 0; ;) {
        const found = await reader.read(() => readChainPage(lastSeq));
        if (found === undefined) return;
        yield found.chains.filter(
          (chain) => (afterSeq === 0 || chain.lastEventSeq > afterSeq) && counts(chain),
        );
        ({ lastSeq } = found);
      }
    },
    rows: (afterSeq) => readPages(rows, afterSeq, toRow),
    attempts: (afterSeq) => readPages(attempts, afterSeq, toAttempt),
    lostAttempts: (afterSeq) =>
      readPages(lostAttempts, afterSeq, (columns) => ({ row: toRow(columns), attemptNo: columns.attemptNo })),
    async *seals(afterSeq) {
      const sealed = await reader.read(() => sealedBatches.all({ sinceSeq: since(afterSeq) }));
      for (const { batchId } of sealed.filter(counts))
        yield { batchId, seal: { ...(await reader.read(() => readSealNow(batchId))), kept: [] } };
    },
  };
}

/** Reads items of which there are fewer, one after the other. */
async function* readItems<Row>(
  reader: Reader,
  read: (last: Row | undefined) => Reading<readonly Row[]>,
): AsyncGenerator<Row> {
  for (let last: Row | undefined; ;) {
    const items: readonly Row[] = await reader.read(() => read(last));
    yield* items;
    if (items.length < pageItems) return;
    last = items.at(-1);
  }
}

interface NamedArchive {
  readonly archive: string;
  readonly batchId: string;
  readonly digest: string;
  readonly seq: number;
}

const namedArchives = textStatement<NamedArchive>(
  sql`select archive, batch_id as "batchId", digest, latest_event_seq as seq from archived_batch`,
);

function listArchives(folder: string, named: readonly NamedArchive[]): AuditReader['archives'] {
  const archives = Map.groupBy(named, ({ archive }) => archive);
  return [...archives].map(([name, batches]) => {
    const path = join(folder, name);
    return {
      name,
      isThere: existsSync(path),
      latestEventSeq: Math.max(...batches.map(({ seq }) => seq)),
      digests: () =>
        Iterator.from(batches).map(({ batchId, digest }) => ({
          batchId,
          isSame: digestCopy(path, batchId) === digest,
        })),
      read: async (use) => {
        using opened = openArchive(path);
        await use(makeSource(readerOf(opened), new Set(batches.map(({ batchId }) => batchId))));
      },
    };
  });
}

function* readPayout(seq: number): Reading<Awaited<ReturnType<AuditReader['payout']>>> {
  const chain = yield* readChain(seq);
  const row = yield* rowOf.get({ seq });
  return chain && row && { chain, versions: toRow(row).versions };
}

/** The batch of a row that stands in an archive. */
const archivedRow = define(({ seq }: { seq: number }) =>
  query
    .selectFrom('archived_rows as g')
    .select('g.batch_id')
    .where(isArchivedSeq(sql`cast(${seq} as bigint)`)),
);

const proposalsAbout = define((values: { payouts: string; batchIds: string }) =>
  query
    .selectFrom('proposal_item')
    .select('proposal_id as id')
    .distinct()
    .where((eb) =>
      eb.or([
        eb.and([eb('kind', '=', 'payout'), isListed(sql.ref('key'), values.payouts)]),
        eb.and([eb('kind', '=', 'batch'), isListed(sql.ref('key'), values.batchIds)]),
      ]),
    )
    .orderBy('id'),
);

/** Decisions that also let batches go on which they do not name: those that wait for the same payer account. */
const resumptions = define((_values: object) =>
  query
    .selectFrom('proposal')
    .select('proposal_id as id')
    .where('decision', 'in', [sql.lit<Decision>('resume-payer'), sql.lit<Decision>('resume-batch')]),
);

function* readProposalsAbout(payouts: readonly string[], batchIds: readonly string[]) {
  const about = { payouts: JSON.stringify(payouts), batchIds: JSON.stringify(batchIds) };
  const named = new Set((yield* proposalsAbout.all(about)).map(({ id }) => id));
  const ids = new Set([...named, ...(yield* resumptions.all({})).map(({ id }) => id)]);
  const found = [];
  for (const id of [...ids].toSorted((one, other) => one - other)) {
    const proposal = yield* proposalReads.proposal(id);
    if (proposal === undefined) continue;
    const isCounted = proposal.figures.files.some(({ batchId }) => batchIds.includes(batchId));
    if (named.has(id) || isCounted) found.push(proposal);
  }
  return found;
}

const terms = textStatement<Omit<KeptTerms, 'sentFrom' | 'isOfArchive'> & { readonly archived: number }>(sql`
select batch_id as "batchId", company_id as "companyId", payer_account as "payerAccount", sha256 as "fileSha256",
  sealed_at_ms as "sealedAtMs", digest, approval_people as "approvalPeople", approval_bound_satang as "boundSatang",
  approval_bound_people as "boundPeople", approved_digest as "approvedDigest", approved_payer as "approvedPayer",
  case when recalled_at_ms > 0 or exists (select 1 from archived_batch a where a.batch_id = b.batch_id) then 1 else 0 end as archived
from batch b where sealed_at_ms is not null order by sealed_at_ms`);

const sentFrom = textStatement<{ readonly batchId: string; readonly account: string }>(sql`
select distinct p.batch_id as "batchId", a.payer_account as account
from attempt a join payout p on p.seq = a.payout_seq`);

const reports = textStatement<KeptReport>(sql`
select batch_id as "batchId", kind, number, sha256 from report order by batch_id, kind, number`);

const approvals = textStatement<AppliedApproval>(sql`
select i.key as "batchId", p.ended_at_ms as "atMs"
from proposal_item i join proposal p on p.proposal_id = i.proposal_id
where i.kind = 'batch' and i.status = 'applied' and p.decision = 'approve-batch'`);

/** Reads batches as an audit compares them with their histories. */
function* readKeptBatches(): Reading<KeptBatches> {
  const accounts = Map.groupBy(yield* select(sentFrom), ({ batchId }) => batchId);
  return {
    batches: (yield* select(terms)).map(({ archived, ...one }) => ({
      ...one,
      isOfArchive: archived === 1,
      sentFrom: (accounts.get(one.batchId) ?? []).map(({ account }) => account),
    })),
    reports: yield* select(reports),
    approvals: yield* select(approvals),
  };
}

/** The number before which the next page of proposals begins. */
const before = (last: AnyProposal | undefined): number => last?.proposalId ?? Number.MAX_SAFE_INTEGER;

/** The reader of a history of decisions and people. */
const makeHistoryReader = (view: Reader) =>
  ({
    proposalsAbout: async (payouts, batchIds) => view.read(() => readProposalsAbout(payouts, batchIds)),
    notes: () => readItems(view, (last) => readNotes(last?.seq ?? 0, pageItems)),
    people: async () => view.read(readKeptPersons),
    batches: async () => view.read(readKeptBatches),
    changedClaims: async () => view.read(readChangedClaims),
    personEvents: () => readItems(view, (last) => personReads.personEvents(last?.seq ?? 0, pageItems)),
    proposals: () =>
      readItems(view, (last) => proposalReads.proposals(proposalStatuses, before(last), pageItems)),
    personProposals: () =>
      readItems(view, (last) =>
        personProposalReads.personProposals(proposalStatuses, before(last), pageItems, 'audit'),
      ),
    proposalEvents: () => readItems(view, (last) => proposalReads.proposalEvents(last?.seq ?? 0, pageItems)),
    itemsOf: (proposalId) =>
      readItems(view, (last) => readEveryItem(proposalId, last?.itemNo ?? 0, pageItems)),
    signaturesOf: async (proposalId) => view.read(() => personReads.signaturesOf(proposalId)),
  }) satisfies Partial<AuditReader>;

/** @param folder with the archives */
async function makeReader(view: View, folder: string): Promise<AuditReader> {
  const identity = query.selectFrom('meta').select('value').where('key', '=', 'journalId');
  const journalId = (await view.read(() => selectFirst(identity)))?.value ?? '';
  const named = await view.read(() => select(namedArchives));
  return {
    ...makeHistoryReader(view),
    journal: makeSource(view),
    registrations: () => readRegistrationChains(view),
    callbacks: () => readCallPages(view),
    changedRegistrationClaims: async () => view.read(readChangedRegistrationClaims),
    archives: listArchives(folder, named),
    loss: await view.read(readLoss),
    payout: async (seq) => {
      const archived = await view.read(() => archivedRow.get({ seq }));
      if (archived === undefined) return view.read(() => readPayout(seq));
      const found = named.find(({ batchId }) => batchId === archived.batch_id);
      return found && readArchive(join(folder, found.archive), (opened) => drive(opened, readPayout(seq)));
    },
    journalId,
    async *dayUses() {
      for (const day of await view.read(readCountedDays)) yield await view.read(() => readDayUse(day));
    },
    dayHeads: () => readItems(view, (last) => dayHeadReads.dayHeads(last?.number ?? 0, pageItems)),
    eventHashes: (chain, after, upTo) => readEventHashes(view, folder, chain, after, upTo),
    [Symbol.asyncDispose]: async () => view[Symbol.asyncDispose](),
  };
}

/**
 * The journal as it is now.
 * @param folder with its archives; left out where there are none
 */
export const openAudit = async (engine: Pick<Engine, 'openView'>, folder = ''): Promise<AuditReader> =>
  openOn(await engine.openView(), (view) => makeReader(view, folder));

/** @throws JournalRefusedError for what is no journal, or one of another version */
function openCurrent(path: string): View {
  try {
    using db = openReader(path);
    const found = readSchemaVersion(db);
    if (found === schemaVersion) return openSqliteView(path);
    const other = found > schemaVersion ? 'a newer' : 'an older';
    throw new JournalRefusedError(`${path} was written by ${other} paydrop: audit it with that one`);
  } catch (error) {
    throw asRefusal(path, error);
  }
}

/**
 * A journal's file as it lies there, while no process works with it.
 * @param folder with its archives
 */
export const openAuditOf = async (path: string, folder = dirname(path)): Promise<AuditReader> =>
  openOn(openCurrent(path), (view) => makeReader(view, folder));
