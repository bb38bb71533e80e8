/** Decisions and proposals in words for people. */
import { inEnglish, sayCode } from '../../core/message.ts';
import { describeIssue } from '../../reports/rules/report-rows.ts';
import { formatBangkokMoment } from '../../core/bangkok-time.ts';
import { listOf, recordOf, viewOf } from '../../core/view.ts';
import { toLines } from '../../core/outgoing-text.ts';
import { maskDigits } from '../../core/proxy-id.ts';
import type { BatchApproved } from '../../review/approve-batch.ts';
import type { Checked, Proposed } from '../../review/review.ts';
import type { Decided, FileDecided } from '../../review/shell/decide.ts';
import type { Proposal } from '../../review/ports.ts';
import type { ProposalShown } from '../../review/shell/shown-proposal.ts';
import type { Dropped } from '../../review/dropped/waiting.ts';
import type { PayerChanged } from '../../review/shell/breaks-and-accounts.ts';
import type { Corrected, Correction, EvidenceFile } from '../../review/rules/proposal.ts';
import {
  countedOf,
  describeProposed,
  type FiguredFile,
  type ProposalFigures,
} from '../../review/rules/proposal-figures.ts';
import { nameOfDecision, outcomeOfDecision } from '../../review/rules/terms.ts';
import { SettingsError } from '../../settings/secrets.ts';
import { countOf, showBaht } from './amounts.ts';
import { leftOutView, newPayeesView } from './approval-figures.ts';
import type { Shown } from './shown.ts';

/** Files listed one by one; the rest is counted. */
const filesShownMax = 20;
/** Objections listed one by one; the rest is counted. */
const objectionsShownMax = 50;

const describe = (proposal: Proposal): string =>
  `${sayCode('en', nameOfDecision(proposal.decision, proposal.kind))}: ${inEnglish(describeProposed(proposal))}`;

const outcomeOf = ({ decision, kind }: Proposal): string => sayCode('en', outcomeOfDecision(decision, kind));

const heldView = viewOf<FiguredFile['held']>()('rows of a proposal that stay held', {
  rows: ({ rows }) => rows,
  amount: ({ amountSatang }) => amountSatang,
});

const figuredFileView = viewOf<FiguredFile>()('file of a proposal', {
  batchId: ({ batchId }) => batchId,
  fileName: ['text', 'name of the file', ({ fileName }) => fileName],
  rows: ({ rows }) => rows,
  digest: ['text', 'digest of exactly these rows; null for single rows', ({ digest }) => digest],
  isCorrected: [
    'flag',
    'whether rows were corrected, so that the file alone does not have the digest',
    (file) => file.isCorrected,
  ],
  leftOut: [recordOf(leftOutView), 'rows of the file that are not among these', ({ leftOut }) => leftOut],
  amount: ({ amountSatang }) => amountSatang,
  held: [recordOf(heldView), 'rows among these that another hold keeps back', ({ held }) => held],
});

const largestView = viewOf<ProposalFigures['largest'][number]>()('large row of a proposal', {
  seq: ['number', 'number of the row in the journal', ({ seq }) => seq],
  isNewPayee: ['flag', 'whether the payee was never paid before', ({ isNewPayee }) => isNewPayee],
  amount: ({ amountSatang }) => amountSatang,
});

const figuresView = viewOf<ProposalFigures>()('figures of a proposal', {
  of: ['text', 'payouts, registrations or others', ({ of }) => of],
  payerAccounts: ['texts', 'accounts that are paid from, masked', ({ payerAccounts }) => payerAccounts],
  wasAmount: ['baht', 'sum before the correction', ({ wasSatang }) => wasSatang],
  files: [listOf(figuredFileView), 'the files, the largest sum first', ({ files }) => files],
  newPayees: [recordOf(newPayeesView), 'what goes to payees never paid before', ({ newPayees }) => newPayees],
  largest: [listOf(largestView), 'the largest rows', ({ largest }) => largest],
});

const evidenceFileView = viewOf<EvidenceFile>()('evidence file', {
  name: ['text', 'its name', ({ name }) => name],
  sha256: ({ sha256 }) => sha256,
  bytes: ['number', 'its bytes', ({ bytes }) => bytes],
});

const refusedItemView = viewOf<AppliedItems['refused'][number]>()('refused item', {
  itemNo: ['number', 'number of the item', ({ itemNo }) => itemNo],
  why: ['advice', 'why it was refused', ({ why }) => why],
});

type AppliedItems = Extract<Proposed, { kind: 'applied' }>['applied'];

/** A proposal with what became of its items, and the items that are shown. */
interface ShownProposal {
  readonly proposal: Proposal;
  readonly applied?: AppliedItems;
  readonly items?: readonly ReturnType<typeof maskItem>[];
}

const correctionView = viewOf<Partial<Correction>>()('correction', {
  proxyNo: ['text', 'number of the payee, masked', ({ proxyNo }) => proxyNo],
  amount: ['baht', 'amount', ({ amount }) => amount],
  accountNo: ['text', 'account, masked', ({ accountNo }) => accountNo],
  was: ['facts', 'the same three before it', ({ was }) => was],
});

const itemView = viewOf<ReturnType<typeof maskItem>>()('item of a proposal', {
  proposalId: ['number', 'number of the proposal', ({ proposalId }) => proposalId],
  itemNo: ['number', 'number of the item', ({ itemNo }) => itemNo],
  kind: ['text', 'kind of its target', ({ kind }) => kind],
  key: ['text', 'key of its target', ({ key }) => key],
  version: ['text', 'version that the target must still have', ({ version }) => version],
  status: ['text', 'open, applied or refused', ({ status }) => status],
  why: ['text', 'why it was refused', ({ why }) => why],
  note: ['text', 'reason for this item', ({ note }) => note],
  correction: [
    recordOf(correctionView),
    'values with which it is paid or registered',
    ({ correction }) => correction,
  ],
  where: ['text', 'the target in words', ({ where }) => where],
  about: ['text', 'amount, payee and present status', ({ about }) => about],
});

/** A proposal, by the commands that decide; `rows` and `amount` are as counted when it was proposed. @forTests */
export const proposalView = viewOf<ShownProposal>()('proposal', {
  proposalId: ['number', 'its number', ({ proposal }) => proposal.proposalId],
  decision: ['text', 'the decision', ({ proposal }) => proposal.decision],
  kind: ['text', 'kind of its first item', ({ proposal }) => proposal.kind],
  status: [
    'text',
    'proposed, approved, applied, sent-back, withdrawn, stale or expired',
    ({ proposal }) => proposal.status,
  ],
  note: ['text', "the maker's reason", ({ proposal }) => proposal.note],
  evidence: ['text', 'where the proof stands', ({ proposal }) => proposal.evidence],
  evidenceFile: [
    recordOf(evidenceFileView),
    'the file that is kept as proof',
    ({ proposal }) => proposal.evidenceFile,
  ],
  makerId: ['number', 'number of the maker', ({ proposal }) => proposal.makerId],
  maker: ['text', 'name of the maker', ({ proposal }) => proposal.maker],
  people: ['number', 'how many people it takes', ({ proposal }) => proposal.people],
  madeAtMs: ['number', 'when it was made, in milliseconds since 1970', ({ proposal }) => proposal.madeAtMs],
  expiresAtMs: [
    'number',
    'when it lapses, in milliseconds since 1970',
    ({ proposal }) => proposal.expiresAtMs,
  ],
  checkerId: ['number', 'number of the checker', ({ proposal }) => proposal.checkerId],
  checker: ['text', 'name of the checker', ({ proposal }) => proposal.checker],
  checkedAtMs: [
    'number',
    'when it was checked, in milliseconds since 1970',
    ({ proposal }) => proposal.checkedAtMs,
  ],
  checkNote: ['text', "the checker's words", ({ proposal }) => proposal.checkNote],
  endedAtMs: ['number', 'when it ended, in milliseconds since 1970', ({ proposal }) => proposal.endedAtMs],
  items: ['number', 'number of its items', ({ proposal }) => proposal.items],
  digest: ['text', 'SHA-256 (hex) over its items', ({ proposal }) => proposal.digest],
  rows: ({ proposal }) => countedOf(proposal).rows,
  amount: ({ proposal }) => proposal.totalSatang,
  figures: [
    recordOf(figuresView),
    'what it does, counted when it was made',
    ({ proposal }) => proposal.figures,
  ],
  applied: ['number', 'items that were applied now', ({ applied }) => applied?.applied],
  refused: [listOf(refusedItemView), 'items that were refused now', ({ applied }) => applied?.refused ?? []],
  list: [listOf(itemView), 'the items, where one proposal is asked for', ({ items = [] }) => items],
});

const objectionView = viewOf<Extract<Decided, { kind: 'refused' }>['objections'][number]>()('objection', {
  where: ['text', 'what it is about', ({ where }) => where],
  why: ['advice', 'why it is not possible', ({ why }) => why],
});

/** Nothing was decided. @forTests */
export const refusedView = viewOf<Extract<Decided, { kind: 'refused' }>>()('refused decision', {
  kind: ['text', 'refused', () => 'refused'],
  objections: [listOf(objectionView), 'why, all of them', ({ objections }) => objections],
});

interface ShownDecided {
  readonly ends: readonly Proposed[];
  readonly undecided: number | undefined;
}

/** Decisions that were applied or proposed. @forTests */
export const decidedView = viewOf<ShownDecided>()('decision', {
  kind: ['text', 'decided', () => 'decided'],
  proposals: [listOf(proposalView), 'one for each kind of decision', ({ ends }) => ends],
  undecided: ['number', 'rows of the file without a decision', ({ undecided }) => undecided],
});

/** Advice on an approval that one person gives and signs. */
const signOnPage =
  'It waits for your signature: sign it with your passkey on the review page ("paydrop review").';

function linesOfEnd(end: Proposed): string[] {
  const { proposal } = end;
  if (end.kind === 'waiting' && proposal.people === 1)
    return [`${describe(proposal)}: it is proposal ${proposal.proposalId}.`, signOnPage];
  if (end.kind === 'waiting')
    return [
      `${describe(proposal)}: ${outcomeOf(proposal)}, once another person has approved it.`,
      `  It is proposal ${proposal.proposalId}: "paydrop approve ${proposal.proposalId}" by another person, until ${formatBangkokMoment(proposal.expiresAtMs)}.`,
    ];
  return [`${describe(proposal)}: ${outcomeOf(proposal)}.`, ...linesOfApplied(end.applied)];
}

function linesOfApplied({ applied, refused }: Extract<Proposed, { kind: 'applied' }>['applied']): string[] {
  const shown = refused
    .slice(0, objectionsShownMax)
    .map(({ itemNo, why }) => `  item ${itemNo}: ${why === null ? '' : inEnglish(why)}`);
  const rest = refused.length - shown.length;
  return [
    `  ${countOf(applied, 'item')} applied${refused.length === 0 ? '.' : `, ${countOf(refused.length, 'item')} refused:`}`,
    ...shown,
    ...(rest === 0 ? [] : [`  and ${rest} more.`]),
  ];
}

/** @param undecided rows of a file without a decision */
export function showDecided(decided: Decided, undecided?: number): Shown {
  if (decided.kind === 'refused') {
    const shown = decided.objections
      .slice(0, objectionsShownMax)
      .map(({ where, why }) => (where === undefined ? inEnglish(why) : `${where}: ${inEnglish(why)}`));
    const rest = decided.objections.length - shown.length;
    return {
      json: refusedView.json(decided),
      text: toLines(['Nothing was decided.', ...shown, ...(rest === 0 ? [] : [`and ${rest} more.`])]),
    };
  }
  const left =
    undecided === undefined || undecided === 0
      ? []
      : [`${countOf(undecided, 'row')} of the file without a decision.`];
  const none = decided.ends.length === 0 ? ['Nothing is decided in this file.'] : [];
  return {
    json: decidedView.json({ ends: decided.ends, undecided }),
    text: toLines([...none, ...decided.ends.flatMap(linesOfEnd), ...left]),
  };
}

/** Error for a file that decides nothing. */
export function refuseFile(path: string, refused: Exclude<FileDecided, Decided>): SettingsError {
  if (refused.kind === 'rejected')
    return new SettingsError(`${path}: ${inEnglish(refused.rejection.message)}`);
  const shown = refused.issues.slice(0, objectionsShownMax).map((issue) => inEnglish(describeIssue(issue)));
  const rest = refused.issues.length - shown.length;
  return new SettingsError(
    [`nothing of ${path} was decided:`, ...shown, ...(rest === 0 ? [] : [`and ${rest} more`])].join('\n'),
  );
}

/** One line of the list. */
export const showProposalLine = (proposal: Proposal): Shown => ({
  json: proposalView.json({ proposal }),
  text: toLines([
    `${proposal.proposalId}  ${formatBangkokMoment(proposal.madeAtMs)}  ${proposal.maker}  ${describe(proposal)}; it ${sayCode('en', `proposal-is.${proposal.status}`)}`,
    `    ${proposal.note}`,
  ]),
});

const describeFile = ({ name, sha256, bytes }: EvidenceFile): string =>
  `  evidence file: ${name}, ${bytes} bytes, kept as evidence/${sha256}`;

const maskWas = ({ proxyNo, amount, accountNo }: Corrected): Corrected => ({
  proxyNo: proxyNo && maskDigits(proxyNo),
  amount,
  accountNo: accountNo && maskDigits(accountNo),
});

/** ": 1,000.00 baht -> 1,200.00 baht", for each cell that is corrected. */
function describeCorrection({ proxyNo, amount, accountNo, was }: Correction): string {
  const inBaht = (cell: string | null | undefined) => cell && `${cell} baht`;
  const cells = [
    [was?.proxyNo, proxyNo],
    [was?.accountNo, accountNo],
    [inBaht(was?.amount), inBaht(amount)],
  ] as const;
  const corrected = cells.filter(([, becomes]) => Boolean(becomes));
  return `: ${corrected.map(([before, becomes]) => `${before ?? 'nothing'} -> ${becomes}`).join(', ')}`;
}

/** The decisions on each file, with the digest that identifies the same file on another machine. */
function linesOfFigures(figures: ProposalFigures): readonly string[] {
  const { files, newPayees, payerAccounts } = figures;
  const shown = files.slice(0, filesShownMax);
  const rest = files.length - shown.length;
  return [
    ...shown.flatMap(({ fileName, batchId, rows, amountSatang, digest }) => [
      `  ${fileName} (batch ${batchId}): ${countOf(rows, 'row')}${figures.of === 'payouts' ? `, ${showBaht(amountSatang)} baht` : ''}`,
      ...(digest === null ? [] : [`    digest ${digest}`]),
    ]),
    ...(rest === 0 ? [] : [`  and ${countOf(rest, 'more file', 'more files')}`]),
    ...(payerAccounts.length === 0 ? [] : [`  paid from ${payerAccounts.join(', ')}`]),
    ...(newPayees.payees === 0
      ? []
      : [
          `  to payees never paid before: ${showBaht(newPayees.amountSatang)} baht, ${countOf(newPayees.payees, 'payee')}`,
        ]),
  ];
}

/** Masks numbers, as on the page, and drops the parts of the digest, by which they could be guessed. */
function maskItem({ item, ...shown }: ProposalShown['items'][number]) {
  const { salt: _salt, commitment: _commitment, why, correction, ...plain } = item;
  const proxyNo = correction?.proxyNo ?? null;
  const accountNo = correction?.accountNo;
  const was = correction?.was;
  const masked = correction && {
    ...correction,
    proxyNo: proxyNo && maskDigits(proxyNo),
    ...(accountNo === undefined ? {} : { accountNo: maskDigits(accountNo) }),
    ...(was === undefined ? {} : { was: maskWas(was) }),
  };
  return { ...plain, why: why && inEnglish(why), ...shown, correction: masked };
}

/** One proposal with everything that it concerns. */
export function showProposal({ proposal, items: whole }: ProposalShown): Shown {
  const items = whole.map(maskItem);
  const { proposalId, maker, madeAtMs, note, evidence, checker, checkedAtMs, checkNote, status } = proposal;
  const rest = proposal.items - items.length;
  const lines = [
    `Proposal ${proposalId}: ${describe(proposal)}`,
    `  ${outcomeOf(proposal)}`,
    ...linesOfFigures(proposal.figures),
    `  proposed by ${maker}, ${formatBangkokMoment(madeAtMs)}: ${note}`,
    ...(evidence === null ? [] : [`  evidence: ${evidence}`]),
    ...(proposal.evidenceFile ? [describeFile(proposal.evidenceFile)] : []),
    ...(checker === null || checkedAtMs === null
      ? []
      : [
          `  looked at by ${checker}, ${formatBangkokMoment(checkedAtMs)}${checkNote === null ? '' : `: ${checkNote}`}`,
        ]),
    `  it ${sayCode('en', `proposal-is.${status}`)}`,
    ...items.flatMap((item) => {
      const { correction, where, about } = item;
      const becomes = correction === undefined ? '' : describeCorrection(correction);
      const line = `  ${item.itemNo}. ${where}${becomes}${item.note === undefined ? '' : `: ${item.note}`}${item.status === 'open' ? '' : ` (${item.status}${item.why === null ? '' : `: ${item.why}`})`}`;
      return [line, ...(about === undefined ? [] : [`     ${about}`])];
    }),
    ...(rest === 0 ? [] : [`  and ${rest} more`]),
  ];
  return {
    json: proposalView.json({ proposal, items }),
    text: toLines(lines),
  };
}

export function showChecked(checked: Exclude<Checked, { kind: 'refused' }>): Shown {
  const { proposal } = checked;
  const head = `Proposal ${proposal.proposalId} (${describe(proposal)}) ${sayCode('en', `proposal-is.${proposal.status}`)}.`;
  return {
    json: proposalView.json(checked),
    text: toLines([head, ...(checked.kind === 'applied' ? linesOfApplied(checked.applied) : [])]),
  };
}

/** Outcome of the approval of a batch. */
export function showBatchApproved(
  batchId: string,
  approved: Exclude<BatchApproved, { kind: 'refused' }>,
): Shown {
  const { proposal } = approved;
  const amount = inEnglish(describeProposed(proposal));
  const by = formatBangkokMoment(proposal.expiresAtMs);
  const lines =
    approved.kind === 'waiting'
      ? [
          `Batch ${batchId}, ${amount}: it is proposed to pay it (proposal ${proposal.proposalId}).`,
          proposal.people === 1
            ? signOnPage
            : `Another person approves it with "paydrop approve --batch ${batchId}", until ${by}.`,
        ]
      : approved.kind === 'applied' && approved.applied.refused.length === 0
        ? [
            `Batch ${batchId}, ${amount}: approved.`,
            'The running sender pays it, or the next run of its file.',
          ]
        : [
            `Batch ${batchId}: proposal ${proposal.proposalId} ${sayCode('en', `proposal-is.${proposal.status}`)}.`,
          ];
  return { json: proposalView.json(approved), text: toLines(lines) };
}

/** A payer account that was halted. @forTests */
export const payerChangedView = viewOf<PayerChanged>()('changed account', {
  kind: ['text', 'changed', () => 'changed'],
  text: ['text', 'what was done', ({ text }) => text],
  figures: [recordOf(figuresView), 'what goes on, counted right before', ({ figures }) => figures],
});

export const showPayerChanged = (changed: PayerChanged): Shown => ({
  json: payerChangedView.json(changed),
  text: toLines([changed.text]),
});

/** A dropped file of decisions, by `decide --waiting`. @forTests */
export const droppedView = viewOf<Dropped>()('dropped file', {
  itemId: ['text', 'its id'],
  fileName: ['text', 'its name'],
  droppedAtMs: ['number', 'when it was dropped, in milliseconds since 1970'],
  sha256: ({ sha256 }) => sha256,
  moneyMoved: ['text', 'whether money moved for its rows: no, unknown or yes'],
  asks: ['text', 'what it asks for', ({ asks }) => asks],
  amount: ({ totalSatang }) => totalSatang,
});

/** Dropped files that wait for a maker. */
export const showDropped = (files: readonly Dropped[]): Shown => ({
  json: files.map((file) => droppedView.json(file)),
  text: toLines(
    files.length === 0
      ? ['No dropped file waits.']
      : files.flatMap(({ itemId, fileName, droppedAtMs, asks, sha256 }) => [
          `${formatBangkokMoment(droppedAtMs)}  ${fileName}`,
          `    ${itemId}`,
          `    ${asks}`,
          `    SHA-256 ${sha256}`,
        ]),
  ),
});

/** A dropped file that was thrown away. @forTests */
export const discardedView = viewOf<string>()('discarded file', {
  kind: ['text', 'discarded', () => 'discarded'],
  fileName: ['text', 'name of the file', (fileName) => fileName],
});

export const showDiscarded = (fileName: string): Shown => ({
  json: discardedView.json(fileName),
  text: toLines([`${fileName} is thrown away: nothing was decided by it.`]),
});
