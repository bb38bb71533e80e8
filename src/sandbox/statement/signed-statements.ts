/** Gives statements out: what each issue holds, and the signed address at which it is. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { StatementDay } from './lines.ts';
import { type Damage, isForIssue, type StatementTable } from './table.ts';

/** One file that was given out; later transfers and later settings do not change it. */
export interface IssuedFile {
  readonly day: StatementDay;
  readonly partnerId: string;
  readonly companyIds: ReadonlySet<string>;
  /** "PARTNER001_PROXY_20261121.csv" */
  readonly csvName: string;
  /** Counted by day, the first is 1. */
  readonly number: number;
  /** Transfers in the book by then. */
  readonly transferCount: number;
  readonly table: StatementTable;
  /** Key that was given out. */
  readonly unZipKey: string;
  readonly damage: Damage | undefined;
  readonly expiresAtMs: number;
}

const idBytes = 12;
const keyBytes = 9;
/** Beyond so many files the expired ones are swept out. */
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

/** Keeps the files in memory: a restart forgets them, and their addresses get 403. */
export function createSignedStatements(table: StatementTable) {
  const secret = randomBytes(32);
  const issues = new Map<string, IssuedFile>();

  const sign = (id: string, fileName: string, expires: string): string =>
    createHmac('sha256', secret).update(`${id}/${fileName}?${expires}`).digest('base64url');

  const statements = {
    /** What the table says now. */
    table,
    /** "http://127.0.0.1:1234", where the files are. */
    origin: '',
    /** Requests at signed addresses. */
    downloads: 0,
    /** True once a request at a signed address bore an Authorization header. */
    tokenSeen: false,
    /** Puts a file out for a while; the key is empty where the form needs none. */
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
    /** Undefined for an address that is not ours, was changed, or has expired. */
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
