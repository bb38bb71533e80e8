/** Every word of the page in both languages, and none that one view takes from another. */
import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { causeWords } from '../../../src/review/rules/cause-words.ts';
import { say, type Word } from '../../../src/review/web/words.ts';

const folder = new URL('../../../src/review/web/words/', import.meta.url);
/** Tables of their own, by codes that are no words of a view. */
const byCode = new Set(['kindWords', 'factWords', 'effectWords', 'registrationEffectWords', 'stepWords']);

type Table = Readonly<Record<string, readonly [string, string]>>;

const tables: readonly (readonly [string, Table])[] = (
  await Promise.all(
    readdirSync(folder).map(
      async (file) => (await import(new URL(file, folder).href)) as Readonly<Record<string, Table>>,
    ),
  )
).flatMap((module) => Object.entries(module));

describe('words', () => {
  test.each(tables.filter(([name]) => name.endsWith('Words') && !byCode.has(name)))(
    '%s are said as they stand there',
    (_name, table) => {
      const taken = Object.entries(table).filter(
        ([word, [en, th]]) => say('en', word as Word) !== en || say('th', word as Word) !== th,
      );
      expect(taken).toEqual([]);
    },
  );

  test.each([...tables, ['causeWords', causeWords] as const])('%s have both languages', (_name, table) => {
    const lacking = Object.entries(table).filter(([, [en, th]]) => en.trim() === '' || th.trim() === '');
    expect(lacking).toEqual([]);
  });
});
