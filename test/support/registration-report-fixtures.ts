/** Registrations for the tests of what people see of them, and a journal in memory that knows them. */
import { verbatim } from '../../src/core/message.ts';
import type { Report } from '../../src/core/ports.ts';
import type { KeptCallback, RegistrationSnapshot } from '../../src/registration/ports.ts';
import type {
  RegistrationBatch,
  RegistrationHoldTotal,
  RegistrationRow,
  RegistrationTotal,
} from '../../src/registration/rules/registration-batch.ts';
import type {
  RegistrationInstruction,
  RegistrationStatus,
} from '../../src/registration/rules/registration.ts';
import type { writeRegistrationReports } from '../../src/registration/write-reports.ts';
import { makeRegistrationAttempt } from './registration-fixtures.ts';
import { noonMs } from './report-fixtures.ts';

type RegistrationReports = Parameters<typeof writeRegistrationReports>[0];

export function makeInstruction(changes: Partial<RegistrationInstruction> = {}): RegistrationInstruction {
  return {
    registrationId: 'REG-0001',
    customerId: '9000000000004',
    vendorId: 'V001',
    companyId: 'COMP01',
    accountNo: '0012345678',
    refs: ['R1', null, null, null],
    ...changes,
  };
}

const answered = {
  requestUid: '5f0c7f0a-6d0f-4a36-9a0e-6f1f8a2b3c4d',
  httpStatus: 200,
  statusCode: '0',
  statusDesc: 'Success',
  ddrOapiSeqId: 'DDR0000000001',
};

/** A registration that the bank has called back about. */
export function makeRegistrationRow(changes: Partial<RegistrationRow> = {}): RegistrationRow {
  const rowNo = changes.rowNo ?? 1;
  const instruction = makeInstruction({ registrationId: `REG-${String(rowNo).padStart(4, '0')}` });
  const { registrationId, customerId, vendorId, companyId, accountNo } = instruction;
  return {
    seq: rowNo,
    batchId: '4K7Q2M9XWD',
    rowNo,
    line: rowNo + 1,
    cells: {
      registrationId,
      customerId,
      vendorId,
      companyId,
      accountNo,
      ref1: 'R1',
      ref2: '',
      ref3: '',
      ref4: '',
    },
    instruction,
    currentInstruction: instruction,
    issues: [],
    extras: [],
    version: 4,
    status: 'registered',
    holds: [],
    acceptedHolds: [],
    reasonCode: 'I0000',
    reason: verbatim('Success'),
    attemptNo: 1,
    submittedAtMs: noonMs,
    settledAtMs: noonMs + 1000,
    settledBy: 'callback',
    awaitedUntilMs: null,
    respCode: 'I0000',
    respDesc: 'Success',
    applyDtm: '2026-11-21 14:03:06',
    isAlarm: false,
    isAcknowledged: false,
    attempt: makeRegistrationAttempt({ registrationSeq: rowNo, instruction, ...answered }),
    ...changes,
  };
}

const unsent = {
  attemptNo: 0,
  attempt: undefined,
  submittedAtMs: null,
  settledAtMs: null,
  settledBy: null,
  respCode: null,
  respDesc: null,
  applyDtm: null,
} as const;

/** One that was never sent. */
export const makeUnsentRow = (changes: Partial<RegistrationRow>): RegistrationRow =>
  makeRegistrationRow({ ...unsent, reasonCode: null, reason: null, status: 'ready', ...changes });

/** A row that the rules have rejected for two reasons. */
export const makeRejectedRegistration = (rowNo: number): RegistrationRow =>
  makeUnsentRow({
    rowNo,
    status: 'rejected',
    instruction: null,
    currentInstruction: null,
    reasonCode: 'account-characters',
    cells: {
      registrationId: '=cmd',
      customerId: 'ก, "ข"',
      vendorId: 'V001',
      companyId: 'COMP01',
      accountNo: '1.10E+12',
      ref1: '',
      ref2: '',
      ref3: '',
      ref4: '',
    },
    issues: [
      {
        line: rowNo + 1,
        column: 'accountNo',
        code: 'account-characters',
        value: '1.10E+12',
        message: verbatim('digits alone'),
      },
      {
        line: rowNo + 1,
        column: null,
        code: 'cells-missing',
        value: null,
        message: verbatim('a cell is missing'),
      },
    ],
    settledBy: 'rules',
  });

/** The bank has called it registered, and then refused. */
export const contradicted: RegistrationRow = makeRegistrationRow({
  status: 'contradicted',
  isAlarm: true,
  reasonCode: 'contradicted',
  reason: verbatim('the bank has told both'),
});

/** A callback about a registration that nobody made. */
export const unknownCallback: KeptCallback = {
  id: 7,
  key: 'key-7',
  registrationSeq: null,
  repeats: 0,
  body: '{}',
  header: {},
  fromAddress: '127.0.0.1',
  receivedAtMs: noonMs,
  callback: {
    identity: {
      vendorId: 'V001',
      companyId: 'COMP01',
      accountNo: '0012345678',
      refs: ['R9', null, null, null],
    },
    outcome: 'registered',
    respCode: 'I0000',
    respDesc: 'Success',
    applyDtm: '2026-11-21 14:03:06',
    appliedAtMs: noonMs,
    requestUid: 'bank-uid-1',
  },
};

export function makeRegistrationBatch(changes: Partial<RegistrationBatch> = {}): RegistrationBatch {
  return {
    batchId: '4K7Q2M9XWD',
    sha256: 'ab'.repeat(32),
    fileName: 'ลงทะเบียน november.csv',
    companyId: 'COMP000001',
    status: 'done',
    reasonCode: null,
    reason: null,
    remedy: null,
    rows: 0,
    extraColumns: [],
    startedAtMs: noonMs,
    droppedAtMs: noonMs,
    sealedAtMs: noonMs + 500,
    restedAtMs: noonMs + 3200,
    ...changes,
  };
}

export const makeRegistrationTotal = (
  status: RegistrationStatus,
  rows = 1,
  changes: Partial<RegistrationTotal> = {},
): RegistrationTotal => ({ status, rows, alarmRows: 0, acknowledgedRows: 0, ...changes });

/** Adds rows up as a store does. */
export function totalRegistrations(rows: readonly RegistrationRow[]): RegistrationTotal[] {
  return [...Map.groupBy(rows, ({ status }) => status)].map(([status, group]) => ({
    status,
    rows: group.length,
    alarmRows: group.filter(({ isAlarm }) => isAlarm).length,
    acknowledgedRows: group.filter(({ isAcknowledged, isAlarm }) => isAcknowledged && !isAlarm).length,
  }));
}

function totalHolds(rows: readonly RegistrationRow[]): RegistrationHoldTotal[] {
  const byHold = Map.groupBy(
    rows.flatMap(({ holds }) => holds),
    (hold) => hold,
  );
  return [...byHold].map(([hold, group]) => ({ hold, rows: group.length }));
}

/** The part of a journal that reports of registrations read and write, in memory. */
export class MemoryRegistrations implements RegistrationReports {
  batch: RegistrationBatch;
  recorded: Report[] = [];
  snapshotsOpen = 0;
  readonly registrationReports = this;
  #rows: RegistrationRow[];
  #eventSeq = 100;
  readonly #changedAt = new Map<number, number>();

  constructor(rows: readonly RegistrationRow[], batch = makeRegistrationBatch({ rows: rows.length })) {
    this.#rows = [...rows];
    this.batch = batch;
  }

  change(rowNo: number, changes: Partial<RegistrationRow>): void {
    this.#eventSeq += 1;
    this.#changedAt.set(rowNo, this.#eventSeq);
    this.#rows = this.#rows.map((row) => (row.rowNo === rowNo ? { ...row, ...changes } : row));
  }

  registrationTotals(): Promise<readonly RegistrationTotal[]> {
    return Promise.resolve(totalRegistrations(this.#rows));
  }

  reports(): Promise<readonly Report[]> {
    return Promise.resolve(this.recorded);
  }

  recordReports(reports: readonly Report[]): Promise<void> {
    this.recorded = [...this.recorded, ...reports];
    return Promise.resolve();
  }

  snapshot(): Promise<RegistrationSnapshot> {
    const [rows, changedAt, batch] = [this.#rows, new Map(this.#changedAt), this.batch];
    this.snapshotsOpen += 1;
    return Promise.resolve({
      eventSeq: this.#eventSeq,
      batch: (batchId: string) => Promise.resolve(batchId === batch.batchId ? batch : undefined),
      totals: () => Promise.resolve(totalRegistrations(rows)),
      holdTotals: () => Promise.resolve(totalHolds(rows)),
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
