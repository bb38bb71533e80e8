/** Reads how registrations stand, alongside the sender. */
import { countRows } from '../../core/exit-code.ts';
import type { PayerPause } from '../../core/ports.ts';
import type { PayerHalt } from '../../payout/ports.ts';
import type {
  KeptCallback,
  RegistrationBatch,
  RegistrationFilter,
  RegistrationHistory,
  RegistrationHoldTotal,
  RegistrationRow,
  RegistrationStore,
  RegistrationTotal,
} from '../../registration/ports.ts';
import { servicePayer } from '../../registration/rules/intent.ts';
import { isMaskedReference } from '../../payout/rules/search.ts';
import type { LoadedSettings } from '../../settings/settings.ts';
import type { Store } from '../../store/store.ts';
import { requireJournal } from '../open-store.ts';
import { readWaiting } from '../status.ts';

export type { RegistrationFilter, RegistrationHistory } from '../../registration/ports.ts';

/** A batch of registrations with its rows by status and its held rows by hold. */
export interface RegistrationBatchStanding {
  readonly batch: RegistrationBatch;
  readonly totals: readonly RegistrationTotal[];
  readonly holds: readonly RegistrationHoldTotal[];
  /** An open proposal that decides about the batch. */
  readonly proposalId?: number | undefined;
}

/** A registration with its history, and the open proposal that decides about it. */
export type RegistrationStanding = RegistrationHistory & { readonly proposalId?: number | undefined };

/** State of all registrations together. */
export interface DirectDebitStanding {
  /** Halts of the service and of companies, until a person resumes. */
  readonly halts: readonly PayerHalt[];
  /** Pause of the service; it ends by itself. */
  readonly pause: PayerPause | undefined;
  readonly awaitedRows: number;
  /** When the first awaited row counts as unanswered; undefined without any. */
  readonly nextOverdueAtMs: number | undefined;
  readonly unansweredRows: number;
  readonly unknownCallbacks: number;
  /** The latest unknown callbacks. */
  readonly latestUnknown: readonly KeptCallback[];
}

/** The standing without a journal. */
export const nothingStands: DirectDebitStanding = {
  halts: [],
  pause: undefined,
  awaitedRows: 0,
  nextOverdueAtMs: undefined,
  unansweredRows: 0,
  unknownCallbacks: 0,
  latestUnknown: [],
};

/** Unknown callbacks listed one by one. */
const unknownShownMax = 10;

/** Reads the standing of these batches. */
export async function readRegistrationBatches(
  store: Pick<Store, 'registrationTotals' | 'registrationHoldTotals' | 'openItems'>,
  batches: readonly RegistrationBatch[],
): Promise<readonly RegistrationBatchStanding[]> {
  const keys = batches.map(({ batchId }) => batchId);
  const waiting = await readWaiting(store, 'registration-batch', keys);
  return Promise.all(
    batches.map(async (batch) => ({
      batch,
      totals: await store.registrationTotals(batch.batchId),
      holds: await store.registrationHoldTotals(batch.batchId),
      proposalId: waiting.get(batch.batchId),
    })),
  );
}

/** Reads the standing of all registrations. @param companyId `bank.companyId` */
export async function readDirectDebit(
  store: Pick<
    Store,
    | 'payerHalts'
    | 'payerPause'
    | 'countAwaitedRegistrations'
    | 'nextOverdueAtMs'
    | 'countRegistrations'
    | 'countUnknownCallbacks'
    | 'unknownCallbacks'
  >,
  companyId: string,
): Promise<DirectDebitStanding> {
  const service = servicePayer(companyId);
  const counts = await store.countRegistrations();
  const totals = [...counts].map(([status, rows]) => ({ status, rows }));
  const unknownCallbacks = await store.countUnknownCallbacks();
  return {
    halts: (await store.payerHalts()).filter(({ payerAccount }) => isDirectDebit(payerAccount, service)),
    pause: await store.payerPause(service.companyId, service.payerAccount),
    awaitedRows: await store.countAwaitedRegistrations(),
    nextOverdueAtMs: await store.nextOverdueAtMs(),
    unansweredRows: countRows(totals, ['unanswered']),
    unknownCallbacks,
    latestUnknown: unknownCallbacks === 0 ? [] : await store.unknownCallbacks(unknownShownMax),
  };
}

const isDirectDebit = (payerAccount: string, service: { readonly payerAccount: string }): boolean =>
  payerAccount === service.payerAccount || payerAccount.startsWith(`${service.payerAccount} `);

/** Registrations with this registrationId, requestUID or ddrOapiSeqId, or else with this reference. */
interface RegistrationsByName {
  readonly found: readonly RegistrationStanding[];
  /** True where no registration has the id itself: rows with this reference were found. */
  readonly isReference: boolean;
}

/** @throws SettingsError without a journal */
export async function findRegistrations(
  loaded: LoadedSettings,
  reference: string,
): Promise<RegistrationsByName> {
  await using store = await requireJournal(loaded);
  const histories = await store.findRegistrations(reference);
  const keys = histories.map(({ row }) => String(row.seq));
  const waiting = await readWaiting(store, 'registration', keys);
  const found = histories.map((one) => ({ ...one, proposalId: waiting.get(String(one.row.seq)) }));
  if (found.length > 0) return { found, isReference: false };
  // Customers and numbers are found by `list`, which asks who wants to know.
  if (isMaskedReference(reference)) return { found, isReference: false };
  const others = await store.searchRegistrations({ shownReference: reference }, Number.MAX_SAFE_INTEGER, 1);
  return { found, isReference: others.length > 0 };
}

/** A registration with its batch. */
export interface FoundRegistration {
  readonly row: RegistrationRow;
  readonly batch: RegistrationBatch;
}

interface ListedRegistrations {
  readonly found: readonly FoundRegistration[];
  /** True on the last page when more registrations exist than were asked for. */
  readonly isMore: boolean;
}

/** Rows read at a time, so that memory stays flat. */
const pageRows = 500;

/** The newest registrations that match the filter, in pages. @param rowsMax largest number of rows; Infinity for all */
export async function* listRegistrations(
  store: Pick<RegistrationStore, 'searchRegistrations' | 'registrationBatches'>,
  filter: RegistrationFilter,
  rowsMax: number,
): AsyncGenerator<ListedRegistrations> {
  const batches = new Map((await store.registrationBatches()).map((batch) => [batch.batchId, batch]));
  let beforeSeq = Number.MAX_SAFE_INTEGER;
  for (let left = rowsMax; ;) {
    const rows = Math.min(left, pageRows);
    const read = await store.searchRegistrations(filter, beforeSeq, rows + 1);
    const page = read.slice(0, rows);
    left -= page.length;
    const isMore = read.length > rows;
    const found = page.flatMap((row) => {
      const batch = batches.get(row.batchId);
      return batch === undefined ? [] : [{ row, batch }];
    });
    yield { found, isMore: isMore && left === 0 };
    if (!isMore || left === 0) return;
    beforeSeq = page.at(-1)?.seq ?? 0;
  }
}
