/** What a journal belongs to, written when it is made and compared whenever it is opened. */
import { randomUUID } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { JournalRefusedError } from './errors.ts';
import { query, readAll, write } from './statements.ts';

export interface Stamp {
  readonly bankAddress: string;
  readonly companyId: string;
  readonly isSandbox: boolean;
}

interface KeptStamp extends Stamp {
  readonly journalId: string;
}

/** Writes the stamp of a new journal, with an id of its own; inside the caller's transaction. */
export function writeStamp(db: DatabaseSync, { bankAddress, companyId, isSandbox }: Stamp): void {
  const facts = { journalId: randomUUID(), bankAddress, companyId, isSandbox: String(isSandbox) };
  const rows = Object.entries(facts).map(([key, value]) => ({ key, value }));
  write(db, query.insertInto('meta').values(rows));
}

function readStamp(db: DatabaseSync): KeptStamp {
  const facts = new Map(
    readAll(db, query.selectFrom('meta').selectAll()).map(({ key, value }) => [key, value]),
  );
  const fact = (key: keyof KeptStamp): string => {
    const value = facts.get(key);
    if (value === undefined)
      throw new JournalRefusedError(`journal.db has lost its ${key}: put back a whole copy of it`);
    return value;
  };
  return {
    journalId: fact('journalId'),
    bankAddress: fact('bankAddress'),
    companyId: fact('companyId'),
    isSandbox: fact('isSandbox') === 'true',
  };
}

const describeBank = ({ isSandbox, bankAddress }: Stamp): string =>
  isSandbox ? `the sandbox (${bankAddress})` : `the bank at ${bankAddress}`;

/**
 * Compares the stamp with the settings.
 * @returns the journal's id
 * @throws JournalRefusedError that says what differs: a rehearsal must never be taken for the real run
 */
export function requireStamp(db: DatabaseSync, dataDir: string, wanted: Stamp): string {
  const kept = readStamp(db);
  const differences: string[] = [];
  if (kept.isSandbox !== wanted.isSandbox || kept.bankAddress !== wanted.bankAddress) {
    differences.push(`it was made for ${describeBank(kept)}, the settings name ${describeBank(wanted)}`);
  }
  if (kept.companyId !== wanted.companyId) {
    differences.push(
      `it was made for company ${kept.companyId}, the settings name company ${wanted.companyId}`,
    );
  }
  if (differences.length === 0) return kept.journalId;
  throw new JournalRefusedError(
    `the journal in ${dataDir} is another’s: ${differences.join('; ')}. Set another dataDir, or correct the settings`,
  );
}
