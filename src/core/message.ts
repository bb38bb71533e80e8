/**
 * A text for people: a code of the catalogue with its arguments. Rules return messages, the journal keeps them, and the
 * reader's language is chosen where they are shown.
 */
import { showBaht, showCount } from './figures.ts';
import type { Language } from './language.ts';
import type { Satang } from './money.ts';
import { approvalWordings } from './messages/approval.ts';
import { attentionWordings } from './messages/attention.ts';
import { causeWordings } from './messages/causes.ts';
import { columnWordings } from './messages/columns.ts';
import { countWordings } from './messages/counts.ts';
import { decisionWordings } from './messages/decision-words.ts';
import { whyWordings } from './messages/decisions.ts';
import { fileWordings } from './messages/files.ts';
import { healthWordings } from './messages/health.ts';
import { issueWordings } from './messages/issues.ts';
import { noticeWordings } from './messages/notices.ts';
import { overviewWordings } from './messages/overview.ts';
import { pageWordings } from './messages/page.ts';
import { personWordings } from './messages/people.ts';
import { queueWordings } from './messages/queue.ts';
import { remedyWordings } from './messages/remedies.ts';
import { rowRemedyWordings } from './messages/row-remedies.ts';
import { rowWordings } from './messages/rows.ts';
import { statementWordings } from './messages/statements.ts';
import { stopWordings } from './messages/stops.ts';
import { wordWordings } from './messages/words.ts';
import type { HolesOf, Wording } from './messages/wording.ts';

/** Every text of paydrop for people, in English and Thai, by its code. @forTests */
export const catalogue = {
  ...attentionWordings,
  ...causeWordings,
  ...countWordings,
  ...pageWordings,
  ...overviewWordings,
  ...wordWordings,
  ...decisionWordings,
  ...approvalWordings,
  ...whyWordings,
  ...personWordings,
  ...columnWordings,
  ...healthWordings,
  ...noticeWordings,
  ...queueWordings,
  ...remedyWordings,
  ...stopWordings,
  ...fileWordings,
  ...issueWordings,
  ...rowRemedyWordings,
  ...rowWordings,
  ...statementWordings,
};

export type MessageCode = keyof typeof catalogue;

/** The codes of texts without holes. */
export type PlainCode = {
  [Code in MessageCode]: [HolesOf<(typeof catalogue)[Code][0]>] extends [never] ? Code : never;
}[MessageCode];

/** The content of a hole: text, a figure, another message, or a list of these. */
export type Argument = string | number | Message | Within | Listed;

/** A message that begins with a capital, within a sentence. */
interface Within {
  readonly within: Message;
}

/** Arguments in a row, each rendered by itself. */
export interface Listed {
  readonly all: readonly Argument[];
  readonly joint: keyof typeof joints;
}

export interface Message<Code extends MessageCode = MessageCode> {
  readonly code: Code;
  readonly args: Readonly<Record<string, Argument>>;
}

type ArgumentsOf<Code extends MessageCode> = Readonly<Record<HolesOf<(typeof catalogue)[Code][0]>, Argument>>;

/** A message without holes takes no arguments; any other takes one for each hole. */
export const message = <Code extends MessageCode>(
  code: Code,
  ...[args]: [HolesOf<(typeof catalogue)[Code][0]>] extends [never] ? [] : [args: ArgumentsOf<Code>]
): Message<Code> => ({ code, args: args ?? {} });

/** A text that is not paydrop's own, such as one of the bank, of a file or of a person. */
export const verbatim = (text: string): Message => message('verbatim', { text });

/** True for a message, among the outcomes of a rule. */
export const isMessage = (outcome: unknown): outcome is Message =>
  typeof outcome === 'object' && outcome !== null && 'code' in outcome && 'args' in outcome;

const joints = {
  comma: [', ', ', '],
  or: [' or ', 'หรือ'],
  /** For names in any script. */
  orName: [' or ', ' หรือ '],
  inTurn: [', then ', ', '],
  and: [' and ', 'และ'],
  semicolon: ['; ', ' '],
  /** Sentences without a full stop. */
  sentences: ['. ', ' '],
} as const satisfies Readonly<Record<string, Wording>>;

export const listed = (all: readonly Argument[], joint: Listed['joint'] = 'comma'): Listed => ({
  all,
  joint,
});

/** The English of the shell, the Thai, and the English of the page, which names buttons instead of commands. */
type Place = 0 | 1 | 2;

/** The text of a code; the journal of a newer program may hold codes that this one lacks. */
function textOf(place: Place, code: string): string {
  const wording = (catalogue as Readonly<Record<string, Wording | undefined>>)[code] ?? [code, code];
  return wording[place] ?? wording[0];
}

const render = (place: Place, { code, args }: Message): string =>
  textOf(place, code).replaceAll(/\{(\w+)\}/g, (_, hole: string) => renderArgument(place, args[hole] ?? ''));

const withoutCapital = (text: string): string => text.slice(0, 1).toLowerCase() + text.slice(1);

function renderArgument(place: Place, argument: Argument): string {
  if (typeof argument !== 'object') return String(argument);
  if ('code' in argument) return render(place, argument);
  if ('within' in argument) return withoutCapital(render(place, argument.within));
  return argument.all
    .map((one) => renderArgument(place, one))
    .join(joints[argument.joint][place === 1 ? 1 : 0]);
}

/** Renders a message; codes, names and figures stay as they are in both languages. */
export const say = (language: Language, said: Message): string => render(language === 'th' ? 1 : 0, said);

/** Renders a message for a page: with the names of its buttons, without commands of the shell. */
export const sayOnPage = (language: Language, said: Message): string =>
  render(language === 'th' ? 1 : 2, said);

/** Renders a message for files, logs and JSON, which have English alone. */
export const inEnglish = (said: Message): string => say('en', said);

/** The English of a message; empty without one. */
export const inEnglishIfAny = (said: Message | null | undefined): string =>
  said === null || said === undefined ? '' : inEnglish(said);

/** A word without holes. */
export const sayCode = (language: Language, code: PlainCode): string =>
  catalogue[code][language === 'th' ? 1 : 0];

/** The reason and the remedy of a stop, as logs and events have them. */
export const stopInEnglish = ({ code, reason, remedy }: Stop): Record<keyof Stop, string> => ({
  code,
  reason: inEnglish(reason),
  remedy: inEnglish(remedy),
});

interface Stop {
  readonly code: string;
  readonly reason: Message;
  readonly remedy: Message;
}

/** English over Thai, as in a cell of a workbook. */
export const inBoth = (code: PlainCode): string => `${sayCode('en', code)}\n${sayCode('th', code)}`;

/** True for the code of a text without holes. */
export const isPlainCode = (text: string): text is PlainCode =>
  Object.hasOwn(catalogue, text) && !catalogue[text as MessageCode][0].includes('{');

/** False for a text that has no Thai: one that is not paydrop's own. */
export const isTranslated = ({ code }: Message): boolean => code !== 'verbatim';

/** JSON, as the journal keeps a message. */
export const encodeMessage = (said: Message): string => JSON.stringify(said);

/** @param json of `encodeMessage` */
export const decodeMessage = (json: string): Message => JSON.parse(json) as Message;

/** The same for a column that may be empty. */
export const decodeMessageIfAny = (json: string | null): Message | null =>
  json === null ? null : decodeMessage(json);

/** The message that says several; the very message when there is one. */
export const joined = (all: readonly Message[], joint: Listed['joint'] = 'semicolon'): Message => {
  const [only] = all;
  return all.length === 1 && only !== undefined
    ? only
    : message('reason.several', { reasons: listed(all, joint) });
};

/** A list in words: "3", "3 and 4", "3, 4 and 5". */
export const listedInWords = (all: readonly Argument[]): Argument =>
  all.length < 2
    ? listed(all)
    : message('list.and', { all: listed(all.slice(0, -1)), last: all.at(-1) ?? '' });

/** Things that are counted. */
type Counted =
  | 'row'
  | 'payout'
  | 'registration'
  | 'payee'
  | 'person'
  | 'file'
  | 'item'
  | 'transfer'
  | 'minute'
  | 'digit'
  | 'digit-is'
  | 'line'
  | 'open-break'
  | 'accepted-break'
  | 'version'
  | 'cell'
  | 'amount'
  | 'passkey';

/** "1 row", "1,200 rows". */
export const counted = (count: number, thing: Counted): Message =>
  message(count === 1 ? `${thing}.one` : `${thing}.many`, { count: showCount(count) });

/** "12,500.00 baht". */
export const bahtOf = (amount: Satang): Message => message('money.baht', { amount: showBaht(amount) });
