/**
 * Uploaded files, from their check until they are dropped or discarded: one for each session, in a private folder, for
 * an hour. A dropped file has the SHA-256 of the checked one.
 */
import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, rm } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { CheckedRegistrations } from '../check/check-registrations.ts';
import type { CheckOutcome, RowIssue } from '../check/check.ts';
import type { FileDigest } from '../check/file-digest.ts';
import type { Satang } from '../core/money.ts';
import type { Clock } from '../core/ports.ts';
import { computeBatchId } from '../core/reference.ts';
import type { RejectedFile } from '../intake/ports.ts';
import { AtomicFile, errorCode, OutputFileError, publishFile } from '../platform/durable-file.ts';
import type { ApprovalStore } from '../review/ports.ts';
import { type ApprovalPolicy, boundOf, decideApproval } from '../review/rules/approval.ts';
import type { SentFile } from '../review/web/view.ts';
import type { FileKindName } from '../watch/rules/drop-folder.ts';
import { makeUploadName } from './rules/upload-name.ts';

/** Result of a check; the header shows the kind of the file. */
type UploadOutcome = CheckOutcome | CheckedRegistrations;

interface UploadOptions {
  /** Absolute path; the folder is used for nothing else, and emptied when this opens. */
  readonly folder: string;
  /** Absolute paths: the drop folder of each kind of file. */
  readonly inboxes: Readonly<Record<FileKindName, string>>;
  /** True: a file counts only with `<file>.done` beside it. */
  readonly isMarkerExpected: boolean;
  /** `limits.bytesPerFile`; null: no limit. */
  readonly bytesMax: number | null;
  readonly clock: Pick<Clock, 'now'>;
  readonly store: Pick<ApprovalStore, 'keepUpload'>;
  /** The policy in force on which batches wait for approval. */
  readonly approval: () => Promise<ApprovalPolicy>;
  readonly check: (path: string, report: (found: readonly RowIssue[]) => void) => Promise<UploadOutcome>;
  /**
   * Digest of a payout file.
   * @param without rows that do not wait
   */
  readonly digest: (path: string, without: ReadonlySet<number>) => Promise<FileDigest | RejectedFile>;
}

/** A checked file that waits to be dropped, with its findings. */
export interface CheckedUpload {
  readonly kind: 'checked';
  readonly fileName: string;
  readonly path: string;
  readonly sha256: string;
  readonly batchId: string;
  readonly atMs: number;
  readonly outcome: UploadOutcome;
  /** The first issues. */
  readonly issues: readonly RowIssue[];
  readonly issueCount: number;
  /** Undefined when nothing of the file waits for an approval. */
  readonly digest: string | undefined;
}

/** A file in the inbox, or taken from there since. */
export interface DroppedUpload {
  readonly kind: 'dropped';
  readonly fileKind: FileKindName;
  readonly fileName: string;
  readonly batchId: string;
  readonly atMs: number;
}

/** The kind of a file; one that is rejected as a whole counts as payouts, since it goes nowhere. */
export const fileKindOf = ({ outcome }: Pick<CheckedUpload, 'outcome'>): FileKindName =>
  outcome.kind === 'registrations' ? 'registration' : 'payout';

export type Upload = CheckedUpload | DroppedUpload;

/** Reason why a file was refused. */
type UploadRefusal = 'upload.bad-name' | 'upload.empty' | 'upload.too-large' | 'upload.busy';

/** The result of a drop; `gone`: there is no checked file, or another one. */
export type DropEnd = 'dropped' | 'gone' | 'rejected' | 'nameTaken';

/** Most bytes of an upload; larger files go into the inbox directly, since the page waits for the check. */
const pageBytesMax = 16_777_216;
const keptMs = 3_600_000;
const sweepMs = 300_000;
const issuesShown = 200;
const folderMode = 0o700;

interface ApprovalForeseen {
  /** The number of people who must approve the batch; undefined for none. */
  readonly people: 1 | 2 | undefined;
  /** The sum above which a batch waits; undefined where the sum does not matter. */
  readonly aboveSatang: Satang | undefined;
}

export class Uploads implements AsyncDisposable {
  readonly #options: UploadOptions;
  /** Uploads by session. */
  readonly #uploads = new Map<string, Upload>();
  /** Sessions with a file being read. */
  readonly #busy = new Set<string>();
  readonly #timer: NodeJS.Timeout;

  private constructor(options: UploadOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.#sweep().catch(() => undefined), sweepMs).unref();
  }

  /** Files left by another process belong to no session any more. */
  static async open(options: UploadOptions): Promise<Uploads> {
    await rm(options.folder, { recursive: true, force: true });
    return new Uploads(options);
  }

  get bytesMax(): number {
    return Math.min(this.#options.bytesMax ?? pageBytesMax, pageBytesMax);
  }

  /** The approval that a file needs whose payable rows come to this sum, when it is taken in now. */
  async decideApproval(amountSatang: Satang): Promise<ApprovalForeseen> {
    const policy = await this.#options.approval();
    const people = decideApproval(policy, { amountSatang });
    return { people, aboveSatang: boundOf(policy)?.aboveSatang };
  }

  async find(sessionHash: string): Promise<Upload | undefined> {
    await this.#sweep();
    return this.#uploads.get(sessionHash);
  }

  /** Stores and checks a file; it replaces an earlier one of the session. */
  async add(sessionHash: string, file: SentFile): Promise<Upload | UploadRefusal> {
    const fileName = makeUploadName(file.name);
    if (fileName === undefined) return 'upload.bad-name';
    if (this.#busy.has(sessionHash)) return 'upload.busy';
    this.#busy.add(sessionHash);
    try {
      await this.discard(sessionHash);
      const kept = await this.#keep(fileName, file);
      if (typeof kept === 'string') return kept;
      const upload = await this.#check(fileName, kept);
      // A rejected file is never dropped: only its findings are shown.
      if (upload.outcome.kind === 'rejected') await rm(upload.path, { force: true });
      this.#uploads.set(sessionHash, upload);
      return upload;
    } finally {
      this.#busy.delete(sessionHash);
    }
  }

  async #keep(fileName: string, file: SentFile) {
    const { folder } = this.#options;
    await mkdir(folder, { recursive: true, mode: folderMode });
    const path = join(folder, randomBytes(16).toString('hex') + extname(fileName).toLowerCase());
    await using kept = await AtomicFile.open(path);
    let bytes = 0;
    for await (const chunk of file.stream) {
      bytes += chunk.length;
      await kept.write(chunk);
    }
    if (file.isCut()) return 'upload.too-large';
    if (bytes === 0) return 'upload.empty';
    const prepared = await kept.finish();
    try {
      await publishFile(prepared);
    } finally {
      await rm(prepared.temporaryPath, { force: true });
    }
    return prepared;
  }

  async #check(
    fileName: string,
    { path, sha256 }: { readonly path: string; readonly sha256: string },
  ): Promise<CheckedUpload> {
    const { check, digest, clock } = this.#options;
    const issues: RowIssue[] = [];
    const claimed = new Set<number>();
    let issueCount = 0;
    try {
      const outcome = await check(path, (found) => {
        issueCount += found.length;
        issues.push(...found.slice(0, issuesShown - issues.length));
        for (const { rowNo, issue } of found) if (issue.code === 'payout-id-claimed') claimed.add(rowNo);
      });
      const computed = outcome.kind === 'checked' ? await digest(path, claimed) : undefined;
      return {
        kind: 'checked',
        fileName,
        path,
        sha256,
        batchId: computeBatchId(sha256),
        atMs: clock.now(),
        outcome,
        issues,
        issueCount,
        digest: computed === undefined || computed.kind === 'rejected' ? undefined : computed.version,
      };
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    }
  }

  /** Discards the session's file; nothing of it was dropped. */
  async discard(sessionHash: string): Promise<void> {
    const upload = this.#uploads.get(sessionHash);
    this.#uploads.delete(sessionHash);
    if (upload?.kind === 'checked') await rm(upload.path, { force: true });
  }

  /**
   * Moves the checked file into the inbox, after recording the person.
   * @param sha256 hash of the file that the person saw
   * @throws OutputFileError when the inbox refuses it
   */
  async drop(sessionHash: string, sha256: string, personId: number): Promise<DropEnd> {
    const upload = await this.find(sessionHash);
    if (upload?.kind !== 'checked' || upload.sha256 !== sha256) return 'gone';
    if (upload.outcome.kind === 'rejected') return 'rejected';
    const end = await this.#publish(upload, personId);
    if (end === 'nameTaken') return end;
    await this.discard(sessionHash);
    if (end === 'gone') return end;
    const { fileName, batchId } = upload;
    const dropped = { kind: 'dropped', fileKind: fileKindOf(upload), fileName, batchId } as const;
    this.#uploads.set(sessionHash, { ...dropped, atMs: this.#options.clock.now() });
    return end;
  }

  async #publish(upload: CheckedUpload, personId: number): Promise<DropEnd> {
    const { fileName, path, sha256, batchId } = upload;
    const { inboxes, store, clock, isMarkerExpected } = this.#options;
    const target = join(inboxes[fileKindOf(upload)], fileName);
    const prepared = await copyFile(path, target);
    if (prepared === undefined) return 'gone';
    try {
      if (prepared.sha256 !== sha256) return 'gone';
      await store.keepUpload(batchId, personId, clock.now());
      if ((await publishFile(prepared)) === 'gone') return 'gone';
    } catch (error) {
      // Only the error about another file of this name has no cause.
      if (error instanceof OutputFileError && error.cause === undefined) return 'nameTaken';
      throw error;
    } finally {
      await rm(prepared.temporaryPath, { force: true });
    }
    if (isMarkerExpected) await makeMarker(`${target}.done`);
    return 'dropped';
  }

  async #sweep(): Promise<void> {
    const oldestMs = this.#options.clock.now() - keptMs;
    for (const [sessionHash, { atMs }] of this.#uploads)
      if (atMs <= oldestMs) await this.discard(sessionHash);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    for (const sessionHash of this.#uploads.keys()) await this.discard(sessionHash);
  }
}

/** Copies under a temporary name, which the watcher ignores; undefined when the file is gone. */
async function copyFile(from: string, to: string) {
  await using copy = await AtomicFile.open(to);
  try {
    for await (const chunk of createReadStream(from)) await copy.write(chunk as Buffer);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
  const prepared = await copy.finish();
  return prepared;
}

/** Makes the marker; an existing one counts. */
async function makeMarker(path: string): Promise<void> {
  const marker = await open(path, 'a', 0o600);
  await marker.close();
}
