/** Finds the targets that people name: a payout, a registration or a batch by its id, a row by its line in a file. */
import { type Message, message } from '../../core/message.ts';
import type { Batch, ResultRow } from '../../core/ports.ts';
import type { PayoutHistory } from '../../payout/ports.ts';
import { retriedStatuses } from '../../payout/rules/operator.ts';
import { systemClock } from '../../platform/clock.ts';
import type { RegistrationBatch, RegistrationHistory } from '../../registration/ports.ts';
import { sourceStatusesOf } from '../../registration/rules/registration.ts';
import { SettingsError } from '../../settings/secrets.ts';
import type { DecisionJournal, DecisionSession } from '../context.ts';
import { type FiledDecision, isFiledRegistration } from '../rules/decision-file.ts';
import type { Target } from '../rules/proposal.ts';
import {
  isPayoutDecision,
  isRegistrationDecision,
  type PayoutDecision,
  type RegistrationDecision,
} from '../rules/terms.ts';

/** A batch by its id, of either kind; a batch that was read beats one that was rejected as the wrong kind. */
export type AnyBatch =
  | { readonly kind: 'payouts'; readonly batch: Batch }
  | { readonly kind: 'registrations'; readonly batch: RegistrationBatch };

/** Finds a batch of either kind. @param name in any case */
export async function findAnyBatch(
  store: Pick<DecisionJournal, 'batch' | 'registrationBatch'>,
  name: string,
): Promise<AnyBatch | undefined> {
  const batchId = name.toUpperCase();
  const payouts = await store.batch(batchId);
  const registrations = await store.registrationBatch(batchId);
  if (registrations !== undefined && (payouts === undefined || payouts.status === 'rejected'))
    return { kind: 'registrations', batch: registrations };
  return payouts && { kind: 'payouts', batch: payouts };
}

/** A target, and where people find it: a row of a batch, a line of a file. */
export interface Named {
  readonly where: string;
  readonly target: Target;
}

export const describeRow = (row: Pick<ResultRow, 'rowNo' | 'cells'>, batchId: string): string =>
  `${row.cells.payoutId.trim()} (row ${row.rowNo} of batch ${batchId})`;

const nameRow = ({ row, batch }: Pick<PayoutHistory, 'row' | 'batch'>): Named => ({
  where: describeRow(row, batch.batchId),
  target: { kind: 'payout', key: String(row.seq), version: String(row.version) },
});

export const nameRegistration = ({ row, batch }: Pick<RegistrationHistory, 'row' | 'batch'>): Named => ({
  where: `${row.cells.registrationId.trim()} (row ${row.rowNo} of batch ${batch.batchId})`,
  target: { kind: 'registration', key: String(row.seq), version: String(row.version) },
});

/** A decision on a payout, on a registration, or on either. */
export type RowDecision = PayoutDecision | RegistrationDecision;

/** Rows that a name may mean: those of payouts, or those of registrations. */
type FoundRows =
  | { readonly kind: 'payout'; readonly payouts: readonly PayoutHistory[] }
  | { readonly kind: 'registration'; readonly registrations: readonly RegistrationHistory[] };

const kindMark = /^(payout|registration):(.+)$/s;

/**
 * Finds rows by name: a payoutId, a registrationId, or the bank's reference of one. A prefix `payout:` or `registration:`
 * selects the kind.
 * @returns undefined for an unknown name
 * @throws SettingsError where a payout and a registration have the name
 */
export async function findRows(
  journal: Pick<DecisionJournal, 'findPayouts' | 'findRegistrations'>,
  text: string,
): Promise<FoundRows | undefined> {
  const [, kind, name = text] = kindMark.exec(text) ?? [];
  const payouts = kind === 'registration' ? [] : await journal.findPayouts(name);
  const registrations = kind === 'payout' ? [] : await journal.findRegistrations(name);
  if (payouts.length > 0 && registrations.length > 0)
    throw new SettingsError(
      `a payout and a registration are called ${name}: say payout:${name} or registration:${name}`,
    );
  if (registrations.length > 0) return { kind: 'registration', registrations };
  return payouts.length > 0 ? { kind: 'payout', payouts } : undefined;
}

/** The row that a name means. @throws SettingsError for an unknown name */
export async function nameOne(session: DecisionSession, decision: RowDecision, name: string): Promise<Named> {
  const { journal } = session;
  const plain = kindMark.exec(name)?.[2] ?? name;
  for (const by of ['payoutId', 'transRefNo'] as const) await journal.recall(by, [plain], systemClock.now());
  const found = await findRows(journal, name);
  if (found === undefined)
    throw new SettingsError(
      `no payout and no registration is called ${name}; "paydrop list" finds payouts, "paydrop list --registrations" registrations`,
    );
  return found.kind === 'payout'
    ? namePayout(session, decision, found.payouts)
    : nameFoundRegistration(session, decision, found.registrations);
}

interface PossibleOne {
  readonly decision: string;
  readonly whyNot: Message | undefined;
}

/** The first row for which a decision is possible, or the latest. */
async function findPossible<One>(
  found: readonly One[],
  decision: RowDecision,
  read: (one: One) => Promise<readonly PossibleOne[] | undefined>,
): Promise<One | undefined> {
  for (const one of found) {
    const options = await read(one);
    if (options?.some((option) => option.decision === decision && option.whyNot === undefined)) return one;
  }
  return found[0];
}

const requireKnown = (one: Named | undefined): Named => {
  if (one === undefined) throw new Error('a name was found, and means nothing');
  return one;
};

async function namePayout(
  { context }: DecisionSession,
  decision: RowDecision,
  found: readonly PayoutHistory[],
): Promise<Named> {
  const { readOptions } = await import('../payout-target.ts');
  if (!isPayoutDecision(decision))
    throw new SettingsError(`${found[0]?.row.cells.payoutId ?? ''} is a payout, not a registration`);
  const one = await findPossible(found, decision, ({ row }) => readOptions(context, row.seq));
  return requireKnown(one && nameRow(one));
}

async function nameFoundRegistration(
  { context }: DecisionSession,
  decision: RowDecision,
  found: readonly RegistrationHistory[],
): Promise<Named> {
  const { readRegistrationOptions } = await import('../registration-target.ts');
  if (!isRegistrationDecision(decision))
    throw new SettingsError(`${found[0]?.row.cells.registrationId ?? ''} is a registration, not a payout`);
  const one = await findPossible(found, decision, ({ row }) => readRegistrationOptions(context, row.seq));
  return requireKnown(one && nameRegistration(one));
}

/** A row of either kind in its batch. */
interface KeptRow {
  readonly row: { readonly rowNo: number };
  readonly batch: { readonly batchId: string };
}

/** A line of a file that means no row. */
export interface UnknownRow {
  readonly where: string;
  readonly why: Message;
}

/** Finds the row that a line of the file means. */
export async function nameFiled(
  { journal }: Pick<DecisionSession, 'journal'>,
  filed: FiledDecision,
): Promise<Named | UnknownRow> {
  const { line, batchId, rowNo, note } = filed;
  const version = String(filed.version);
  const isMeant = ({ row, batch }: KeptRow): boolean => batch.batchId === batchId && row.rowNo === rowNo;
  const place = message('place.row', { row: rowNo, batch: batchId });
  const unknown = (why: Message): UnknownRow => ({ where: `line ${line}`, why });
  const known = ({ where, target }: Named, correction: Target['correction']): Named => ({
    where: `line ${line}, ${where}`,
    target: { ...target, version, note, correction },
  });
  if (isFiledRegistration(filed)) {
    const { registrationId: id, newAccountNo: accountNo } = filed;
    const found = (await journal.findRegistrations(id)).find(isMeant);
    if (found === undefined)
      return unknown(message('decision-file.no-such-registration', { where: place, id }));
    return known(
      nameRegistration(found),
      accountNo === null ? undefined : { proxyNo: null, amount: null, accountNo },
    );
  }
  await journal.recall('batch', [batchId], systemClock.now());
  const { payoutId: id, newProxyNo: proxyNo, newAmount: amount } = filed;
  const found = (await journal.findPayouts(id)).find(isMeant);
  if (found === undefined) return unknown(message('decision-file.no-such-payout', { where: place, id }));
  return known(nameRow(found), proxyNo === null && amount === null ? undefined : { proxyNo, amount });
}

/** A whole batch of payouts or of registrations; undefined for an unknown name. */
export async function nameBatch(
  { journal, context }: DecisionSession,
  name: string,
): Promise<Named | undefined> {
  const found = await findAnyBatch(journal, name);
  if (found === undefined) return undefined;
  const { batchId: key } = found.batch;
  const where = `batch ${key}`;
  if (found.kind === 'payouts') {
    const { readBatchVersion } = await import('../batch-target.ts');
    const version = await readBatchVersion(context, found.batch);
    return { where, target: { kind: 'batch', key, version } };
  }
  const { versionOfRegistrations } = await import('../registration-target.ts');
  return {
    where,
    target: { kind: 'registration-batch', key, version: versionOfRegistrations(found.batch) },
  };
}

/** Registrations of a batch that can be tried again; the checker sees the list. */
export async function nameRetriedRegistrations(
  { journal, context }: DecisionSession,
  batchId: string,
): Promise<readonly Named[]> {
  const batch = await journal.registrationBatch(batchId);
  const { readRegistrationOptions } = await import('../registration-target.ts');
  const named: Named[] = [];
  await using snapshot = await journal.registrationReports.snapshot();
  for await (const rows of snapshot.resultRows(batchId))
    for (const row of rows) {
      if (!sourceStatusesOf('ready', 'tried-again').includes(row.status) || batch === undefined) continue;
      const options = await readRegistrationOptions(context, row.seq);
      if (options?.some(({ decision, whyNot }) => decision === 'retry' && whyNot === undefined))
        named.push(nameRegistration({ row, batch }));
    }
  return named;
}

/** Rows of a batch that can be tried again; the checker sees the list. */
export async function nameRetried(
  { journal, context }: DecisionSession,
  batchId: string,
): Promise<readonly Named[]> {
  await journal.recall('batch', [batchId], systemClock.now());
  const batch = await journal.batch(batchId);
  const { readOptions } = await import('../payout-target.ts');
  const named: Named[] = [];
  await using snapshot = await journal.snapshot();
  for await (const rows of snapshot.resultRows(batchId))
    for (const row of rows) {
      if (!retriedStatuses.includes(row.status) || batch === undefined) continue;
      const options = await readOptions(context, row.seq);
      if (options?.some(({ decision, whyNot }) => decision === 'retry' && whyNot === undefined))
        named.push(nameRow({ row, batch }));
    }
  return named;
}
