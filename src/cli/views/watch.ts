/** Output of `paydrop watch`: its state, and a line for each file that ends and each batch that is settled. */
import { inEnglish } from '../../core/message.ts';
import { nameOwner } from '../../app/session.ts';
import type { WatchActivity } from '../../app/watch-progress.ts';
import type { WatchNews } from '../../app/watch-status.ts';
import { formatBangkokMoment, formatBangkokDateTime } from '../../core/bangkok-time.ts';
import { printable, showMessageIfAny, showText, toLines } from '../../core/outgoing-text.ts';
import type { ListenAddress } from '../../core/network-address.ts';
import type { ReportKind } from '../../core/ports.ts';
import { describeGrowth } from '../../watch/rules/file-growth.ts';
import { formatBaht } from '../../core/money.ts';
import { countOf, showTotal, showByStatus, showForReview, showState, totalsByStatus } from './amounts.ts';
import { countColumns } from '../output.ts';
import { describeProgress } from './progress.ts';
import { showRegistrationState } from './registration-status.ts';
import { alignColumns, sandboxBanner, showPath as showPathHere, type Shown } from './shown.ts';

/** The whole path in a service's journal, whose readers do not know its folder. */
const showPath = (path: string): string => (countColumns() === undefined ? path : showPathHere(path));

/** One line for a program; for an operator, too, except for the start, whose head has several. */
export function showNews(news: WatchNews, nowMs: number): Shown {
  const { json, text } = describe(news);
  return {
    json: { at: formatBangkokDateTime(nowMs), event: news.kind, ...json },
    text:
      news.kind === 'started'
        ? toLines(text.split('\n'))
        : printable(`${formatBangkokMoment(nowMs)}  ${text}`),
  };
}

/** Text and JSON of news. A text of several lines holds only words that have passed the gate. */
interface Described extends Pick<Shown, 'json'> {
  readonly text: string;
}

/** The news itself; `json` lacks time and name. */
function describe(news: WatchNews): Described {
  switch (news.kind) {
    case 'started': {
      const { isSandbox, inbox, outbox } = news;
      const head = alignColumns([
        ['Inbox', printable(showPath(inbox))],
        ['Outbox', printable(showPath(outbox))],
      ]);
      const text = [...(isSandbox ? [sandboxBanner, ''] : []), ...head, ''].join('\n');
      return { json: { isSandbox, inbox, outbox }, text };
    }
    case 'health-opened': {
      const url = toUrl(news.address);
      return { json: { url }, text: `health: ${url}` };
    }
    case 'callbacks-opened':
      return { json: { url: news.url }, text: `callbacks: ${news.url}` };
    case 'standing-by': {
      const { owner } = news;
      const sender = owner && { ...owner, sinceMs: undefined, since: formatBangkokDateTime(owner.sinceMs) };
      // Without a machine the owner holds a local lock, so that there is nothing to help with.
      const does =
        owner?.machine === undefined ? 'takes' : 'helps it, takes files of its own inbox in, and takes';
      const text = `standing by: ${nameOwner(owner)} is sending; this process ${does} over when that one ends`;
      return { json: { sender: sender ?? null }, text };
    }
    case 'working': {
      const { inbox, hasTakenOver } = news;
      const state = hasTakenOver ? 'taken over: this process is sending now' : 'working';
      return {
        json: { hasTakenOver, inbox },
        text: `${state}; drop files into ${printable(showPath(inbox))}`,
      };
    }
    case 'inbox-skipped': {
      const file = news.fileName;
      const text = `left in the inbox, and not paid: ${printable(file)}; the log says why`;
      return { json: { file }, text };
    }
    case 'stopping': {
      const { graceMs } = news;
      const text =
        `stopping: what is in flight is finished and recorded, for at most ${graceMs / 1000} s; ` +
        'the rest waits for the next start. A second signal ends it at once';
      return { json: { graceMs }, text };
    }
    case 'batch-begun':
    case 'in-work':
    case 'idle':
      return describeActivity(news);
    case 'file-ended':
      return describeFile(news);
    case 'batch-settled':
    case 'registrations-settled':
      return describeSettled(news);
    case 'file-grown': {
      const { fileName: file, batchId, path } = news.file;
      const { rows, amount, payoutIds } = news.growth;
      const facts = { file, batchId, path, rowsNotPaid: rows, amountNotPaid: amount, payoutIds };
      return { json: facts, text: printable(`ALARM: ${inEnglish(describeGrowth(news.file, news.growth))}`) };
    }
  }
}

/** Rows that have ended; in a new batch these are mostly rejected rows. */
const describeEnded = (rows: number, rowsRejected: number): string =>
  rows === rowsRejected
    ? `${countOf(rows, 'row is', 'rows are')} rejected`
    : `${countOf(rows, 'row has', 'rows have')} ended before`;

/** The watcher's present activity. */
function describeActivity(news: WatchActivity): Described {
  switch (news.kind) {
    case 'batch-begun': {
      const { batchId, fileName: file, rows, totalSatang } = news.batch;
      const { rowsDone, rowsRejected } = news;
      const before = rowsDone === 0 ? '' : `; ${describeEnded(rowsDone, rowsRejected)}`;
      const amount = formatBaht(totalSatang);
      const text = `batch ${batchId} of ${file} begun: ${showTotal({ rows, amount })}${before}`;
      return { json: { batchId, file, rows, amount, rowsDone }, text };
    }
    case 'in-work': {
      const { figures, wait, filesWaiting } = news;
      const { rowsTotal = 0, rowsDone, paid, inDoubt } = figures;
      const waiting = filesWaiting === 0 ? '' : `; ${countOf(filesWaiting, 'file')} waiting`;
      const waitsFor = wait?.kind ?? null;
      return {
        json: { rows: rowsTotal, rowsDone, paid, inDoubt, filesWaiting, waitsFor },
        text: `${describeProgress(figures, wait)}${waiting}`,
      };
    }
    case 'idle': {
      const { last, rowsInDoubt } = news;
      const before = last && `; the last was ${last.fileName} at ${formatBangkokMoment(last.atMs)}`;
      const doubt =
        rowsInDoubt === 0 ? '' : `; ${countOf(rowsInDoubt, 'row')} in doubt, asked about until settled`;
      const lastAt = last === undefined ? null : formatBangkokDateTime(last.atMs);
      return {
        json: { lastFile: last?.fileName ?? null, lastAt, rowsInDoubt },
        text: `waiting for files${before ?? ''}${doubt}`,
      };
    }
  }
}

function toUrl({ host, port }: ListenAddress): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}/healthz`;
}

function describeFile(news: Extract<WatchNews, { kind: 'file-ended' }>): Described {
  const { item, outcome, path, why, batchId = null } = news;
  const code = why?.code ?? null;
  const message = why === undefined ? null : showText(inEnglish(why.message));
  const reason = message === null ? '' : `: ${message}`;
  return {
    json: { file: item.fileName, outcome, path, batchId, code, message },
    text: `${outcome}  ${item.fileName}${reason} -> ${showPath(path)}`,
  };
}

const resultKinds: readonly ReportKind[] = ['result', 'result-update'];
const exceptionKinds: readonly ReportKind[] = ['exceptions', 'exceptions-update'];

/** The figures by status of a batch, for a program, and its state and figures in words. */
function sayFigures(news: Settled): readonly [byStatus: object, text: string] {
  if (news.kind === 'batch-settled') {
    const { batch, totals } = news.reports.summary;
    const byStatus = totalsByStatus(totals);
    return [byStatus, `${showState(batch.status, totals, true)}: ${showByStatus(byStatus)}`];
  }
  const { batch, totals } = news.reports.summary;
  const counts = totals.map(({ status, rows }) => `${rows} ${status}`).join(', ');
  const byStatus = Object.fromEntries(totals.map(({ status, rows }) => [status, rows]));
  return [byStatus, `${showRegistrationState(batch.status, totals, true)}: ${counts}`];
}

type Settled = Extract<WatchNews, { kind: 'batch-settled' | 'registrations-settled' }>;

const settledWords = {
  'batch-settled': { batch: 'batch', contradicted: 'was called proved' },
  'registrations-settled': { batch: 'registrations', contradicted: 'the bank had said' },
} as const;

function describeSettled(news: Settled): Described {
  const { batch, exitCode, exceptionRows: exceptions, alarmRows: alarms } = news.reports.summary;
  const { batchId, fileName: file, status, reasonCode } = batch;
  const [reason, remedy] = [showMessageIfAny(batch.reason), showMessageIfAny(batch.remedy)];
  const [byStatus, figures] = sayFigures(news);
  const words = settledWords[news.kind];
  const files = news.reports.files.map(({ path }) => path);
  // The newest file of the kind that an operator opens.
  const opened = exceptions === 0 ? resultKinds : exceptionKinds;
  const path = news.reports.files.findLast(({ kind }) => opened.includes(kind))?.path;
  const text = [
    `${words.batch} ${batchId} of ${file} ${figures}`,
    reason === null ? '' : `; ${reason}. ${remedy ?? ''}`,
    news.kind === 'batch-settled' && status === 'halted' ? `: "paydrop resume ${batchId}"` : '',
    alarms === 0
      ? ''
      : `; ALARM: ${countOf(alarms, 'row contradicts', 'rows contradict')} what ${words.contradicted}`,
    exceptions === 0 ? '' : `; ${showForReview(exceptions)}`,
    path === undefined ? '' : ` -> ${showPath(path)}`,
  ].join('');
  const ended = news.kind === 'batch-settled' ? { exitCode } : {};
  return {
    json: {
      batchId,
      file,
      status,
      reasonCode,
      reason,
      remedy,
      ...ended,
      byStatus,
      exceptions,
      alarms,
      files,
    },
    text,
  };
}
