/** Headings as people see them: a name that looks like a column's may have other characters. */

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

/** A heading without invisible characters, in the usual form of its characters. */
export const visibleHeading = (heading: string): string =>
  heading.normalize('NFKC').replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '');

/**
 * The key that similar headings share: letters and digits as they look, whatever their case and script, up to a bracket
 * (`payeeName (optional)`) or the end of the line.
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

/** A heading as quoted YAML text, in which every character is visible and can be pasted. */
export const quoteHeading = (heading: string): string =>
  JSON.stringify(heading).replaceAll(/(?! )[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/gu, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );
