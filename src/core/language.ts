/** The languages in which people are spoken to. */

export const languages = ['en', 'th'] as const;
export type Language = (typeof languages)[number];
