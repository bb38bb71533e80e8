/** Corrected rows: paid to another payee number, or with another amount, than their file says. */
import { message, type Message } from '../../core/message.ts';
import { move } from '../../core/change.ts';
import { formatBaht } from '../../core/money.ts';
import type { RowCells } from '../../core/payout-file.ts';
import { type HoldReason, type Instruction, type Payout, sourceStatuses } from '../../core/payout.ts';
import type { Change, ResultRow } from '../../core/ports.ts';
import { maskDigits } from '../../core/proxy-id.ts';
import { parseRow, type RowRules } from '../../intake/rules/row.ts';
import { fileIssues, listIssues } from '../../payout/rules/operator.ts';
import type { Correction } from './proposal.ts';

/** The facts from which a correction is made. */
interface CorrectedRow {
  readonly row: ResultRow;
  readonly batchId: string;
  readonly payout: Payout | undefined;
  readonly rules: RowRules;
  readonly nowMs: number;
}

/** Holds that are independent of the row's instruction, which a correction does not lift. */
const keptHolds: readonly HoldReason[] = ['approval', 'halted', 'paused'];

/** The reason why the row cannot be corrected at all; undefined when it can. */
export function whyNotCorrect({ row }: CorrectedRow): Message | undefined {
  if (row.isAlarm) return message('correct.alarm');
  const from = [...sourceStatuses('ready', 'corrected'), ...sourceStatuses('held', 'corrected')];
  if (!from.includes(row.status))
    return message('correct.too-late', { status: message(`payout-is.${row.status}`) });
  if (row.issues.some(({ code }) => fileIssues.includes(code))) return message('correct.wrong-file');
  return row.amountSatang === null ? message('correct.amount-unread') : undefined;
}

/** The cells of the row with the correction applied. */
function correctCells(row: ResultRow, { proxyNo, amount }: Correction): RowCells {
  const { instruction } = row;
  const present =
    instruction === null
      ? {}
      : {
          payoutId: instruction.payoutId,
          proxyType: instruction.proxyType,
          proxyNo: instruction.proxyNo,
          payeeName: instruction.payeeName ?? '',
          amount: formatBaht(instruction.amountSatang),
          reference1: instruction.reference1 ?? '',
          reference2: instruction.reference2 ?? '',
        };
  return {
    ...row.cells,
    ...present,
    // The type follows from the new number.
    ...(proxyNo === null ? {} : { proxyNo, proxyType: '' }),
    ...(amount === null ? {} : { amount }),
  };
}

const isSameInstruction = (one: Instruction | null, other: Instruction): boolean =>
  one?.proxyNo === other.proxyNo &&
  one.proxyType === other.proxyType &&
  one.amountSatang === other.amountSatang;

/** The changes that pay the row as corrected, or the reason why there are none. */
export function decideCorrected(
  corrected: CorrectedRow,
  correction: Correction,
): readonly Change[] | Message {
  const { row, batchId, payout, rules, nowMs } = corrected;
  const why = whyNotCorrect(corrected);
  if (why !== undefined) return why;
  const { instruction, issues, holds } = parseRow(correctCells(row, correction), row.line, rules);
  if (instruction === null) return message('correct.still-wrong', { whys: listIssues(issues) });
  if (isSameInstruction(row.instruction, instruction)) return message('correct.changes-nothing');
  const before = payout ?? { ...row, batchId, instruction, acceptedHolds: [], settledBy: 'rules' as const };
  return [correct(before, instruction, holds, nowMs)];
}

function correct(
  before: Payout,
  instruction: Instruction,
  raised: readonly HoldReason[],
  nowMs: number,
): Change {
  const kept = before.holds.filter((hold) => keptHolds.includes(hold));
  const holds = [...kept, ...raised.filter((hold) => !kept.includes(hold))];
  const isLimit = holds.includes('limit');
  const reason = isLimit
    ? ({ reasonCode: 'limit', reason: message('reason.corrected-over-limit') } as const)
    : ({ reasonCode: null, reason: null } as const);
  const patch = {
    status: holds.length === 0 ? 'ready' : 'held',
    holds,
    // Earlier answers of people and the bank were about another payee or amount. `resend` lets the number be sent
    // again.
    acceptedHolds: ['resend'],
    bankPayeeName: null,
    bankPayeeNameTh: null,
    settledAtMs: null,
    settledBy: null,
    ...reason,
  } as const;
  const was = before.instruction;
  const detail = {
    was: before.status,
    ...(was.proxyNo === instruction.proxyNo
      ? {}
      : { proxyNo: [maskDigits(was.proxyNo), maskDigits(instruction.proxyNo)] }),
    ...(was.amountSatang === instruction.amountSatang
      ? {}
      : { amount: [formatBaht(was.amountSatang), formatBaht(instruction.amountSatang)] }),
  };
  const change = move({ payout: before, patch, cause: 'corrected', nowMs, detail });
  return { ...change, after: { ...change.after, instruction }, isCorrected: true };
}
