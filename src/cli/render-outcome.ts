/** What a person, or a program, reads about one file when `run` ends. */
import { formatBangkokStamp } from '../core/bangkok-time.ts';
import type { JournalLoss } from '../core/ports.ts';
import { isInQuestion, showDate } from '../payout/rules/lost-journal.ts';
import { renderSummary } from '../reports/rules/summary.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import type { FileOutcome } from './run-file.ts';
import type { Sender } from './sender.ts';
import { formatSummary } from './summary-table.ts';

export interface Rendered {
  readonly text: string;
  readonly exitCode: ExitCode;
}

/** One outcome as text or, for programs, as one line of JSON. */
export function renderOutcome(sender: Sender, path: string, outcome: FileOutcome, json: boolean): Rendered {
  switch (outcome.kind) {
    case 'rejected': {
      const { code, line, column, message } = outcome.rejection;
      const exitCode = exitCodes.fileRejected;
      const shown = { file: path, status: 'rejected', exitCode, code, line, column, message };
      const where = line === null ? path : `${path}:${line}`;
      const text = `${where}: ${message}\nThe whole file was rejected (${code}) and nothing of it was sent.`;
      return { text: json ? JSON.stringify(shown) : text, exitCode };
    }
    case 'interrupted': {
      const exitCode = exitCodes.stoppedShort;
      const shown = { file: path, status: 'interrupted', exitCode, batchId: outcome.batch?.batchId ?? null };
      const text = `${path}: interrupted; everything that was sent is recorded. Run it again: it goes on where it was.`;
      return { text: json ? JSON.stringify(shown) : text, exitCode };
    }
    case 'rested':
      return renderRested(sender, outcome, json);
  }
}

function renderRested(
  sender: Sender,
  outcome: Extract<FileOutcome, { kind: 'rested' }>,
  json: boolean,
): Rendered {
  const { summary, files } = outcome.reports;
  const { isSandbox } = sender.loaded;
  const bankAddress = sender.bankAddress;
  const { exitCode } = summary;
  if (json) {
    const { pace } = outcome;
    const shown = renderSummary(summary, [], { isSandbox, bankAddress, nowMs: sender.clock.now(), pace });
    const paths = files.map(({ kind, number, path, state }) => ({
      kind,
      number,
      path,
      isGone: state === 'gone',
    }));
    const { isRepeat } = outcome;
    const journalLoss = showLoss(sender.loss);
    return { text: JSON.stringify({ ...shown, isRepeat, journalLoss, files: paths }), exitCode };
  }
  const listed = files.map(({ kind, path, state }) => ({ kind, path, isGone: state === 'gone' }));
  const { isRepeat, pace } = outcome;
  const text = formatSummary(summary, listed, { isSandbox, bankAddress, isRepeat, pace });
  return { text, exitCode };
}

/** The days on which the journal may miss something; null when it misses nothing. */
function showLoss(loss: JournalLoss | undefined): object | null {
  if (!isInQuestion(loss)) return null;
  const { recoveredAtMs, sinceDate, untilDate } = loss;
  return {
    recoveredAt: formatBangkokStamp(recoveredAtMs),
    since: showDate(sinceDate),
    until: showDate(untilDate),
  };
}
