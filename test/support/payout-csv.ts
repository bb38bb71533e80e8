/** Small payout files. */
const header = 'payoutId,proxyType,proxyNo,payeeName,amount,reference1,reference2';

/** A file of so many rows; a payout's reference1 is its payoutId. */
export function csvOf(prefix: string, rows: number): string {
  return `${[header, ...Array.from({ length: rows }, (_, place) => rowOf(`${prefix}${place + 1}`))].join('\n')}\n`;
}

/** One row, without its line end. */
export const rowOf = (payoutId: string): string => `${payoutId},MSISDN,0812345678,,10.00,${payoutId},`;
