/** Checks a file of registrations without sending anything: every issue of every row, and the outcome of each row. */
import { message, type Message } from '../core/message.ts';
import { showCell } from '../core/cell-text.ts';
import type { Inspection, Issue } from '../core/payout-file.ts';
import { computeBatchId } from '../core/reference.ts';
import type { RegistrationFileReader, RejectedFile } from '../intake/ports.ts';
import { DuplicateIndex } from '../intake/rules/duplicates.ts';
import type { KeptCallback, RegistrationStore } from '../registration/ports.ts';
import { identityKey } from '../registration/rules/callback.ts';
import {
  type Clash,
  contradictedInFile,
  explainCalled,
  explainClaimed,
  explainIndistinct,
  explainSimilar,
} from '../registration/rules/clash.ts';
import type { RegistrationFileRow, RegistrationSealTotals } from '../registration/rules/registration-file.ts';
import {
  awaitedStatuses,
  type Registration,
  type RegistrationInstruction,
} from '../registration/rules/registration.ts';
import { readAll, type RowIssue } from './check.ts';
import { computeSimilarKey } from '../payout/rules/similar.ts';
import { RowMarks } from './rules/row-marks.ts';

/** Numbers of rows by outcome; the three add up to `all`. */
export interface RegistrationCheckTotals {
  readonly all: number;
  readonly ready: number;
  readonly held: number;
  readonly rejected: number;
}

export interface CheckedRegistrations {
  readonly kind: 'registrations';
  /** The batch of these bytes, accepted or not. */
  readonly batchId: string;
  readonly totals: RegistrationCheckTotals;
}

/** Queries to a journal. */
type RegistrationLookups = Pick<
  RegistrationStore,
  | 'registration'
  | 'registrationHolder'
  | 'similarRegistrationHolders'
  | 'searchRegistrations'
  | 'sentRegistrations'
  | 'unknownCallbacks'
>;

interface RegistrationCheckOptions {
  readonly companyId: string;
  /** Undefined when there is none yet. */
  readonly journal: RegistrationLookups | undefined;
  /** Called with the issues of a stretch of rows. Rows that a later one nearly repeats come last. */
  onIssues(issues: readonly RowIssue[]): void;
}

/** Most unknown callbacks that are compared; a larger number is a fault that other commands report. */
const unknownCallbacksMax = 10_000;
/** Most registrations of one account that are compared. */
const ofAccountMax = 1_000;

type Outcome = 'ready' | 'held' | 'rejected';

interface AskingRow extends RegistrationFileRow {
  readonly instruction: RegistrationInstruction;
}

const isAsking = (row: RegistrationFileRow): row is AskingRow => row.instruction !== null;

const inThisFile = (rowNo: number): Message => message('row.of-file', { row: rowNo });

/** The journal's facts about a file's registrations; empty without a journal. */
class JournalLookups {
  readonly #journal: RegistrationLookups | undefined;
  readonly #companyId: string;
  readonly #batchId: string;
  #unknown: ReadonlyMap<string, KeptCallback> | undefined;

  constructor({ journal, companyId }: RegistrationCheckOptions, batchId: string) {
    this.#journal = journal;
    this.#companyId = companyId;
    this.#batchId = batchId;
  }

  /** The file's own batch does not count. */
  readonly #isOther = ({ batchId }: Pick<Registration, 'batchId'>): boolean => batchId !== this.#batchId;

  async findClaimed({ registrationId }: RegistrationInstruction): Promise<Clash | undefined> {
    const holder = await this.#journal?.registrationHolder(this.#companyId, registrationId);
    if (holder === undefined || !this.#isOther(holder)) return undefined;
    return explainClaimed(
      message('row.of-batch', { row: holder.rowNo, batch: holder.batchId }),
      holder.status,
    );
  }

  async findIndistinct(instruction: RegistrationInstruction): Promise<Clash | undefined> {
    const statuses = ['ready', 'held', ...awaitedStatuses] as const;
    const filter = { statuses, accountNo: instruction.accountNo };
    const found = await this.#journal?.searchRegistrations(filter, Number.MAX_SAFE_INTEGER, ofAccountMax);
    const key = identityKey(instruction);
    for (const { seq, currentInstruction } of found ?? []) {
      if (currentInstruction === null || identityKey(currentInstruction) !== key) continue;
      const other = await this.#journal?.registration(seq);
      if (other !== undefined && this.#isOther(other))
        return explainIndistinct(nameOther(other.instruction, other));
    }
    return undefined;
  }

  async findSimilar({ registrationId }: RegistrationInstruction): Promise<Clash | undefined> {
    const others = await this.#journal?.similarRegistrationHolders(this.#companyId, registrationId);
    const other = others?.find(this.#isOther);
    return other && explainSimilar(nameOther(other.instruction, other));
  }

  async findCalled(instruction: RegistrationInstruction): Promise<Clash | undefined> {
    const key = identityKey(instruction);
    const sent = await this.#journal?.sentRegistrations(key);
    const registered = sent?.find(({ registration }) => registration.status === 'registered');
    if (registered !== undefined && this.#isOther(registered.registration)) {
      const { registration } = registered;
      return explainCalled('registered', nameOther(registration.instruction, registration));
    }
    const unknown = (await this.#readUnknown()).get(key);
    return unknown && explainCalled(unknown.callback.outcome, message('clash.unknown-registration'));
  }

  async #readUnknown(): Promise<ReadonlyMap<string, KeptCallback>> {
    if (this.#unknown === undefined) {
      const kept = (await this.#journal?.unknownCallbacks(unknownCallbacksMax)) ?? [];
      this.#unknown = new Map(kept.map((one) => [identityKey(one.callback.identity), one]));
    }
    return this.#unknown;
  }
}

const nameOther = (
  instruction: RegistrationInstruction | null,
  { rowNo, batchId }: Pick<Registration, 'rowNo' | 'batchId'>,
): Message =>
  message('clash.named', {
    registrationId: showCell(instruction?.registrationId ?? ''),
    row: message('row.of-batch', { row: rowNo, batch: batchId }),
  });

/** One reading of a file: finds rows that conflict with an earlier one, and counts the outcomes. */
class RegistrationCheck {
  readonly #lookups: JournalLookups;
  readonly #identities = new DuplicateIndex();
  readonly #similar = new DuplicateIndex();
  readonly #held = new RowMarks();
  readonly #conflicting: ReadonlySet<number>;
  readonly #onIssues: RegistrationCheckOptions['onIssues'];
  readonly #rows: Record<Outcome, number> = { ready: 0, held: 0, rejected: 0 };

  /** @param conflicting rows that a later one contradicts */
  constructor(options: RegistrationCheckOptions, batchId: string, conflicting: readonly number[]) {
    this.#conflicting = new Set(conflicting);
    this.#lookups = new JournalLookups(options, batchId);
    this.#onIssues = options.onIssues;
  }

  get totals(): RegistrationCheckTotals {
    const { ready, held, rejected } = this.#rows;
    return { all: ready + held + rejected, ready, held, rejected };
  }

  /** True when a row differs little from a later one, and is held like it. */
  get hasSimilar(): boolean {
    return this.#similar.conflictingRowNos.length > 0;
  }

  async take(rows: readonly RegistrationFileRow[]): Promise<void> {
    const issues: RowIssue[] = [];
    for (const row of rows) {
      const clashes = isAsking(row) ? await this.#judge(row) : [];
      if (row.instruction === null) this.#rows.rejected += 1;
      issues.push(...row.issues.map((issue) => ({ rowNo: row.rowNo, issue })), ...describe(row, clashes));
    }
    if (issues.length > 0) this.#onIssues(issues);
  }

  async #judge(row: AskingRow): Promise<readonly Clash[]> {
    const clash = await this.#findRejecting(row);
    if (clash !== undefined) {
      this.#rows.rejected += 1;
      return [clash];
    }
    const holding = await this.#findHolding(row);
    this.#rows[holding.length > 0 ? 'held' : 'ready'] += 1;
    if (holding.length > 0) this.#held.add(row.rowNo);
    return holding;
  }

  async #findRejecting({ rowNo, line, instruction }: AskingRow): Promise<Clash | undefined> {
    if (this.#conflicting.has(rowNo)) return contradictedInFile;
    const claimed = await this.#lookups.findClaimed(instruction);
    if (claimed !== undefined) return claimed;
    const indistinct = await this.#lookups.findIndistinct(instruction);
    if (indistinct !== undefined) return indistinct;
    const id = identityKey(instruction);
    const verdict = this.#identities.add({ rowNo, line, id, cells: [], isValid: true });
    return verdict.kind === 'new' ? undefined : explainIndistinct(inThisFile(verdict.firstRowNo));
  }

  async #findHolding({ rowNo, line, instruction }: AskingRow): Promise<readonly Clash[]> {
    const { registrationId } = instruction;
    const id = computeSimilarKey(registrationId);
    const verdict = this.#similar.add({ rowNo, line, id, cells: [registrationId], isValid: true });
    const similar =
      verdict.kind === 'differs'
        ? explainSimilar(message('clash.that-of', { row: inThisFile(verdict.firstRowNo) }))
        : await this.#lookups.findSimilar(instruction);
    const called = await this.#lookups.findCalled(instruction);
    return [similar, called].filter((one) => one !== undefined);
  }

  /** Holds rows that a later one nearly repeats. */
  holdSimilar(rows: readonly RegistrationFileRow[]): void {
    const similar = new Set(this.#similar.conflictingRowNos);
    const isNew = ({ rowNo }: RegistrationFileRow): boolean => similar.has(rowNo) && !this.#held.has(rowNo);
    const held = rows.filter(isNew);
    this.#rows.ready -= held.length;
    this.#rows.held += held.length;
    const clash = explainSimilar(message('clash.that-of-later-row'));
    if (held.length > 0) this.#onIssues(held.flatMap((row) => describe(row, [clash])));
  }
}

function describe({ rowNo, line, cells }: RegistrationFileRow, clashes: readonly Clash[]): RowIssue[] {
  const value = showCell(cells.registrationId.trim());
  return clashes.map(({ code, column, message: why }) => {
    const issue: Issue = {
      line,
      column,
      code,
      value: column === 'registrationId' ? value : null,
      message: why,
    };
    return { rowNo, issue };
  });
}

/**
 * Reads the whole file and reports every issue. A first reading comes before it, because contradictory rows are known
 * only at the end of the file, and a rejected row conflicts with nothing.
 */
export async function checkRegistrations(
  reader: RegistrationFileReader,
  inspection: Inspection,
  options: RegistrationCheckOptions,
): Promise<CheckedRegistrations | RejectedFile> {
  const read = (take: (rows: readonly RegistrationFileRow[]) => Promise<void>) =>
    readAll<RegistrationFileRow, RegistrationSealTotals>({ reader, inspection }, take);
  const first = await read(async () => undefined);
  if ('kind' in first) return first;
  const batchId = computeBatchId(inspection.sha256);
  const check = new RegistrationCheck(options, batchId, first.conflictingRowNos);
  const second = await read((rows) => check.take(rows));
  if ('kind' in second) return second;
  const last = check.hasSimilar ? await read(async (rows) => check.holdSimilar(rows)) : second;
  return 'kind' in last ? last : { kind: 'registrations', batchId, totals: check.totals };
}
