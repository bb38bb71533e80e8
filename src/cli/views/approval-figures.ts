/** The figures of an approval, in `status` and in proposals. */
import { paydropCommand } from '../../core/command-line.ts';
import { inEnglish } from '../../core/message.ts';
import { printable, showText } from '../../core/outgoing-text.ts';
import { listOf, recordOf, viewOf } from '../../core/view.ts';
import type { ApprovalFigures, Figure } from '../../review/rules/approval-figures.ts';
import { countOf, showBaht, showTotal } from './amounts.ts';
import { alignColumns } from './shown.ts';

/** Rows and their sum. */
const figureView = viewOf<Figure>()('figure', {
  rows: ({ rows }) => rows,
  amount: ({ amountSatang }) => amountSatang,
});

/** Rows left out of a digest. */
export const leftOutView = viewOf<ApprovalFigures['leftOut']>()('rows left out', {
  rows: ({ rows }) => rows,
  firstRowNos: ['numbers', 'numbers of the first of them', ({ firstRowNos }) => firstRowNos],
});

const heldView = viewOf<ApprovalFigures>()('held figure', {
  rows: ({ held }) => held.rows,
  amount: ({ held }) => held.amountSatang,
  holds: ['counts', 'rows by hold; a row may have several', ({ holds }) => Object.fromEntries(holds)],
});

const limitedView = viewOf<ApprovalFigures>()('limited figure', {
  rows: ({ limited }) => limited.rows,
  amount: ({ limited }) => limited.amountSatang,
  limits: [
    'counts',
    'rows by setting; a row may exceed several',
    ({ limitedBy }) => Object.fromEntries(limitedBy),
  ],
});

/** Payees never paid before. */
export const newPayeesView = viewOf<Figure & { readonly payees: number }>()('new payees', {
  rows: ({ rows }) => rows,
  amount: ({ amountSatang }) => amountSatang,
  payees: ['number', 'payees, each counted once', ({ payees }) => payees],
});

const largestView = viewOf<ApprovalFigures['largest'][number]>()('large row', {
  seq: ['number', 'number of the row in the journal', ({ seq }) => seq],
  rowNo: ({ rowNo }) => rowNo,
  payoutId: ['foreign', "the partner's id of the payout", ({ payoutId }) => payoutId],
  proxyNo: ['text', 'number of the payee, masked', ({ proxyNo }) => proxyNo],
  payeeName: ({ payeeName }) => payeeName,
  isNewPayee: ['flag', 'whether the payee was never paid before', ({ isNewPayee }) => isNewPayee],
  amount: ({ amountSatang }) => amountSatang,
});

/** The figures that the approver of a batch looks at. */
export const approvalView = viewOf<ApprovalFigures>()('approval', {
  people: ['number', 'how many people approve it', ({ people }) => people],
  payerAccount: ['text', 'account that is paid from, masked', ({ payerAccount }) => payerAccount],
  digest: ['text', 'digest of the rows that wait', ({ digest }) => digest],
  isCorrected: [
    'flag',
    'whether rows were corrected, so that the file alone does not have the digest',
    ({ isCorrected }) => isCorrected,
  ],
  approved: [recordOf(figureView), 'all that an approval releases', ({ approved }) => approved],
  toPay: [recordOf(figureView), 'what is paid as soon as it is approved', ({ toPay }) => toPay],
  held: [recordOf(heldView), 'what is held besides', (figures) => figures],
  notPaid: [recordOf(figureView), 'what is not paid', ({ refused }) => refused],
  before: [recordOf(figureView), 'what was sent or approved before', ({ before }) => before],
  newPayees: [recordOf(newPayeesView), 'what goes to payees never paid before', ({ newPayees }) => newPayees],
  likeEarlier: [recordOf(figureView), 'what is like earlier payments', ({ like }) => like],
  heldByLimits: [recordOf(limitedView), 'what limits would hold if it were sent now', (figures) => figures],
  likeReason: ['message', 'why the whole batch is held as like another file', ({ likeReason }) => likeReason],
  largest: [listOf(largestView), 'the largest rows', ({ largest }) => largest],
  leftOut: [recordOf(leftOutView), 'rows of the file that do not wait', ({ leftOut }) => leftOut],
});

/** "to be paid   3 rows, 600.75 baht", and its parts. */
function listTotals(figures: ApprovalFigures): readonly (readonly string[])[] {
  const { approved, toPay, held, holds, refused, before, newPayees, like, limited, limitedBy } = figures;
  const why = holds.map(([hold, rows]) => `${rows} ${hold}`).join(', ');
  const limits = limitedBy.map(([setting, rows]) => `${rows} ${setting}`).join(', ');
  const payees = countOf(newPayees.payees, 'payee', 'payees');
  const line = (label: string, figure: Figure, more = ''): readonly (readonly string[])[] =>
    figure.rows === 0 ? [] : [[`  ${label}`, `${showTotal(figureView.json(figure))}${more}`]];
  return [
    ['  to be paid', showTotal(figureView.json(toPay))],
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

/** The figures as lines. */
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
