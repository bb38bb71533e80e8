/** Output of `evidence`: the file with a payout's story, and cautions about it. */
import type { WrittenEvidence } from '../../app/evidence/payout.ts';
import { countOf } from '../../core/figures.ts';
import { viewOf } from '../../core/view.ts';
import { toLines } from '../../core/outgoing-text.ts';
import { showPath, type Shown } from './shown.ts';

/** The file that `evidence` wrote. @forTests */
export const evidenceView = viewOf<WrittenEvidence>()('evidence', {
  path: ({ path }) => path,
  rows: ({ rows }) => rows,
  isFull: ['flag', 'whether its numbers are whole'],
});

export const showEvidence = (written: WrittenEvidence): Shown => ({
  json: evidenceView.json(written),
  text: toLines([
    `Written: ${showPath(written.path)} (${countOf(written.rows, 'row')}, numbers ${written.isFull ? 'whole' : 'masked'}).`,
    'How it is checked, and what it proves: docs/evidence.md. Hand out the heads of its days from elsewhere.',
  ]),
});
