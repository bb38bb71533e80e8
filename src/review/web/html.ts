/** Pages as texts: what is put into one is escaped, and goes through the gate; there is no other way in. */
import { printable } from '../../core/outgoing-text.ts';

/** A piece of a page, made by `html` alone. */
export class Html {
  readonly text: string;

  private constructor(text: string) {
    this.text = text;
  }

  static join(strings: readonly string[], parts: readonly Part[]): Html {
    let text = strings[0] ?? '';
    for (const [place, part] of parts.entries()) text += render(part) + (strings[place + 1] ?? '');
    return new Html(text);
  }
}

/** What stands in a page; nothing is shown of what is left out. */
export type Part = Html | string | number | false | undefined | readonly Part[];

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
};

function render(part: Part): string {
  if (part === undefined || part === false) return '';
  if (part instanceof Html) return part.text;
  if (typeof part === 'object') return part.map(render).join('');
  return printable(String(part)).replaceAll(/[&<>"'`]/g, (sign) => entities[sign] ?? '');
}

/** Attributes are always in quotes: what is put there is escaped for them, too. */
export const html = (strings: TemplateStringsArray, ...parts: readonly Part[]): Html =>
  Html.join(strings, parts);
