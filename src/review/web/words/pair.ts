/** Words in both languages. */

/** English and Thai. */
export type Pair = readonly [en: string, th: string];

/** The words of a view, by the view's own keys. */
export type Words = Readonly<Record<string, Pair>>;
