/** Characters of texts that are tried: `fc.string({ unit: anyCharacter })`. */
import fc from 'fast-check';

/** Halves of characters, which are none alone: no text that is UTF-8 has them. */
const [halvesFrom, halvesTo] = [0xd800, 0xe000];
const halves = halvesTo - halvesFrom;
const last = 0x10ffff;

const indexOf = (text: unknown): number => {
  const code = typeof text === 'string' ? text.codePointAt(0) : undefined;
  if (code === undefined || text !== String.fromCodePoint(code)) throw new Error('not one character');
  if (code < halvesFrom) return code;
  if (code < halvesTo) throw new Error('half a character');
  return code - halves;
};

/**
 * Each that there is. fast-check's own unit `binary` draws the same, and makes a table of a million entries first: that
 * took each process of tests a second.
 */
export const anyCharacter: fc.Arbitrary<string> = fc
  .nat({ max: last - halves })
  .map((index) => String.fromCodePoint(index < halvesFrom ? index : index + halves), indexOf);
