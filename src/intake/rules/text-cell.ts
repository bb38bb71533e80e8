/** Text cells of any kind of file: the characters and lengths that are allowed. */
import { message, type Message } from '../../core/message.ts';
import { describeCharacter, isUnseen } from '../../core/characters.ts';
import { findSpreadsheetDamage, isFormula } from '../../core/cell-text.ts';

/** Reports the fault of a cell: the rule's code, and a message with the cure. */
export type ReportCell<Column> = (column: Column, code: string, issue: Message) => void;

/** Reports a fault of the present cell. */
type Tell = (code: string, issue: Message) => void;

/** Examines a text that is not plain. */
export type Examine = (cell: string, text: string, rule: TextRule, tell: Tell) => void;

/** The rule of a text: the prefix of its codes, its limits, and the examination of one that is not plain. */
export interface TextRule {
  readonly prefix: string;
  readonly charactersMax: number;
  readonly examine: Examine;
}

const printableAscii = /^[\x20-\x7e]+$/;
const controlCharacter = /\p{Cc}|[\u2028\u2029]/u;

/** Reports a fault that no text may have, whatever its column; true when one was reported. */
export function reportUnfitText(cell: string, text: string, { prefix }: TextRule, tell: Tell): boolean {
  const control = controlCharacter.exec(cell)?.[0];
  if (control !== undefined)
    tell(`${prefix}-control`, message('issue.control-character', { character: describeCharacter(control) }));
  if (isFormula(text))
    tell('formula', message('issue.text-formula', { first: text.replace(/^'+/, '').charAt(0) }));
  const damage = findSpreadsheetDamage(text);
  if (damage !== undefined) tell(`${prefix}-damaged`, message('issue.damaged', { damage }));
  return control !== undefined || isFormula(text) || damage !== undefined;
}

export function reportTooLong(text: string, { prefix, charactersMax }: TextRule, tell: Tell): void {
  if (text.length > charactersMax)
    tell(`${prefix}-length`, message('issue.text-length', { length: text.length, most: charactersMax }));
}

/** Examines a text that must be plain ASCII. */
export const examineAscii: Examine = (cell, text, rule, tell) => {
  reportUnfitText(cell, text, rule, tell);
  reportTooLong(text, rule, tell);
  const foreign = /[^\x20-\x7e]/u.exec(text)?.[0];
  if (foreign !== undefined && !controlCharacter.test(text)) {
    const code = isUnseen(foreign) ? 'issue.text-unseen' : 'issue.text-characters';
    tell(`${rule.prefix}-characters`, message(code, { character: describeCharacter(foreign) }));
  }
};

/** Tells whether a cell is plain, as most are: a letter or digit, then printable ASCII without an exponent sign. */
function isPlain(text: string, max: number): boolean {
  const first = text.charCodeAt(0);
  return (
    first > 47 &&
    first !== 61 &&
    first !== 64 &&
    text.length <= max &&
    printableAscii.test(text) &&
    !text.includes('+')
  );
}

/** The trimmed text of a cell; null for an empty one. Faults are reported. */
export function readTextCell<Column>(
  cell: string,
  column: Column,
  rule: TextRule,
  report: ReportCell<Column>,
): string | null {
  const text = cell.trim();
  if (text === '') return null;
  if (!isPlain(text, rule.charactersMax) || text.length !== cell.length)
    rule.examine(cell, text, rule, (code, issue) => report(column, code, issue));
  return text;
}

/** 1 with three decimals, or 1000 with grouped digits. */
const decimalsOrThousands = /^\d{1,3}\.000$/;

/**
 * The trimmed text of the cell that names its row; empty when it is empty. Faults are reported.
 * @param named the thing that it names
 */
export function readIdCell<Column extends string>(
  cell: string,
  column: Column,
  named: 'payout' | 'registration',
  rule: TextRule,
  report: ReportCell<Column>,
): string {
  const id = readTextCell(cell, column, rule, report) ?? '';
  if (id === '')
    report(
      column,
      `${rule.prefix}-missing`,
      message('issue.id-missing', { column, thing: message(`thing.${named}`) }),
    );
  if (decimalsOrThousands.test(id))
    report(
      column,
      `${rule.prefix}-ambiguous`,
      message('issue.id-ambiguous', { one: Number(id), thousand: Number(id) * 1000 }),
    );
  return id;
}
