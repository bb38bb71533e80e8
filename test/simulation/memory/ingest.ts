/** Reading a file into the simulated journal: stage, seal, reject. */
import { joined, type Message, message as said } from '../../../src/core/message.ts';
import { dayMs } from '../../../src/core/bangkok-time.ts';
import { inDoubtStatuses, statementCodes } from '../../../src/core/exit-code.ts';
import { formatBaht, sumSatang, toSatang, zeroSatang } from '../../../src/core/money.ts';
import type { SealTotals, StagedRow } from '../../../src/core/payout-file.ts';
import { canMoveBatch, type Payout } from '../../../src/core/payout.ts';
import type { Batch, StatusTotal } from '../../../src/core/ports.ts';
import { computeInstructionDigest } from '../../../src/core/reference.ts';
import {
  adviseClaimed,
  findLikeFile,
  likeFileCodes,
  mayBePaidStatuses,
} from '../../../src/payout/rules/similar.ts';
import type { BatchStart } from '../../../src/intake/ports.ts';
import type { SealReading } from '../../../src/payout/rules/seal.ts';
import {
  claimKey,
  digestRows,
  inOrder,
  type MemoryStore,
  moveRow,
  requireBatch,
  requireRow,
  rowsOfBatch,
  similarKey,
  type StoredRow,
} from './store.ts';

function requireIngesting(store: MemoryStore, batchId: string): Batch {
  const batch = store.batches.get(batchId);
  if (batch?.status === 'ingesting') return batch;
  throw new Error(`batch ${batchId} is ${batch?.status ?? 'not there'}: its file is not being read`);
}

function dropRows(store: MemoryStore, batchId: string): void {
  for (const seq of store.rowsOf.get(batchId) ?? []) store.rows.delete(seq);
  store.rowsOf.set(batchId, []);
}

const noReason = { reasonCode: null, reason: null, remedy: null };

export function startIngest(store: MemoryStore, start: BatchStart): void {
  const { nowMs, droppedAtMs = nowMs, batchId, ...described } = start;
  const known = store.batches.get(batchId);
  if (known !== undefined && known.sha256 !== start.sha256)
    throw new Error(`two files share the batch id ${batchId}`);
  if (known !== undefined && known.status !== 'ingesting' && !canMoveBatch(known.status, 'ingesting'))
    throw new Error(`batch ${batchId} is ${known.status}: its file is not read again`);
  const counts = { rows: 0, totalSatang: zeroSatang, unreadableAmounts: 0, sealedAtMs: null };
  const times = { startedAtMs: nowMs, ageFromMs: droppedAtMs, restedAtMs: null };
  dropRows(store, batchId);
  store.batches.set(batchId, {
    ...counts,
    ...noReason,
    ...described,
    ...times,
    batchId,
    status: 'ingesting',
  });
}

export function stage(store: MemoryStore, batchId: string, rows: readonly StagedRow[]): void {
  const batch = requireIngesting(store, batchId);
  let seq = Math.max(0, ...store.rows.keys());
  const seqs = [...(store.rowsOf.get(batchId) ?? [])];
  const known = new Set(seqs.map((one) => requireRow(store, one).payout.rowNo));
  for (const row of rows) {
    if (known.has(row.rowNo)) throw new Error(`row ${row.rowNo} of batch ${batchId} was taken in before`);
    seq += 1;
    seqs.push(seq);
    store.rows.set(seq, stageRow(seq, batch, row));
  }
  // Of two processes that take it in at once, each stages some.
  const rowNoOf = (one: number): number => requireRow(store, one).payout.rowNo;
  store.rowsOf.set(
    batchId,
    seqs.toSorted((one, other) => rowNoOf(one) - rowNoOf(other)),
  );
}

function stageRow(seq: number, batch: Batch, staged: StagedRow): StoredRow {
  const { batchId, companyId, startedAtMs } = batch;
  const { rowNo, instruction, issues, holds } = staged;
  const isRejected = issues.length > 0 || instruction === null;
  const payoutId = instruction?.payoutId ?? staged.cells.payoutId.trim();
  const payout = {
    seq,
    batchId,
    rowNo,
    instruction,
    version: 1,
    status: isRejected ? 'rejected' : 'staged',
    holds: isRejected ? [] : inOrder(holds),
    reasonCode: issues[0]?.code ?? holds[0] ?? null,
    reason: isRejected ? joined(issues.map((issue) => issue.message)) : null,
    attemptNo: 0,
    bankPayeeName: null,
    bankPayeeNameTh: null,
    submittedAtMs: null,
    settledAtMs: isRejected ? startedAtMs : null,
    settledBy: isRejected ? 'rules' : null,
    acceptedHolds: [],
    isAlarm: false,
  } as unknown as Payout;
  const digest = instruction && computeInstructionDigest({ companyId, batchId, rowNo }, instruction);
  return { staged, payoutId: payoutId === '' ? null : payoutId, issues, payout, lastEventSeq: 0, digest };
}

export function rejectBatch(
  store: MemoryStore,
  batchId: string,
  code: string,
  reason: Message,
  nowMs: number,
): void {
  const batch = requireIngesting(store, batchId);
  dropRows(store, batchId);
  const why = { reasonCode: code, reason, remedy: null };
  store.batches.set(batchId, { ...batch, ...why, status: 'rejected', restedAtMs: nowMs });
}

/** How much more the rows ask for than their files. */
const sumCorrections = (rows: readonly StoredRow[]): bigint =>
  rows.reduce(
    (sum, { staged, sealedSatang = staged.amountSatang }) =>
      sum + (staged.amountSatang ?? 0n) - (sealedSatang ?? 0n),
    0n,
  );

/** Count and amount of a batch's rows in each status. */
export function countTotals(rows: readonly StoredRow[]): StatusTotal[] {
  const statuses = [...new Set(rows.map(({ payout }) => payout.status))].toSorted();
  return statuses.map((status) => {
    const inStatus = rows.filter(({ payout }) => payout.status === status);
    const amounts = inStatus.flatMap(({ staged }) => staged.amountSatang ?? []);
    const acknowledgedRows = inStatus.filter(({ payout }) => payout.isAcknowledged).length;
    const correctionSatang = toSatang(sumCorrections(inStatus));
    const byStatement = inStatus
      .map(({ payout }) => payout)
      .filter((payout) => inDoubtStatuses.includes(payout.status))
      .filter(({ reasonCode }) => statementCodes.includes(reasonCode ?? ''));
    const firstSentAtMs = Math.min(...byStatement.map(({ submittedAtMs }) => submittedAtMs ?? 0));
    return {
      status,
      rows: inStatus.length,
      amountSatang: sumSatang(amounts),
      unreadableAmounts: inStatus.length - amounts.length,
      alarmRows: inStatus.filter(({ payout }) => payout.isAlarm).length,
      ...(acknowledgedRows === 0 ? {} : { acknowledgedRows }),
      ...(byStatement.length === 0 ? {} : { byStatement: { rows: byStatement.length, firstSentAtMs } }),
      ...(correctionSatang === 0n ? {} : { correctionSatang }),
    };
  });
}

/** Turns the staged rows into ready, held or rejected ones and takes the claims. */
export function seal(
  store: MemoryStore,
  batchId: string,
  totals: SealTotals,
  nowMs: number,
  likeFileDays = 0,
): Batch {
  const batch = requireIngesting(store, batchId);
  requireTotals(rowsOfBatch(store, batchId), totals);
  const sealing: Sealing = { store, batch, nowMs };
  const eventBase = store.events.length;
  for (const rowNo of totals.conflictingRowNos) {
    const row = rowsOfBatch(store, batchId).find(({ payout }) => payout.rowNo === rowNo);
    if (row === undefined) throw new Error(`batch ${batchId} has no row ${rowNo}`);
    reject(sealing, row, 'duplicate-differs', said('reason.later-row-differs'));
  }
  for (const row of rowsOfBatch(store, batchId)) takeClaim(sealing, row);
  for (const { payout } of rowsOfBatch(store, batchId)) settleClash(sealing, payout.seq);
  if (likeFileDays > 0) holdLikeFile(sealing, nowMs - likeFileDays * dayMs);
  for (const row of rowsOfBatch(store, batchId)) release(sealing, row);
  numberByRow(store, eventBase);
  const { rows, totalSatang, unreadableAmounts } = totals;
  store.digests.set(batchId, digestRows(rowsOfBatch(store, batchId)));
  const sealed = { ...batch, rows, totalSatang, unreadableAmounts, sealedAtMs: nowMs } as const;
  store.batches.set(batchId, { ...sealed, status: 'sealed' });
  return { ...sealed, status: 'sealed' };
}

/** The events of a seal are in the order of the rows, whatever was decided first. */
function numberByRow(store: MemoryStore, eventBase: number): void {
  const events = store.events.splice(eventBase);
  const seqs = events.map(({ seq }) => seq);
  for (const [place, event] of events.toSorted((one, other) => one.payoutSeq - other.payoutSeq).entries()) {
    const seq = seqs[place] ?? 0;
    store.events.push({ ...event, seq });
    store.rows.set(event.payoutSeq, { ...requireRow(store, event.payoutSeq), lastEventSeq: seq });
  }
}

interface Sealing {
  readonly store: MemoryStore;
  readonly batch: Batch;
  readonly nowMs: number;
}

function requireTotals(rows: readonly StoredRow[], totals: SealTotals): void {
  const amounts = rows.flatMap(({ staged }) => staged.amountSatang ?? []);
  const sum = sumSatang(amounts);
  const unreadable = rows.length - amounts.length;
  const isSame =
    rows.length === totals.rows && sum === totals.totalSatang && unreadable === totals.unreadableAmounts;
  if (!isSame) throw new Error(`${rows.length} rows, ${formatBaht(sum)} baht were staged, others were read`);
}

function reject({ store, nowMs }: Sealing, row: StoredRow, code: string, message: Message): void {
  if (row.payout.status !== 'staged') return;
  const rejected = { status: 'rejected', holds: [], settledBy: 'rules', settledAtMs: nowMs } as const;
  const after: Payout = { ...row.payout, ...rejected, reasonCode: code, reason: message };
  const issue = { line: row.staged.line, column: 'payoutId', code, value: row.payoutId, message };
  const judged = { ...row, issues: [issue] };
  moveRow(store, { row: judged, after, cause: 'sealed', atMs: nowMs, detail: JSON.stringify({ code }) });
}

function takeClaim({ store, batch }: Sealing, { payout, payoutId }: StoredRow): void {
  if (payout.status !== 'staged' || payoutId === null) return;
  const key = claimKey(batch.companyId, payoutId);
  const claim = store.claims.get(key) ?? { payoutSeq: null, attemptsRecorded: 0 };
  if (claim.payoutSeq === null) store.claims.set(key, { ...claim, payoutSeq: payout.seq });
  const group = similarKey(batch.companyId, payoutId);
  const members = store.similar.get(group) ?? [];
  if (!members.includes(payoutId)) store.similar.set(group, [...members, payoutId]);
}

/** Who holds the row's payoutId, or else one that is similar. */
function findClash({ store, batch }: Sealing, { payout, payoutId }: StoredRow): StoredRow | undefined {
  if (payoutId === null) return undefined;
  const members = store.similar.get(similarKey(batch.companyId, payoutId)) ?? [];
  const holders = members
    .map((member) => store.claims.get(claimKey(batch.companyId, member))?.payoutSeq ?? payout.seq)
    .filter((seq) => seq !== payout.seq)
    .map((seq) => requireRow(store, seq));
  const exact = holders.find((holder) => holder.payoutId === payoutId);
  return exact ?? holders.toSorted((one, other) => one.payout.seq - other.payout.seq)[0];
}

function settleClash(sealing: Sealing, seq: number): void {
  const { store, batch } = sealing;
  const row = requireRow(store, seq);
  if (row.payout.status !== 'staged') return;
  const other = findClash(sealing, row);
  if (other === undefined) return;
  const fileName = store.batches.get(other.payout.batchId)?.fileName ?? '';
  const at = { row: other.payout.rowNo, batch: other.payout.batchId, file: fileName };
  const place =
    other.payout.batchId === batch.batchId
      ? said('row.of-file', { row: at.row })
      : said('row.of-other-file', at);
  if (other.payoutId === row.payoutId) {
    const status = said(`payout-is.${other.payout.status}`);
    const advice = adviseClaimed(other.payout.status);
    reject(sealing, row, 'payout-id-claimed', said('reason.claimed', { place, status, advice }));
    return;
  }
  const reason = said('reason.similar-id', { payoutId: other.payoutId ?? '', place });
  const holds = inOrder([...row.payout.holds, 'similar']);
  store.rows.set(seq, { ...row, payout: { ...row.payout, holds, reasonCode: 'similar', reason } });
}

/** The latest row of another file with the row's payee and amount that is paid, or may yet be. */
function findLike({ store, batch }: Sealing, { payout }: StoredRow, sinceMs: number): StoredRow | undefined {
  const { proxyNo, amountSatang } = payout.instruction;
  return [...store.rows.values()].findLast((other) => {
    const { status, instruction, submittedAtMs, settledAtMs, batchId } = other.payout;
    const of = requireBatch(store, batchId);
    if (of.batchId === batch.batchId || of.companyId !== batch.companyId) return false;
    if ((instruction as unknown) === null) return false;
    if (instruction.proxyNo !== proxyNo || instruction.amountSatang !== amountSatang) return false;
    if (status === 'ready' || status === 'held') return (of.sealedAtMs ?? 0) >= sinceMs;
    return mayBePaidStatuses.includes(status) && (submittedAtMs ?? settledAtMs ?? 0) >= sinceMs;
  });
}

function holdLikeFile(sealing: Sealing, sinceMs: number): void {
  const { store, batch } = sealing;
  const rows = rowsOfBatch(store, batch.batchId).filter(({ payout }) => payout.status === 'staged');
  const likes = rows.flatMap((row) => {
    const other = findLike(sealing, row, sinceMs);
    return other === undefined ? [] : [{ row, batchId: other.payout.batchId }];
  });
  const counted = new Map<string, number>();
  for (const { batchId } of likes) counted.set(batchId, (counted.get(batchId) ?? 0) + 1);
  const [most] = [...counted].toSorted(([, one], [, other]) => other - one);
  if (most === undefined) return;
  const other = { batchId: most[0], fileName: requireBatch(store, most[0]).fileName, rows: most[1] };
  const reason = findLikeFile({ rows: rows.length, likeRows: likes.length, other });
  if (reason === undefined) return;
  for (const row of rows) {
    const code = likes.some((like) => like.row === row) ? likeFileCodes.like : likeFileCodes.other;
    const holds = inOrder([...new Set([...row.payout.holds, 'similar' as const])]);
    const why = { reasonCode: row.payout.reasonCode ?? code, reason: row.payout.reason ?? reason };
    store.rows.set(row.payout.seq, { ...row, payout: { ...row.payout, holds, ...why } });
  }
}

function release({ store, nowMs }: Sealing, row: StoredRow): void {
  if (row.payout.status !== 'staged') return;
  const status = row.payout.holds.length === 0 ? 'ready' : 'held';
  const after: Payout = { ...row.payout, status };
  moveRow(store, { row, after, cause: 'sealed', atMs: nowMs, detail: '{}' });
}

/** The seal of a batch as it was recorded, and as its rows show it now. */
export function readSeal(store: MemoryStore, batchId: string): SealReading {
  const { rows, totalSatang } = requireBatch(store, batchId);
  const present = rowsOfBatch(store, batchId);
  const amounts = present.flatMap(({ staged, payout }) =>
    (payout.instruction as unknown) === null ? (staged.amountSatang ?? []) : payout.instruction.amountSatang,
  );
  const digest = store.digests.get(batchId) ?? null;
  // As it was sealed: what a correction has changed is added up beside it.
  const satang = toSatang(sumSatang(amounts) - sumCorrections(present));
  const now = { rows: present.length, totalSatang: satang, digest: digestRows(present) };
  return {
    recorded: { rows, totalSatang, digest, versionsDigest: null },
    present: { ...now, versionsDigest: null },
    versionsDigests: [],
    kept: [],
  };
}
