/** The bank's book: every transfer that has entered it, what was spent, and what was refused as a duplicate. */
import { formatBangkokDateTime } from '../core/bangkok-time.ts';
import { formatBaht, sumSatang, zeroSatang } from '../core/money.ts';
import type { Satang } from '../core/money.ts';
import { StateFile } from './state-file.ts';
import type { StateLine } from './state-file.ts';
import type { Endpoint } from './table.ts';
import { computeState, hasMoved, readTransfer, writeTransfer } from './transfers.ts';
import type { Transfer } from './transfers.ts';

const stateFileVersion = 1;

/** A transfer as the ledger shows it. Amounts are decimal baht. */
export interface LedgerEntry {
  readonly transRefNo: string;
  readonly tranDate: string;
  readonly proxyType: string;
  readonly proxyNo: string;
  readonly amount: string;
  readonly fee: string;
  readonly sysRefNo: string;
  readonly reference1: string;
  readonly reference2: string;
  /** tranStatusCode (§3.2). */
  readonly status: string;
  readonly statusCode: string;
  readonly acceptedAt: string;
  /** Null while the money has not moved. */
  readonly movedAt: string | null;
  /** Requests that bore this reference on its day, the first counted. */
  readonly requests: number;
}

/** What really moved, and what was asked. */
export interface Ledger {
  readonly isSandbox: true;
  /** The bank's own time. */
  readonly at: string;
  /** Moved money only. `references` is less than `count` when one reference moved money on two days. */
  readonly totals: {
    readonly count: number;
    readonly references: number;
    readonly amount: string;
    readonly fees: string;
  };
  readonly duplicatesRefused: number;
  /** Requests since the start, by endpoint; `other` are those to no address of the bank. */
  readonly requests: Readonly<Record<Endpoint | 'other', number>>;
  readonly statements: {
    /** Answers of endpoint 8 that gave an address, those before a restart too. */
    readonly issued: number;
    /** Requests at signed addresses since the start. */
    readonly downloads: number;
    /** True: one of them bore an Authorization header, which must never happen. */
    readonly tokenSeen: boolean;
  };
  /** In the order in which they entered. */
  readonly entries: readonly LedgerEntry[];
}

function toEntry(transfer: Transfer, nowMs: number): LedgerEntry {
  const { tranStatusCode, statusCode } = computeState(transfer, nowMs);
  return {
    transRefNo: transfer.transRefNo,
    tranDate: transfer.tranDate,
    proxyType: transfer.proxyType,
    proxyNo: transfer.proxyNo,
    amount: formatBaht(transfer.amountSatang),
    fee: formatBaht(transfer.feeSatang),
    sysRefNo: transfer.sysRefNo,
    reference1: transfer.reference1,
    reference2: transfer.reference2,
    status: tranStatusCode,
    statusCode,
    acceptedAt: formatBangkokDateTime(transfer.acceptedAtMs),
    movedAt: hasMoved(transfer, nowMs) ? formatBangkokDateTime(transfer.endsAtMs) : null,
    requests: transfer.requests,
  };
}

/** What was asked of a day's statement. */
export interface StatementTally {
  readonly asked: number;
  /** Answered with an address. */
  readonly issued: number;
  readonly firstAskedAtMs: number | undefined;
}

/** A request for the statement of a day "YYYYMMDD". */
interface StatementRequest {
  readonly date: string;
  readonly atMs: number;
  readonly isIssued: boolean;
}

const notAsked: StatementTally = { asked: 0, issued: 0, firstAskedAtMs: undefined };

const bookKey = (companyId: string, transRefNo: string): string => `${companyId} ${transRefNo}`;

/** Owns the transfers and, when there is one, their state file. */
export class Book {
  readonly #transfers: Transfer[] = [];
  /** All days' transfers of one company and reference. */
  readonly #byReference = new Map<string, Transfer[]>();
  readonly #spent = new Map<string, Satang>();
  readonly #statements = new Map<string, StatementTally>();
  #duplicatesRefused = 0;
  readonly #file: StateFile | undefined;

  /**
   * @param statePath remembers everything across restarts; undefined: nothing is remembered
   * @throws SandboxError when the file cannot be used, or is another company's
   */
  constructor(companyId: string, statePath: string | undefined) {
    if (statePath === undefined) return;
    const header = { kind: 'sandbox', version: stateFileVersion, companyId };
    this.#file = new StateFile(statePath, header, (line) => this.#replay(line));
  }

  get count(): number {
    return this.#transfers.length;
  }

  /** Every transfer that bore the reference, oldest first. */
  find(companyId: string, transRefNo: string): readonly Transfer[] {
    return this.#byReference.get(bookKey(companyId, transRefNo)) ?? [];
  }

  /** §4 rule 2: the transfer that the same company, terminal, reference and creation date already name. */
  findDuplicate(
    companyId: string,
    termId: string,
    transRefNo: string,
    createdOn: string,
  ): Transfer | undefined {
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
  *transfers(count: number): Generator<Transfer> {
    for (const [place, transfer] of this.#transfers.entries()) {
      if (place >= count) return;
      yield transfer;
    }
  }

  /** What was asked of the statement of a day "YYYYMMDD" so far. */
  statementTally(date: string): StatementTally {
    return this.#statements.get(date) ?? notAsked;
  }

  /** Counts a request for a statement. */
  countStatement(request: StatementRequest): Promise<void> | undefined {
    this.#addStatement(request);
    return this.#file?.append({ kind: 'statement', ...request });
  }

  ledger(
    nowMs: number,
    requests: Ledger['requests'],
    { downloads, tokenSeen }: Omit<Ledger['statements'], 'issued'> = { downloads: 0, tokenSeen: false },
  ): Ledger {
    const moved = this.#transfers.filter((transfer) => hasMoved(transfer, nowMs));
    return {
      isSandbox: true,
      at: formatBangkokDateTime(nowMs),
      totals: {
        count: moved.length,
        references: new Set(moved.map((transfer) => bookKey(transfer.companyId, transfer.transRefNo))).size,
        amount: formatBaht(sumSatang(moved.map((transfer) => transfer.amountSatang))),
        fees: formatBaht(sumSatang(moved.map((transfer) => transfer.feeSatang))),
      },
      duplicatesRefused: this.#duplicatesRefused,
      requests: { ...requests },
      statements: {
        issued: [...this.#statements.values()].reduce((sum, { issued }) => sum + issued, 0),
        downloads,
        tokenSeen,
      },
      entries: this.#transfers.map((transfer) => toEntry(transfer, nowMs)),
    };
  }

  close(): void {
    this.#file?.close();
  }

  #add(transfer: Transfer): void {
    const key = bookKey(transfer.companyId, transfer.transRefNo);
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

  #addStatement({ date, atMs, isIssued }: StatementRequest): void {
    const { asked, issued, firstAskedAtMs = atMs } = this.statementTally(date);
    this.#statements.set(date, { asked: asked + 1, issued: issued + (isIssued ? 1 : 0), firstAskedAtMs });
  }

  #replay(line: StateLine): void {
    if (line['kind'] === 'transfer') {
      this.#add(readTransfer(line));
      return;
    }
    if (line['kind'] === 'statement') {
      const { date, atMs, isIssued } = line;
      this.#addStatement({ date: String(date), atMs: Number(atMs), isIssued: isIssued === true });
      return;
    }
    const { kind, companyId, termId, transRefNo, createdOn } = line;
    const held = this.findDuplicate(String(companyId), String(termId), String(transRefNo), String(createdOn));
    if (kind !== 'duplicate' || held === undefined)
      throw new TypeError('neither a transfer, a duplicate nor a statement');
    this.#addDuplicate(held);
  }
}
