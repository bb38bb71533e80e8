/** Heads of the days that have ended: made in the journal, then written to the outbox and sent as notices, each once. */
import { join } from 'node:path';
import { dayMs } from '../../core/bangkok-time.ts';
import { describeDayHead } from '../../notify/rules/head-notices.ts';
import { readTextIfThere, removeOldTemporaries } from '../../platform/durable-file.ts';
import type { ReportOutbox } from '../../reports/ports.ts';
import { makeDayHeads } from '../../evidence/day-heads.ts';
import type { KeptHead } from '../../evidence/ports.ts';
import { headFileName, headFilePattern, readDayHead, renderHead } from '../../evidence/rules/day-head.ts';
import type { NoticeBoard } from '../notices/notifier.ts';
import type { Session } from '../session.ts';

type Publishing = Pick<Session, 'loaded' | 'journal' | 'outbox' | 'clock' | 'log'>;

/**
 * Makes due heads, and publishes those that are not published. Never throws: the next process tries again.
 * @returns false when a head is left
 */
export async function publishDayHeads(session: Publishing, board: NoticeBoard): Promise<boolean> {
  const { journal, clock, log } = session;
  try {
    await makeDayHeads(journal, journal.journalId, clock.now());
    for (const head of await listUnpublished(journal)) await publish(session, board, head);
    return true;
  } catch (error) {
    log.error({ err: error }, 'the head of a day could not be made or handed out');
    return false;
  }
}

/** Heads read at a time. */
const pageSize = 1_000;

async function listUnpublished({ dayHeads }: Session['journal']): Promise<readonly KeptHead[]> {
  const found: KeptHead[] = [];
  for (let after = 0; ;) {
    const page = await dayHeads(after, pageSize);
    found.push(...page.filter(({ isPublished }) => !isPublished));
    if (page.length < pageSize) return found;
    after = page.at(-1)?.number ?? after;
  }
}

async function publish(session: Publishing, board: NoticeBoard, kept: KeptHead): Promise<void> {
  const { journal, outbox, loaded, clock, log } = session;
  const head = readDayHead(kept);
  if (head === undefined) throw new Error(`the head of ${kept.date} says nothing: run "paydrop audit"`);
  const folder = loaded.folders.outbox;
  await removeOldTemporaries(folder, headFilePattern, clock.now() - dayMs);
  const path = await writeHead(outbox, folder, head.date, renderHead(head));
  if (board.isListenedTo) await board.add(describeDayHead(board.scene, head, path));
  await journal.notePublished(head.number);
  log.info({ day: head.date, head: head.hash }, 'the head of a day was made');
}

/** Writes a head. An existing file is another journal's, from before a restore, or was changed: it stays as it is. */
async function writeHead(
  outbox: ReportOutbox,
  folder: string,
  date: string,
  content: string,
): Promise<string> {
  for (let copy = 1; ; copy += 1) {
    const name = headFileName(date, copy);
    const path = join(folder, name);
    const there = await readTextIfThere(path);
    if (there === content) return path;
    if (there !== undefined) continue;
    await outbox.publish(await outbox.writeWhole(name, content));
    return path;
  }
}
