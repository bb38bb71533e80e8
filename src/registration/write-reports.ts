/** The reports of a batch of registrations: the same files as for payouts, with the same guarantees. */
import type { ExitOptions } from '../core/exit-code.ts';
import type { ReportKind } from '../core/ports.ts';
import {
  type PreparedReport,
  type ReportAsked,
  type ReportForm,
  ReportWriter,
  type RowTally,
  type WrittenFiles,
} from '../reports/batch-reports.ts';
import type { PresentOutbox, ReportOutbox, ReportRecords } from '../reports/ports.ts';
import type { RegistrationSnapshot } from './ports.ts';
import type { RegistrationBatch, RegistrationRow } from './rules/registration-batch.ts';
import { isRegistrationException } from './rules/report-rows.ts';
import { registrationTables } from './rules/report-tables.ts';
import {
  type RegistrationSummary,
  type RegistrationSummaryContext,
  renderRegistrationSummary,
  summariseRegistrations,
} from './rules/summary.ts';

interface RegistrationReportContext extends RegistrationSummaryContext, ExitOptions, ReportAsked {}

export interface WrittenRegistrationReports extends WrittenFiles {
  /** The batch as it stands. */
  readonly summary: RegistrationSummary;
}

type RegistrationReports = ReportRecords<RegistrationSnapshot>;

/** Writes due reports, as `ReportWriter.writeDue` does. */
export async function writeRegistrationReports(
  records: RegistrationReports,
  outbox: ReportOutbox,
  batchId: string,
  context: RegistrationReportContext,
): Promise<WrittenRegistrationReports> {
  const { figures, ...written } = await writer.writeDue(records, outbox, batchId, context);
  return { summary: figures, ...written };
}

/** A batch of registrations as it stands at a moment that an operator has chosen. */
export interface PresentRegistrationReports {
  readonly summary: RegistrationSummary;
  /** Context of the moment that the files show. */
  readonly context: RegistrationReportContext;
  readonly files: readonly PreparedReport[];
}

/** Writes the batch as it stands now, as `ReportWriter.writePresent` does. */
export async function writePresentRegistrations(
  records: Pick<RegistrationReports, 'snapshot'>,
  outbox: PresentOutbox,
  batchId: string,
  nameOf: (kind: ReportKind) => string,
  context: RegistrationReportContext,
): Promise<PresentRegistrationReports | undefined> {
  const written = await writer.writePresent(records, outbox, batchId, nameOf, context);
  return written && { summary: written.figures, context, files: written.files };
}

async function summarise(
  snapshot: RegistrationSnapshot,
  batch: RegistrationBatch,
  context: RegistrationReportContext,
): Promise<RegistrationSummary> {
  const { batchId } = batch;
  const totals = await snapshot.totals(batchId);
  return summariseRegistrations(batch, totals, await snapshot.holdTotals(batchId), context);
}

/** Counts rows one by one; unless they match the journal's own counts, status by status, the batch does not add up. */
function openTally(): RowTally<RegistrationRow, RegistrationSummary> {
  const byStatus = new Map<string, number>();
  let exceptionRows = 0;
  return {
    add: (row) => {
      byStatus.set(row.status, (byStatus.get(row.status) ?? 0) + 1);
      exceptionRows += isRegistrationException(row) ? 1 : 0;
    },
    hold: (summary) => {
      const agrees =
        exceptionRows === summary.exceptionRows &&
        summary.totals.length === byStatus.size &&
        summary.totals.every(({ status, rows }) => byStatus.get(status) === rows);
      return { ...summary, addsUp: summary.addsUp && agrees };
    },
  };
}

const registrationForm: ReportForm<
  RegistrationBatch,
  RegistrationRow,
  RegistrationSnapshot,
  RegistrationSummary,
  RegistrationReportContext
> = {
  tables: registrationTables,
  summarise,
  // Most outcomes come after the first report: no other file shows a row that has become an exception since.
  isNewException: isRegistrationException,
  openTally,
  addsUp: (summary) => summary.addsUp,
  renderSummary: renderRegistrationSummary,
};

const writer = new ReportWriter(registrationForm);
