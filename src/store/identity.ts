/** The identity of a journal, and how far it has come. */
import { randomUUID } from 'node:crypto';
import { describeOther, type JournalSite } from '../payout/rules/journal-place.ts';
import { JournalRefusedError } from './connection.ts';
import type { HighWaterMark } from './high-water-mark.ts';
import { readLoss } from './loss.ts';
import { readFact, writeFact } from './meta.ts';
import { readTerminals, readUnmarked } from './place.ts';
import { readLatestEventSeq } from './payouts/rows.ts';
import { readLatestRegistrationEventSeq } from './registration/chain.ts';
import type { ServerKind } from './server-kind.ts';
import { type Body, define, query, type Reading } from './statements.ts';

/** The identity of a journal: what it belongs to, written when it is made and compared whenever it is opened. */
export interface JournalIdentity {
  readonly bankAddress: string;
  readonly companyId: string;
  readonly isSandbox: boolean;
  /** The kind that the server at a loopback address reports; undefined where it was not asked or did not answer. */
  readonly serverKind?: ServerKind | undefined;
  /** The terminal of the settings, to which the journal is bound; nothing is compared where it is left out. */
  readonly termId?: string | undefined;
}

/** Writes the identity of a new journal, with an id of its own. */
export function* writeIdentity({ bankAddress, companyId, isSandbox }: JournalIdentity): Body<void> {
  const facts = { journalId: randomUUID(), bankAddress, companyId, isSandbox: String(isSandbox) };
  for (const [key, value] of Object.entries(facts)) yield* writeFact(key, value);
}

function* requireFact({ holder, restoring }: JournalSite, key: string): Reading<string> {
  const found = yield* readFact(key);
  if (found !== undefined) return found;
  throw new JournalRefusedError(`${holder} has lost its ${key}: ${restoring}`);
}

/**
 * Compares the identity with the settings.
 * @returns the journal's id
 * @throws JournalRefusedError that says what differs: a rehearsal must never be taken for the real run
 */
export function* requireIdentity(site: JournalSite, wanted: JournalIdentity): Reading<string> {
  const journalId = yield* requireFact(site, 'journalId');
  const bankAddress = yield* requireFact(site, 'bankAddress');
  const companyId = yield* requireFact(site, 'companyId');
  const isSandbox = (yield* requireFact(site, 'isSandbox')) === 'true';
  const differs = describeOther(site, { bankAddress, companyId, isSandbox }, wanted);
  if (differs !== undefined) throw new JournalRefusedError(differs);
  return journalId;
}

const countSealed = (table: 'batch' | 'registration_batch') =>
  define((_values: object) =>
    query
      .selectFrom(table)
      .select((eb) => eb.fn.countAll<number>().as('batches'))
      .where('sealed_at_ms', 'is not', null),
  );

const sealedPayouts = countSealed('batch');
const sealedRegistrations = countSealed('registration_batch');

/** The high-water mark of the journal as it is now. */
export function* readProgress(journalId: string): Reading<HighWaterMark> {
  const ofPayouts = (yield* sealedPayouts.get({}))?.batches ?? 0;
  const ofRegistrations = (yield* sealedRegistrations.get({}))?.batches ?? 0;
  return {
    journalId,
    recoveredAtMs: (yield* readLoss())?.recoveredAtMs ?? 0,
    sealedBatches: ofPayouts + ofRegistrations,
    latestEventSeq: yield* readLatestEventSeq(),
    latestRegistrationEventSeq: yield* readLatestRegistrationEventSeq(),
    terminals: yield* readTerminals(),
    unmarkedSinceMs: (yield* readUnmarked())?.sinceMs ?? 0,
  };
}
