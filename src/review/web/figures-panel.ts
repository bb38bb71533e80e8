/** The sentence and the figures of a decision: the same for its maker, checker and signer. */
import { showBaht, showCount } from '../../core/figures.ts';
import { counted, message, type Message } from '../../core/message.ts';
import { type Satang, sumSatang, toSatang, zeroSatang } from '../../core/money.ts';
import { showText } from '../../core/outgoing-text.ts';
import { shortenMasks, showLastDigits } from '../../core/proxy-id.ts';
import type { PayoutStatus } from '../../core/payout.ts';
import type { StatusTotal } from '../../core/ports.ts';
import type { HistoryReader } from '../../payout/ports.ts';
import type { Proposal } from '../ports.ts';
import { type Compared, perMilleOf } from '../rules/look-back.ts';
import {
  countedOf,
  describeCounted,
  describeProposed,
  describeSent,
  heldOf,
  paidOf,
  type ProposalFigures,
  pays,
  sendsWhatWaits,
  sizeBounds,
  sizeOf,
} from '../rules/proposal-figures.ts';
import { describeAct } from '../rules/terms.ts';
import { chartKey, histogram, shareBar } from './charts.ts';
import type { NamedRow } from '../rules/approval-figures.ts';
import { html, type Html, type Part } from './html.ts';
import { capital } from './parts.ts';
import type { ProvedVisit } from './view.ts';

/** The number of files that are named; the others are counted. */
const filesShownMax = 10;

/** A decision with its figures, before it is proposed or afterwards. */
export type FiguredDecision = Pick<Proposal, 'decision' | 'kind' | 'figures' | 'totalSatang'>;

// ---------------------------------------------------------------- the sentence

/** "149 payouts, 2,346,099.60 baht"; of a correction "149 payouts, was 527,955.31, becomes 527,955.29 baht". */
export function describeWhat({ decision, kind, figures, totalSatang }: FiguredDecision): Message {
  const { of, rows, wasSatang } = figures;
  // Ours, the bank's and the difference of breaks stand in their list.
  if (kind === 'break') return counted(rows, 'open-break');
  if (rows === 0 && of !== 'others') return message('approval.nothing-sent');
  if (decision !== 'retry-corrected' || wasSatang === null) return describeProposed({ figures, totalSatang });
  const count = describeCounted({ of, rows, amountSatang: null });
  return message('proposal.corrected', {
    count,
    before: showBaht(wasSatang),
    amount: showBaht(totalSatang),
  });
}

/** The sentence of a decision, the same for maker, checker and signer. */
export function headlineOf(figured: FiguredDecision): Message {
  const { decision, figures } = figured;
  const { rows, payees } = figures;
  const { amountSatang } = countedOf(figured);
  const what = describeWhat(figured);
  if (decision === 'approve-batch' && amountSatang !== null) {
    const account = figures.payerAccounts.map(shortenMasks).join(', ');
    const held = heldOf(figures);
    if (held.rows > 0) {
      const all = describeCounted(countedOf(figured));
      const [paid, rest] = [paidOf(figured), { of: 'payouts', ...held } as const].map(describeCounted);
      const code = held.rows === 1 ? 'approval.pay-and-hold-one' : 'approval.pay-and-hold';
      return message(code, { counted: all, paid: paid ?? '', held: rest ?? '', account });
    }
    const said = { people: counted(payees, 'person'), amount: showBaht(amountSatang), account };
    return payees === rows
      ? message('approval.pay-people', said)
      : message('approval.pay-payouts', { ...said, payouts: counted(rows, 'payout') });
  }
  if (sendsWhatWaits(decision) && figures.of === 'payouts' && rows > 0) return describeSent(figures);
  return describeAct(decision, what);
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

// ---------------------------------------------------------------- figures

/** A figure with its name and a note below it; without a figure, the note alone. */
export interface ShownFigure {
  readonly name: Part;
  readonly figure?: Part;
  readonly note?: Part;
  /** True for a figure to look at. */
  readonly isUnusual?: boolean;
}

export const figureList = (figures: readonly (ShownFigure | false)[]): Part =>
  figures.some((one) => one !== false) &&
  html`<dl class="fig">
    ${figures.map(
      (one) =>
        one !== false &&
        html`<div>
          <dt>${one.name}</dt>
          ${
            one.figure !== undefined &&
            html`<dd class="${one.isUnusual === true ? 'n ask' : 'n'}">${one.figure}</dd>`
          }
          ${one.note !== undefined && html`<dd><small>${one.note}</small></dd>`}
        </div>`,
    )}
  </dl>`;

/** Returns "+0.02" or "−0.02". */
export function showChange(change: Satang): string {
  if (change === zeroSatang) return showBaht(change);
  return change > zeroSatang ? `+${showBaht(change)}` : `−${showBaht(toSatang(-change))}`;
}

const perMillePerPercent = 10;

/** Returns "+13.8%" or "−3.0%"; undefined without an amount before. */
export function showShare(now: bigint, before: bigint): string | undefined {
  const perMille = perMilleOf(now, before);
  if (perMille === undefined) return undefined;
  const percent = (Math.abs(perMille) / perMillePerPercent).toFixed(1);
  return perMille < 0 ? `−${percent}%` : `+${percent}%`;
}

/** The figure of payees who were never paid before. */
export function newPayeesFigure(
  { say }: ProvedVisit,
  { newPayees, of }: ProposalFigures,
  totalSatang: Satang,
): ShownFigure | false {
  if (of !== 'payouts') return false;
  const name = say('approval.to-new-payees');
  if (newPayees.payees === 0) return { name, note: say('approval.none-new') };
  const share = perMilleOf(totalSatang + newPayees.amountSatang, totalSatang) ?? 0;
  return {
    name,
    figure: showBaht(newPayees.amountSatang),
    note: say(
      message('approval.new-share', {
        people: counted(newPayees.payees, 'person'),
        share: (share / perMillePerPercent).toFixed(1),
      }),
    ),
    isUnusual: true,
  };
}

/** The figures of any decision about money: before and after a correction, new payees, accounts. */
export function figuresOf(visit: ProvedVisit, { decision, figures, totalSatang }: FiguredDecision): Part {
  const { say } = visit;
  const { wasSatang, payerAccounts } = figures;
  return figureList([
    wasSatang !== null && { name: say('proposal.was-before'), figure: showBaht(wasSatang) },
    wasSatang !== null && { name: say('proposal.it-becomes'), figure: showBaht(totalSatang) },
    wasSatang !== null && {
      name: say('approval.difference'),
      figure: showChange(toSatang(totalSatang - wasSatang)),
    },
    figures.rows > 0 && pays(decision) && newPayeesFigure(visit, figures, totalSatang),
    payerAccounts.length > 0 && {
      name: say('approval.accounts'),
      figure: payerAccounts.map(shortenMasks).join(', '),
    },
  ]);
}

/** The file, the sentence, and the figures below them. @param isTitle true for the title of the page */
export function hero(
  visit: ProvedVisit,
  figured: FiguredDecision,
  { small, figures, isTitle }: { readonly small: Part; readonly figures: Part; readonly isTitle: boolean },
): Html {
  const files = sayFiles(visit, figured.figures);
  const sentence = capital(visit.say(headlineOf(figured)));
  return html`<section class="card hero" aria-labelledby="headline">
    ${files !== undefined && html`<p class="file">${files}</p>`}
    ${isTitle ? html`<h1 id="headline">${sentence}</h1>` : html`<h2 id="headline">${sentence}</h2>`}
    ${small && html`<p class="small">${small}</p>`} ${figures}
  </section>`;
}

// ---------------------------------------------------------------- sizes

const thousand = 1_000;

function sizeTitle({ say }: ProvedVisit, place: number, rows: number): string {
  const [from, to] = [sizeBounds[place - 1], sizeBounds[place]];
  const payouts = counted(rows, 'payout');
  if (to === undefined) return say(message('approval.size-over', { from: showCount(from ?? 0), payouts }));
  return from === undefined
    ? say(message('approval.size-under', { to: showCount(to), payouts }))
    : say(message('approval.size-between', { from: showCount(from), to: showCount(to), payouts }));
}

/** Payouts by size; few rows are read faster in the list. */
export function sizesCard(visit: ProvedVisit, { sizes, largest, of, rows }: ProposalFigures): Part {
  const { say } = visit;
  if (of !== 'payouts' || rows < 2) return undefined;
  const large = new Set(largest.map(({ amountSatang }) => sizeOf(amountSatang)));
  const classes = sizes.map((count, place) => {
    const bound = sizeBounds[place];
    return {
      title: sizeTitle(visit, place, count),
      count,
      border: bound === undefined ? undefined : `${bound / thousand}k`,
      isLarge: large.has(place),
    };
  });
  return html`<section class="card" aria-labelledby="amounts">
    <div class="hd">
      <h2 id="amounts">${say('approval.amounts')}</h2>
      <small>${say('approval.amounts-hint')}</small>
    </div>
    ${histogram(classes, say('approval.amounts-hint'))}
  </section>`;
}

// ---------------------------------------------------------------- the largest

/** One of the largest rows, as it is displayed. */
interface Large extends NamedRow {
  readonly payeeName: string;
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
      seq,
      payoutId: cells.payoutId.trim(),
      rowNo,
      proxyNo: showLastDigits(instruction?.proxyNo ?? cells.proxyNo),
      payeeName: (instruction ?? cells).payeeName ?? '',
      amountSatang,
      isNewPayee,
    });
  }
  return read;
}

/** "4.1" for the quotient of two amounts; the second is not 0. */
export function showTimes(now: bigint, before: bigint): string {
  const tenths = (10n * now + before / 2n) / before;
  return `${tenths / 10n}.${tenths % 10n}`;
}

/** The amount beside the last file: an amount over twice as large, or a new payee, is to be looked at. */
function againstOf({ say }: ProvedVisit, large: Large, compared: Compared | undefined): Part {
  const { seq, amountSatang, isNewPayee } = large;
  if (isNewPayee) return html`<span class="ask t">? ${say('batch.payee-is-new')}</span>`;
  if (compared === undefined) return undefined;
  const before = compared.beforeBySeq.get(seq);
  if (before === undefined) return html`<span class="no">${say('approval.not-in-last')}</span>`;
  if (before === amountSatang) return html`<span class="no">${say('approval.as-before')}</span>`;
  if (before > 0n && amountSatang > 2n * before) {
    const said = { times: showTimes(amountSatang, before), before: showBaht(before) };
    return html`<span class="ask t">? ${say(message('approval.times-before', said))}</span>`;
  }
  return html`<span class="no">${showShare(amountSatang, before)}</span>`;
}

/** The five largest rows, beside the last file where there is one. */
export async function largestCard(
  store: HistoryReader,
  visit: ProvedVisit,
  figures: ProposalFigures,
  compared: Compared | undefined,
): Promise<Part> {
  const { say } = visit;
  const largest = await readLargest(store, figures);
  if (largest.length === 0) return undefined;
  return html`<section class="card" aria-labelledby="largest">
    <h2 id="largest">${say('batch.largest')}</h2>
    <table class="rows">
      <thead>
        <tr>
          <th scope="col">${say('payout.payee')}</th>
          <th scope="col" class="r">${say('approval.baht')}</th>
          ${compared === undefined ? html`<td></td>` : html`<th scope="col">${say('approval.against-last')}</th>`}
        </tr>
      </thead>
      <tbody>
        ${largest.map((large) => {
          const { seq, payoutId, rowNo, proxyNo, payeeName, amountSatang } = large;
          const row = say(message('approval.row', { row: showCount(rowNo) }));
          const against = againstOf(visit, large, compared);
          return html`<tr>
            <td>
              <b>${showText(payeeName)}</b>
              <small>${proxyNo} · <a href="/payout/${seq}">${payoutId}</a>, ${row}</small>
            </td>
            <td class="r">${showBaht(amountSatang)}</td>
            <td class="w">${against}</td>
          </tr>`;
        })}
      </tbody>
    </table>
  </section>`;
}

// ---------------------------------------------------------------- files

/** The files of a decision about several. */
export function filesCard({ say }: ProvedVisit, { of, files }: ProposalFigures): Part {
  if (files.length < 2) return undefined;
  const path = of === 'registrations' ? '/registrations/batch/' : '/batch/';
  const rest = files.length - filesShownMax;
  return html`<section class="card" aria-labelledby="figured-files">
    <h2 id="figured-files">${say(counted(files.length, 'file'))}</h2>
    <table class="rows">
      <thead>
        <tr>
          <th scope="col">${say('payout.file')}</th>
          <th scope="col" class="r">${say(`proposal.things-${of}`)}</th>
          ${of === 'payouts' && html`<th scope="col" class="r">${say('approval.baht')}</th>`}
        </tr>
      </thead>
      <tbody>
        ${files.slice(0, filesShownMax).map(
          ({ batchId, fileName, rows, amountSatang }) =>
            html`<tr>
              <td class="w">
                <b>${showText(fileName)}</b>
                <small><a href="${path}${batchId}">${batchId}</a></small>
              </td>
              <td class="r">${showCount(rows)}</td>
              ${of === 'payouts' && html`<td class="r">${showBaht(amountSatang)}</td>`}
            </tr>`,
        )}
      </tbody>
    </table>
    ${rest > 0 && html`<p>${say(message('decide.and-more', { count: showCount(rest) }))}</p>`}
  </section>`;
}

// ---------------------------------------------------------------- money by outcome

/** The knowledge of the money of each status, as a bar shows it. */
const outcomeOf = {
  paid: 'paid',
  submitted: 'unknown',
  unresolved: 'unknown',
  disputed: 'alarm',
  staged: 'wait',
  ready: 'wait',
  held: 'wait',
  unpayable: 'none',
  failed: 'none',
  rejected: 'none',
  cancelled: 'none',
} as const satisfies Readonly<Record<PayoutStatus, string>>;

const outcomes = ['paid', 'unknown', 'alarm', 'wait', 'none'] as const;

interface Outcome {
  readonly outcome: (typeof outcomes)[number];
  readonly rows: number;
  readonly amountSatang: Satang;
}

/** The rows of a batch by what is known of their money; they sum to all of its rows. @forTests */
export const sumOutcomes = (totals: readonly StatusTotal[]): readonly Outcome[] =>
  outcomes.flatMap((outcome) => {
    const own = totals.filter(({ status, rows }) => outcomeOf[status] === outcome && rows > 0);
    const rows = own.reduce((sum, total) => sum + total.rows, 0);
    const amountSatang = sumSatang(own.map((total) => total.amountSatang));
    return rows === 0 ? [] : [{ outcome, rows, amountSatang }];
  });

/** "Paid: 12 payouts, 1,234.00 baht"; rows without a readable amount have none. */
function sayOutcome({ say }: ProvedVisit, { outcome, rows, amountSatang }: Outcome): string {
  const count = counted(rows, 'row');
  const sum =
    amountSatang === zeroSatang ? count : message('money.counted', { count, amount: showBaht(amountSatang) });
  return `${say(`batch-outcome.${outcome}`)}: ${say(sum)}`;
}

export function outcomeBar(visit: ProvedVisit, totals: readonly StatusTotal[], height: number): Part {
  const shares = sumOutcomes(totals).map((one) => ({
    fill: one.outcome,
    size: one.amountSatang,
    title: sayOutcome(visit, one),
  }));
  return shares.some(({ size }) => size > 0n) && shareBar(shares, visit.say('batch.by-outcome'), height);
}

/** The money of a batch, as a bar with its legend. */
export function moneyCard(visit: ProvedVisit, totals: readonly StatusTotal[]): Part {
  if (totals.length === 0) return undefined;
  return html`<section class="card" aria-labelledby="money">
    <h2 id="money">${visit.say('batch.by-outcome')}</h2>
    ${outcomeBar(visit, totals, 18)}
    ${chartKey(sumOutcomes(totals).map((one) => [one.outcome, sayOutcome(visit, one)] as const))}
  </section>`;
}

// ---------------------------------------------------------------- before a proposal

/** The sum of all files of a decision before it is proposed. */
export const totalOfFigures = ({ files }: ProposalFigures): Satang =>
  sumSatang(files.map(({ amountSatang }) => amountSatang));

/** The figures beside the form of a decision. */
export async function figuresPanel(
  store: HistoryReader,
  visit: ProvedVisit,
  figured: FiguredDecision,
): Promise<Html> {
  const { figures } = figured;
  return html`${hero(visit, figured, { small: undefined, figures: figuresOf(visit, figured), isTitle: false })}
  ${filesCard(visit, figures)} ${sizesCard(visit, figures)}
  ${await largestCard(store, visit, figures, undefined)}`;
}
