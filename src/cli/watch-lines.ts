/** What `paydrop watch` prints: a line for each file that ends and each batch that comes to rest. */
import { formatBangkokMoment, formatBangkokStamp } from '../core/bangkok-time.ts';
import { formatBaht } from '../core/money.ts';
import type { WatchEvent } from '../worker/watch-setup.ts';

/** One line, for a person or, with `json`, for a program. */
export function renderWatchEvent(event: WatchEvent, nowMs: number, json: boolean): string {
  return json ? JSON.stringify(describe(event, nowMs)) : `${formatBangkokMoment(nowMs)}  ${tell(event)}`;
}

function describe(event: WatchEvent, nowMs: number): object {
  const at = formatBangkokStamp(nowMs);
  switch (event.kind) {
    case 'file-ended': {
      const { item, outcome, path, why, batchId = null } = event;
      const reason = { code: why?.code ?? null, message: why?.message ?? null };
      return { at, event: event.kind, file: item.fileName, outcome, path: path ?? null, batchId, ...reason };
    }
    case 'batch-rested': {
      const { batch, totals, exitCode } = event.reports.summary;
      const byStatus = Object.fromEntries(
        totals.map(({ status, rows, amountSatang }) => [status, { rows, amount: formatBaht(amountSatang) }]),
      );
      const files = event.reports.files.map(({ path }) => path);
      const { batchId, status, fileName } = batch;
      return { at, event: event.kind, batchId, file: fileName, status, exitCode, byStatus, files };
    }
  }
}

function tell(event: WatchEvent): string {
  switch (event.kind) {
    case 'file-ended': {
      const { item, outcome, path, why } = event;
      const reason = why === undefined ? '' : `: ${why.message}`;
      return `${outcome}  ${printable(item.fileName)}${reason} -> ${printable(path ?? '')}`;
    }
    case 'batch-rested': {
      const { batch, totals } = event.reports.summary;
      const counts = totals.map(
        ({ status, rows, amountSatang }) => `${rows} ${status} (${formatBaht(amountSatang)})`,
      );
      const why = batch.reason === null ? '' : `; ${batch.reason}. ${batch.remedy ?? ''}`;
      return `batch ${batch.batchId} ${batch.status}: ${counts.join(', ')}${why}`;
    }
  }
}

/** A name may hold line breaks: it stays on its line. */
const printable = (text: string): string => text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '?');
