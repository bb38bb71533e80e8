/** Writes one payout's story with its proofs into a file, alongside the sender. */
import { existsSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { inEnglish } from '../../core/message.ts';
import { gatherEvidence } from '../../evidence/payout-evidence.ts';
import { systemClock } from '../../platform/clock.ts';
import { openOutbox } from '../../reports/outbox.ts';
import { recordReveal } from '../../review/reveal.ts';
import { can, type ProvedPerson } from '../../review/rules/people.ts';
import { SettingsError } from '../../settings/secrets.ts';
import type { LoadedSettings } from '../../settings/settings.ts';
import type { Store } from '../../store/store.ts';
import { requireJournal } from '../open-store.ts';
import { identifyPerson } from '../../review/tokens.ts';

interface EvidenceAsked {
  /** A payoutId or a transRefNo. */
  readonly name: string;
  readonly out: string;
  /** Includes the whole numbers of people and accounts. */
  readonly isFull: boolean;
}

export interface WrittenEvidence {
  readonly path: string;
  readonly rows: number;
  readonly isFull: boolean;
}

/**
 * @returns undefined when there is no such payout
 * @throws SettingsError without a journal, for an existing file, and for numbers that the person may not see
 */
export async function writeEvidence(
  loaded: LoadedSettings,
  { name, out, isFull }: EvidenceAsked,
): Promise<WrittenEvidence | undefined> {
  const path = resolve(out);
  if (existsSync(path))
    throw new SettingsError(`${path} is there already: give another name, nothing is overwritten`);
  await using journal = await requireJournal(loaded);
  const histories = await journal.findPayouts(name);
  if (histories.length === 0) return undefined;
  const by = isFull ? await requireRight(loaded, journal) : undefined;
  if (by !== undefined)
    for (const { row, batch } of histories) {
      const looked = { what: 'evidence', row: row.rowNo, batch: batch.batchId } as const;
      await recordReveal(journal, systemClock, by, { ...looked, payout: row.seq });
    }
  await using reader = await journal.openAudit();
  const text = await gatherEvidence(journal, reader, {
    journalId: journal.journalId,
    isSandbox: loaded.isSandbox,
    madeAtMs: systemClock.now(),
    madeBy: by?.person.name ?? null,
    numbers: isFull ? 'whole' : 'masked',
    histories,
  });
  const outbox = await openOutbox(dirname(path));
  await outbox.publish(await outbox.writeWhole(basename(path), text));
  return { path, rows: histories.length, isFull };
}

/** @throws SettingsError without a valid token, or for a person who may not see whole numbers */
async function requireRight(loaded: LoadedSettings, journal: Store): Promise<ProvedPerson> {
  const by = await identifyPerson(loaded, journal);
  if (by === undefined)
    throw new SettingsError(
      '--full needs the token of a user, and there is no user yet: make the first with "paydrop user add NAME --role admin", or leave --full out',
    );
  const permission = can(by.person, 'reveal');
  if (!permission.allowed) throw new SettingsError(`--full: ${inEnglish(permission.why)}`);
  return by;
}
