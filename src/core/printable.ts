/** A file's name, or the bank's words, on one line: they must not break it or steer the terminal. */
export const printable = (text: string): string => text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '?');
