/**
 * The bank's book: every transfer that has entered it, the amounts spent, and the refused duplicates. The book has no
 * timers: the state of a transfer follows from the clock.
 */
import { formatBangkokDateTime } from '../core/bangkok-time.ts';
import { formatBaht, parseBaht, type Satang, sumSatang, zeroSatang } from '../core/money.ts';
import type { RegistrationLedger } from './registration/book.ts';
import { StateFile, type StateLine } from './state-file.ts';
import { describeState, describeStatus } from './status-texts.ts';
import type { Endpoint } from './table.ts';

/** A transfer that has entered the bank; from then on only the count of requests changes. */
export interface Transfer {
  readonly transRefNo: string;
  readonly sysRefNo: string;
  readonly companyId: string;
  /** Client of the request's token; undefined in a state file of an earlier version: the settings' own client. */
  readonly clientId?: string | undefined;
  readonly termId: string;
  readonly channelId: string;
  readonly payerAccount: string;
  readonly tranDate: string;
  readonly tranTime: string;
  readonly proxyType: string;
  readonly proxyNo: string;
  /** Name as sent; empty without one. */
  readonly proxyName: string;
  readonly amountSatang: Satang;
  readonly feeSatang: Satang;
  readonly reference1: string;
  readonly reference2: string;
  /** YYYYMMDD in Bangkok by the bank's clock: the creation date of §4 rule 2. */
  readonly createdOn: string;
  readonly acceptedAtMs: number;
  readonly end: 'complete' | 'failed' | 'none';
  /** Time of the end; equal to acceptedAtMs for an immediate end. */
  readonly endsAtMs: number;
  /** statusCode while in process. */
  readonly code: string;
  /** statusCode after the end. */
  readonly endCode: string;
  /** State while in process, instead of 010001 to 010003; empty: these three. */
  readonly stageCode: string;
  /** Time before which inquiries find nothing. */
  readonly hiddenUntilMs: number;
  /** Requests with this reference on this day, including the first. */
  requests: number;
}

/** Codes of failed validation (030002); any other failure is the transfer's own (030003), §3.2. */
const validationFailures = new Set(
  (
    'EM002 EM004 EM005 EM009 EM013 EM069 EM070 EV001 EV007 EV013 EV032 ' +
    'EV036 EV039 EV040 EV042 EV043 EV051 EV052 EV053 EV054 EV055 EV056'
  ).split(' '),
);

const stages = ['010001', '010002', '010003'] as const;

/**
 * The present stage: a transfer in process passes its stages in equal parts of its time; one that never ends stays in
 * the last.
 */
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

/** True when the payee has the money. */
function hasMoved(transfer: Transfer, nowMs: number): boolean {
  return transfer.end === 'complete' && hasEnded(transfer, nowMs);
}

/** The state of a transfer at a moment, as in an inquiry's item (§2.6, §3.2). */
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

/** The state file's line of a transfer. */
function writeTransfer(transfer: Transfer): Record<string, unknown> {
  const { amountSatang, feeSatang, requests: _, ...rest } = transfer;
  return { kind: 'transfer', ...rest, amount: formatBaht(amountSatang), fee: formatBaht(feeSatang) };
}

/**
 * Reads a line of the state file.
 * @throws TypeError when it is not a transfer
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

/** A transfer as the ledger shows it. Amounts are decimal baht. @forTests */
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
    /** Null before the money has moved. */
    movedAt: hasMoved(transfer, nowMs) ? formatBangkokDateTime(transfer.endsAtMs) : null,
    /** Requests with this reference on its day, including the first. */
    requests: transfer.requests,
  };
}

/** The money that moved, and the requests. */
export type Ledger = ReturnType<Book['ledger']> & {
  /** Most requests within any one second since the start, without those for tokens. */
  readonly busiestSecond: number;
  readonly registrations: RegistrationLedger;
};

// ---------------------------------------------------------------- the book

/** A request for the statement of a day "YYYYMMDD". */
interface StatementRequest {
  /** The owner of a separate count; undefined for the settings' own. */
  readonly scope?: string | undefined;
  readonly date: string;
  readonly atMs: number;
  readonly isIssued: boolean;
}

const stateFileVersion = 1;

type TransferKey = Pick<Transfer, 'companyId' | 'termId' | 'transRefNo' | 'createdOn'>;

const keyOf = (companyId: string, name: string): string => `${companyId} ${name}`;

/** The transfers of every company, with their state file if there is one. */
export class Book {
  readonly #transfers: Transfer[] = [];
  /** Transfers of one company and reference, of all days. */
  readonly #byReference = new Map<string, Transfer[]>();
  readonly #spent = new Map<string, Satang>();
  readonly #statements = new Map<string, StatementRequest[]>();
  #duplicatesRefused = 0;
  readonly #file: StateFile | undefined;

  /**
   * @param companyId company of the settings, stored in the state file
   * @param statePath file that keeps everything across restarts; undefined: nothing is kept
   * @param replayOther handles a line that is not about a transfer; false for one of another kind
   * @throws SandboxError when the file cannot be used, or belongs to another company
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

  /** Every transfer of the company with the reference, oldest first. */
  find(companyId: string, transRefNo: string): readonly Transfer[] {
    return this.#byReference.get(keyOf(companyId, transRefNo)) ?? [];
  }

  /** The transfer with the same company, terminal, reference and creation date (§4 rule 2). */
  findDuplicate({ companyId, termId, transRefNo, createdOn }: TransferKey): Transfer | undefined {
    return this.find(companyId, transRefNo).find(
      (held) => held.termId === termId && held.createdOn === createdOn,
    );
  }

  /** The amount that a payer account has spent or committed. */
  spent(payerAccount: string): Satang {
    return this.#spent.get(payerAccount) ?? zeroSatang;
  }

  /** Adds a transfer; resolves when it would survive the bank's own end. Undefined: no need to wait. */
  enter(transfer: Transfer): Promise<void> | undefined {
    this.#add(transfer);
    return this.#file?.append(writeTransfer(transfer));
  }

  /** Counts a refused duplicate. */
  countDuplicate(held: Transfer): Promise<void> | undefined {
    this.#addDuplicate(held);
    const { companyId, termId, transRefNo, createdOn } = held;
    return this.#file?.append({ kind: 'duplicate', companyId, termId, transRefNo, createdOn });
  }

  /** The first `count` transfers, in order of entry; later ones are left out. */
  transfers(count: number): IteratorObject<Transfer> {
    return this.#transfers.values().take(count);
  }

  /** Requests for the statement of a day "YYYYMMDD", oldest first. */
  statementRequests(date: string, scope = ''): readonly StatementRequest[] {
    return this.#statements.get(keyOf(scope, date)) ?? [];
  }

  /** Counts a request for a statement. */
  countStatement(request: StatementRequest): Promise<void> | undefined {
    this.#addStatement(request);
    return this.#file?.append({ kind: 'statement', ...request });
  }

  /**
   * @param requests requests since the start, by endpoint; `other` are those to unknown addresses
   * @param statements requests to signed addresses since the start, and whether one had an Authorization header, which
   * must never happen
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
      /** `issued`: answers of endpoint 8 that gave an address, also before a restart. */
      statements: { issued: asked.filter(({ isIssued }) => isIssued).length, downloads, tokenSeen },
      /** Entries in order of entry. */
      entries: this.#transfers.map((transfer) => toEntry(transfer, nowMs)),
    };
  }

  /** Stores a line that is not about a transfer. Undefined: no need to wait. */
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
