/** What payoutIds that differ only in case or leading zeros have in common; spreadsheets change those. */
export function computeSimilarKey(payoutId: string): string {
  return payoutId.toLowerCase().replace(/^0+/, '');
}
