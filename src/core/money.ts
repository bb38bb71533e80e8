/**
 * Amounts of money: bigint satang (1 baht = 100 satang), never a float.
 * One parser and one formatter; every amount in the program passes through them.
 */

declare const satang: unique symbol;

/** A whole number of satang. */
export type Satang = bigint & { readonly [satang]: true };

/** §2.5: tranAmount carries at most 15 integer digits and 2 decimals. */
export const integerDigitsMax = 15;

export const zeroSatang = toSatang(0n);

/** Brands a number of satang that comes from arithmetic or from a store. */
export function toSatang(amount: bigint): Satang {
  return amount as Satang;
}

const bahtPattern = /^(\d+)(?:\.(\d{1,2}))?$/;

/**
 * Reads decimal baht ("1234", "1234.5", "1234.50") as satang. Undefined for anything else: signs, separators, symbols,
 * spaces, exponents, a third decimal, or more than 15 integer digits. Zero is an amount; a rule of payouts refuses it.
 */
export function parseBaht(text: string): Satang | undefined {
  const match = bahtPattern.exec(text);
  if (match === null) return undefined;
  const [, whole = '', fraction = ''] = match;
  if (whole.length > integerDigitsMax) return undefined;
  return toSatang(BigInt(`${whole}${fraction.padEnd(2, '0')}`));
}

/** Writes satang as decimal baht with two decimals, as the wire (§2.5) and every file carry them: "1234.50". */
export function formatBaht(amount: Satang): string {
  const digits = (amount < 0n ? -amount : amount).toString().padStart(3, '0');
  return `${amount < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

export function sumSatang(amounts: Iterable<Satang>): Satang {
  let total = 0n;
  for (const amount of amounts) total += amount;
  return toSatang(total);
}
