/** Pages as texts: every inserted value is escaped and passes the gate for outgoing text; there is no other way in. */
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

/** A part of a page; undefined and false show nothing. */
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

/** Makes a piece of a page. Attributes are always in quotes, and the escapes suit them. */
export const html = (strings: TemplateStringsArray, ...parts: readonly Part[]): Html =>
  Html.join(strings, parts);
