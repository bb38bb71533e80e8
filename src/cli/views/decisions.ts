/** Decisions and proposals in words for people. */
import { inEnglish, sayCode } from '../../core/message.ts';
import { describeIssue } from '../../reports/rules/report-rows.ts';
import { formatBangkokMoment } from '../../core/bangkok-time.ts';
import { formatBaht } from '../../core/money.ts';
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
import { countedOf, describeCounted, type ProposalFigures } from '../../review/rules/proposal-figures.ts';
import { nameOfDecision, outcomeOfDecision } from '../../review/rules/terms.ts';
import { SettingsError } from '../../settings/secrets.ts';
import { countOf, showBaht } from './amounts.ts';
import type { Shown } from './shown.ts';

/** Files listed one by one; the rest is counted. */
const filesShownMax = 20;
/** Objections listed one by one; the rest is counted. */
const objectionsShownMax = 50;

const describe = (proposal: Proposal): string =>
  `${sayCode('en', nameOfDecision(proposal.decision, proposal.kind))}: ${inEnglish(describeCounted(countedOf(proposal)))}`;

const outcomeOf = ({ decision, kind }: Proposal): string => sayCode('en', outcomeOfDecision(decision, kind));

function jsonOfFigures({ files, newPayees, largest, wasSatang, of, payerAccounts }: ProposalFigures): object {
  return {
    of,
    payerAccounts,
    wasAmount: wasSatang === null ? null : formatBaht(wasSatang),
    files: files.map(({ amountSatang, ...file }) => ({ ...file, amount: formatBaht(amountSatang) })),
    newPayees: {
      payees: newPayees.payees,
      rows: newPayees.rows,
      amount: formatBaht(newPayees.amountSatang),
    },
    largest: largest.map(({ amountSatang, ...row }) => ({ ...row, amount: formatBaht(amountSatang) })),
  };
}

/** `rows` and `amount` are those of the decided rows, as counted when it was proposed. */
function jsonOf(proposal: Proposal): object {
  const { totalSatang, figures, ...plain } = proposal;
  return {
    ...plain,
    rows: countedOf(proposal).rows,
    amount: formatBaht(totalSatang),
    figures: jsonOfFigures(figures),
  };
}

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
      json: {
        kind: 'refused',
        objections: decided.objections.map(({ where, why }) => ({ where, why: inEnglish(why) })),
      },
      text: toLines(['Nothing was decided.', ...shown, ...(rest === 0 ? [] : [`and ${rest} more.`])]),
    };
  }
  const left =
    undecided === undefined || undecided === 0
      ? []
      : [`${countOf(undecided, 'row')} of the file without a decision.`];
  const none = decided.ends.length === 0 ? ['Nothing is decided in this file.'] : [];
  return {
    json: {
      kind: 'decided',
      proposals: decided.ends.map((end) => ({
        ...jsonOf(end.proposal),
        ...(end.kind === 'applied' ? { applied: end.applied.applied } : {}),
      })),
    },
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
  json: jsonOf(proposal),
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
    json: { ...jsonOf(proposal), list: items },
    text: toLines(lines),
  };
}

export function showChecked(checked: Exclude<Checked, { kind: 'refused' }>): Shown {
  const { proposal } = checked;
  const head = `Proposal ${proposal.proposalId} (${describe(proposal)}) ${sayCode('en', `proposal-is.${proposal.status}`)}.`;
  return {
    json: jsonOf(proposal),
    text: toLines([head, ...(checked.kind === 'applied' ? linesOfApplied(checked.applied) : [])]),
  };
}

/** Outcome of the approval of a batch. */
export function showBatchApproved(
  batchId: string,
  approved: Exclude<BatchApproved, { kind: 'refused' }>,
): Shown {
  const { proposal } = approved;
  const amount = inEnglish(describeCounted(countedOf(proposal)));
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
  return { json: jsonOf(proposal), text: toLines(lines) };
}
export const showPayerChanged = (changed: PayerChanged): Shown => ({
  json: changed,
  text: toLines([changed.text]),
});

/** Dropped files that wait for a maker. */
export const showDropped = (files: readonly Dropped[]): Shown => ({
  json: files.map(({ totalSatang, ...file }) => ({ ...file, amount: formatBaht(totalSatang) })),
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

export const showDiscarded = (fileName: string): Shown => ({
  json: { kind: 'discarded', fileName },
  text: toLines([`${fileName} is thrown away: nothing was decided by it.`]),
});
