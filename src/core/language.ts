/** The languages of texts for people. */

export const languages = ['en', 'th'] as const;
export type Language = (typeof languages)[number];
