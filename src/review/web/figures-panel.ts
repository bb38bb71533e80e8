/** The figures beside the button of a decision: the same for its maker, checker and signer. */
import { showBaht, showCount } from '../../core/figures.ts';
import { counted, message, type Message, type PlainCode } from '../../core/message.ts';
import { type Satang, sumSatang, toSatang, zeroSatang } from '../../core/money.ts';
import { showText } from '../../core/outgoing-text.ts';
import { maskDigits } from '../../core/proxy-id.ts';
import type { HistoryReader } from '../../payout/ports.ts';
import type { Proposal } from '../ports.ts';
import type { ApprovalFigures, Figure } from '../rules/approval-figures.ts';
import {
  type Counted,
  countedOf,
  describeCounted,
  type FiguredFile,
  type ProposalFigures,
} from '../rules/proposal-figures.ts';
import { describeEffect } from '../rules/terms.ts';
import { html, type Html, type Part } from './html.ts';
import { factList, whyOf } from './parts.ts';
import type { ProvedVisit } from './view.ts';

/** The number of files that are named; the others are counted. */
const filesShownMax = 10;

/** "149 payouts, 527,955.31 baht; becomes 527,955.29 baht". */
function describeCorrected({ figures, totalSatang }: Proposal): Message {
  const { of, rows, wasSatang } = figures;
  return message('proposal.corrected', {
    before:
      wasSatang === null
        ? message('proposal.not-counted')
        : describeCounted({ of, rows, amountSatang: wasSatang }),
    amount: showBaht(totalSatang),
  });
}

/** The effect of a proposal, as it was counted when it was made. */
export function effectOfProposal(visit: ProvedVisit, proposal: Proposal): string {
  const { decision, kind } = proposal;
  const isCorrection = decision === 'retry-corrected' && kind === 'payout';
  const what = isCorrection ? describeCorrected(proposal) : describeCounted(countedOf(proposal));
  return visit.say(describeEffect(decision, what, kind));
}

/** Returns "salary-november.csv" or "salary-november.csv and 2 more files". */
export function sayFiles({ say }: ProvedVisit, { files }: ProposalFigures): string | undefined {
  const [first] = files;
  if (first === undefined) return undefined;
  const rest = files.length - 1;
  const name = showText(first.fileName);
  return rest === 0
    ? name
    : say(
        message(rest === 1 ? 'proposal.one-file-more' : 'proposal.files-more', {
          name,
          count: showCount(rest),
        }),
      );
}

// ---------------------------------------------------------------- the largest

/** One of the largest rows, as it is displayed. */
interface Large {
  readonly href: string;
  readonly payoutId: string;
  readonly rowNo: number;
  /** The masked number. */
  readonly proxyNo: string;
  readonly payeeName: string;
  readonly amount: string;
  readonly isNewPayee: boolean;
}

function largestTable({ say }: ProvedVisit, largest: readonly Large[]): Part {
  if (largest.length === 0) return undefined;
  return html`<h3>${say('batch.largest')}</h3>
    <table>
      <tbody>
        ${largest.map(
          ({ href, payoutId, rowNo, proxyNo, payeeName, amount, isNewPayee }) =>
            html`<tr>
              <td class="number" data-head="${say('payout.amount')}">${amount}</td>
              <td data-head="${say('payout.payout')}">
                <a class="open" href="${href}">${payoutId}</a> <small>${say('payout.row')} ${rowNo}</small>
              </td>
              <td data-head="${say('payout.payee')}">
                <span class="mono">${proxyNo}</span> <small>${showText(payeeName)}</small>
                ${isNewPayee && html`<span class="tag unknown">? ${say('batch.payee-is-new')}</span>`}
              </td>
            </tr>`,
        )}
      </tbody>
    </table>`;
}

/** Reads the largest rows: amounts as counted, payees from the journal. */
async function readLargest(
  store: HistoryReader,
  { largest, wasSatang }: ProposalFigures,
): Promise<readonly Large[]> {
  // The list of corrected rows already shows each payee and amount, before and after.
  if (wasSatang !== null) return [];
  const read: Large[] = [];
  for (const { seq, amountSatang, isNewPayee } of largest) {
    const history = await store.history(seq);
    if (history === undefined) continue;
    const { rowNo, cells, instruction } = history.row;
    read.push({
      href: `/payout/${seq}`,
      payoutId: cells.payoutId.trim(),
      rowNo,
      proxyNo: maskDigits(instruction?.proxyNo ?? cells.proxyNo),
      payeeName: (instruction ?? cells).payeeName ?? '',
      amount: showBaht(amountSatang),
      isNewPayee,
    });
  }
  return read;
}

// ---------------------------------------------------------------- the effect of a proposal

/** The digest of a file. The file alone has it where no row was corrected and `check` gets the left-out rows. */
function digestOf({ say }: ProvedVisit, { digest, isCorrected, leftOut }: FiguredFile): Part {
  if (digest === null) return undefined;
  const { rows, firstRowNos } = leftOut;
  const without = rows > 0 && rows === firstRowNos.length ? ` --without ${firstRowNos.join(',')}` : '';
  const hint = isCorrected
    ? say('batch.digest-corrected')
    : rows > firstRowNos.length
      ? say('proposal.digest-of-some')
      : say(message('batch.digest-hint', { rows: without }));
  return html`<br /><small>${say('batch.digest')}</small> <code>${digest}</code> <small>${hint}</small>`;
}

function fileTable(visit: ProvedVisit, { of, files }: ProposalFigures): Part {
  const { say } = visit;
  if (files.length === 0) return undefined;
  const path = of === 'registrations' ? '/registrations/batch/' : '/batch/';
  const rest = files.length - filesShownMax;
  return html`<table>
      <thead>
        <tr>
          <th scope="col">${say('payout.file')}</th>
          <th scope="col" class="number">${say(`proposal.things-${of}`)}</th>
          ${of === 'payouts' && html`<th scope="col" class="number">${say('proposal.sum')}</th>`}
        </tr>
      </thead>
      <tbody>
        ${files.slice(0, filesShownMax).map(
          (file) =>
            html`<tr>
              <td class="why" data-head="${say('payout.file')}">
                <b>${showText(file.fileName)}</b>
                <a class="open" href="${path}${file.batchId}">${file.batchId}</a> ${digestOf(visit, file)}
              </td>
              <td class="number" data-head="${say(`proposal.things-${of}`)}">${showCount(file.rows)}</td>
              ${
                of === 'payouts' &&
                html`<td class="number" data-head="${say('proposal.sum')}">
                  ${showBaht(file.amountSatang)}
                </td>`
              }
            </tr>`,
        )}
      </tbody>
    </table>
    ${rest > 0 && html`<p>${say(message('decide.and-more', { count: showCount(rest) }))}</p>`}`;
}

/** Returns "+0.02" or "−0.02". */
function showChange(change: Satang): string {
  if (change === zeroSatang) return showBaht(change);
  return change > zeroSatang ? `+${showBaht(change)}` : `−${showBaht(toSatang(-change))}`;
}

/** The content of a panel: the figures, and their count and sum. */
export interface Panel {
  readonly figures: ProposalFigures;
  readonly counted: Counted;
}

/** The panel of the figures: count and sum, before and after, new payees, accounts, files with digests, the largest. */
export async function figuresPanel(
  store: HistoryReader,
  visit: ProvedVisit,
  { figures, counted: all }: Panel,
): Promise<Html> {
  const { say } = visit;
  const { wasSatang, newPayees, payerAccounts, of } = figures;
  const { amountSatang } = all;
  const baht = say('payout.baht');
  const files = sayFiles(visit, figures);
  const change = wasSatang === null || amountSatang === null ? undefined : toSatang(amountSatang - wasSatang);
  return html`<section class="card" aria-labelledby="figures">
    ${files !== undefined && html`<p class="filename">${files}</p>`}
    <h2 id="figures" class="headline">${say(describeCounted(all))}</h2>
    ${factList([
      [say('proposal.was-before'), wasSatang !== null && `${showBaht(wasSatang)} ${baht}`],
      [
        say('proposal.it-becomes'),
        wasSatang !== null && amountSatang !== null && html`<b>${showBaht(amountSatang)}</b> ${baht}`,
      ],
      [say('proposal.difference'), change !== undefined && `${showChange(change)} ${baht}`],
      [say('batch.payer-account'), payerAccounts.join(', ')],
      [
        say('batch.new-payees'),
        of === 'payouts' &&
          (newPayees.payees === 0
            ? say('proposal.no-new-payees')
            : html`<b>${showBaht(newPayees.amountSatang)}</b> ${baht},
                ${say(counted(newPayees.payees, 'payee'))}`),
      ],
    ])}
    ${fileTable(visit, figures)} ${largestTable(visit, await readLargest(store, figures))}
  </section>`;
}

/** The panel of a proposal. */
export const proposalPanel = (store: HistoryReader, visit: ProvedVisit, proposal: Proposal): Promise<Part> =>
  figuresPanel(store, visit, { figures: proposal.figures, counted: countedOf(proposal) });

/** The counts of a decision before it is proposed. */
export const countedOfFigures = (figures: ProposalFigures): Counted =>
  countedOf({
    figures,
    totalSatang: sumSatang(figures.files.map(({ amountSatang }) => amountSatang)),
  });

// ---------------------------------------------------------------- rows that wait for approval

const figureLine = (
  { say }: ProvedVisit,
  word: PlainCode,
  { rows, amountSatang }: Figure,
  more: Part = '',
): readonly [string, Part] => [
  say(word),
  (rows > 0 || word === 'batch.to-be-paid') &&
    html`${(amountSatang > 0n || rows === 0) && html`<b>${showBaht(amountSatang)}</b> ${say('payout.baht')}, `}${showCount(rows)}
      ${say(rows === 1 ? 'batch.one-row' : 'batch.rows-counted')} <small>${more}</small>`,
];

/** The unusual facts of the waiting rows. */
function unusualLines(visit: ProvedVisit, figures: ApprovalFigures): readonly (readonly [string, Part])[] {
  const { approved, held, holds, refused, before, like, limited, limitedBy, likeReason } = figures;
  const { say } = visit;
  return [
    figureLine(visit, 'batch.held-besides', held, holds.map(([hold, rows]) => `${rows} ${hold}`).join(', ')),
    held.rows > 0
      ? figureLine(visit, 'batch.approved-in-all', approved)
      : [say('batch.approved-in-all'), undefined],
    figureLine(visit, 'batch.not-paid', refused),
    figureLine(visit, 'batch.before', before),
    figureLine(visit, 'batch.like-earlier', like),
    figureLine(
      visit,
      'batch.limited',
      limited,
      limitedBy.map(([setting, rows]) => `${rows} ${setting}`).join(', '),
    ),
    [say('payout.why'), whyOf(visit, likeReason)],
  ];
}

const waitsCard = ({ say }: ProvedVisit, shown: Part): Html =>
  html`<section class="card" aria-labelledby="approval">
    <h2 id="approval">${say('batch.waits-approval')}</h2>
    ${shown}
  </section>`;

/** Notes beside the panel of a proposal: the sum paid at once, and unusual facts. */
export const approvalNotes = (visit: ProvedVisit, figures: ApprovalFigures | undefined): Part =>
  figures &&
  waitsCard(
    visit,
    factList([figureLine(visit, 'batch.to-be-paid', figures.toPay), ...unusualLines(visit, figures)]),
  );

/** The rows of a batch that wait for approval now, with the largest of them and the digest. */
export function approvalCard(visit: ProvedVisit, figures: ApprovalFigures | undefined): Part {
  if (figures === undefined) return undefined;
  const { say } = visit;
  const { toPay, newPayees, largest, payerAccount, digest, isCorrected } = figures;
  const shown = factList([
    figureLine(visit, 'batch.to-be-paid', toPay),
    ...unusualLines(visit, figures),
    figureLine(visit, 'batch.new-payees', newPayees, say(counted(newPayees.payees, 'payee'))),
    [say('batch.payer-account'), payerAccount],
    [
      say('batch.digest'),
      html`<code>${digest}</code>
        <small
          >${isCorrected ? say('batch.digest-corrected') : say(message('batch.digest-hint', { rows: '' }))}</small
        >`,
    ],
  ]);
  const large = largest.map(({ seq, payeeName, amountSatang, ...row }) => ({
    ...row,
    href: `/payout/${seq}`,
    payeeName: payeeName ?? '',
    amount: showBaht(amountSatang),
  }));
  return waitsCard(visit, [shown, largestTable(visit, large)]);
}
