/** Files that a run has refused as a whole: they wait for a person, as those of the drop folder do. */
import { randomBytes } from 'node:crypto';
import type { FileRejection } from '../../core/payout-file.ts';
import type { Clock } from '../../core/ports.ts';
import { runItemMark } from '../../review/rules/queue.ts';
import type { FileQueueStore } from '../../watch/ports.ts';
import { type FileKindName, makeItemId } from '../../watch/rules/drop-folder.ts';
import { refuseRejectedFile } from '../../watch/rules/rejection-reason.ts';

export interface RefusedByRun {
  /** What it was run as; `payout` when left out. */
  readonly kind?: FileKindName;
  readonly rejection: FileRejection;
  /** What its bytes would be; undefined where they are not known. */
  readonly batchId?: string | undefined;
}

/** Nothing was there that anybody could mend: whoever typed the name sees it at once. */
const noFileCodes = new Set(['file-missing', 'file-directory', 'file-link', 'file-special']);

/** It leaves the queue when its bytes, or a file of its name, are taken, or somebody takes note of it. */
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
