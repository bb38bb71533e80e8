/** What goes wrong in a simulated run, each kind by a roll of the dice. */

/** Faults that a roll of the dice brings about, each with the moment at which it is rolled for. */
export const faultKinds = [
  // on the way to the bank
  'not-sent',
  'credentials-refused',
  'token-slow',
  'token-renewed',
  'processed-before-renewal',
  'transfer-lost',
  'transfer-very-late',
  'transfer-copied',
  'question-lost',
  'request-late',
  // at the bank's gateway
  'http-401',
  'http-403',
  'http-429',
  'processed-under-refusal',
  // inside the bank
  'in-process',
  'in-process-long',
  'ends-failed',
  'refused-payout',
  'refused-payer',
  'refused-service',
  'refused-bare-moved',
  'vague-moved',
  'vague-unmoved',
  'strange-code',
  'hidden',
  'hidden-long',
  'earlier-failed-items',
  'contradictory-items',
  'others-items',
  'inquiry-code',
  'unreadable-list',
  'check-code',
  'check-other-name',
  // on the way back
  'reply-lost',
  'connection-closed',
  'reply-late',
  'reply-html',
  'reply-5xx',
  'reply-redirect',
  'reply-swapped',
  'reply-foreign-reference',
  'reply-foreign-uid',
  'reply-bare',
  'reply-surplus',
  'success-canned',
  'date-missing',
  // our disk
  'commit-slow',
  'disk-full',
] as const;
export type FaultKind = (typeof faultKinds)[number];

/** Faults that find something together, beside whatever else goes wrong. */
export const conspiracies: readonly (readonly FaultKind[])[] = [
  ['reply-lost', 'hidden', 'request-late', 'transfer-very-late'],
  ['transfer-lost', 'reply-lost'],
  ['reply-late', 'reply-swapped'],
  ['in-process', 'in-process-long', 'earlier-failed-items', 'ends-failed'],
  ['vague-unmoved', 'vague-moved', 'hidden'],
  ['http-429', 'transfer-lost', 'hidden'],
  ['transfer-very-late', 'refused-payout'],
  ['transfer-very-late', 'refused-payout', 'refused-service'],
  ['reply-foreign-uid', 'reply-foreign-reference', 'reply-redirect', 'success-canned'],
  ['reply-foreign-reference', 'in-process'],
  ['transfer-lost'],
  ['refused-service', 'reply-bare', 'hidden', 'transfer-very-late'],
  ['refused-bare-moved', 'hidden', 'refused-service'],
  ['reply-surplus', 'in-process', 'hidden'],
  ['contradictory-items', 'reply-lost', 'in-process'],
  ['processed-under-refusal', 'in-process', 'ends-failed'],
  ['token-renewed', 'processed-before-renewal', 'token-slow'],
  ['hidden-long', 'reply-lost', 'in-process-long'],
];

/** Faults after which a transfer may be sent again. */
export const patienceFaults: readonly FaultKind[] = [
  'transfer-lost',
  'transfer-very-late',
  'http-429',
  'vague-unmoved',
];

/** True when a refusal that proves nothing may be told of what the bank has made. */
export const deniesMoved = (faults: Readonly<Partial<Record<FaultKind, number>>>): boolean =>
  faults['refused-bare-moved'] !== undefined || faults['reply-surplus'] !== undefined;
