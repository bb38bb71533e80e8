/**
 * Files of decisions that are dropped into a folder: taken in as the inbox takes files, and read. A dropped file is no
 * proposal, and has no effect, until a maker confirms it in their own name.
 */
import { message, type Message, sayCode } from '../../core/message.ts';
import { describeIssue } from '../../reports/rules/report-rows.ts';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { dayMs, formatBangkokDateTime } from '../../core/bangkok-time.ts';
import { countOf, showBaht } from '../../core/figures.ts';
import { formatBaht, parseBaht, type Satang, sumSatang, zeroSatang } from '../../core/money.ts';
import { printable } from '../../core/outgoing-text.ts';
import type { Clock, Log } from '../../core/ports.ts';
import { type Disk, lookAt, moveUnlessTaken, openPlainly, realDisk } from '../../platform/disk.ts';
import { errorCode, hashFile } from '../../platform/durable-file.ts';
import { type DecisionFileReading, readDecisionFile } from '../read-decision-file.ts';
import { type FiledDecision, isFiledRegistration } from '../rules/decision-file.ts';
import { moneyMovedOfDecisions } from '../rules/queue.ts';
import { nameOfDecision } from '../rules/terms.ts';
import type { LoadedSettings } from '../../settings/settings.ts';
import { InboxRefusedError } from '../../watch/folders/binding.ts';
import { type Intake, openIntake } from '../../watch/folders/drop-folder.ts';
import type { PayoutStore } from '../../payout/ports.ts';
import type { FileQueueStore, WorkItem } from '../../watch/ports.ts';
import { composeName, computeRejectedNames } from '../../watch/rules/drop-folder.ts';
import { type IntakeRefusal, refuseDecisions } from '../../watch/rules/rejection-reason.ts';
import { decisionFolders, type DecisionRecord, readRecords, recordPath, writeRecord } from './waiting.ts';

/** Most files that wait; further ones stay where they were dropped. */
const waitingMax = 50;
/** Days for which ended files are kept; the journal keeps for ever who did what with which bytes. */
const endedKeptDays = 90;
const issuesMax = 1_000;

interface DropContext {
  readonly loaded: Pick<LoadedSettings, 'dataDir' | 'folders' | 'settings'>;
  readonly journal: Pick<PayoutStore, 'findPayouts'> &
    Pick<FileQueueStore, 'endIntake' | 'intakeRecord'> & { readonly journalId: string };
  readonly clock: Clock & { elapsedMs(): number };
  readonly log: Log;
  /** Sends a notice of a waiting file; the same file has only one. */
  readonly onWaiting?: (record: DecisionRecord) => Promise<void>;
  readonly onRefused?: (item: WorkItem, refusal: IntakeRefusal, path: string) => Promise<void>;
  /** For tests. */
  readonly disk?: Disk;
}

/** Takes what is dropped, one look after another. */
export class DroppedFiles implements AsyncDisposable {
  readonly #context: DropContext;
  #intake: Intake | undefined;
  /** Files in work/: waiting, or to be ended. */
  readonly #items = new Map<string, WorkItem>();
  /** Files in work/ that are not read yet. */
  #unread: WorkItem[] = [];
  /** Refusal last logged, so that a folder of another journal is logged once. */
  #refused = '';
  #isFull = false;
  #sweptOn = '';

  constructor(context: DropContext) {
    this.#context = context;
  }

  /** Looks at the folder once, takes in finished files, and ends those that were confirmed or discarded. */
  async step(): Promise<void> {
    const intake = await this.#open();
    if (intake === undefined) return;
    // Before any record goes: files that an earlier process has left in work/ are known by then.
    await this.#takeUpAll(intake);
    await this.#endAll(intake);
    await this.#sweep();
    const room = Math.max(0, waitingMax - this.#items.size - this.#unread.length);
    this.#unread.push(...(await intake.take(room)));
    await this.#takeUpAll(intake);
    this.#noteRoom(room, intake.view.waiting);
  }

  /** Takes up unread files; one that fails for the machine's sake is retried at the next look, and delays no other. */
  async #takeUpAll(intake: Intake): Promise<void> {
    const failures: unknown[] = [];
    const failed: WorkItem[] = [];
    for (const item of this.#unread)
      try {
        await this.#takeUp(intake, item);
      } catch (error) {
        failures.push(error);
        failed.push(item);
      }
    this.#unread = failed;
    if (failures.length > 0) throw failures[0];
  }

  #noteRoom(room: number, left: number): void {
    const isFull = room === 0 && left > 0;
    if (isFull && !this.#isFull)
      this.#context.log('warn', 'no more files of decisions are taken until some that wait are decided', {
        waiting: waitingMax,
      });
    this.#isFull = isFull;
  }

  /** Opens the folder; undefined where it does not exist, or belongs to another journal. */
  async #open(): Promise<Intake | undefined> {
    if (this.#intake !== undefined) return this.#intake;
    const { loaded, journal, clock, log, disk = realDisk } = this.#context;
    const { dataDir, folders, settings } = loaded;
    const { work, waiting, ended } = decisionFolders(dataDir);
    const isOwn = folders.decisions === join(dataDir, 'decisions');
    // A folder outside dataDir may be a share that is not mounted: it is never made.
    if (!isOwn && (await lookAt(folders.decisions)) === undefined) return undefined;
    await mkdir(waiting, { recursive: true, mode: 0o700 });
    const options = {
      label: 'decisions',
      folders: { inbox: folders.decisions, work, archive: ended, rejected: folders.rejected },
      // Polled: looks are frequent enough.
      watch: { ...settings.watch, polling: true },
      isSidecarExpected: false,
      journalId: journal.journalId,
      clock,
      elapsedMs: () => clock.elapsedMs(),
      log: ((level, what, facts) => log(level, `${what} (decisions)`, facts)) satisfies Log,
      disk,
    };
    try {
      await using stack = new AsyncDisposableStack();
      const intake = stack.use(await openIntake(options));
      this.#unread = [...(await intake.recover())];
      stack.move();
      this.#intake = intake;
      return intake;
    } catch (error) {
      if (!(error instanceof InboxRefusedError)) throw error;
      if (this.#refused !== error.message)
        log('error', 'dropped decisions are not taken', { why: error.message });
      this.#refused = error.message;
      return undefined;
    }
  }

  /** Reads and records a file once; the record also holds after a crash. */
  async #takeUp(intake: Intake, item: WorkItem): Promise<void> {
    const { loaded, journal, onWaiting } = this.#context;
    const records = await readRecords(loaded.dataDir);
    const known = records.find(({ itemId }) => itemId === item.itemId);
    const refused = (await journal.intakeRecord(item.itemId))?.refusal ?? undefined;
    if (refused !== undefined) return this.#refuse(intake, item, refused);
    const found = known ?? (await this.#read(intake, item, records));
    if ('code' in found) return this.#refuse(intake, item, found);
    if (known === undefined) await writeRecord(loaded.dataDir, found);
    this.#items.set(item.itemId, item);
    if (found.endedAtMs === undefined) await onWaiting?.(found);
  }

  async #read(
    intake: Intake,
    item: WorkItem,
    records: readonly DecisionRecord[],
  ): Promise<DecisionRecord | IntakeRefusal> {
    const { clock, journal } = this.#context;
    const { itemId, path, droppedAtMs } = item;
    const refuse = (code: string, lines: readonly [Message, ...Message[]]): IntakeRefusal =>
      refuseDecisions({ fileName: item.fileName, droppedAtMs, nowMs: clock.now() }, code, lines);
    const isStill = await intake.isUntouched(item);
    const reading = await readDecisionFile(path);
    const why = explainRefusal(reading);
    // A file that is too large, or may not be read, is not hashed.
    const sha256 = why === undefined ? ((await hashFile(path)) ?? '') : '';
    if (!isStill || !(await intake.isUntouched(item)))
      return refuse('changed-while-read', [message('drop.still-written')]);
    if (why !== undefined || reading.kind !== 'decisions')
      return refuse('bad-decisions', why ?? [message('decision-file.nothing-decided')]);
    const same = records.find((one) => one.endedAtMs === undefined && one.sha256 === sha256);
    if (same !== undefined)
      return refuse('duplicate-file', [message('drop.same-bytes-wait', { name: printable(same.fileName) })]);
    // Cleaned for screens and shells: the name holds no path and no control characters.
    const fileName = composeName(item.fileName, '');
    const asked = await sumUp(journal, reading.decisions, reading.undecided);
    return { itemId, fileName, droppedAtMs, sha256, ...asked };
  }

  /** Moves a file into rejected/, with its reason, and adds it to the queue. */
  async #refuse(intake: Intake, item: WorkItem, refusal: IntakeRefusal): Promise<void> {
    const { journal, clock, log, onRefused } = this.#context;
    const { itemId, fileName, droppedAtMs } = item;
    await journal.endIntake(itemId, 'rejected', clock.now(), { fileName, droppedAtMs, refusal });
    await onRefused?.(item, refusal, await intake.findRejectedPath(item));
    await intake.end(item, { kind: 'reject', reason: refusal.reason });
    await intake.removeOriginal(itemId);
    log('warn', 'a dropped file of decisions was rejected', { name: fileName, code: refusal.code });
  }

  // ---------------------------------------------------------------- ending

  /** Ends files that makers have confirmed or discarded: they leave their folder. */
  async #endAll(intake: Intake): Promise<void> {
    const records = await readRecords(this.#context.loaded.dataDir);
    for (const record of records) {
      const item = this.#items.get(record.itemId);
      if (record.endedAtMs === undefined) continue;
      if (item !== undefined) await this.#end(intake, item, record);
      await rm(recordPath(this.#context.loaded.dataDir, record.itemId), { force: true });
      this.#items.delete(record.itemId);
    }
  }

  async #end(intake: Intake, item: WorkItem, { sha256, endedAtMs = 0 }: DecisionRecord): Promise<void> {
    const { itemId } = item;
    await this.#returnIfChanged(intake, item, sha256);
    const date = formatBangkokDateTime(endedAtMs).slice(0, 10);
    await intake.end(item, { kind: 'archive', date, batchId: itemId });
    await intake.removeOriginal(itemId);
  }

  /** Drops a file anew that was written to since it was read: it is another file by now. */
  async #returnIfChanged(intake: Intake, item: WorkItem, sha256: string): Promise<void> {
    const { loaded, log, disk = realDisk } = this.#context;
    for (const path of [await intake.findOriginal(item.itemId), item.path]) {
      if (path === undefined || (await lookAt(path)) === undefined || (await hashFile(path)) === sha256)
        continue;
      for (const name of computeRejectedNames(item.fileName, item.itemId)) {
        const to = join(loaded.folders.decisions, name);
        if ((await returnFile(disk, path, to)) === 'taken') continue;
        log('warn', 'a file of decisions was written to after it was read: it is taken anew', { name });
        return;
      }
    }
  }

  /** Removes ended files past their time, once a day. */
  async #sweep(): Promise<void> {
    const { loaded, clock } = this.#context;
    const today = formatBangkokDateTime(clock.now()).slice(0, 10);
    if (this.#sweptOn === today) return;
    const { ended } = decisionFolders(loaded.dataDir);
    const before = formatBangkokDateTime(clock.now() - endedKeptDays * dayMs).slice(0, 10);
    for (const date of await readdir(ended))
      if (dateForm.test(date) && date < before) await rm(join(ended, date), { recursive: true });
    this.#sweptOn = today;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#intake?.[Symbol.asyncDispose]();
    this.#intake = undefined;
  }
}

const dateForm = /^\d{4}-\d{2}-\d{2}$/;

/** Moves a file; across file systems, copies it. */
async function returnFile(disk: Disk, from: string, to: string): Promise<'moved' | 'taken'> {
  try {
    return await moveUnlessTaken(disk, from, to);
  } catch (error) {
    if (errorCode(error) !== 'EXDEV') throw error;
    if ((await lookAt(to)) !== undefined) return 'taken';
    await using source = await openPlainly(from);
    await disk.copy(source, to);
    return 'moved';
  }
}

/** Faults of the file, line by line; undefined where it decides something. */
function explainRefusal(reading: DecisionFileReading): readonly [Message, ...Message[]] | undefined {
  if (reading.kind === 'rejected') return [reading.rejection.message];
  const nothing = message('decision-file.nothing-decided');
  if (reading.kind === 'refused') {
    const [first = nothing, ...others] = reading.issues.slice(0, issuesMax).map(describeIssue);
    return [first, ...others];
  }
  return reading.decisions.length === 0 ? [nothing] : undefined;
}

/** Amount of the row; zero for a registration, which moves no money. */
async function readAmount(journal: Pick<PayoutStore, 'findPayouts'>, filed: FiledDecision): Promise<Satang> {
  if (isFiledRegistration(filed)) return zeroSatang;
  const { batchId, rowNo, payoutId, newAmount } = filed;
  const found = (await journal.findPayouts(payoutId)).find(
    ({ row, batch }) => batch.batchId === batchId && row.rowNo === rowNo,
  );
  const corrected = newAmount === null ? undefined : parseBaht(newAmount);
  return corrected ?? found?.row.amountSatang ?? zeroSatang;
}

/** Sums up what the file asks for: rows and amount for each decision. Archived rows count without an amount. */
async function sumUp(
  journal: Pick<PayoutStore, 'findPayouts'>,
  decisions: readonly FiledDecision[],
  undecided: number,
): Promise<Pick<DecisionRecord, 'asks' | 'amount' | 'moneyMoved'>> {
  const sums = new Map<FiledDecision['decision'], Satang[]>();
  for (const filed of decisions)
    sums.set(filed.decision, [...(sums.get(filed.decision) ?? []), await readAmount(journal, filed)]);
  const isOfRegistrations = decisions.some(isFiledRegistration);
  const words = [...sums].map(([decision, amounts]) => {
    const label = sayCode('en', nameOfDecision(decision, isOfRegistrations ? 'registration' : 'payout'));
    const rows = `${label}: ${countOf(amounts.length, 'row')}`;
    return isOfRegistrations ? rows : `${rows}, ${showBaht(sumSatang(amounts))} baht`;
  });
  const left = undecided === 0 ? [] : [`${countOf(undecided, 'row')} without a decision`];
  return {
    asks: [...words, ...left].join('; '),
    amount: formatBaht(sumSatang([...sums.values()].flat())),
    moneyMoved: moneyMovedOfDecisions([...sums.keys()]),
  };
}
