/** docs/json.md: the JSON of every command, from the views that print it. */
import * as decisions from '../../src/cli/views/decisions.ts';
import * as check from '../../src/cli/views/check.ts';
import * as reconcile from '../../src/cli/views/reconcile.ts';
import * as registrations from '../../src/cli/views/registration-status.ts';
import * as status from '../../src/cli/views/status.ts';
import * as summary from '../../src/cli/views/summary.ts';
import * as user from '../../src/cli/views/user.ts';
import { archivedView } from '../../src/cli/views/archive.ts';
import { auditView } from '../../src/cli/views/audit.ts';
import { evidenceView } from '../../src/cli/views/evidence.ts';
import { exceptionsView } from '../../src/cli/views/exceptions.ts';
import { forecastView } from '../../src/cli/views/forecast.ts';
import { foundPayoutView } from '../../src/cli/views/list.ts';
import { foundRegistrationView } from '../../src/cli/views/registration-list.ts';
import { movedView, planView } from '../../src/cli/views/move.ts';
import { attentionView, queueView, takenView } from '../../src/cli/views/queue.ts';
import { verifiedView } from '../../src/cli/views/verify.ts';
import { changeView } from '../../src/cli/operator.ts';
import { settledView } from '../../src/cli/settle.ts';
import { listOf, type View } from '../../src/core/view.ts';
import { table } from './markdown.ts';

/** A view, whatever its facts. */
export type AnyView = Pick<View<never, object>, 'name' | 'fields'>;

/** One kind of value that a command prints. */
export interface Output {
  readonly command: string;
  readonly form: 'one object' | 'one list' | 'a line each';
  /** Views whose fields it has; several where one is put above the other. */
  readonly views: readonly AnyView[];
}

const output = (command: string, form: Output['form'], ...views: readonly AnyView[]): Output => ({
  command,
  form,
  views,
});

const decided = [
  'decide',
  'confirm',
  'ack',
  'release',
  'accept',
  'halt',
  'queue',
  'resume',
  'cancel',
  'retry',
];

/** Put beside the state of all registrations. */
const besideRegistrations: AnyView = {
  name: 'batches of all registrations',
  fields: {
    batches: { type: listOf(registrations.registrationBatchView), meaning: 'the batches', read: () => [] },
    ...Object.fromEntries(Object.entries(status.stopsView.fields).filter(([key]) => key === 'stops')),
  },
};

/** Everything that commands print with `--json`, as far as it is made of views. */
export const outputs: readonly Output[] = [
  ...['run', 'register'].flatMap((command) => [
    output(command, 'a line each', summary.summaryView),
    output(command, 'a line each', summary.rejectionView),
    output(command, 'a line each', summary.interruptedView),
  ]),
  output('result', 'one object', summary.summaryView),
  output('check', 'a line each', check.issueView),
  ...[
    check.checkedView,
    check.checkedRegistrationsView,
    check.checkRejectedView,
    check.digestView,
    forecastView,
  ].map((view) => output('check', 'a line each', check.checkEndView, view)),
  output('reconcile', 'one object', reconcile.reconcileView),
  ...['reconcile', 'accept'].map((command) => output(command, 'one object', reconcile.noStatementView)),
  output('status', 'one list', status.batchView),
  output('status', 'one list', registrations.registrationBatchView),
  output('status', 'one list', registrations.directDebitView),
  output('status', 'one list', status.stopsView),
  output('status', 'one list', attentionView),
  output('status', 'one list', status.dayView),
  output('status', 'one object', registrations.directDebitView, besideRegistrations),
  output('show', 'one list', status.payoutView),
  output('show', 'one list', registrations.registrationView),
  output('list', 'a line each', foundPayoutView),
  output('list', 'a line each', foundRegistrationView),
  output('settle', 'one object', settledView),
  ...['resume', 'cancel', 'retry'].map((command) => output(command, 'a line each', changeView)),
  ...decided.flatMap((command) => [
    output(command, 'one object', decisions.decidedView),
    output(command, 'one object', decisions.refusedView),
  ]),
  output('decide', 'one list', decisions.droppedView),
  output('decide', 'one object', decisions.discardedView),
  output('halt', 'one object', decisions.payerChangedView),
  output('proposals', 'one list', decisions.proposalView),
  ...['proposals', 'approve'].map((command) => output(command, 'one object', decisions.proposalView)),
  output('queue', 'one object', queueView),
  output('queue', 'one list', takenView),
  ...[user.waitsView, user.doneView, user.usersView, user.madeTokenView].map((view) =>
    output('user', 'one object', view),
  ),
  output('exceptions', 'one object', exceptionsView),
  output('archive', 'one object', archivedView),
  output('audit', 'one object', auditView),
  output('evidence', 'one object', evidenceView),
  output('verify', 'one object', verifiedView),
  output('move', 'one object', movedView),
  output('move', 'one object', planView),
];

type AnyField = AnyView['fields'][string];

/** The view that a field holds. */
const heldBy = ({ type }: AnyField): AnyView | undefined =>
  typeof type === 'string' ? undefined : type.view;

/** Each view once, with those within it. */
function listViews(): readonly AnyView[] {
  const found = new Set<AnyView>();
  const add = (view: AnyView): void => {
    if (found.has(view)) return;
    found.add(view);
    for (const field of Object.values(view.fields)) {
      const held = heldBy(field);
      if (held !== undefined) add(held);
    }
  };
  for (const { views } of outputs) for (const view of views) add(view);
  return [...found];
}

const link = ({ name }: AnyView): string =>
  `[${name}](#${name.replaceAll(' ', '-').replaceAll(/[^\w-]/g, '')})`;

function describeType({ type }: AnyField): string {
  if (typeof type === 'string') return typeWords[type];
  const form = { record: '', list: 'list of ', 'by name': 'by name: ' }[type.form];
  return `${form}${link(type.view)}`;
}

/** The type of each field as the page names it. */
const typeWords: Readonly<Record<Extract<AnyField['type'], string>, string>> = {
  text: 'text',
  foreign: 'text',
  message: 'text',
  advice: 'text',
  masked: 'masked number',
  number: 'number',
  flag: 'true or false',
  baht: 'baht',
  moment: 'moment',
  day: 'day',
  texts: 'list of texts',
  messages: 'list of texts',
  numbers: 'list of numbers',
  counts: 'numbers by name',
  words: 'texts by name',
  facts: 'facts',
};

const intro = [
  '# JSON',
  '<!-- Written by `npm run docs` from the views in src/cli/views: change it there. -->',
  'With `--json` a command prints values, each on a line of its own. Each object, and each element of a list, bears `version`: 1.',
  'Within a version, fields and elements of a `kind` may be added, and texts for people may be worded anew. No field is renamed, ' +
    'left out or given another type or meaning: a change of that sort raises `version`. Read fields by name, and pass over what you do not know.',
  'Every field of a view stands in each of its values; it is null where there is nothing to say. Values of these types:',
  table(
    ['type', 'form'],
    [
      ['baht', 'text with two decimals and no separators: `"1234.50"`'],
      ['moment', 'text, in Bangkok: `"2026-11-21T14:03:05+07:00"`'],
      ['day', 'text, in Bangkok: `"2026-11-21"`'],
      ['masked number', 'text with the last digits of a number'],
      ['numbers by name, texts by name', 'an object whose names are statuses, holds, kinds or columns'],
      ['facts', 'values that an event keeps; they differ from cause to cause'],
    ],
  ),
  'The version of a statement is `statementVersion`, that of a row in `exceptions` is `rowVersion`. `exceptions` without `--out` prints ' +
    'the columns of its file ([files.md](files.md)) as texts; `config` prints the settings ([settings.md](settings.md)).',
];

/** The page, in paragraphs. */
export function describeJsonPage(): string[] {
  const commands = [...new Set(outputs.map(({ command }) => command))];
  const rows = commands.flatMap((command) =>
    outputs
      .filter((one) => one.command === command)
      .map(({ form, views }) => [`\`${command}\``, form, views.map(link).join(' with ')]),
  );
  const sections = listViews().flatMap(({ name, fields }) => [
    `### ${name}`,
    table(
      ['field', 'type', 'meaning'],
      Object.entries(fields).map(([key, field]) => [`\`${key}\``, describeType(field), field.meaning]),
    ),
  ]);
  return [...intro, '## Commands', table(['command', 'prints', 'view'], rows), '## Views', ...sections];
}
