/** The look at a batch before it is paid: what to look at first, and the comparison with the last file of its name. */
import { type Argument, counted, listed, message, type Message } from '../../core/message.ts';
import { showBaht, showCount } from '../../core/figures.ts';
import { sayMoment } from '../../core/moments.ts';
import { type Satang, toSatang, zeroSatang } from '../../core/money.ts';
import { showText } from '../../core/outgoing-text.ts';
import { shortenMasks } from '../../core/proxy-id.ts';
import type { Batch } from '../../core/ports.ts';
import type { HistoryReader } from '../../payout/ports.ts';
import { type FiguresContext, readApprovalFigures } from '../approve-batch.ts';
import type { ReviewContext } from '../context.ts';
import type { LookBackReader } from '../ports.ts';
import type { ApprovalFigures, NamedRow } from '../rules/approval-figures.ts';
import {
  type ChangeKind,
  changeKinds,
  type Compared,
  differenceOf,
  isTotalUnusual,
  type LookBack,
  perMilleOf,
} from '../rules/look-back.ts';
import type { FiguredFile, ProposalFigures } from '../rules/proposal-figures.ts';
import {
  type FiguredDecision,
  figureList,
  figuresOf,
  hero,
  largestCard,
  newPayeesFigure,
  type ShownFigure,
  showChange,
  showShare,
  showTimes,
  sizesCard,
} from './figures-panel.ts';
import { html, type Html, type Part } from './html.ts';
import { factList, momentOf, whyOf } from './parts.ts';
import type { ProvedVisit } from './view.ts';

export type ApprovalReader = FiguresContext['journal'] & LookBackReader;

/** The facts of a batch that waits for approval, as they are now. */
export interface Waiting {
  readonly figures: ApprovalFigures;
  readonly back: LookBack;
  /** Its account is halted. */
  readonly isHalted: boolean;
  /** The rows are others than the proposed ones. */
  readonly isChanged: boolean;
}

/** @param version the digest of the proposed rows; the present rows before a proposal */
export async function readWaiting(
  store: ApprovalReader,
  review: ReviewContext,
  { batchId, companyId, payerAccount }: Pick<Batch, 'batchId' | 'companyId' | 'payerAccount'>,
  version?: string,
): Promise<Waiting | undefined> {
  const figures = await readApprovalFigures({ ...review, journal: store }, batchId);
  if (figures === undefined || figures.approved.rows === 0) return undefined;
  const back = await store.lookBack(
    batchId,
    figures.like.first.map(({ seq }) => seq),
  );
  if (back === undefined) return undefined;
  const isHalted = (await review.journal.payerHalt(companyId, payerAccount)) !== undefined;
  return { figures, back, isHalted, isChanged: version !== undefined && version !== figures.digest };
}

/** The number of files whose digests are named. */
const auditedFilesMax = 10;

/** The name of a file within a sentence. */
const nameOf = (file: { readonly fileName: string }): string => showText(file.fileName);

// ---------------------------------------------------------------- the figures below the sentence

function againstFigure({ say }: ProvedVisit, { compared, archived }: LookBack): ShownFigure {
  if (compared === undefined)
    return archived === undefined
      ? { name: say('approval.against-last'), note: say('approval.first-of-name') }
      : {
          name: say('approval.against-last'),
          note: say(message('approval.last-archived', { file: nameOf(archived) })),
        };
  const { now, before, last } = compared;
  const payouts = now.payouts - before.payouts;
  const amount = showChange(differenceOf(compared));
  return {
    name: say(message('approval.against', { file: nameOf(last) })),
    figure: showShare(now.amountSatang, before.amountSatang) ?? amount,
    note: say(message('approval.against-file', { amount, payouts: signed(payouts) })),
    isUnusual: isTotalUnusual(compared),
  };
}

const signed = (count: number): string => `${count < 0 ? '−' : '+'}${showCount(Math.abs(count))}`;

/** To be paid, not paid, to new payees, against the last file of the name. */
function waitingFigures(
  visit: ProvedVisit,
  { figures, totalSatang }: { readonly figures: ProposalFigures; readonly totalSatang: Satang },
  { figures: now, back }: Waiting,
): Part {
  const { say } = visit;
  const { toPay, refused, held, before } = now;
  const besides: Message[] = [];
  if (held.rows > 0) besides.push(rowsAnd('approval.held-besides', held));
  if (before.rows > 0) besides.push(rowsAnd('approval.before', before));
  return figureList([
    {
      name: say('approval.to-be-paid'),
      ...(toPay.amountSatang > zeroSatang ? { figure: showBaht(toPay.amountSatang) } : {}),
      note: [say(counted(toPay.rows, 'payout')), besides.map((one) => html`<br />${say(one)}`)],
    },
    refused.rows === 0
      ? { name: say('approval.not-paid'), note: say('approval.none-unpaid') }
      : {
          name: say('approval.not-paid'),
          ...(refused.amountSatang > zeroSatang ? { figure: showBaht(refused.amountSatang) } : {}),
          note: say(counted(refused.rows, 'row')),
        },
    newPayeesFigure(visit, figures, totalSatang),
    againstFigure(visit, back),
  ]);
}

const rowsAnd = (
  code: 'approval.held-besides' | 'approval.before',
  { rows, amountSatang }: { readonly rows: number; readonly amountSatang: Satang },
): Message => message(code, { rows: counted(rows, 'row'), amount: showBaht(amountSatang) });

// ---------------------------------------------------------------- what to look at first

interface Warning {
  /** `bad`: money may be paid twice, or not at all; `ask`: unusual. */
  readonly tone: 'bad' | 'ask';
  readonly text: string;
  readonly detail: Part;
  readonly link?: Part;
}

/** A check, and its warnings; without any it is named as clean. */
interface Check {
  readonly name: Message;
  readonly warnings: readonly Warning[];
}

const rowLink = ({ say }: ProvedVisit, { seq, rowNo }: { readonly seq: number; readonly rowNo: number }) =>
  html`<a href="/payout/${seq}">${say(message('approval.row', { row: showCount(rowNo) }))}</a>`;

function likeWarning(visit: ProvedVisit, row: NamedRow, { likes }: LookBack): Warning {
  const { say, language } = visit;
  const { seq, payoutId, proxyNo, payeeName, amountSatang } = row;
  const like = likes.get(seq);
  const payee = `${showText(payeeName ?? '')} ${shortenMasks(proxyNo)}`;
  const detail = like && {
    payee,
    amount: showBaht(amountSatang),
    moment: sayMoment(language, like.atMs),
    file: showText(like.fileName),
  };
  return {
    tone: 'bad',
    text: say(message('approval.like', { payout: payoutId })),
    detail: detail === undefined ? payee : say(message('approval.like-detail', detail)),
    link: like && html`<a href="/payout/${like.seq}">${say('approval.compare')}</a>`,
  };
}

function likeWarnings(visit: ProvedVisit, { figures, back }: Waiting): readonly Warning[] {
  const { say } = visit;
  const { like } = figures;
  const named = like.first.map((row) => likeWarning(visit, row, back));
  const more = like.rows - named.length;
  if (more <= 0) return named;
  const all = { rows: counted(like.rows, 'row'), amount: showBaht(like.amountSatang) };
  return [
    ...named,
    {
      tone: 'bad',
      text: say(message('approval.like-more', { rows: counted(more, 'row') })),
      detail: say(message('approval.like-all', all)),
    },
  ];
}

function nameWarnings(visit: ProvedVisit, { back, figures }: Waiting): readonly Warning[] {
  const { say } = visit;
  const { sameName } = back;
  return [
    ...(figures.likeReason === null
      ? []
      : [
          {
            tone: 'bad',
            text: say('approval.like-file'),
            detail: whyOf(visit, figures.likeReason),
          } as const,
        ]),
    ...(sameName === undefined
      ? []
      : [
          {
            tone: 'bad',
            text: say('approval.name-paid'),
            detail: momentOf(visit, sameName.startedAtMs),
            link: html`<a href="/batch/${sameName.batchId}">${sameName.batchId}</a>`,
          } as const,
        ]),
  ];
}

function limitWarnings(visit: ProvedVisit, { limited, holds }: ApprovalFigures): readonly Warning[] {
  const { say } = visit;
  const ofLimits = holds.filter(([hold]) => hold !== 'name');
  return [
    ...(limited.rows === 0
      ? []
      : [
          {
            tone: 'bad',
            text: say(message('approval.limit', { rows: counted(limited.rows, 'row') })),
            detail: say(message('approval.limit-detail', { amount: showBaht(limited.amountSatang) })),
          } as const,
        ]),
    ...ofLimits.map(([hold, rows]): Warning => {
      const why = message(`hold-reason.${hold}`);
      return {
        tone: 'bad',
        text: say(message('approval.held', { rows: counted(rows, 'row'), why })),
        detail: undefined,
      };
    }),
  ];
}

function grownWarnings({ compared }: LookBack, visit: ProvedVisit): readonly Warning[] {
  if (compared === undefined) return [];
  const { say } = visit;
  const { grown, last } = compared;
  const named = grown.first.map(({ seq, rowNo, payeeName, nowSatang, beforeSatang }): Warning => {
    const times = showTimes(nowSatang, beforeSatang);
    const payee = showText(payeeName ?? '');
    return {
      tone: 'ask',
      text: say(message('approval.grown', { payee, times, file: nameOf(last) })),
      detail: say(message('approval.was', { now: showBaht(nowSatang), before: showBaht(beforeSatang) })),
      link: rowLink(visit, { seq, rowNo }),
    };
  });
  const more = grown.payees - named.length;
  const rest = message('approval.grown-more', { people: counted(more, 'person') });
  return more > 0 ? [...named, { tone: 'ask', text: say(rest), detail: undefined }] : named;
}

function newWarnings(visit: ProvedVisit, { newPayees }: ApprovalFigures): readonly Warning[] {
  const { say } = visit;
  const { payees, amountSatang, largest } = newPayees;
  if (payees === 0) return [];
  const people = counted(payees, 'person');
  const amount = showBaht(amountSatang);
  const most = largest[0]?.amountSatang ?? zeroSatang;
  const rows = largest.map(
    (row) =>
      html`<li>${showText(row.payeeName ?? '')}, ${showBaht(row.amountSatang)}, ${rowLink(visit, row)}</li>`,
  );
  const detail =
    payees === 1
      ? message('approval.never-paid-sum', { amount })
      : message('approval.never-paid-detail', { amount, largest: showBaht(most) });
  return [
    {
      tone: 'ask',
      text: say(message(payees === 1 ? 'approval.never-paid.one' : 'approval.never-paid.many', { people })),
      detail: html`${say(detail)}
        <details>
          <summary>${say('batch.largest')}</summary>
          <ul>
            ${rows}
          </ul>
        </details>`,
    },
  ];
}

function totalWarnings({ say }: ProvedVisit, { compared }: LookBack): readonly Warning[] {
  if (compared === undefined || !isTotalUnusual(compared)) return [];
  const { now, before, last } = compared;
  const perMille = perMilleOf(now.amountSatang, before.amountSatang);
  if (perMille === undefined) return [];
  const said = { percent: (Math.abs(perMille) / 10).toFixed(1), file: nameOf(last) };
  return [
    {
      tone: 'ask',
      text: say(message(perMille > 0 ? 'approval.total-up' : 'approval.total-down', said)),
      detail: say(
        message('approval.was', { now: showBaht(now.amountSatang), before: showBaht(before.amountSatang) }),
      ),
    },
  ];
}

function nameDiffers({ say }: ProvedVisit, { holds }: ApprovalFigures): readonly Warning[] {
  const rows = holds.find(([hold]) => hold === 'name')?.[1] ?? 0;
  if (rows === 0) return [];
  const text = say(message('approval.names-differ', { rows: counted(rows, 'row') }));
  return [{ tone: 'ask', text, detail: undefined }];
}

function accountWarnings({ say }: ProvedVisit, { isHalted, figures }: Waiting): readonly Warning[] {
  if (!isHalted) return [];
  const text = say(message('approval.halted', { account: shortenMasks(figures.payerAccount) }));
  return [{ tone: 'bad', text, detail: say('approval.halted-remedy') }];
}

/** The checks in their order: those whose warnings are red come first. */
const checksOf = (visit: ProvedVisit, waiting: Waiting): readonly Check[] => [
  { name: message('approval.clean.likes'), warnings: likeWarnings(visit, waiting) },
  { name: message('approval.clean.limits'), warnings: limitWarnings(visit, waiting.figures) },
  { name: message('approval.clean.account'), warnings: accountWarnings(visit, waiting) },
  { name: message('approval.clean.name'), warnings: nameWarnings(visit, waiting) },
  { name: message('approval.clean.amounts'), warnings: grownWarnings(waiting.back, visit) },
  { name: message('approval.clean.payees'), warnings: newWarnings(visit, waiting.figures) },
  { name: message('approval.clean.names'), warnings: nameDiffers(visit, waiting.figures) },
  { name: message('approval.clean.total'), warnings: totalWarnings(visit, waiting.back) },
];

const warningItem = ({ tone, text, detail, link }: Warning): Html =>
  html`<li>
    <span class="t ${tone}" aria-hidden="true">${tone === 'bad' ? '!' : '?'}</span>
    <span><b ${tone === 'bad' && html`class="bad"`}>${text}</b> <small>${detail}</small></span>
    ${link ?? ''}
  </li>`;

/** Warnings, the red ones first, and the checks without any. */
function looksCard(visit: ProvedVisit, waiting: Waiting | undefined): Part {
  if (waiting === undefined) return undefined;
  const { say } = visit;
  // The present rows are not the proposed ones: nothing of them is shown beside the proposed figures.
  const checks = waiting.isChanged ? [] : checksOf(visit, waiting);
  const changed: Warning[] = waiting.isChanged
    ? [{ tone: 'bad', text: say('approval.changed'), detail: say('approval.changed-remedy') }]
    : [];
  const warnings = [...changed, ...checks.flatMap((check) => check.warnings)];
  const clean: Argument[] = checks.filter((check) => check.warnings.length === 0).map(({ name }) => name);
  return html`<section class="card" aria-labelledby="looks">
    <h2 id="looks">${say(warnings.length === 0 ? 'approval.nothing-unusual' : 'approval.look-first')}</h2>
    ${
      warnings.length > 0 &&
      html`<ul class="warn">
        ${warnings.map(warningItem)}
      </ul>`
    }
    ${
      clean.length > 0 &&
      html`<p class="small ok">${say(message('approval.clean', { checks: listed(clean) }))}</p>`
    }
  </section>`;
}

// ---------------------------------------------------------------- the comparison

const changeNames = {
  new: 'approval.change-new',
  gone: 'approval.change-gone',
  changed: 'approval.change-changed',
  other: 'approval.change-other',
} as const satisfies Readonly<Record<ChangeKind, string>>;

/** The file beside the last of its name; the parts sum to the difference. */
function comparisonCard(visit: ProvedVisit, compared: Compared | undefined): Part {
  if (compared === undefined) return undefined;
  const { say } = visit;
  const { last, now, before, changes } = compared;
  const line = (name: Part, was: Part, is: Part, change: Part): Html =>
    html`<tr>
      <th scope="row">${name}</th>
      <td class="r no hide">${was}</td>
      <td class="r">${is}</td>
      <td class="r">${change}</td>
    </tr>`;
  const amounts = (name: Part, one: Satang, other: Satang): Html =>
    line(name, showBaht(other), showBaht(one), showShare(one, other) ?? showChange(toSatang(one - other)));
  return html`<section class="card" aria-labelledby="compared">
    <div class="hd">
      <h2 id="compared">${say(message('approval.compared', { file: nameOf(last) }))}</h2>
      <small><a href="/batch/${last.batchId}">${momentOf(visit, last.startedAtMs)}</a></small>
    </div>
    <table class="cmp">
      <thead>
        <tr>
          <td></td>
          <th scope="col" class="r hide">${say('approval.last-file')}</th>
          <th scope="col" class="r">${say('approval.this-file')}</th>
          <th scope="col" class="r">${say('approval.change')}</th>
        </tr>
      </thead>
      <tbody>
        ${line(say('approval.payouts'), showCount(before.payouts), showCount(now.payouts), signed(now.payouts - before.payouts))}
        ${amounts(say('approval.baht'), now.amountSatang, before.amountSatang)}
        ${amounts(say('approval.largest'), now.largestSatang, before.largestSatang)}
        ${changeKinds.map((kind) =>
          line(
            say(changeNames[kind]),
            '',
            showCount(changes[kind].payees),
            showChange(changes[kind].changeSatang),
          ),
        )}
      </tbody>
      <tfoot>
        ${line(say('approval.difference'), '', '', showChange(differenceOf(compared)))}
      </tfoot>
    </table>
  </section>`;
}

// ---------------------------------------------------------------- the page of maker and checker

/** The digest of a file. The file alone has it where no row was corrected and `check` gets the left-out rows. */
function digestOf({ say }: ProvedVisit, { digest, isCorrected, leftOut }: FiguredFile): Part {
  if (digest === null) return undefined;
  const { rows, firstRowNos } = leftOut;
  const hint = isCorrected
    ? say('batch.digest-corrected')
    : rows > firstRowNos.length
      ? say('proposal.digest-of-some')
      : rows === 0
        ? say('batch.digest-hint')
        : say(message('batch.digest-hint-without', { rows: firstRowNos.join(', ') }));
  return html`<code>${digest}</code> <small>${hint}</small>`;
}

/** Digests and hashes, which prove what was approved. @param facts more of them, by name */
export function auditorsCard(
  visit: ProvedVisit,
  { files }: ProposalFigures,
  facts: readonly (readonly [name: string, fact: Part])[],
): Html {
  const { say } = visit;
  const ofFiles = files.slice(0, auditedFilesMax);
  return html`<section class="card audit">
    <details>
      <summary>${say('approval.for-auditors')}</summary>
      ${factList([
        ...ofFiles.map(
          (file) => [`${say('batch.digest')}, ${showText(file.fileName)}`, digestOf(visit, file)] as const,
        ),
        ...facts,
      ])}
    </details>
  </section>`;
}

/** All that stands before the button of a batch: the same for its maker and its checker. */
export async function approvalCards(
  store: HistoryReader,
  visit: ProvedVisit,
  figured: FiguredDecision,
  { waiting, batchId }: { readonly waiting: Waiting | undefined; readonly batchId: string },
): Promise<Part> {
  const { say } = visit;
  const present = waiting?.isChanged === true ? undefined : waiting;
  const shown = present === undefined ? figuresOf(visit, figured) : waitingFigures(visit, figured, present);
  const compared = present?.back.compared;
  const { figures } = figured;
  const isSentAtOnce = present !== undefined && !present.isHalted && present.figures.toPay.rows > 0;
  const small = say(
    message(isSentAtOnce ? 'approval.after-approval' : 'approval.of-batch', { batch: batchId }),
  );
  return [
    hero(visit, figured, { small, figures: shown, isTitle: true }),
    looksCard(visit, waiting),
    sizesCard(visit, figures),
    await largestCard(store, visit, figures, compared),
    comparisonCard(visit, compared),
    html`<section class="card">
      <div class="hd">
        <h2>${say(message('approval.all-rows', { rows: counted(figures.rows, 'payout') }))}</h2>
        <a href="/batch/${batchId}#rows">${say('approval.open-rows')}</a>
      </div>
    </section>`,
  ];
}
