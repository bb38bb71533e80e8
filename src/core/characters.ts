/** Names of single characters in messages. */

/** Control characters, and invisible ones that hide or reorder the text around them. */
export const unseenCharacters = /[\p{C}\p{Zl}\p{Zp}]/gu;

/** Spaces other than the plain one, and characters without any mark on the screen. */
const unseenOrSpace = /^[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]$/u;

/** True for a character that is invisible, or looks like a plain space. */
export const isUnseen = (character: string): boolean => unseenOrSpace.test(character);

/** Names of characters that look like plain ones, or are invisible. */
const names: Readonly<Record<string, string>> = {
  '\u00a0': 'no-break space',
  '\u00ad': 'soft hyphen',
  '\u2009': 'thin space',
  '\u200b': 'zero-width space',
  '\u200c': 'zero-width non-joiner',
  '\u200d': 'zero-width joiner',
  '\u200e': 'left-to-right mark',
  '\u200f': 'right-to-left mark',
  '\u2010': 'hyphen',
  '\u2011': 'non-breaking hyphen',
  '\u2013': 'en dash',
  '\u2014': 'em dash',
  '\u202a': 'left-to-right embedding',
  '\u202c': 'pop directional formatting',
  '\u202d': 'left-to-right override',
  '\u202f': 'narrow no-break space',
  '\u2060': 'word joiner',
  '\u2212': 'minus sign',
  '\u3000': 'ideographic space',
  '\ufeff': 'byte order mark',
};

/** Names of kinds, for characters without a name above. */
const kinds: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/^(?! )\p{Zs}$/u, 'a space of another kind'],
  [/^(?!-)\p{Pd}$/u, 'a dash of another kind'],
  [/^(?![0-9])\p{Nd}$/u, 'a digit of another script'],
  [/^\p{Default_Ignorable_Code_Point}$/u, 'an invisible character'],
];

/**
 * A character for a message: `U+00E9 "é"`, `U+2011 "‑" (non-breaking hyphen)`; an invisible one is not shown itself.
 */
export function describeCharacter(character: string): string {
  const number = `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
  const shown = isUnseen(character) ? number : `${number} "${character}"`;
  const name = names[character] ?? kinds.find(([pattern]) => pattern.test(character))?.[1];
  return name === undefined ? shown : `${shown} (${name})`;
}
