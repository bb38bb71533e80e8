/** A batch's own life, the stops of the line, and the files that are due. */
import type { DatabaseSync } from 'node:sqlite';
import { type BatchStatus, canMoveBatch } from '../../core/payout.ts';
import type { BatchReason, LinePause, Report } from '../../core/ports.ts';
import type { LineStop } from '../../payout/ports.ts';
import { inTransaction } from '../connection.ts';
import { isInDoubt } from '../schema.ts';
import { query, readAll, readFirst, write } from '../statements.ts';
import { prepareLatestEventSeq } from './apply-statements.ts';
import { findHead } from './ingest.ts';

/** Statuses that only reading a file leads to; each has a function of its own. */
const readingStatuses: readonly BatchStatus[] = ['ingesting', 'sealed', 'rejected'];

/** Statuses in which a batch has come to rest. */
const restingStatuses: readonly BatchStatus[] = ['done', 'halted', 'paused'];

/** Moves a batch if the table allows it from its present status; false when it does not, or there is no such batch. */
export function moveBatch(
  db: DatabaseSync,
  batchId: string,
  to: BatchStatus,
  why: BatchReason | null,
  nowMs: number,
): boolean {
  if (readingStatuses.includes(to)) throw new Error(`a batch becomes ${to} only when its file is read`);
  return inTransaction(db, () => {
    const head = findHead(db, batchId);
    if (head === undefined || !canMoveBatch(head.status, to)) return false;
    const reason = {
      reason_code: why?.code ?? null,
      reason: why?.reason ?? null,
      remedy: why?.remedy ?? null,
    };
    const rest = restingStatuses.includes(to) ? describeRest(db, nowMs) : {};
    const moved = { status: to, ...reason, ...rest };
    write(db, query.updateTable('batch').set(moved).where('batch_id', '=', batchId));
    return true;
  });
}

/** When a batch comes to rest, by the clock and, since clocks are set back, by the events. */
function describeRest(db: DatabaseSync, nowMs: number) {
  return { rested_at_ms: nowMs, rested_event_seq: prepareLatestEventSeq(db)() };
}

/** Counts the age of a batch from now on. @throws Error when there is no such batch */
export function renewAge(db: DatabaseSync, batchId: string, nowMs: number): void {
  const renewed = query.updateTable('batch').set({ age_from_ms: nowMs }).where('batch_id', '=', batchId);
  if (inTransaction(db, () => write(db, renewed)) === 0) throw new Error(`there is no batch ${batchId}`);
}

/** Changes the account that a batch is paid from; false while any of its rows is in doubt. */
export function movePayer(db: DatabaseSync, batchId: string, payerAccount: string): boolean {
  const moved = query
    .updateTable('batch')
    .set({ payer_account: payerAccount })
    .where('batch_id', '=', batchId)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('payout as p')
            .select('p.seq')
            .where('p.batch_id', '=', batchId)
            .where(({ ref }) => isInDoubt(ref('p.status'))),
        ),
      ),
    );
  return inTransaction(db, () => write(db, moved) > 0);
}

/** The stop in force for a payer account. */
export function readLineStop(
  db: DatabaseSync,
  companyId: string,
  payerAccount: string,
): LineStop | undefined {
  const inForce = query
    .selectFrom('line_stop')
    .selectAll()
    .where('company_id', '=', companyId)
    .where('payer_account', '=', payerAccount)
    .where('lifted_at_ms', 'is', null);
  const record = readFirst(db, inForce);
  if (record === undefined) return undefined;
  const { code, reason, remedy, since_ms: sinceMs } = record;
  return { companyId, payerAccount, code, reason, remedy, sinceMs };
}

/** Records a stop; one that is in force already stays as it is: its cause came first. */
export function recordLineStop(db: DatabaseSync, stop: LineStop): void {
  const { companyId, payerAccount, code, reason, remedy, sinceMs } = stop;
  const line = { company_id: companyId, payer_account: payerAccount };
  const record = { ...line, code, reason, remedy, since_ms: sinceMs, lifted_at_ms: null };
  const insert = query
    .insertInto('line_stop')
    .values(record)
    .onConflict((conflict) =>
      conflict.columns(['company_id', 'payer_account']).where('lifted_at_ms', 'is', null).doNothing(),
    );
  inTransaction(db, () => write(db, insert));
}

/** Lifts the stop in force; false when there is none. */
export function liftLineStop(
  db: DatabaseSync,
  companyId: string,
  payerAccount: string,
  nowMs: number,
): boolean {
  const lift = query
    .updateTable('line_stop')
    .set({ lifted_at_ms: nowMs })
    .where('company_id', '=', companyId)
    .where('payer_account', '=', payerAccount)
    .where('lifted_at_ms', 'is', null);
  return inTransaction(db, () => write(db, lift) > 0);
}

/** The latest pause of a payer account. */
export function readLinePause(
  db: DatabaseSync,
  companyId: string,
  payerAccount: string,
): LinePause | undefined {
  const latest = query
    .selectFrom('line_pause')
    .selectAll()
    .where('company_id', '=', companyId)
    .where('payer_account', '=', payerAccount);
  const record = readFirst(db, latest);
  if (record === undefined) return undefined;
  const { code, reason, remedy, troubles, since_ms: sinceMs, until_ms: untilMs } = record;
  const isTransfer = record.is_transfer === 1;
  return { companyId, payerAccount, code, reason, remedy, troubles, isTransfer, sinceMs, untilMs };
}

/** Records a pause in the place of the one before it. */
export function recordLinePause(db: DatabaseSync, pause: LinePause): void {
  const { code, reason, remedy, troubles } = pause;
  const line = { company_id: pause.companyId, payer_account: pause.payerAccount };
  const times = { since_ms: pause.sinceMs, until_ms: pause.untilMs };
  const changed = { code, reason, remedy, troubles, is_transfer: pause.isTransfer ? 1 : 0, ...times };
  const insert = query
    .insertInto('line_pause')
    .values({ ...line, ...changed })
    .onConflict((conflict) => conflict.columns(['company_id', 'payer_account']).doUpdateSet(changed));
  inTransaction(db, () => write(db, insert));
}

/** Forgets the pause of a payer account. */
export function clearLinePause(db: DatabaseSync, companyId: string, payerAccount: string): void {
  const clear = query
    .deleteFrom('line_pause')
    .where('company_id', '=', companyId)
    .where('payer_account', '=', payerAccount);
  inTransaction(db, () => write(db, clear));
}

/** The reports recorded for a batch, in the order of their numbers. */
export function readReports(db: DatabaseSync, batchId: string): Report[] {
  const ofBatch = query
    .selectFrom('report')
    .selectAll()
    .where('batch_id', '=', batchId)
    .orderBy('number')
    .orderBy('kind');
  return readAll(db, ofBatch).map((record) => ({
    batchId,
    kind: record.kind,
    number: record.number,
    path: record.path,
    temporaryPath: record.temporary_path,
    sha256: record.sha256,
    eventSeq: record.event_seq,
    atMs: record.at_ms,
  }));
}

/** Records reports, all or none. @throws Error when one of this kind and number was recorded before */
export function recordReports(db: DatabaseSync, reports: readonly Report[]): void {
  inTransaction(db, () => {
    for (const report of reports) {
      const record = {
        batch_id: report.batchId,
        kind: report.kind,
        number: report.number,
        path: report.path,
        temporary_path: report.temporaryPath,
        sha256: report.sha256,
        event_seq: report.eventSeq,
        at_ms: report.atMs,
      };
      write(db, query.insertInto('report').values(record));
    }
  });
}
