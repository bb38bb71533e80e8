/** Batches and rows for the tests of reports, and a journal in memory that knows them. */
import type { writeReports } from '../../src/reports/write-reports.ts';
import { verbatim } from '../../src/core/message.ts';
import { toSatang } from '../../src/core/money.ts';
import type { PayoutStatus } from '../../src/core/payout.ts';
import type { Batch, Report, ResultRow, Snapshot, StatusTotal } from '../../src/core/ports.ts';
import type { ReportStore } from '../../src/reports/ports.ts';

type ReportContext = Parameters<typeof writeReports>[3];

/** 14:03:05 on 21 November 2026 in Bangkok. */
export const noonMs = Date.UTC(2026, 10, 21, 7, 3, 5);

export const reportContext: ReportContext = {
  isSandbox: true,
  bankAddress: 'http://127.0.0.1:1',
  nowMs: noonMs,
  exceptionsOk: false,
  guardFormulas: true,
  similarDays: 3,
};

export function makeRow(changes: Partial<ResultRow> = {}): ResultRow {
  const rowNo = changes.rowNo ?? 1;
  const payoutId = `INV-${String(rowNo).padStart(4, '0')}`;
  return {
    seq: rowNo,
    rowNo,
    line: rowNo + 1,
    cells: {
      payoutId,
      proxyType: '',
      proxyNo: '081-234-5678',
      payeeName: 'Somchai J',
      amount: '100.5',
      reference1: 'R1',
      reference2: '',
    },
    instruction: {
      payoutId,
      proxyType: 'MSISDN',
      proxyNo: '0812345678',
      payeeName: 'Somchai J',
      amountSatang: toSatang(10_050n),
      reference1: 'R1',
      reference2: null,
    },
    amountSatang: toSatang(10_050n),
    issues: [],
    extras: [],
    status: 'paid',
    holds: [],
    reasonCode: 'IC000',
    reason: verbatim('Fund transfer executed successfully'),
    bankPayeeName: 'SOMCHAI J',
    bankPayeeNameTh: 'สมชาย จ',
    submittedAtMs: noonMs,
    settledAtMs: noonMs + 1000,
    settledBy: 'reply',
    isAlarm: false,
    isAcknowledged: false,
    attemptNo: 1,
    transRefNo: 'PDABCDEFGHJKMNPQRS01',
    sysRefNo: 'SYS0000000001',
    feeText: '0.00',
    version: 4,
    ...changes,
  };
}

/** A row that the rules have rejected for two reasons. */
export function makeRejectedRow(rowNo: number): ResultRow {
  return makeRow({
    rowNo,
    instruction: null,
    amountSatang: null,
    status: 'rejected',
    reasonCode: 'amount-decimals',
    reason: null,
    issues: [
      {
        line: rowNo + 1,
        column: 'amount',
        code: 'amount-decimals',
        value: '1.005',
        message: verbatim('at most 2 decimals'),
      },
      {
        line: rowNo + 1,
        column: null,
        code: 'cells-missing',
        value: null,
        message: verbatim('a cell is missing'),
      },
    ],
    cells: {
      payoutId: '=cmd',
      proxyType: '',
      proxyNo: '1.10E+12',
      payeeName: 'ก, "ข"',
      amount: '1.005',
      reference1: '',
      reference2: '',
    },
    attemptNo: 0,
    transRefNo: null,
    sysRefNo: null,
    feeText: null,
    bankPayeeName: null,
    bankPayeeNameTh: null,
    submittedAtMs: null,
    settledAtMs: null,
    settledBy: 'rules',
    version: 1,
  });
}

export function makeBatch(changes: Partial<Batch> = {}): Batch {
  return {
    batchId: '4K7Q2M9XWD',
    sha256: 'ab'.repeat(32),
    fileName: 'เงินเดือน payouts.csv',
    companyId: 'COMP000001',
    payerAccount: '0000345924',
    status: 'done',
    reasonCode: null,
    reason: null,
    remedy: null,
    rows: 0,
    totalSatang: toSatang(0n),
    unreadableAmounts: 0,
    extraColumns: [],
    startedAtMs: noonMs,
    ageFromMs: noonMs,
    sealedAtMs: noonMs + 500,
    restedAtMs: noonMs + 3200,
    ...changes,
  };
}

export const noOtherReferences = { rows: 0, firstRowNos: [] };

export function makeTotal(
  status: PayoutStatus,
  rows = 1,
  amountSatang = 10_050n * BigInt(rows),
): StatusTotal {
  return { status, rows, amountSatang: toSatang(amountSatang), unreadableAmounts: 0, alarmRows: 0 };
}

/** Adds rows up as a store does. */
function totalRows(rows: readonly ResultRow[]): StatusTotal[] {
  const byStatus = Map.groupBy(rows, (row) => row.status);
  return [...byStatus].map(([status, group]) => {
    let amountSatang = 0n;
    for (const row of group) amountSatang += row.amountSatang ?? 0n;
    const unreadableAmounts = group.filter((row) => row.amountSatang === null).length;
    const alarmRows = group.filter((row) => row.isAlarm).length;
    return { status, rows: group.length, amountSatang: toSatang(amountSatang), unreadableAmounts, alarmRows };
  });
}

/** The batch to which these rows belong, whole. */
export function makeBatchOf(rows: readonly ResultRow[], changes: Partial<Batch> = {}): Batch {
  let totalSatang = 0n;
  for (const row of rows) totalSatang += row.amountSatang ?? 0n;
  const unreadableAmounts = rows.filter((row) => row.amountSatang === null).length;
  return makeBatch({ rows: rows.length, totalSatang: toSatang(totalSatang), unreadableAmounts, ...changes });
}

/** The part of a journal that reports read and write, in memory. Its rows change through `change`. */
export class MemoryJournal implements ReportStore {
  batch: Batch;
  recorded: Report[] = [];
  snapshotsOpen = 0;
  #rows: ResultRow[];
  #eventSeq = 100;
  readonly #changedAt = new Map<number, number>();

  constructor(rows: readonly ResultRow[], batch = makeBatchOf(rows)) {
    this.#rows = [...rows];
    this.batch = batch;
  }

  change(rowNo: number, changes: Partial<ResultRow>): void {
    this.#eventSeq += 1;
    this.#changedAt.set(rowNo, this.#eventSeq);
    this.#rows = this.#rows.map((row) => (row.rowNo === rowNo ? { ...row, ...changes } : row));
  }

  reports(_batchId: string): Promise<readonly Report[]> {
    return Promise.resolve(this.recorded);
  }

  recordReports(reports: readonly Report[]): Promise<void> {
    this.recorded = [...this.recorded, ...reports];
    return Promise.resolve();
  }

  snapshot(): Promise<Snapshot> {
    const [rows, changedAt, batch, eventSeq] = [
      this.#rows,
      new Map(this.#changedAt),
      this.batch,
      this.#eventSeq,
    ];
    this.snapshotsOpen += 1;
    return Promise.resolve({
      eventSeq,
      batch: (batchId: string) => Promise.resolve(batchId === batch.batchId ? batch : undefined),
      totals: () => Promise.resolve(totalRows(rows)),
      holdTotals: () => Promise.resolve([]),
      otherReferences: () => Promise.resolve(noOtherReferences),
      async *resultRows(_batchId: string, changedSince = -1) {
        for (const row of rows)
          if ((changedAt.get(row.rowNo) ?? 0) > changedSince) yield await Promise.resolve([row]);
      },
      [Symbol.asyncDispose]: () => {
        this.snapshotsOpen -= 1;
        return Promise.resolve();
      },
    });
  }
}
