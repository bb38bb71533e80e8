import fc from 'fast-check';
import iconv from 'iconv-lite';
import { describe, expect, test } from 'vitest';
import { GuessedThai } from '../../../src/intake/rules/guessed-thai.ts';

/** The first word that is no Thai when these texts, a line each, are windows-874 by their bytes alone. */
function findStrange(encoding: 'windows-1252' | 'windows-874', ...texts: readonly string[]) {
  const guess = new GuessedThai();
  for (const [place, text] of texts.entries())
    guess.look(iconv.decode(iconv.encode(text, encoding), 'windows-874'), place + 1);
  return guess.strange;
}

const latinNames = ['Somchai Jaidee', 'A', "O'Hara", 'Anan, Thongdee', 'X-1/2'];

describe('a file of windows-1252', () => {
  test.each(
    [
      'José García',
      'café',
      'crème brûlée',
      'Peña',
      'Straße',
      'ÁLVAREZ',
      'à la carte',
      'été',
      'École',
      'Ñandú',
      'Conceição',
      'CONCEIÇÃO',
      'São Paulo',
      'Björn Åkesson',
      'Nicolò',
      'Groß',
      'Sørensen',
      'Zoë',
      'naïve',
      'Çà et là',
      'Créée',
      '¿Qué?',
      'n°5',
      '50°',
      '50° 30',
      '½',
      '1½',
      '30²',
      '±5',
      '£50',
      '« 50 »',
      '10 µ',
      '© 2026',
    ].map((name) => [name]),
  )('is told by %s', (name) => {
    const strange = findStrange('windows-1252', ...latinNames, name);
    expect(strange?.line).toBe(latinNames.length + 1);
    expect(name).toContain(strange?.western);
  });

  test('is told by any word with an accent', () => {
    const ascii = fc.stringMatching(/^[A-Za-z]{1,6}$/);
    // What windows-874 leaves unassigned is refused already.
    const accent = fc.constantFrom(...'ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖ×ØÙÚßàáâãäåæçèéêëìíîïðñòóôõö÷øùúû'.split(''));
    const word = fc.tuple(ascii, accent, ascii).map((parts) => parts.join(''));
    fc.assert(
      fc.property(fc.array(ascii), fc.array(word, { minLength: 1 }), (plain, words) => {
        expect(findStrange('windows-1252', ...plain, words.join(' '))?.western).toBe(words[0]);
      }),
    );
  });
});

/** Consonants, vowels and tones as they go together. */
const syllable = fc
  .tuple(
    fc.constantFrom('', 'เ', 'แ', 'โ', 'ใ', 'ไ'),
    fc.constantFrom(...'กขคงจชซญดตนบปพมยรลวสหอ'.split('')),
    fc.constantFrom('', 'ั', 'ิ', 'ี', 'ุ', 'ู', 'ะ', 'า', 'ำ'),
    fc.constantFrom('', '่', '้', '์'),
    fc.constantFrom('', ...'กงดนมยรลว'.split('')),
  )
  .filter(([lead, , vowel, tone, end]) => lead + vowel + tone + end !== '')
  .map((parts) => parts.join(''));
const thaiName = fc.array(syllable, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(''));

describe('a file of windows-874', () => {
  test.each([
    ['นา'],
    ['ลี'],
    ['เอ'],
    ['อุ๊'],
    ['ก'],
    ['น.ส.'],
    ['ด.ช. ก. ข.'],
    ['ซอย 3 ถ. สุขุมวิท'],
    ['บริษัท ABC จำกัด'],
    ['ABCจำกัด'],
    ['คุณSomchai'],
    ['Somchai ใจดี'],
    ['100฿'],
    ['100 บ.'],
    ['พ. 30'],
    ['ห้อง ฉ'],
    ['๑๒๓'],
    ['อาคาร ก'],
    ['“Somchai” – €5'],
    ['สมชาย', 'Somchai้'],
    ['Aก', 'มาลี'],
    ['เ', 'ฉลิม'],
  ])('is read, with %s', (...texts) => {
    expect(findStrange('windows-874', ...latinNames, ...texts)).toBeUndefined();
  });

  test('is read with a single Thai name, beside whatever Latin ones and in whatever column', () => {
    const latin = fc.stringMatching(/^[A-Z][A-Za-z .'-]{0,20}$/);
    fc.assert(
      fc.property(fc.array(latin), thaiName, fc.array(latin), (before, name, after) => {
        expect(
          findStrange('windows-874', ...before, `X-1,0810000001,${name},1.00`, ...after),
        ).toBeUndefined();
      }),
      { numRuns: 1_000 },
    );
  });
});
