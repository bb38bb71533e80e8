/** Output of `audit`: each part with the amount checked, and the first fault. */
import type { Audited, AuditedPart, Finding } from '../../app/evidence/audit.ts';
import { showCount } from '../../core/figures.ts';
import { listOf, viewOf } from '../../core/view.ts';
import { toLines } from '../../core/outgoing-text.ts';
import { alignColumns, type Shown } from './shown.ts';

const partWords: Readonly<Record<AuditedPart['part'], string>> = {
  payouts: 'History of payouts',
  instructions: 'What rows ask for',
  attempts: 'What was sent',
  batches: 'Batches as sealed',
  archives: 'Archives',
  people: 'Users',
  proposals: 'Proposals',
  notes: 'Notes in the queue',
  limits: 'Sums of limits',
  registrations: 'Registrations',
  days: 'Heads of days',
  outside: 'Heads outside',
};

/** Singular of a counted word. */
const oneOf = (what: string): string => ({ batches: 'batch', people: 'person' })[what] ?? what.slice(0, -1);

const findingView = viewOf<Finding>()('finding', {
  part: ['text', 'part of the journal'],
  place: ['text', 'payout, event, batch, person or day'],
  why: ['text', 'what is wrong'],
  says: ['text', 'present content of the broken event'],
  remedy: ['text', 'what to do about it'],
});

const partView = viewOf<AuditedPart>()('audited part', {
  part: ['text', 'part of the journal'],
  looked: ['counts', 'what was checked, by kind'],
  broken: ['number', 'broken items'],
  findings: [listOf(findingView), 'the first of them'],
});

/** The result of `audit`. @forTests */
export const auditView = viewOf<Audited>()('audit', {
  isWhole: ['flag', 'whether all is as it was written'],
  parts: [listOf(partView), 'each part of the journal'],
  notes: ['texts', 'remarks that are not faults'],
});

export function showAudited(audited: Audited): Shown {
  const { isWhole, parts, notes } = audited;
  const rows = parts.map(({ part, looked, broken }) => [
    partWords[part],
    broken === 0 ? 'whole' : `${showCount(broken)} BROKEN`,
    Object.entries(looked)
      .map(([what, count]) => `${showCount(count)} ${count === 1 ? oneOf(what) : what}`)
      .join(', ') || 'none',
  ]);
  const found = parts.flatMap(({ findings, broken }) => [
    ...findings.flatMap(showFinding),
    ...(broken > findings.length ? [`… and ${showCount(broken - findings.length)} more of these.`, ''] : []),
  ]);
  const end = isWhole
    ? 'All is as it was written.'
    : `NOT AS IT WAS WRITTEN. ${parts.find(({ broken }) => broken > 0)?.findings[0]?.remedy ?? ''}`;
  return {
    json: auditView.json(audited),
    text: toLines([
      ...alignColumns(rows),
      '',
      ...found,
      ...notes.map((note) => `Note: ${note}.`),
      ...(notes.length > 0 ? [''] : []),
      end,
    ]),
  };
}

const showFinding = ({ place, why, says }: Finding): readonly string[] => [
  `${place}:`,
  `  ${why}`,
  ...(says === null ? [] : [`  it says: ${says}`]),
  '',
];
