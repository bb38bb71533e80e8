/**
 * Decides whether a file that only its bytes show as windows-874 contains Thai: accented letters of windows-1252 have
 * the same bytes, so that José reads as Jos้.
 */
import { message, type Message } from '../../core/message.ts';

const letter = String.raw`\u0e01-\u0e5b`;
/** Vowels that precede a consonant. */
const leading = String.raw`\u0e40-\u0e44`;
/** Vowels and marks behind or above a consonant. */
const following = String.raw`\u0e30-\u0e3a\u0e45\u0e47-\u0e4e`;

/** Letters that rarely stand alone in Thai, and are ° ½ ¼ ¾ ² ³ ± £ ¥ © ® µ · « » in windows-1252. */
const signs = 'ฐฝผพฒณฑฃฅฉฎตทซป';

/**
 * Sequences foreign to Thai: a Thai letter beside a Latin one, a vowel before nothing, a mark on nothing, a lone sign
 * that abbreviates nothing.
 */
const strangeThai = new RegExp(
  `[A-Za-z][${letter}]|[${letter}][A-Za-z]|[${leading}](?![${letter}])|(?<![${letter}])[${following}]` +
    `|(?<![${letter}])[${signs}](?![${letter}.])`,
);

/** Three letters in a row, or two that stand alone, with a first letter that can begin a word. */
const thaiWord = new RegExp(
  `[\u0e01-\u0e2f${leading}](?:[${letter}]{2}|(?<![A-Za-z${letter}].)[\u0e01-\u0e3a\u0e45-\u0e5b](?![A-Za-z${letter}]))`,
);

/** The number of characters displayed on either side. */
const shownAround = 20;

/** A word that is not Thai. */
interface StrangeWord {
  readonly line: number;
  readonly word: string;
  /** The same bytes as windows-1252. */
  readonly western: string;
}

export const describeStrange = ({ word, western }: StrangeWord): Message =>
  message('file.encoding-unclear', { word, western });

/** Converts back: the bytes of windows-874 from 0xa1 are Unicode's Thai letters in their order. */
const asWestern = (text: string): string =>
  text.replaceAll(new RegExp(`[${letter}]`, 'g'), (one) => String.fromCharCode(one.charCodeAt(0) - 0xd60));

/** Examines the texts of one file that was taken for windows-874. */
export class GuessedThai {
  #isThai = false;
  #strange: StrangeWord | undefined;

  /** @param line the line at which the text starts */
  look(text: string, line: number): void {
    this.#isThai ||= thaiWord.test(text);
    if (this.#isThai || this.#strange !== undefined) return;
    const found = strangeThai.exec(text);
    if (found === null) return;
    const before = text.slice(0, found.index);
    const [start = ''] = /[^\s,;"]*$/.exec(before.slice(-shownAround)) ?? [];
    const [end = ''] = /^[^\s,;"]*/.exec(text.slice(found.index, found.index + shownAround)) ?? [];
    const lineEnds = before.match(/\r\n?|\n/g)?.length ?? 0;
    this.#strange = { line: line + lineEnds, word: start + end, western: asWestern(start + end) };
  }

  /** The first word that is not Thai, in a file without Thai words. */
  get strange(): StrangeWord | undefined {
    return this.#isThai ? undefined : this.#strange;
  }
}
