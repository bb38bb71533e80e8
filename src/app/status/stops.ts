/** The stops of payouts and files, as any process can see them beside the watcher. */
import { type Message, message } from '../../core/message.ts';
import { join } from 'node:path';
import { probeBank } from '../../bank/probe.ts';
import { paydropCommand } from '../../core/command-line.ts';
import type { Batch } from '../../core/ports.ts';
import { findNamesTaken } from '../../reports/batch-reports.ts';
import { maskDigits } from '../../core/proxy-id.ts';
import { type BreakerState, closeBreaker, openBreaker } from '../../payout/rules/circuit-breaker.ts';
import { mayBeginAtMs, readServiceHours } from '../../payout/rules/service-hours.ts';
import { systemClock } from '../../platform/clock.ts';
import { lookAt, realDisk } from '../../platform/disk.ts';
import { endsWithin } from '../../platform/signal.ts';
import { directDebitOf } from '../../review/rules/batch-decisions.ts';
import type { Settings } from '../../settings/schema.ts';
import { isBuiltInSandbox, type LoadedSettings } from '../../settings/settings.ts';
import type { Store } from '../../store/store.ts';
import { describeGone, InboxBinding } from '../../watch/folders/binding.ts';
import type { InboxState } from '../../watch/rules/drop-folder.ts';
import {
  describeFailing,
  type HealthReason,
  type InboxHealth,
  judgeHealth,
  type PayerHealth,
  readPayer,
  type Trouble,
  type WatchState,
} from '../../watch/rules/health.ts';
import { registrationsInbox, registrationsWork } from '../session.ts';

/** The settings that are read. */
export type StopSettings = Pick<
  LoadedSettings,
  'settings' | 'path' | 'dataDir' | 'dataDirOption' | 'folders'
>;
type StopReader = Pick<
  Store,
  | 'payerHalt'
  | 'payerPause'
  | 'journalId'
  | 'loss'
  | 'reports'
  | 'registrationReports'
  | 'registrationBatches'
>;
type StoppedBatch = Pick<Batch, 'companyId' | 'payerAccount' | 'status'> & NamedBatch;
type NamedBatch = Pick<Batch, 'batchId' | 'fileName' | 'rows'>;
type Account = Pick<Batch, 'companyId' | 'payerAccount'>;

/** The longest wait for the bank and a share: `status` waits with it. */
const answerWithinMs = 2_000;

export const isOpenBatch = ({ status }: Pick<Batch, 'status'>): boolean =>
  status !== 'done' && status !== 'rejected';
const keyOf = ({ companyId, payerAccount }: Account): string => `${companyId} ${payerAccount}`;

/** A payer account as health and status name it. */
export function nameAccount(payerAccount: string): Message {
  const company = directDebitOf(payerAccount);
  if (company === undefined) return message('account.payer', { number: maskDigits(payerAccount) });
  return company === '' ? message('account.registrations') : message('account.registrations-of', { company });
}

/** The stops of every file, of everything that is sent, and of each payer account. */
interface Stops {
  readonly all: readonly HealthReason[];
  /** The stops of this batch's rows. */
  of(batch: Account & Pick<Batch, 'batchId'>): readonly HealthReason[];
}

/** Reads all stops, each once: as health says it. @param batches of payouts; those at rest are stopped by nothing */
export async function readStops(
  loaded: StopSettings,
  journal: StopReader,
  batches: readonly StoppedBatch[],
  nowMs: number,
): Promise<Stops> {
  const open = batches.filter(isOpenBatch);
  const idle = { ...nothingKnown, lastPollMs: nowMs, place: placeOf(loaded) };
  const judge = (found: Partial<WatchState>): readonly HealthReason[] => {
    const { reasons, notes } = judgeHealth({ ...idle, ...found }, nowMs);
    return [...reasons, ...notes];
  };
  const { inbox, registrations, diskTrouble } = await readFolders(loaded, journal.journalId);
  const folders = judge({ inbox, registrations: { inbox: registrations } });
  const everywhere = judge({ diskTrouble, bankTrouble: await probeBankOf(loaded.settings) });
  const byAccount = new Map<string, readonly HealthReason[]>();
  for (const account of [loaded.settings.bank, ...open]) {
    if (byAccount.has(keyOf(account))) continue;
    const payer = await readPayerStanding(journal, loaded.settings, account, nowMs);
    const ofAccount = (all: readonly StoppedBatch[]) => all.filter((one) => keyOf(one) === keyOf(account));
    const filesInWork = ofAccount(open).length;
    // A pause that is over keeps nothing from being sent.
    const isOver = readPayer(payer, nowMs) === 'probing' && filesInWork === 0;
    const found = judge({ payers: isOver ? [] : [payer], filesInWork });
    byAccount.set(
      keyOf(account),
      found.map((stop) => nameResume(stop, ofAccount(batches), loaded)),
    );
  }
  const failing = await findFailing(loaded, journal, open);
  return {
    all: [
      ...judge({ loss: await journal.loss() }),
      ...folders,
      ...everywhere,
      ...[...byAccount.values()].flat(),
      ...failing.values(),
    ],
    of: (batch) => [
      ...everywhere,
      ...(byAccount.get(keyOf(batch)) ?? []),
      ...[failing.get(batch.batchId) ?? []].flat(),
    ],
  };
}

/** Batches that cannot be reported on, and so are not sent, by their ids. */
async function findFailing(
  loaded: StopSettings,
  journal: StopReader,
  payouts: readonly NamedBatch[],
): Promise<ReadonlyMap<string, HealthReason>> {
  const { workbook, workbookRows } = loaded.settings.output;
  const found = new Map<string, HealthReason>();
  const look = async (batch: NamedBatch, records: Pick<StopReader, 'reports'>) => {
    const { batchId } = batch;
    const recorded = await records.reports(batchId);
    const { outbox } = loaded.folders;
    const namesTaken = await findNamesTaken(recorded, outbox, batch, workbook ? workbookRows : 0);
    // A sender that has written them meanwhile has recorded them first.
    if (namesTaken.length === 0 || (await records.reports(batchId)).length > recorded.length) return;
    found.set(batchId, describeFailing({ batchId, why: '', namesTaken }, placeOf(loaded)));
  };
  for (const batch of payouts) await look(batch, journal);
  for (const batch of (await journal.registrationBatches()).filter(isOpenBatch))
    await look(batch, journal.registrationReports);
  return found;
}

/** Names what ends a halt for a batch of the account, which a watcher does not look for. */
function nameResume(
  stop: HealthReason,
  batches: readonly Pick<Batch, 'batchId' | 'status'>[],
  loaded: StopSettings,
): HealthReason {
  const batch = batches.find(({ status }) => status === 'halted') ?? batches.find(isOpenBatch) ?? batches[0];
  if (stop.code !== 'payer-halted' || batch === undefined) return stop;
  return { ...stop, command: paydropCommand(placeOf(loaded).command, 'resume', batch.batchId) };
}

export function placeOf({
  path: settingsPath,
  dataDir,
  dataDirOption,
  folders,
}: Pick<LoadedSettings, 'path' | 'dataDir' | 'dataDirOption' | 'folders'>) {
  const command = { settingsPath, dataDir: dataDirOption };
  const registrations = join(folders.inbox, registrationsInbox);
  return { command, dataDir, inbox: folders.inbox, registrations };
}

/** A sender that is well, but for what is looked up. */
const nothingKnown = {
  role: 'active',
  inbox: undefined,
  diskTrouble: undefined,
  bankTrouble: undefined,
  payers: undefined,
  filesInWork: undefined,
  rowsInDoubt: undefined,
  oldestInDoubtAtMs: undefined,
  openBatches: undefined,
  failingBatches: undefined,
} as const;

/** The sandbox that is built in is there while a process has it. */
async function probeBankOf(settings: Settings): Promise<Trouble | undefined> {
  if (isBuiltInSandbox(settings)) return undefined;
  const found = await probeBank(settings.bank.baseUrl, answerWithinMs);
  return found.kind === 'reachable' ? undefined : { sinceMs: undefined, why: found.why };
}

/** By the journal, which knows halts and pauses at once, and by the service hours. */
async function readPayerStanding(
  journal: Pick<StopReader, 'payerHalt' | 'payerPause'>,
  { bank, serviceHours }: Settings,
  { companyId, payerAccount }: Account,
  nowMs: number,
): Promise<PayerHealth> {
  const halt = await journal.payerHalt(companyId, payerAccount);
  const facts = {
    account: nameAccount(payerAccount),
    haltedSinceMs: halt?.sinceMs,
    paysNewFiles: payerAccount === bank.payerAccount,
  };
  if (halt !== undefined) return { ...openBreaker, status: 'halted', why: halt, ...facts };
  const pause = await journal.payerPause(companyId, payerAccount);
  const state: BreakerState =
    pause === undefined
      ? openBreaker
      : { ...openBreaker, status: 'paused', why: pause, pausedUntilMs: pause.untilMs };
  const hours = readServiceHours(serviceHours);
  const opensAtMs = hours === undefined ? nowMs : mayBeginAtMs(hours, nowMs);
  return { ...(opensAtMs > nowMs ? closeBreaker(state, opensAtMs) : state), ...facts };
}

// ---------------------------------------------------------------- folders

interface FoldersFound {
  readonly inbox: InboxHealth['inbox'];
  readonly registrations: InboxHealth['inbox'];
  readonly diskTrouble: Trouble | undefined;
}

/** Looks at the folders without writing; a folder that no watcher has worked yet is not missed. */
async function readFolders({ dataDir, folders }: StopSettings, journalId: string): Promise<FoldersFound> {
  const { inbox, work } = folders;
  const registrations = join(inbox, registrationsInbox);
  const [found, foundToo] = await Promise.all([
    readInbox({ inbox, work }, journalId),
    readInbox({ inbox: registrations, work: registrationsWork(dataDir) }, journalId),
  ]);
  return { inbox: found, registrations: foundToo, diskTrouble: await findDiskTrouble(folders, dataDir) };
}

async function readInbox(
  folders: Readonly<Record<'inbox' | 'work', string>>,
  journalId: string,
): Promise<InboxHealth['inbox']> {
  let obstacle: unknown;
  const look = async (): Promise<void> => {
    obstacle = await new InboxBinding(folders, journalId).findObstacle();
  };
  const hasAnswered = await endsWithin(systemClock, answerWithinMs, look());
  const silence = `the inbox ${folders.inbox} has not answered within ${answerWithinMs / 1_000} seconds: look at the disk or the share`;
  if (!hasAnswered) return withState({ kind: 'gone', why: silence, isMissing: false });
  return withState(obstacle === undefined ? { kind: 'there' } : describeGone(folders.inbox, obstacle));
}

const withState = (state: InboxState): InboxHealth['inbox'] => ({ state, waiting: 0, left: [], stuck: [] });

/** A disk that is full; who has no right to write here has no trouble with it. */
async function findDiskTrouble(
  { work, archive, rejected, outbox }: StopSettings['folders'],
  dataDir: string,
): Promise<Trouble | undefined> {
  let why: string | undefined;
  const look = async (): Promise<void> => {
    for (const folder of [dataDir, work, outbox, archive, rejected]) {
      if ((await lookAt(folder)) === undefined || (await realDisk.freeBytes(folder)) !== 0n) continue;
      why = `no room is left in ${folder}: free some space`;
      return;
    }
  };
  const hasAnswered = await endsWithin(systemClock, answerWithinMs, look());
  if (!hasAnswered) why = `the folders in ${dataDir} have not answered: look at the disk or the share`;
  return why === undefined ? undefined : { sinceMs: undefined, why };
}
