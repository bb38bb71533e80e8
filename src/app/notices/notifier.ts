/**
 * Notices as the settings ask for them: kept in the journal first, then delivered. They never delay payments, and do not
 * wait for a slow journal.
 */
import { basename, resolve } from 'node:path';
import { deliverNotices, deliverNoticesOnce, type NoticeContext } from '../../notify/delivery.ts';
import {
  describeDecisionsDropped,
  describeUnexplained,
  type DroppedDecisions,
} from '../../notify/rules/journal-notices.ts';
import {
  describeBatchDone,
  describeBatchFailing,
  describeBatchHalted,
  describeFileGrown,
  describeFileRejected,
  describeInDoubt,
  type NoticeScene,
  type RejectedFile,
} from '../../notify/rules/notice-body.ts';
import {
  describeRegistrationsDone,
  describeRegistrationsHalted,
} from '../../notify/rules/registration-notices.ts';
import type { FileRejection } from '../../core/payout-file.ts';
import type { Clock } from '../../core/ports.ts';
import type { NoticeChannel, NoticeDraft } from '../../notify/rules/notice.ts';
import { sendOnce, UnkeptNotices } from '../../notify/unkept.ts';
import { journalChanged } from '../../payout/rules/seal.ts';
import { endsWithin, Signal } from '../../platform/signal.ts';
import type { WrittenRegistrationReports } from '../../registration/write-reports.ts';
import { summariseBatch } from '../../reports/rules/summary.ts';
import type { WrittenReports } from '../../reports/write-reports.ts';
import type { LoadedSettings } from '../../settings/settings.ts';
import type { Store } from '../../store/store.ts';
import type { BatchFailed, WatchEvent } from '../../watch/context.ts';
import { makeScene, makeSenders } from './senders.ts';
import { describeFailing } from '../../watch/rules/health.ts';
import { placeOf } from '../status/stops.ts';
import { describeGrowth, remedyOfGrowth } from '../../watch/rules/file-growth.ts';
import type { FileGrowth, TakenFile } from '../../watch/rules/file-growth.ts';
import { reasonPathOf } from '../../watch/rules/rejection-reason.ts';
import type { FileKindName } from '../../watch/rules/drop-folder.ts';
import type { RegisterOutcome } from '../registration/register-file.ts';
import type { FileOutcome } from '../run-file.ts';
import { type Session, toLog } from '../session.ts';

/** Longest wait of a finished run for the delivery of its notices; the next process tries the rest. */
const deliveryWaitMs = 5_000;

/** Longest wait for the journal to keep a notice before it is sent from memory. */
const keptWithinMs = 2_000;

/** Receives notices. */
export type NoticeBoard = Pick<Notifier, 'isListenedTo' | 'scene' | 'lastNotice' | 'add'>;

export class Notifier {
  readonly #loaded: LoadedSettings;
  readonly #context: NoticeContext & { readonly store: Store };
  readonly #channels: readonly NoticeChannel[];
  readonly #news = new Signal();
  readonly #unkept: UnkeptNotices;
  #isDelivering = false;
  /** The request under way that has the journal keep notices. */
  #keeping: Promise<void> | undefined;
  /** True when another request must follow. */
  #isKeepingWanted = false;

  /** @param unkept notices that another notifier of this process could not keep */
  constructor(
    loaded: LoadedSettings,
    context: NoticeContext & { readonly store: Store },
    unkept: UnkeptNotices = new UnkeptNotices(),
  ) {
    this.#loaded = loaded;
    this.#context = { ...context, senders: context.senders.map(sendOnce) };
    this.#unkept = unkept;
    this.#channels = context.senders.map(({ channel }) => channel);
  }

  /** A file of a run has ended. A rejected file is reported each time it is tried. */
  async notifyOfOutcome(path: string, outcome: FileOutcome): Promise<void> {
    await this.#noteFailure(async () => {
      if (outcome.kind === 'rested' && !outcome.isRepeat) await this.#notifyOfBatch(outcome.reports);
      if (outcome.kind === 'rested' && outcome.grown !== undefined) await this.#keepGrown(outcome.grown);
      if (outcome.kind === 'rejected') await this.#notifyOfRefusal('payout', path, outcome.rejection);
    });
  }

  /** The same for a file of registrations. */
  async notifyOfRegisterOutcome(path: string, outcome: RegisterOutcome): Promise<void> {
    await this.#noteFailure(async () => {
      if (outcome.kind === 'rested' && !outcome.isRepeat) await this.notifyOfRegistrations(outcome.reports);
      if (outcome.kind === 'rejected') await this.#notifyOfRefusal('registration', path, outcome.rejection);
    });
  }

  async #notifyOfRefusal(kind: FileKindName, named: string, rejection: FileRejection): Promise<void> {
    const [path, fileName] = [resolve(named), basename(named)];
    const fileKey = `${fileName}:${this.#context.clock.now()}`;
    await this.notifyOfFile({ kind, fileKey, fileName, path, batchId: null, rejection, reports: [] });
  }

  /** Something has come about in a watcher. */
  async notifyOfEvent(event: WatchEvent | BatchFailed): Promise<void> {
    await this.#noteFailure(async () => {
      if (event.kind === 'batch-failing') return this.#notifyOfFailing(event);
      if (event.kind === 'batch-settled') return this.#notifyOfBatch(event.reports);
      if (event.kind === 'registrations-settled') return this.notifyOfRegistrations(event.reports);
      if (event.kind === 'file-grown') return this.notifyOfGrowth(event.file, event.growth);
      const { why: rejection, item, path, dropped: kind, batchId = null, outcome } = event;
      if (outcome === 'archived' || rejection === undefined) return;
      const { itemId: fileKey, fileName } = item;
      const reports = [reasonPathOf(path)];
      await this.notifyOfFile({ kind, fileKey, fileName, path, batchId, rejection, reports });
    });
  }

  async #notifyOfFailing({ failing, fileName }: BatchFailed): Promise<void> {
    const { scene } = this;
    const found = describeFailing(failing, placeOf(this.#loaded));
    await this.add(describeBatchFailing(scene, failing.batchId, fileName, found));
  }

  async #notifyOfBatch({ summary, files }: WrittenReports): Promise<void> {
    const { batch } = summary;
    const news = { summary, reports: files.map(({ path }) => path) };
    const { status, batchId, reasonCode } = batch;
    if (status === 'done' || !summary.addsUp) {
      const reports = await this.#context.store.reports(batchId);
      const eventSeq = Math.max(0, ...reports.map((report) => report.eventSeq));
      if (status === 'done') await this.add(describeBatchDone(this.scene, news, eventSeq));
      // A changed journal is reported by its halt.
      if (!summary.addsUp && reasonCode !== journalChanged)
        await this.add(describeUnexplained(this.scene, batchId, eventSeq));
    }
    if (status === 'halted') await this.add(describeBatchHalted(this.scene, news, batch.restedAtMs ?? 0));
  }

  /** A batch of registrations has come to rest. */
  async notifyOfRegistrations({ summary, files }: WrittenRegistrationReports): Promise<void> {
    const { status, restedAtMs } = summary.batch;
    const news = { summary, reports: files.map(({ path }) => path) };
    const eventSeq = Math.max(0, ...files.map((report) => report.eventSeq));
    if (status === 'done') await this.add(describeRegistrationsDone(this.scene, news, eventSeq));
    if (status === 'halted') await this.add(describeRegistrationsHalted(this.scene, news, restedAtMs ?? 0));
  }

  /** Logs a failure to make a notice: it changes nothing about what was paid. */
  async #noteFailure(make: () => Promise<void>): Promise<void> {
    try {
      await make();
    } catch (error) {
      this.#context.log('error', 'a notice could not be made', { err: error });
    }
  }

  async notifyOfFile(file: RejectedFile): Promise<void> {
    await this.add(describeFileRejected(this.scene, file));
  }

  /** Keeps the growth of a run's file for `status`, too. */
  async #keepGrown(grown: TakenFile): Promise<void> {
    await this.#context.store.putTakenFile(grown);
    if (grown.growth !== null) await this.notifyOfGrowth(grown, grown.growth);
  }

  /** A file was written to after its rows had been read. */
  async notifyOfGrowth(file: TakenFile, growth: FileGrowth): Promise<void> {
    const { itemId, fileName, batchId, path } = file;
    const { rows, amount, payoutIds } = growth;
    const words = { reason: describeGrowth(file, growth), remedy: remedyOfGrowth(file, growth) };
    const named = { fileKey: `${itemId}:${growth.sha256}`, fileName, batchId };
    const notice = {
      ...named,
      ...words,
      rows,
      amount,
      payoutIds,
      reports: file.untilMs === null ? [] : [path],
    };
    await this.add(describeFileGrown(this.scene, notice));
  }

  /** A file of decisions was dropped, and waits for a maker. */
  async notifyOfDecisions(file: DroppedDecisions): Promise<void> {
    await this.add(describeDecisionsDropped(this.scene, file));
  }

  /** Batches with transfers that have been in doubt for too long. */
  async notifyOfDoubt(): Promise<void> {
    const { store, clock } = this.#context;
    if (!this.isListenedTo) return;
    await this.#keepAll();
    const beforeMs = clock.now() - this.#loaded.settings.notices.inDoubtAfterMs;
    for (const batchId of await store.batchesInDoubtSince(beforeMs)) {
      const batch = await store.batch(batchId);
      if (batch === undefined) continue;
      const [totals, holds] = [await store.totals(batchId), await store.holdTotals(batchId)];
      const summary = summariseBatch(batch, totals, holds, { exceptionsOk: false });
      const reports = (await store.reports(batchId)).map(({ path }) => path);
      const [oldest] = await store.inDoubt(0, 1, batchId);
      const sinceMs = oldest?.attempt.intentAtMs ?? beforeMs;
      await this.add(describeInDoubt(this.scene, { summary, reports }, sinceMs));
    }
  }

  /** Delivers until the stop; the next process delivers the rest. */
  async deliver(stop: AbortSignal): Promise<void> {
    const contexts = [this.#context, this.#unkeptContext];
    this.#isDelivering = true;
    await Promise.all(contexts.map((context) => deliverNotices(context, this.#news, stop)));
    this.#isDelivering = false;
  }

  /** Tries each due notice once. */
  async deliverOnce(stop: AbortSignal): Promise<void> {
    await this.notifyOfDoubt().catch(() => undefined);
    if (!this.isListenedTo) return;
    const contexts = [this.#context, this.#unkeptContext];
    await Promise.all(contexts.map((context) => deliverNoticesOnce(context, deliveryWaitMs, stop)));
    await this.#keepAll();
  }

  /** True when the settings name any channel. */
  get isListenedTo(): boolean {
    return this.#channels.length > 0;
  }

  get scene(): NoticeScene {
    const { store, clock } = this.#context;
    return makeScene(this.#loaded, store.journalId, clock);
  }

  /** The latest notice whose key has this beginning, kept or not. */
  async lastNotice(keyBeginning: string): Promise<Pick<NoticeDraft, 'kind' | 'atMs' | 'body'> | undefined> {
    return this.#unkept.last(keyBeginning) ?? this.#context.store.lastNotice(keyBeginning);
  }

  /** Adds a notice; one that cannot be kept is delivered all the same. */
  async add(notice: NoticeDraft): Promise<void> {
    if (!this.isListenedTo) return;
    this.#unkept.add(notice, this.#channels);
    await this.#keepAll();
    this.#news.notify();
  }

  get #unkeptContext(): NoticeContext {
    return { ...this.#context, store: this.#unkept };
  }

  /**
   * Keeps earlier unkept notices, too: the disk may have been full. While the journal takes too long, a process that
   * delivers sends them from memory.
   */
  async #keepAll(): Promise<void> {
    this.#isKeepingWanted = true;
    this.#keeping ??= this.#keepWhileWanted();
    if (!this.#isDelivering) return this.#keeping;
    if (await endsWithin(this.#context.clock, keptWithinMs, this.#keeping)) return;
    this.#unkept.refuse();
    this.#news.notify();
  }

  async #keepWhileWanted(): Promise<void> {
    while (this.#isKeepingWanted) {
      this.#isKeepingWanted = false;
      await this.#keepOnce();
    }
    this.#keeping = undefined;
  }

  async #keepOnce(): Promise<void> {
    try {
      if ((await this.#unkept.moveInto(this.#context.store)) > 0) this.#news.notify();
    } catch (error) {
      this.#context.log('error', 'notices could not be kept yet: they are sent all the same', { err: error });
    }
  }
}

/**
 * Notices of a watcher without a journal, which a full disk or another program blocks, or of a helper. They are sent from
 * memory; the notifier on the journal takes over the rest.
 */
export class EarlyNotices implements NoticeBoard {
  readonly unkept: UnkeptNotices;
  readonly #loaded: LoadedSettings;
  readonly #context: Omit<NoticeContext, 'store'>;
  readonly #news = new Signal();

  constructor(
    loaded: LoadedSettings,
    context: Omit<NoticeContext, 'store'>,
    unkept: UnkeptNotices = new UnkeptNotices(),
  ) {
    this.#loaded = loaded;
    this.#context = context;
    this.unkept = unkept;
  }

  get isListenedTo(): boolean {
    return this.#context.senders.length > 0;
  }

  /** Scene without the journal's id, which is unknown here: its place stands for it. */
  get scene(): NoticeScene {
    return makeScene(this.#loaded, this.#loaded.dataDir, this.#context.clock);
  }

  async lastNotice(keyBeginning: string): Promise<NoticeDraft | undefined> {
    return this.unkept.last(keyBeginning);
  }

  async add(notice: NoticeDraft): Promise<void> {
    const channels = this.#context.senders.map(({ channel }) => channel);
    this.unkept.add(notice, channels);
    this.unkept.refuse();
    this.#news.notify();
  }

  /** Delivers until the stop. */
  async deliver(stop: AbortSignal): Promise<void> {
    await deliverNotices({ ...this.#context, store: this.unkept }, this.#news, stop);
  }
}

/** @throws SettingsError when the settings ask for a webhook and there is no secret for it */
export async function openNotifier(
  { loaded, journal, log, clock }: Pick<Session, 'loaded' | 'journal' | 'log' | 'clock'>,
  early?: EarlyNotices,
): Promise<Notifier> {
  const context = await makeContext(loaded, log, clock);
  return new Notifier(loaded, { ...context, store: journal }, early?.unkept);
}

/**
 * @param isJournalAway see UnkeptNotices
 * @throws SettingsError as openNotifier does
 */
export async function openEarlyNotices(
  loaded: LoadedSettings,
  log: Session['log'],
  clock: Clock,
  isJournalAway: () => boolean,
): Promise<EarlyNotices> {
  return new EarlyNotices(loaded, await makeContext(loaded, log, clock), new UnkeptNotices(isJournalAway));
}

async function makeContext(loaded: LoadedSettings, log: Session['log'], clock: Clock) {
  const senders = await makeSenders(loaded, log, clock);
  return { senders, clock, log: toLog(log), random: Math.random };
}
