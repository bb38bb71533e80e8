/** What `paydrop watch` prints: how it stands, and a line for each file that ends and each batch that comes to rest. */
import { formatBangkokMoment, formatBangkokStamp } from '../core/bangkok-time.ts';
import { printable } from '../core/cell-text.ts';
import { formatBaht } from '../core/money.ts';
import type { ListenAddress } from '../core/network-address.ts';
import type { ReportKind } from '../core/ports.ts';
import type { WrittenReports } from '../reports/write-reports.ts';
import type { LoadedSettings } from '../settings/settings.ts';
import type { SenderHolder } from '../store/locks.ts';
import type { WatchEvent } from '../watch/context.ts';
import { nameSender, sandboxBanner } from './screen.ts';

/** How the process itself stands. */
export type WatchStage =
  /** It has read its settings. */
  | { readonly kind: 'started'; readonly isSandbox: boolean; readonly inbox: string; readonly outbox: string }
  /** /healthz answers from now on. */
  | { readonly kind: 'health-opened'; readonly address: ListenAddress }
  /** Another process is sending; undefined when that one has not said who it is. */
  | { readonly kind: 'standing-by'; readonly holder: SenderHolder | undefined }
  /** This process is sending, and the inbox is its own. */
  | { readonly kind: 'working'; readonly inbox: string; readonly hasTakenOver: boolean }
  /** Nobody takes this, and it is not paid: a folder, a link, a file that cannot be taken. The log says why. */
  | { readonly kind: 'left-in-inbox'; readonly fileName: string }
  /** It was asked to stop. */
  | { readonly kind: 'stopping'; readonly graceMs: number };

/** What the watcher's screen is told of. */
export type WatchNews = WatchEvent | WatchStage;

/** Prints it, now. Must not throw. */
export type Tell = (news: WatchNews) => void;

/** Tells of each name that stays in the inbox, once for as long as it is there. */
export function makeLeftTeller(print: Tell): (names: readonly string[]) => void {
  let told = new Set<string>();
  return (names) => {
    for (const fileName of names) if (!told.has(fileName)) print({ kind: 'left-in-inbox', fileName });
    told = new Set(names);
  };
}

/** What is said first, whatever comes of the start. */
export function describeStart({ isSandbox, folders: { inbox, outbox } }: LoadedSettings): WatchStage {
  return { kind: 'started', isSandbox, inbox, outbox };
}

/** One line for a program, with `json`; for a person one line too, but for the start, which is a head of several. */
export function renderWatchEvent(event: WatchNews, nowMs: number, json: boolean): string {
  if (json) return JSON.stringify(describe(event, nowMs));
  return event.kind === 'started' ? renderHead(event) : `${formatBangkokMoment(nowMs)}  ${tell(event)}`;
}

function renderHead({ isSandbox, inbox, outbox }: Extract<WatchNews, { kind: 'started' }>): string {
  return [
    ...(isSandbox ? [sandboxBanner, ''] : []),
    `Inbox   ${printable(inbox)}`,
    `Outbox  ${printable(outbox)}`,
    '',
  ].join('\n');
}

function toUrl({ host, port }: ListenAddress): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}/healthz`;
}

function describe(event: WatchNews, nowMs: number): object {
  const at = formatBangkokStamp(nowMs);
  switch (event.kind) {
    case 'started': {
      const { isSandbox, inbox, outbox } = event;
      return { at, event: event.kind, isSandbox, inbox, outbox };
    }
    case 'health-opened':
      return { at, event: event.kind, url: toUrl(event.address) };
    case 'standing-by': {
      const { holder } = event;
      const sender = holder && { ...holder, sinceMs: undefined, since: formatBangkokStamp(holder.sinceMs) };
      return { at, event: event.kind, sender: sender ?? null };
    }
    case 'working': {
      const { inbox, hasTakenOver } = event;
      return { at, event: event.kind, hasTakenOver, inbox };
    }
    case 'left-in-inbox':
      return { at, event: event.kind, file: event.fileName };
    case 'stopping':
      return { at, event: event.kind, graceMs: event.graceMs };
    case 'file-ended': {
      const { item, outcome, path, why, batchId = null } = event;
      const reason = { code: why?.code ?? null, message: why?.message ?? null };
      return { at, event: event.kind, file: item.fileName, outcome, path: path ?? null, batchId, ...reason };
    }
    case 'batch-rested': {
      const { batch, totals, exitCode, exceptionRows, alarmRows } = event.reports.summary;
      const byStatus = Object.fromEntries(
        totals.map(({ status, rows, amountSatang }) => [status, { rows, amount: formatBaht(amountSatang) }]),
      );
      const files = event.reports.files.map(({ path }) => path);
      const { batchId, status, fileName, reasonCode, reason, remedy } = batch;
      const people = { exceptions: exceptionRows, alarms: alarmRows };
      const why = { reasonCode, reason, remedy };
      return {
        at,
        event: event.kind,
        batchId,
        file: fileName,
        status,
        ...why,
        exitCode,
        byStatus,
        ...people,
        files,
      };
    }
  }
}

function tell(event: Exclude<WatchNews, { kind: 'started' }>): string {
  switch (event.kind) {
    case 'health-opened':
      return `health: ${toUrl(event.address)}`;
    case 'standing-by':
      return `standing by: ${nameSender(event.holder)} is sending; this process takes over when that one ends`;
    case 'working':
      return `${event.hasTakenOver ? 'taken over: this process is sending now' : 'working'}; drop files into ${printable(event.inbox)}`;
    case 'left-in-inbox':
      return `left in the inbox, and not paid: ${printable(event.fileName)}; the log says why`;
    case 'stopping':
      return (
        `stopping: what is in flight is finished and recorded, for at most ${event.graceMs / 1000} s; ` +
        'the rest waits for the next start. A second signal ends it at once'
      );
    case 'file-ended': {
      const { item, outcome, path, why } = event;
      const reason = why === undefined ? '' : `: ${why.message}`;
      return `${outcome}  ${printable(item.fileName)}${reason} -> ${printable(path ?? '')}`;
    }
    case 'batch-rested':
      return printable(tellOfBatch(event.reports));
  }
}

function tellOfBatch({ summary, files }: WrittenReports): string {
  const { batch, totals, alarmRows, exceptionRows } = summary;
  const counts = totals.map(
    ({ status, rows, amountSatang }) => `${rows} ${status} (${formatBaht(amountSatang)})`,
  );
  const why = batch.reason === null ? '' : `; ${batch.reason}. ${batch.remedy ?? ''}`;
  const goOn = batch.status === 'halted' ? `: "paydrop resume ${batch.batchId}"` : '';
  const alarm = alarmRows === 0 ? '' : `; ALARM: ${alarmRows} contradict what was called proved`;
  const people = exceptionRows === 0 ? '' : `; rows for a person to look at: ${exceptionRows}`;
  // The newest of its kinds, that a person opens.
  const opened = exceptionRows === 0 ? resultKinds : exceptionKinds;
  const path = files.findLast(({ kind }) => opened.includes(kind))?.path;
  const where = path === undefined ? '' : ` -> ${path}`;
  return `batch ${batch.batchId} of ${batch.fileName} ${batch.status}: ${counts.join(', ')}${why}${goOn}${alarm}${people}${where}`;
}

const resultKinds: readonly ReportKind[] = ['result', 'result-update'];
const exceptionKinds: readonly ReportKind[] = ['exceptions', 'exceptions-update'];
