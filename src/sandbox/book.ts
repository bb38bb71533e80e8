/**
 * The bank's book: every transfer that has entered it, what was spent, and what was refused as a duplicate.
 * Nothing here waits: how a transfer stands follows from the clock.
 */
import { formatBangkokDateTime } from '../core/bangkok-time.ts';
import { formatBaht, parseBaht, type Satang, sumSatang, zeroSatang } from '../core/money.ts';
import type { RegistrationLedger } from './registration/book.ts';
import { StateFile, type StateLine } from './state-file.ts';
import { describeState, describeStatus } from './status-texts.ts';
import type { Endpoint } from './table.ts';

/** A transfer that has entered the bank; everything but the count of requests is fixed from then on. */
export interface Transfer {
  readonly transRefNo: string;
  readonly sysRefNo: string;
  readonly companyId: string;
  /** Whose token the request bore; undefined in a state file of an earlier version: the settings' own. */
  readonly clientId?: string | undefined;
  readonly termId: string;
  readonly channelId: string;
  readonly payerAccount: string;
  readonly tranDate: string;
  readonly tranTime: string;
  readonly proxyType: string;
  readonly proxyNo: string;
  /** As it was sent; empty when it was not. */
  readonly proxyName: string;
  readonly amountSatang: Satang;
  readonly feeSatang: Satang;
  readonly reference1: string;
  readonly reference2: string;
  /** YYYYMMDD in Bangkok by the bank's clock: the creation date of §4 rule 2. */
  readonly createdOn: string;
  readonly acceptedAtMs: number;
  readonly end: 'complete' | 'failed' | 'none';
  /** When the end comes; the same as acceptedAtMs when it comes at once. */
  readonly endsAtMs: number;
  /** statusCode while in process. */
  readonly code: string;
  /** statusCode once it has ended. */
  readonly endCode: string;
  /** Shown while in process, instead of 010001 to 010003; empty for those. */
  readonly stageCode: string;
  /** Inquiries find nothing before. */
  readonly hiddenUntilMs: number;
  /** Requests that bore this reference on this day, the first counted. */
  requests: number;
}

/** Failures of validation (030002); every other is one of the transfer itself (030003), §3.2. */
const validationFailures = new Set(
  (
    'EM002 EM004 EM005 EM009 EM013 EM069 EM070 EV001 EV007 EV013 EV032 ' +
    'EV036 EV039 EV040 EV042 EV043 EV051 EV052 EV053 EV054 EV055 EV056'
  ).split(' '),
);

const stages = ['010001', '010002', '010003'] as const;

/** What is in process goes through its stages in equal parts of its time; what never ends stays in the last. */
function computeStage(transfer: Transfer, nowMs: number): string {
  if (transfer.stageCode !== '') return transfer.stageCode;
  const spanMs = transfer.endsAtMs - transfer.acceptedAtMs;
  if (transfer.end === 'none' || spanMs <= 0) return stages[2];
  const place = Math.floor(((nowMs - transfer.acceptedAtMs) / spanMs) * stages.length);
  return stages[Math.max(0, place)] ?? stages[2];
}

export function hasEnded(transfer: Transfer, nowMs: number): boolean {
  return transfer.end !== 'none' && nowMs >= transfer.endsAtMs;
}

/** True when the money is with the payee. */
function hasMoved(transfer: Transfer, nowMs: number): boolean {
  return transfer.end === 'complete' && hasEnded(transfer, nowMs);
}

/** How a transfer stands at a moment, in the words of an inquiry's item (§2.6, §3.2). */
export function computeState(transfer: Transfer, nowMs: number) {
  const isEnded = hasEnded(transfer, nowMs);
  const statusCode = isEnded ? transfer.endCode : transfer.code;
  const failure = validationFailures.has(statusCode) ? '030002' : '030003';
  const end = transfer.end === 'complete' ? '010004' : failure;
  const tranStatusCode = isEnded ? end : computeStage(transfer, nowMs);
  return {
    tranStatusCode,
    tranStatusDesc: describeState(tranStatusCode),
    statusCode,
    statusDesc: describeStatus(statusCode),
  };
}

/** A transfer as a line of the state file carries it. */
function writeTransfer(transfer: Transfer): Record<string, unknown> {
  const { amountSatang, feeSatang, requests: _, ...rest } = transfer;
  return { kind: 'transfer', ...rest, amount: formatBaht(amountSatang), fee: formatBaht(feeSatang) };
}

/**
 * Reads a line of the state file back.
 * @throws TypeError when it is no transfer
 */
function readTransfer(line: Readonly<Record<string, unknown>>): Transfer {
  const { kind: _, amount, fee, ...rest } = line;
  const amountSatang = parseBaht(String(amount));
  const feeSatang = parseBaht(String(fee));
  if (amountSatang === undefined || feeSatang === undefined || typeof rest['transRefNo'] !== 'string') {
    throw new TypeError('not a transfer');
  }
  return { ...(rest as unknown as Transfer), amountSatang, feeSatang, requests: 1 };
}

// ---------------------------------------------------------------- the ledger

/** A transfer as the ledger shows it. Amounts are decimal baht. */
export type LedgerEntry = ReturnType<typeof toEntry>;

function toEntry(transfer: Transfer, nowMs: number) {
  const { transRefNo, companyId, payerAccount, tranDate, proxyType, proxyNo } = transfer;
  const { sysRefNo, reference1, reference2 } = transfer;
  const { tranStatusCode, statusCode } = computeState(transfer, nowMs);
  return {
    transRefNo,
    companyId,
    payerAccount,
    tranDate,
    proxyType,
    proxyNo,
    amount: formatBaht(transfer.amountSatang),
    fee: formatBaht(transfer.feeSatang),
    sysRefNo,
    reference1,
    reference2,
    /** tranStatusCode (§3.2). */
    status: tranStatusCode,
    statusCode,
    acceptedAt: formatBangkokDateTime(transfer.acceptedAtMs),
    /** Null while the money has not moved. */
    movedAt: hasMoved(transfer, nowMs) ? formatBangkokDateTime(transfer.endsAtMs) : null,
    /** Requests that bore this reference on its day, the first counted. */
    requests: transfer.requests,
  };
}

/** What really moved, and what was asked. */
export type Ledger = ReturnType<Book['ledger']> & {
  /** The most requests since the start that came within one second, wherever it begins; those for tokens aside. */
  readonly busiestSecond: number;
  readonly registrations: RegistrationLedger;
};

// ---------------------------------------------------------------- the book

/** A request for the statement of a day "YYYYMMDD". */
interface StatementRequest {
  /** Whose statement it is, where each has a count of its own; undefined for the settings' own. */
  readonly scope?: string | undefined;
  readonly date: string;
  readonly atMs: number;
  readonly isIssued: boolean;
}

const stateFileVersion = 1;

type TransferKey = Pick<Transfer, 'companyId' | 'termId' | 'transRefNo' | 'createdOn'>;

const keyOf = (companyId: string, name: string): string => `${companyId} ${name}`;

/** Owns the transfers of every company and, when there is one, their state file. */
export class Book {
  readonly #transfers: Transfer[] = [];
  /** All days' transfers of one company and reference. */
  readonly #byReference = new Map<string, Transfer[]>();
  readonly #spent = new Map<string, Satang>();
  readonly #statements = new Map<string, StatementRequest[]>();
  #duplicatesRefused = 0;
  readonly #file: StateFile | undefined;

  /**
   * @param companyId the settings' own: it stands in the state file
   * @param statePath remembers everything across restarts; undefined: nothing is remembered
   * @param replayOther takes a line that is about no transfer; false when it is about something else
   * @throws SandboxError when the file cannot be used, or is another company's
   */
  constructor(
    companyId: string,
    statePath: string | undefined,
    replayOther: (line: StateLine) => boolean = () => false,
  ) {
    if (statePath === undefined) return;
    const header = { kind: 'sandbox', version: stateFileVersion, companyId };
    this.#file = new StateFile(statePath, header, (line) => {
      if (!replayOther(line)) this.#replay(line);
    });
  }

  get count(): number {
    return this.#transfers.length;
  }

  /** Every transfer of the company that bore the reference, oldest first. */
  find(companyId: string, transRefNo: string): readonly Transfer[] {
    return this.#byReference.get(keyOf(companyId, transRefNo)) ?? [];
  }

  /** §4 rule 2: the transfer that the same company, terminal, reference and creation date already name. */
  findDuplicate({ companyId, termId, transRefNo, createdOn }: TransferKey): Transfer | undefined {
    return this.find(companyId, transRefNo).find(
      (held) => held.termId === termId && held.createdOn === createdOn,
    );
  }

  /** What a payer account has spent, or is about to. */
  spent(payerAccount: string): Satang {
    return this.#spent.get(payerAccount) ?? zeroSatang;
  }

  /** Takes a transfer in; resolves when it would survive the bank's own end. Undefined: nothing to wait for. */
  enter(transfer: Transfer): Promise<void> | undefined {
    this.#add(transfer);
    return this.#file?.append(writeTransfer(transfer));
  }

  /** Counts a request that was refused as a duplicate. */
  countDuplicate(held: Transfer): Promise<void> | undefined {
    this.#addDuplicate(held);
    const { companyId, termId, transRefNo, createdOn } = held;
    return this.#file?.append({ kind: 'duplicate', companyId, termId, transRefNo, createdOn });
  }

  /** The first so many transfers, in the order in which they entered; what enters meanwhile is left out. */
  transfers(count: number): IteratorObject<Transfer> {
    return this.#transfers.values().take(count);
  }

  /** The requests for the statement of a day "YYYYMMDD" so far, oldest first. */
  statementRequests(date: string, scope = ''): readonly StatementRequest[] {
    return this.#statements.get(keyOf(scope, date)) ?? [];
  }

  /** Counts a request for a statement. */
  countStatement(request: StatementRequest): Promise<void> | undefined {
    this.#addStatement(request);
    return this.#file?.append({ kind: 'statement', ...request });
  }

  /**
   * @param requests since the start, by endpoint; `other` are those to no address of the bank
   * @param statements requests at signed addresses since the start, and whether one bore an Authorization header, which must never happen
   */
  ledger(
    nowMs: number,
    requests: Readonly<Record<Endpoint | 'other', number>>,
    { downloads, tokenSeen } = { downloads: 0, tokenSeen: false },
  ) {
    const moved = this.#transfers.filter((transfer) => hasMoved(transfer, nowMs));
    const asked = [...this.#statements.values()].flat();
    return {
      isSandbox: true,
      /** The bank's own time. */
      at: formatBangkokDateTime(nowMs),
      /** Moved money only. `references` is less than `count` when one reference moved money on two days. */
      totals: {
        count: moved.length,
        references: new Set(moved.map(({ transRefNo }) => transRefNo)).size,
        amount: formatBaht(sumSatang(moved.map(({ amountSatang }) => amountSatang))),
        fees: formatBaht(sumSatang(moved.map(({ feeSatang }) => feeSatang))),
      },
      duplicatesRefused: this.#duplicatesRefused,
      requests: { ...requests },
      /** `issued`: answers of endpoint 8 that gave an address, those before a restart too. */
      statements: { issued: asked.filter(({ isIssued }) => isIssued).length, downloads, tokenSeen },
      /** In the order in which they entered. */
      entries: this.#transfers.map((transfer) => toEntry(transfer, nowMs)),
    };
  }

  /** Keeps a line that is about no transfer beside the others. Undefined: nothing to wait for. */
  append(line: StateLine): Promise<void> | undefined {
    return this.#file?.append(line);
  }

  close(): void {
    this.#file?.close();
  }

  #add(transfer: Transfer): void {
    const key = keyOf(transfer.companyId, transfer.transRefNo);
    const held = this.#byReference.get(key);
    if (held === undefined) this.#byReference.set(key, [transfer]);
    else held.push(transfer);
    this.#transfers.push(transfer);
    if (transfer.end === 'failed') return;
    const { payerAccount, amountSatang, feeSatang } = transfer;
    this.#spent.set(payerAccount, sumSatang([this.spent(payerAccount), amountSatang, feeSatang]));
  }

  #addDuplicate(held: Transfer): void {
    held.requests += 1;
    this.#duplicatesRefused += 1;
  }

  #addStatement(request: StatementRequest): void {
    const { date, scope = '' } = request;
    this.#statements.set(keyOf(scope, date), [...this.statementRequests(date, scope), request]);
  }

  #replay(line: StateLine): void {
    const { kind } = line;
    if (kind === 'transfer') this.#add(readTransfer(line));
    else if (kind === 'statement') this.#addStatement(line as unknown as StatementRequest);
    else {
      const held = kind === 'duplicate' ? this.findDuplicate(line as unknown as TransferKey) : undefined;
      if (held === undefined) throw new TypeError('neither a transfer, a duplicate nor a statement');
      this.#addDuplicate(held);
    }
  }
}
