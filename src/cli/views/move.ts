/** Output of `move`: the journal's place, and the settings to change now. */
import type { Moved, MovePlan } from '../../app/move/move.ts';
import { countOf } from '../../core/figures.ts';
import { recordOf, viewOf } from '../../core/view.ts';
import { toLines } from '../../core/outgoing-text.ts';
import type { Shown } from './shown.ts';

const setNow =
  'Name that database in journal.url now, on each machine, with the address of the role that runs every day, and start ' +
  'paydrop again.';

function describeEnd(moved: Moved): string {
  switch (moved.kind) {
    case 'moved':
      return `with ${countOf(moved.rows, 'row')}, each compared with the file`;
    case 'ended':
      return 'whole: an earlier move has now ended';
    case 'was-there':
      return 'already: nothing was to be done';
  }
}

const describeNoFile = ({ journalId, database, dataDir }: Moved | MovePlan): string =>
  `The journal ${journalId} is at ${database}, and there is no journal.db in ${dataDir}: nothing is to be moved.`;

/** The journal that `move` has moved. @forTests */
export const movedView = viewOf<Moved>()('moved journal', {
  state: ['text', 'moved, ended or was-there', ({ kind }) => kind],
  journalId: ({ journalId }) => journalId,
  dataDir: ({ dataDir }) => dataDir,
  database: ({ database }) => database,
  hasFile: ['flag', 'whether there is a journal.db here'],
  rows: ['number', 'rows that were moved', (moved) => (moved.kind === 'moved' ? moved.rows : null)],
});

type Sender = NonNullable<MovePlan['sender']>;

const senderView = viewOf<Sender>()('sender', {
  command: ['text', 'its command'],
  pid: ['number', 'its process'],
  machine: ['text', 'its machine', ({ machine }) => machine],
  sinceMs: ['number', 'since when, in milliseconds since 1970'],
});

/** The plan that `move --check` shows. @forTests */
export const planView = viewOf<MovePlan>()('planned move', {
  journalId: ({ journalId }) => journalId,
  dataDir: ({ dataDir }) => dataDir,
  database: ({ database }) => database,
  hasFile: ['flag', 'whether there is a journal.db here'],
  ahead: ['text', 'what is left to do: all, end or nothing'],
  rows: ['number', 'rows to be moved'],
  archivedBatches: ['number', 'batches that come back from archives'],
  sender: [recordOf(senderView), 'the process that is sending', ({ sender }) => sender],
});

export function showMoved(moved: Moved): Shown {
  const { journalId, database, dataDir } = moved;
  const { hasFile } = moved;
  const end = `The journal ${journalId} is at ${database}, ${describeEnd(moved)}.`;
  const after = `${setNow} journal.db in ${dataDir} stays as it is: nothing is sent from it any more.`;
  const text = toLines(hasFile ? [end, after] : [describeNoFile(moved), setNow]);
  return { json: movedView.json(moved), text };
}

function describeAhead(plan: MovePlan): string {
  const { ahead, rows, journalId, dataDir, database } = plan;
  if (!plan.hasFile) return `${describeNoFile(plan)} ${setNow}`;
  switch (ahead) {
    case 'all':
      return `${countOf(rows, 'row')} of the journal ${journalId} in ${dataDir} would go to ${database}, and could.`;
    case 'end':
      return `The journal ${journalId} is at ${database} already, and cannot be used there yet: "paydrop move" ends that.`;
    case 'nothing':
      return `The journal ${journalId} is at ${database} already. ${setNow}`;
  }
}

export function showPlan(plan: MovePlan): Shown {
  const { archivedBatches, sender } = plan;
  const lines = [describeAhead(plan)];
  if (archivedBatches > 0)
    lines.push(
      `${countOf(archivedBatches, 'batch', 'batches')} would come back from their archives before, and go along.`,
    );
  if (sender !== undefined)
    lines.push(`"paydrop ${sender.command}" (process ${sender.pid}) is sending now: stop it before.`);
  return { json: planView.json(plan), text: toLines(lines) };
}
