/** Figures that an approver of a batch needs, on a screen. */
import { inEnglish } from '../../core/message.ts';
import { paydropCommand } from '../../core/command-line.ts';
import { formatBaht } from '../../core/money.ts';
import { printable, showText, showTextIfAny } from '../../core/outgoing-text.ts';
import type { ApprovalFigures, Figure } from '../../review/rules/approval-figures.ts';
import { countOf, showBaht, showTotal } from './amounts.ts';
import { alignColumns } from './shown.ts';

const totalOf = ({ rows, amountSatang }: Figure) => ({ rows, amount: formatBaht(amountSatang) });

/** "to be paid   3 rows, 600.75 baht", and its parts. */
function listTotals(figures: ApprovalFigures): readonly (readonly string[])[] {
  const { approved, toPay, held, holds, refused, before, newPayees, like, limited, limitedBy } = figures;
  const why = holds.map(([hold, rows]) => `${rows} ${hold}`).join(', ');
  const limits = limitedBy.map(([setting, rows]) => `${rows} ${setting}`).join(', ');
  const payees = countOf(newPayees.payees, 'payee', 'payees');
  const line = (label: string, figure: Figure, more = ''): readonly (readonly string[])[] =>
    figure.rows === 0 ? [] : [[`  ${label}`, `${showTotal(totalOf(figure))}${more}`]];
  return [
    ['  to be paid', showTotal(totalOf(toPay))],
    ...line('held besides', held, ` (${why})`),
    ...(held.rows > 0 ? line('approved in all', approved) : []),
    ...line('not paid', refused),
    ...line('sent or approved before', before),
    ...line('never paid before', newPayees, ` to ${payees}`),
    ...line('like earlier payments', like),
    ...line('held if sent now', limited, ` (${limits})`),
  ];
}

function listLargest({ largest }: ApprovalFigures): string[] {
  const rows = largest.map(({ rowNo, payoutId, proxyNo, payeeName, amountSatang, isNewPayee }) => [
    `    ${showBaht(amountSatang)}`,
    `row ${rowNo}`,
    showText(payoutId),
    proxyNo,
    `${showText(payeeName ?? '')}${isNewPayee ? ' (never paid before)' : ''}`,
  ]);
  return rows.length === 0 ? [] : ['  the largest:', ...alignColumns(rows, [0])];
}

/** Advice on computing the digest from the file, on another machine. */
function adviseDigest({ fileName, leftOut, isCorrected }: ApprovalFigures): string {
  if (isCorrected) return 'rows were corrected since: the file alone does not have this digest';
  const { rows, firstRowNos } = leftOut;
  if (rows > firstRowNos.length)
    return `${countOf(rows, 'row')} of the file do not wait: too many to compute it from the file`;
  const without = rows === 0 ? [] : ['--without', firstRowNos.join(',')];
  return `the file alone must have it, too: ${paydropCommand(undefined, 'check', fileName, '--digest', ...without)}`;
}

export function showFigures(figures: ApprovalFigures): string[] {
  const { payerAccount, digest, likeReason } = figures;
  return [
    `waits for approval, to be paid from account ${payerAccount}:`,
    ...alignColumns(listTotals(figures)),
    ...(likeReason === null ? [] : [`  ${showText(inEnglish(likeReason))}`]),
    ...listLargest(figures),
    `  digest ${digest}`,
    printable(`  ${adviseDigest(figures)}`),
  ];
}

export function jsonOfFigures(figures: ApprovalFigures): object {
  const { people, payerAccount, digest, likeReason, largest, newPayees, leftOut, isCorrected } = figures;
  return {
    people,
    payerAccount,
    digest,
    isCorrected,
    approved: totalOf(figures.approved),
    toPay: totalOf(figures.toPay),
    held: { ...totalOf(figures.held), holds: Object.fromEntries(figures.holds) },
    notPaid: totalOf(figures.refused),
    before: totalOf(figures.before),
    newPayees: { ...totalOf(newPayees), payees: newPayees.payees },
    likeEarlier: totalOf(figures.like),
    heldByLimits: { ...totalOf(figures.limited), limits: Object.fromEntries(figures.limitedBy) },
    likeReason: showTextIfAny(likeReason && inEnglish(likeReason)),
    largest: largest.map(({ amountSatang, payoutId, payeeName, ...row }) => ({
      ...row,
      payoutId: showText(payoutId),
      payeeName: showTextIfAny(payeeName),
      amount: formatBaht(amountSatang),
    })),
    leftOut,
  };
}
