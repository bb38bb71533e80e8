/** Gives statements out: what each issue holds, and the signed address at which it is. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { StatementFile } from './form.ts';
import type { StatementDay } from './lines.ts';
import { isForIssue } from './table.ts';
import type { StatementTable } from './table.ts';

/** One file that was given out; later transfers and later settings do not change it. */
export interface IssuedFile extends StatementFile {
  readonly day: StatementDay;
  /** Undefined: all of the partner's. */
  readonly companyId: string | undefined;
  /** Counted by day, the first is 1. */
  readonly number: number;
  /** Transfers in the book by then. */
  readonly transferCount: number;
  readonly table: StatementTable;
  readonly expiresAtMs: number;
}

/** What is asked for at a signed address. */
export interface SignedRequest {
  readonly id: string;
  readonly fileName: string;
  /** Epoch seconds. */
  readonly expires: string;
  readonly signature: string;
}

export interface SignedStatements {
  /** What the table says now. */
  table: StatementTable;
  /** "http://127.0.0.1:1234", where the files are. */
  origin: string;
  /** Requests at signed addresses. */
  downloads: number;
  /** True once a request at a signed address bore an Authorization header. */
  tokenSeen: boolean;
  /** Puts a file out for a while. */
  put(
    issue: Omit<IssuedFile, 'table' | 'expiresAtMs' | keyof StatementFile>,
    csvName: string,
    nowMs: number,
  ): Put;
  /** Undefined for an address that is not ours, was changed, or has expired. */
  find(request: SignedRequest, nowMs: number): IssuedFile | undefined;
}

interface Put {
  readonly storageSignedUrl: string;
  /** Empty where the form needs none. */
  readonly unZipKey: string;
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
export function createSignedStatements(table: StatementTable): SignedStatements {
  const secret = randomBytes(32);
  const issues = new Map<string, IssuedFile>();

  const sign = (id: string, fileName: string, expires: string): string =>
    createHmac('sha256', secret).update(`${id}/${fileName}?${expires}`).digest('base64url');

  const sweep = (nowMs: number): void => {
    if (issues.size < sweepAt) return;
    for (const [id, { expiresAtMs }] of issues) if (expiresAtMs <= nowMs) issues.delete(id);
  };

  const statements: SignedStatements = {
    table,
    origin: '',
    downloads: 0,
    tokenSeen: false,
    put(issue, csvName, nowMs) {
      sweep(nowMs);
      const { form, bombBytes, damages, expiresSeconds } = statements.table;
      const id = randomBytes(idBytes).toString('base64url');
      const unZipKey = chooseKey(statements.table);
      const damage = damages.find((entry) => isForIssue(entry, issue.number))?.damage;
      const expiresAtMs = nowMs + expiresSeconds * 1_000;
      issues.set(id, {
        ...issue,
        form,
        csvName,
        unZipKey,
        damage,
        bombBytes,
        table: statements.table,
        expiresAtMs,
      });
      const fileName = toFileName(csvName, form);
      const expires = String(Math.floor(expiresAtMs / 1_000));
      const query = new URLSearchParams({ expires, signature: sign(id, fileName, expires) });
      return {
        storageSignedUrl: `${statements.origin}/signed/${id}/${fileName}?${query.toString()}`,
        unZipKey,
      };
    },
    find({ id, fileName, expires, signature }, nowMs) {
      const issue = issues.get(id);
      const isOurs = issue !== undefined && isSame(signature, sign(id, fileName, expires));
      return isOurs && nowMs < issue.expiresAtMs ? issue : undefined;
    },
  };
  return statements;
}
