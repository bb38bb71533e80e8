/** Headings as people see them: what looks like the name of a column may be written otherwise. */

/** Letters of other scripts, above the Latin ones that they look like (Unicode's confusables, Cyrillic and Greek). */
const scripts: readonly (readonly [foreign: string, latin: string])[] = [
  ['АВСЕНІӀЈКМОРԚЅТԜХУҮавьсԁенһіјкӏмпорԛгѕтѵԝхуү', 'ABCEHIIJKMOPQSTWXYYabbcdehhijklmnopqrstvwxyy'],
  ['ΑΒΕΗΙΚΜΝΟΡΤΧΥΖαειϳκηοσρτυμνωχγ', 'ABEHIKMNOPTXYZaeijknooptuuvwxy'],
  ['ɑɡıİ', 'agiI'],
];

const lookAlikes: ReadonlyMap<string, string> = new Map(
  scripts.flatMap(([foreign, latin]) =>
    foreign.split('').map((letter, at) => [letter, latin.charAt(at)] as const),
  ),
);

/** A heading without what is not to be seen, in the usual form of its characters. */
export const visibleHeading = (heading: string): string =>
  heading.normalize('NFKC').replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '');

/**
 * What headings have in common that people take for one another: letters and digits as they look, whatever their case and
 * script, up to a bracket (`payeeName (optional)`) or the end of the line.
 */
export function headingKey(heading: string): string {
  const [name = ''] = /^[^\p{L}\p{N}]*[^\p{Ps}<\r\n]*/u.exec(visibleHeading(heading)) ?? [];
  return name
    .replaceAll(/\P{ASCII}/gu, (letter) => lookAlikes.get(letter) ?? letter)
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}]/gu, '')
    .replaceAll(/[1l]/g, 'i')
    .replaceAll('0', 'o');
}

/** A heading as a quoted text of YAML, in which every character can be seen and be pasted. */
export const quoteHeading = (heading: string): string =>
  JSON.stringify(heading).replaceAll(/(?! )[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/gu, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );
