/** docs/settings.md: every key of the settings, from their schema. */
import { z } from 'zod';
import { settingsSchema } from '../../src/settings/schema.ts';
import { table } from './markdown.ts';

/** A key or a section as the schema describes it; `unit` and `allowed` are the schema's own notes. */
type Described = z.core.JSONSchema.BaseSchema & { readonly unit?: unknown; readonly allowed?: unknown };

interface Setting {
  readonly key: string;
  readonly described: Described;
  readonly isRequired: boolean;
}

const whole = z.toJSONSchema(settingsSchema, { io: 'input', unrepresentable: 'any' }) as Described;

/** The keys of a section; a key that is a section itself is followed, with a dot. */
function listSettings(section: Described, path: readonly string[]): Setting[] {
  return Object.entries(section.properties ?? {}).flatMap(([name, child]): Setting[] => {
    if (typeof child === 'boolean') return [];
    const described = child as Described;
    if (described.properties !== undefined) return listSettings(described, [...path, name]);
    const isRequired = described.default === undefined && section.required?.includes(name) === true;
    return [{ key: [...path, name].join('.'), described, isRequired }];
  });
}

/** Every key, for the test that each has a description. */
export const settings: readonly Setting[] = listSettings(whole, []);

const quote = (value: unknown): string =>
  `\`${typeof value === 'string' ? value.replace('\t', 'tab') : JSON.stringify(value)}\``;

function showDefault({ described, isRequired }: Setting): string {
  if (isRequired) return '**required**';
  if (described.default === undefined || described.default === '') return '';
  return quote(described.default);
}

function showAllowed({ allowed, enum: values, type, minimum, maximum }: Described): string {
  if (typeof allowed === 'string') return allowed;
  if (values !== undefined) return values.map(quote).join(', ');
  if (type === 'boolean') return '`true`, `false`';
  const number = type === 'integer' ? 'a whole number' : 'a number';
  const isBounded = maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER;
  return isBounded ? `${number}, ${minimum} to ${maximum}` : `${number}, ${minimum} or more`;
}

function showRow(setting: Setting): string[] {
  const { key, described } = setting;
  const { description = '', unit } = described;
  const shownUnit = typeof unit === 'string' ? unit : '';
  return [`\`${key}\``, description, shownUnit, showDefault(setting), showAllowed(described)];
}

const head = ['key', 'meaning', 'unit', 'default', 'allowed'];

function showSection(name: string, section: Described): string[] {
  const rows = listSettings(section, [name]).map(showRow);
  const notes = sectionNotes[name];
  return [`## ${name}`, capitalise(`${section.description ?? ''}.`), table(head, rows), ...(notes ?? [])];
}

const capitalise = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;

const sectionNotes: Readonly<Record<string, readonly string[]>> = {
  bank: [
    'The secret is taken from the variable, else from the file, else from the settings. The sandbox never takes it from the ' +
      'environment, and needs none. A settings file with the secret of a bank in it that every user of the machine may read is ' +
      'told of, by `paydrop config` and once when something is sent.',
  ],
  settle: ['How transfers in doubt are treated: [runbook](runbook.md#in-doubt).'],
  brake: [
    '`consecutiveFailures`, `failureShare` and `inDoubtMax` may be set so high that they never act. A batch that cannot fill a `window` above 100 says so when it begins; of a window above 1000 the ends are counted a thousandth of it at a time. Where [several machines](operations.md#one-sends-the-others-help) work one journal, the ends on all of them are counted together. With a journal in PostgreSQL a low `inDoubtMax` also has fewer payouts recorded ahead of their turn, and so fewer paid a second at a bank that answers at once.',
  ],
  limits: [
    'What a limit over time counts, and how a row that it holds goes on: [files.md](files.md#limits-over-time).',
  ],
  watch: ['How the drop folder works: [drop-folder.md](drop-folder.md).'],
  notices: ['What is sent, and how the signature is checked: [operations.md](operations.md#notices).'],
  reconcile: [
    'What a statement does: [reconciliation.md](reconciliation.md). A word under `reconcile.words` that means something else to the ' +
      'bank, or that stands in two lists, is refused. What paydrop alone takes for an outcome (SUCCESS, FAILED, REJECTED and their ' +
      'like) may stand under `inProcess`.',
  ],
  registration: [
    'The file itself: [registration.md](registration.md#the-file).',
    'Nobody listens for callbacks without a key. The sandbox never takes keys from the environment; where its settings name ' +
      'none, it has one of its own.',
  ],
  output: ['How an outbox is shared with a group: [drop-folder.md](drop-folder.md#an-outbox-for-a-group).'],
  input: ['The file itself: [files.md](files.md#the-input-file).'],
};

const intro = [
  '# Settings',
  '<!-- Written by `npm run docs` from the schema of the settings: change it there. -->',
  'A YAML file: the one that `--config FILE` names, else `paydrop.yaml` in the working directory. Without one every command ends ' +
    'with 2; the sandbox is never a silent default. The least that a bank needs is in [install.md](install.md#settings).',
  'A key that is not on this page is refused, with the nearest one that is. A wrong value is refused with its line, the key and the ' +
    'cure; of a number why it is not allowed, too. Paths are relative to the settings file, so that the journal stays where it is wherever a command is started. ' +
    '`paydrop config` prints what is in effect, defaults included and secrets masked.',
];

/** The page, in paragraphs. */
export function describeSettingsPage(): string[] {
  const entries = Object.entries(whole.properties ?? {}) as [string, Described][];
  const sections = entries.filter(([, described]) => described.properties !== undefined);
  const single = listSettings(whole, []).filter(({ key }) => !key.includes('.'));
  return [
    ...intro,
    '## Files and folders',
    table(head, single.map(showRow)),
    ...sections.flatMap(([name, section]) => showSection(name, section)),
  ];
}
