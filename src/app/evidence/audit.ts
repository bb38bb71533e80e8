/** Audits the journal, alongside the sender, against the heads that were kept outside it. */
import { existsSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { errorCode } from '../../platform/durable-file.ts';
import { auditJournal, type OutsideHead } from '../../evidence/audit.ts';
import type { AuditReader } from '../../evidence/ports.ts';
import { type Audited, backupRemedy, type Finding, ofDatabase } from '../../evidence/rules/audit.ts';
import { findHeads, headFilePattern } from '../../evidence/rules/day-head.ts';
import { evidenceFolderOf, findEvidenceFault } from '../../review/evidence-files.ts';
import { SettingsError } from '../../settings/secrets.ts';
import type { LoadedSettings } from '../../settings/settings.ts';
import { sqliteCodeOf, sqliteCodes } from '../../store/connection.ts';
import { findJournalPlace } from '../journal/place.ts';
import { requireJournal } from '../open-store.ts';

export type { Audited, AuditedPart, Finding } from '../../evidence/rules/audit.ts';

interface AuditWish {
  /** A backup to audit in place of the journal; it is not changed. */
  readonly file?: string | undefined;
  /** A file or folder with heads of days; the outbox when left out. */
  readonly heads: string | undefined;
  /** YYYYMMDD. */
  readonly sinceDate: string | undefined;
}

/** @throws SettingsError without a journal, and where the named path holds no heads */
export async function runAudit(
  loaded: LoadedSettings,
  { file, heads, sinceDate }: AuditWish,
): Promise<Audited> {
  const outside = await readOutside(heads === undefined ? loaded.folders.outbox : resolve(heads));
  if (heads !== undefined && outside.length === 0)
    throw new SettingsError(`--heads ${heads}: there is no head of a day in it`);
  const folder = evidenceFolderOf(loaded.dataDir);
  const audit = async (reader: AuditReader): Promise<Audited> =>
    auditJournal(reader, {
      journalId: reader.journalId,
      outside,
      sinceDate,
      findEvidenceFault: (kept) => findEvidenceFault(folder, kept),
    });
  if (file !== undefined) return auditBackup(file, loaded.dataDir, audit);
  await using journal = await requireJournal(loaded);
  await using reader = await journal.openAudit();
  const audited = await audit(reader);
  return findJournalPlace(loaded).kind === 'database' ? withEach(audited, ofDatabase) : audited;
}

const withEach = (audited: Audited, say: (finding: Finding) => Finding): Audited => ({
  ...audited,
  parts: audited.parts.map((part) => ({ ...part, findings: part.findings.map(say) })),
});

/** Audits a backup; a fault in it is no reason to touch the journal. @param dataDir with the archives */
async function auditBackup(
  file: string,
  dataDir: string,
  audit: (reader: AuditReader) => Promise<Audited>,
): Promise<Audited> {
  const path = resolve(file);
  if (!existsSync(path)) throw new SettingsError(`--file ${file}: it is not there`);
  const { openAuditOf } = await import('../../store/evidence/audit.ts');
  try {
    await using reader = await openAuditOf(path, dataDir);
    return withEach(await audit(reader), (finding) => ({ ...finding, remedy: backupRemedy }));
  } catch (cause) {
    const code = sqliteCodeOf(cause) ?? sqliteCodeOf(cause instanceof Error ? cause.cause : undefined);
    const isDamaged = code === sqliteCodes.corrupt || code === sqliteCodes.notADatabase;
    if (!isDamaged) throw cause;
    const why = 'it is no journal, or is damaged: audit another backup. The journal itself was not looked at';
    throw new SettingsError(`--file ${file}: ${why}`, { cause });
  }
}

/** Heads in a folder, from files named as paydrop names them, or in one file of any name. */
async function readOutside(path: string): Promise<readonly OutsideHead[]> {
  try {
    const isFolder = (await stat(path)).isDirectory();
    const names = isFolder
      ? (await readdir(path)).filter((name) => headFilePattern.test(name)).toSorted()
      : [];
    const files = isFolder ? names.map((name) => join(path, name)) : [path];
    const found: OutsideHead[] = [];
    for (const file of files)
      found.push(
        ...findHeads(await readFile(file, 'utf8')).map((head) => ({ ...head, file: basename(file) })),
      );
    return found;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}
