/** Issues statements: the content of each issue, and its signed address. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { StatementDay } from './lines.ts';
import { type Damage, isForIssue, type StatementTable } from './table.ts';

/** An issued file; later transfers and settings do not change it. */
export interface IssuedFile {
  readonly day: StatementDay;
  readonly partnerId: string;
  readonly companyIds: ReadonlySet<string>;
  /** "PARTNER001_PROXY_20261121.csv" */
  readonly csvName: string;
  /** Number of the issue on its day, from 1. */
  readonly number: number;
  /** Transfers in the book at that time. */
  readonly transferCount: number;
  readonly table: StatementTable;
  /** Key of the ZIP as issued. */
  readonly unZipKey: string;
  readonly damage: Damage | undefined;
  readonly expiresAtMs: number;
}

const idBytes = 12;
const keyBytes = 9;
/** Number of files above which expired ones are removed. */
const sweepAt = 1_000;

const suffixes = { plain: '', gzip: '.gz', zipcrypto: '.zip', aes: '.zip' } as const;

function toFileName(csvName: string, form: StatementTable['form']): string {
  const suffix = suffixes[form];
  return suffix === '.zip' ? csvName.replace(/\.csv$/, suffix) : `${csvName}${suffix}`;
}

function chooseKey({ form, unZipKey }: StatementTable): string {
  if (form === 'plain' || form === 'gzip') return '';
  return unZipKey === '' ? randomBytes(keyBytes).toString('base64url') : unZipKey;
}

function isSame(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/** Keeps the files in memory: after a restart their addresses get 403. */
export function createSignedStatements(table: StatementTable) {
  const secret = randomBytes(32);
  const issues = new Map<string, IssuedFile>();

  const sign = (id: string, fileName: string, expires: string): string =>
    createHmac('sha256', secret).update(`${id}/${fileName}?${expires}`).digest('base64url');

  const statements = {
    /** The present table. */
    table,
    /** Origin of the files: "http://127.0.0.1:1234". */
    origin: '',
    /** Requests to signed addresses. */
    downloads: 0,
    /** True once a request to a signed address had an Authorization header. */
    tokenSeen: false,
    /** Issues a file for a while; the key is empty when the form needs none. */
    put(
      issue: Pick<IssuedFile, 'day' | 'partnerId' | 'companyIds' | 'csvName' | 'number' | 'transferCount'>,
      nowMs: number,
    ) {
      if (issues.size >= sweepAt)
        for (const [id, { expiresAtMs }] of issues) if (expiresAtMs <= nowMs) issues.delete(id);
      const now: StatementTable = statements.table;
      const id = randomBytes(idBytes).toString('base64url');
      const unZipKey = chooseKey(now);
      const damage = now.damages.find((entry) => isForIssue(entry, issue.number))?.damage;
      const expiresAtMs = nowMs + now.expiresSeconds * 1_000;
      issues.set(id, { ...issue, table: now, unZipKey, damage, expiresAtMs });
      const fileName = toFileName(issue.csvName, now.form);
      const expires = String(Math.floor(expiresAtMs / 1_000));
      const query = new URLSearchParams({ expires, signature: sign(id, fileName, expires) });
      const storageSignedUrl = `${statements.origin}/signed/${id}/${fileName}?${query.toString()}`;
      return { storageSignedUrl, unZipKey };
    },
    /** Undefined for an address that is foreign, was changed, or has expired. */
    find(
      { id, fileName, expires, signature }: Readonly<Record<string, unknown>>,
      nowMs: number,
    ): IssuedFile | undefined {
      const issue = issues.get(String(id));
      const isOurs =
        issue !== undefined && isSame(String(signature), sign(String(id), String(fileName), String(expires)));
      return isOurs && nowMs < issue.expiresAtMs ? issue : undefined;
    },
  };
  return statements;
}
