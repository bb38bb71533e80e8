/** Checks files without sending anything: locally, or, for payouts, as a dry run that asks the bank about payees. */
import { type CheckedRegistrations, checkRegistrations } from '../check/check-registrations.ts';
import { checkFile, type CheckOutcome, makeFindLike, type RowIssue } from '../check/check.ts';
import { dryRun, type FileForecast } from '../check/dry-run.ts';
import { computeFileDigest, type FileDigest } from '../check/file-digest.ts';
import { PayeeChecker } from '../check/payee-checker.ts';
import { computeExpectedTime, describeHolds, type ExpectedTime } from '../check/rules/forecast.ts';
import type { PayoutFileReader, RejectedFile } from '../intake/ports.ts';
import type { Progress } from '../core/progress.ts';
import { foreseeLimits } from '../payout/limits-ahead.ts';
import { computeAhead, noSendTimes } from '../payout/rules/intents-ahead.ts';
import { readTimeLimits } from '../payout/rules/limits.ts';
import { computeInquiriesBefore, type InquiriesBefore } from '../payout/rules/lost-journal.ts';
import { systemClock } from '../platform/clock.ts';
import type { LoadedSettings } from '../settings/settings.ts';
import type { Store } from '../store/store.ts';
import { makeAskFirst } from './ask-first.ts';
import type { OpenedBank } from './open-bank.ts';
import { findSignedAtMs } from './proved-rows.ts';
import { fileColumns } from '../intake/rules/file-columns.ts';
import { makeReader, makeRegistrationReader, openReadOnlyJournal } from './open-store.ts';

export type { FileDigest } from '../check/file-digest.ts';
export type { CheckedRegistrations } from '../check/check-registrations.ts';
export type { CheckOutcome, RowIssue } from '../check/check.ts';
export type { RejectedFile } from '../intake/ports.ts';

export interface Checking extends AsyncDisposable {
  readonly loaded: LoadedSettings;
  readonly reader: PayoutFileReader;
  /** The journal, read alongside the sender; undefined where there is none yet. */
  readonly journal: Store | undefined;
}

export async function openChecking(loaded: LoadedSettings): Promise<Checking> {
  const reader = await makeReader(loaded);
  const journal = await openReadOnlyJournal(loaded);
  return { loaded, reader, journal, [Symbol.asyncDispose]: async () => journal?.[Symbol.asyncDispose]() };
}

/** Receives findings, a page of rows at a time; a note is worth knowing and no issue. */
export type Report = (kind: 'issue' | 'note', found: readonly RowIssue[]) => void;

/** Checks a file of payouts without the bank. */
export async function checkAlone(
  checking: Omit<Checking, keyof AsyncDisposable>,
  path: string,
  report: Report,
): Promise<CheckOutcome> {
  const { loaded, reader, journal } = checking;
  const { bank, limits } = loaded.settings;
  const { companyId } = bank;
  const overTime = readTimeLimits(limits);
  return checkFile(reader, path, {
    onIssues: report.bind(null, 'issue'),
    onHeld: (rows) => {
      for (const { rowNo, line, holds, instruction } of rows) {
        if (instruction === null) continue;
        // Reports rows that a run would hold, too, so that the hold comes as no surprise.
        const found = describeHolds({ line, holds, instruction });
        report(
          'issue',
          found.map((issue) => ({ rowNo, issue })),
        );
      }
    },
    findLike: makeFindLike(journal, companyId, limits.likeFileDays, systemClock.now()),
    ...(overTime && {
      foreseeLimits: (batchId: string) =>
        foreseeLimits(journal, overTime, { companyId, batchId }, systemClock.now()),
    }),
    ...(journal === undefined
      ? {}
      : {
          claimHolders: (ids: readonly string[]) => journal.claimHolders(companyId, ids),
          similarHolders: (id: string) => journal.similarHolders(companyId, id),
        }),
  });
}

/** True of a file read as payouts that has the columns of registrations. */
export const isRegistrationFile = (outcome: { readonly kind: string } | RejectedFile): boolean =>
  'rejection' in outcome && outcome.rejection.code === fileColumns.registration.otherKind.code;

/** Checks a file of registrations without the bank. */
export async function checkRegistrationFile(
  { loaded, journal }: Pick<Checking, 'loaded' | 'journal'>,
  path: string,
  report: Report,
): Promise<CheckedRegistrations | RejectedFile> {
  const reader = await makeRegistrationReader(loaded);
  const inspected = await reader.inspect(path);
  if (inspected.kind === 'rejected') return inspected;
  return checkRegistrations(reader, inspected.inspection, {
    companyId: loaded.settings.bank.companyId,
    journal,
    onIssues: (found) => report('issue', found),
  });
}

/** The digest that an approval of the file's batch names, computed from the file alone. */
export async function digestFile(
  { loaded, reader }: Pick<Checking, 'loaded' | 'reader'>,
  path: string,
  without: ReadonlySet<number>,
): Promise<FileDigest | RejectedFile> {
  const { companyId, payerAccount } = loaded.settings.bank;
  return computeFileDigest(reader, path, { companyId, payerAccount, without });
}

export interface Asking {
  readonly bank: OpenedBank['bank'];
  /** Time to wait for a bank in trouble, from its last answer on. */
  readonly waitMs: number;
  readonly interrupted: AbortSignal;
  readonly progress: Progress;
}

/** Prediction of what a run of the file would do, and in what time. */
export interface DryRunOutcome {
  readonly kind: 'predicted';
  readonly forecast: FileForecast;
  /** Undefined when nothing would be sent, or the bank answered no payee check. */
  readonly expected: ExpectedTime | undefined;
  readonly inquiriesBefore: InquiriesBefore;
  readonly answered: number;
  readonly latencyMs: number | undefined;
}

/** Predicts a run. Needs no sender lock and works alongside a run. */
export async function dryRunFile(
  { loaded, reader, journal }: Checking,
  path: string,
  asking: Asking,
  report: Report,
): Promise<DryRunOutcome | RejectedFile> {
  const { settings } = loaded;
  const { progress } = asking;
  const checker = new PayeeChecker({
    ...asking,
    clock: systemClock,
    concurrency: settings.verify.concurrency,
    unansweredMax: settings.brake.consecutiveFailures,
    reportWait: progress.showWait?.bind(progress),
  });
  const context = {
    reader,
    checker,
    journal,
    clock: systemClock,
    policy: { ...settings, limits: { ...settings.limits, overTime: readTimeLimits(settings.limits) } },
    progress,
    onIssues: report.bind(null, 'issue'),
    onNotes: report.bind(null, 'note'),
  };
  const forecast = await dryRun(context, path);
  if (forecast.kind === 'rejected') return forecast;
  const { answers: answered, latencyMs } = checker;
  const inquiriesBefore = await foreseeInquiries(loaded, journal, forecast);
  const expected = expectTime(forecast, inquiriesBefore, latencyMs, loaded);
  return { kind: 'predicted', forecast, expected, inquiriesBefore, answered, latencyMs };
}

/** Inquiries that a run would make before it sends each row. A journal that does not exist yet counts as new. */
async function foreseeInquiries(
  loaded: LoadedSettings,
  journal: Store | undefined,
  { batchId }: FileForecast,
): Promise<InquiriesBefore> {
  const nowMs = systemClock.now();
  const { newSinceMs, missesSinceMs } = journal ?? { newSinceMs: nowMs, missesSinceMs: undefined };
  const terminals = new Set([loaded.settings.bank.termId, ...((await journal?.terminals()) ?? [])]);
  const asked = {
    loss: await journal?.loss(),
    asksFirst: await makeAskFirst(loaded, { newSinceMs }, systemClock)(),
    signedAtMs: journal && (await findSignedAtMs(loaded, journal, batchId)),
    terminals: terminals.size,
    missesSinceMs,
    sealedAtMs: (await journal?.batch(batchId))?.sealedAtMs ?? null,
  };
  return computeInquiriesBefore(asked, nowMs);
}

function expectTime(
  { outcomes, checks }: FileForecast,
  { each: inquiriesEach }: InquiriesBefore,
  latencyMs: number | undefined,
  { settings: { bank, transfer, verify, brake } }: LoadedSettings,
): ExpectedTime | undefined {
  const transfers = outcomes.toPay.rows;
  if (latencyMs === undefined || transfers === 0) return undefined;
  const { concurrency: limit } = transfer;
  const bounds = { limit, machines: 1, inDoubtMax: brake.inDoubtMax, inDoubt: 0 };
  return computeExpectedTime({
    transfers,
    inquiriesEach,
    checks: verify.enabled ? checks : 0,
    transferConcurrency: limit,
    rowsAtOnce: limit + computeAhead(noSendTimes, bounds),
    checkConcurrency: verify.concurrency,
    requestsPerSecond: bank.requestsPerSecond,
    latencyMs,
  });
}
