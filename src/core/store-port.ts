/** Names that have moved. */
export type { Store } from '../store/store.ts';
export type { IntakeRefused, IntakeStart, IntakeVerdict, RunnableBatch } from '../watch/ports.ts';
