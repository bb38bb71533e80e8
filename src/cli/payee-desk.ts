/** Asks the bank about the payees of checked rows; no money can move (endpoint 5). */
import pLimit from 'p-limit';
import type { Settings } from '../config.ts';
import { classifyPayeeCheckReply, type PayeeFinding } from '../core/classify.ts';
import { nameForBank, thaiNamesAgree } from '../core/payee-name.ts';
import type { Instruction } from '../core/payout.ts';
import type { Bank, PayeeCheck, StagedRow } from '../core/ports.ts';
import { maskDigits } from '../core/proxy-id.ts';
import type { RowIssue } from '../worker/check.ts';

export interface PayeeDesk {
  /** What the bank has against the payees of these rows; rows rejected already are not asked about. */
  ask(rows: readonly StagedRow[]): Promise<readonly RowIssue[]>;
}

/** How often an answer that says nothing is asked again. */
const asksMax = 3;

/** A desk that asks as many at once as the settings allow. */
export function makePayeeDesk(bank: Bank, settings: Pick<Settings, 'verify'>): PayeeDesk {
  const limit = pLimit(settings.verify.concurrency);
  return {
    ask: async (rows) => {
      const found = await Promise.all(rows.map((row) => limit(() => askAbout(bank, row))));
      return found.flat();
    },
  };
}

async function askAbout(bank: Bank, row: StagedRow): Promise<readonly RowIssue[]> {
  if (row.instruction === null) return [];
  const check = payeeCheckOf(row.instruction);
  let finding: PayeeFinding = classifyPayeeCheckReply(await bank.checkPayee(check));
  for (let asks = 1; asks < asksMax && finding.kind === 'ask-again'; asks += 1) {
    finding = classifyPayeeCheckReply(await bank.checkPayee(check));
  }
  const message = complain(row.instruction, finding);
  if (message === undefined) return [];
  const value = maskDigits(row.instruction.proxyNo);
  return [
    {
      rowNo: row.rowNo,
      issue: { line: row.line, column: 'proxyNo', code: message.code, value, message: message.text },
    },
  ];
}

function payeeCheckOf({ proxyType, proxyNo, payeeName }: Instruction): PayeeCheck {
  return { proxyType, proxyNo, proxyName: nameForBank(payeeName) };
}

function complain(
  { payeeName }: Instruction,
  finding: PayeeFinding,
): { code: string; text: string } | undefined {
  switch (finding.kind) {
    case 'unpayable':
      return { code: finding.reason.code, text: `the payee cannot be paid: ${finding.reason.text}` };
    case 'halt':
      return { code: finding.reason.code, text: `the bank refuses the payer: ${finding.reason.text}` };
    case 'ask-again':
      return {
        code: finding.reason.code,
        text: `the bank gave no answer about the payee: ${finding.reason.text}`,
      };
    case 'payable': {
      if (thaiNamesAgree(payeeName, finding.payeeNameTh)) return undefined;
      return { code: 'thai-name-differs', text: 'the bank holds another Thai name: the row would be held' };
    }
  }
}
