/** Files that a run has refused as a whole: they wait for a person, like refused files of the drop folder. */
import { randomBytes } from 'node:crypto';
import type { FileRejection } from '../../core/payout-file.ts';
import type { Clock } from '../../core/ports.ts';
import { runItemMark } from '../rules/queue.ts';
import type { FileQueueStore } from '../../watch/ports.ts';
import { type FileKindName, makeItemId } from '../../watch/rules/drop-folder.ts';
import { refuseRejectedFile } from '../../watch/rules/rejection-reason.ts';

export interface RefusedByRun {
  /** Kind under which the file was run; `payout` when left out. */
  readonly kind?: FileKindName;
  readonly rejection: FileRejection;
  /** Batch of the file's bytes; undefined where these are not known. */
  readonly batchId?: string | undefined;
}

/** Codes for a path without a file: no file needs mending, and the person at the command sees the error at once. */
const noFileCodes = new Set(['file-missing', 'file-directory', 'file-link', 'file-special']);

/** Adds a refused file. It leaves the queue when its bytes or its name are taken in, or a person acknowledges it. */
export async function noteRefused(
  journal: Pick<FileQueueStore, 'endIntake'>,
  clock: Pick<Clock, 'now'>,
  fileName: string,
  { kind = 'payout', rejection, batchId }: RefusedByRun,
): Promise<void> {
  if (noFileCodes.has(rejection.code)) return;
  const nowMs = clock.now();
  const file = { kind, fileName, droppedAtMs: nowMs };
  const refusal = refuseRejectedFile({ ...file, nowMs }, rejection);
  const itemId = `${runItemMark}${makeItemId(nowMs, randomBytes(3).toString('hex'))}`;
  await journal.endIntake(itemId, 'rejected', nowMs, { ...file, refusal, batchId });
}
