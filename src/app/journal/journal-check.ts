/** Reads the journal through at intervals while a watcher works, to find damage before the work meets it. */
import { startThread } from '../../platform/thread.ts';
import { lockWaitMs, sqliteCodes } from '../../store/connection.ts';
import type { DiskWatch } from '../../watch/context.ts';
import { computeCheckPauseMs, describeDamage } from '../../watch/rules/journal-check.ts';
import { findJournalPlace } from './place.ts';
import { notifyOfRefusal } from '../notices/senders.ts';
import type { Session } from '../session.ts';
import type { WatchStatus } from '../watch-status.ts';

/** Longest wait of the first work for the first check; the check of a big journal goes on alongside the work. */
const firstWaitMs = 2_000;

type Checked = Pick<Session, 'loaded' | 'log' | 'clock'>;

export class JournalCheck {
  readonly #session: Checked;
  readonly #status: Pick<WatchStatus, 'journalDamage'>;
  readonly #disk: Pick<DiskWatch, 'look'>;
  readonly #find: typeof findDamage;
  #underWay: Promise<number> | undefined;

  /** @param find replaced in tests */
  constructor(
    session: Checked,
    status: Pick<WatchStatus, 'journalDamage'>,
    disk: Pick<DiskWatch, 'look'>,
    find: typeof findDamage = findDamage,
  ) {
    this.#session = session;
    this.#status = status;
    this.#disk = disk;
    this.#find = find;
  }

  /** Begins the first check, and waits briefly for it. */
  async begin(): Promise<void> {
    const over = new AbortController();
    this.#underWay = this.#check();
    const ended = this.#underWay.then(
      () => undefined,
      () => undefined,
    );
    await Promise.race([ended, this.#session.clock.sleep(firstWaitMs, over.signal)]);
    over.abort();
  }

  /** Runs one check and the pause after it; a stop waits for neither. */
  async step(stop: AbortSignal): Promise<'done' | undefined> {
    const over = new Promise<number>((resolve) =>
      stop.addEventListener('abort', () => resolve(0), { once: true }),
    );
    const check = this.#underWay ?? this.#check();
    this.#underWay = undefined;
    const tookMs = await Promise.race([check, over]);
    if (this.#status.journalDamage !== undefined) return 'done';
    await this.#session.clock.sleep(computeCheckPauseMs(tookMs), stop);
    return undefined;
  }

  /** @returns its duration in milliseconds */
  async #check(): Promise<number> {
    const { loaded, log, clock } = this.#session;
    const place = findJournalPlace(loaded);
    // PostgreSQL checks each page that it reads, where its cluster has checksums.
    if (place.kind === 'database') return 0;
    const beganMs = performance.now();
    const damage = await this.#find(place.path);
    const tookMs = performance.now() - beganMs;
    log.debug({ tookMs, damage }, 'the journal was read through');
    if (damage === undefined) return tookMs;
    const why = describeDamage(damage);
    this.#status.journalDamage = { sinceMs: clock.now(), why };
    log.error({ why }, 'the journal is damaged: nothing is sent any more');
    await this.#disk.look();
    await notifyOfRefusal(loaded, why, log, clock);
    return tookMs;
  }
}

// ---------------------------------------------------------------- in a thread of its own, so that paying goes on meanwhile

/** The thread's last message. */
type Finding = { readonly found: string } | { readonly code: number | undefined; readonly message: string };

/** Source of the thread: short enough to ship inside this module, wherever the program is bundled. */
const thread = `
const { parentPort, workerData } = require('node:worker_threads');
const { DatabaseSync } = require('node:sqlite');
try {
  const db = new DatabaseSync(workerData.path, { readOnly: true, timeout: workerData.timeout });
  const { quick_check: found } = db.prepare('pragma quick_check(1)').get();
  db.close();
  parentPort.postMessage({ found });
} catch (error) {
  parentPort.postMessage({ code: error.errcode, message: error.message });
}`;

/**
 * Checks whether each page of the file is as SQLite wrote it.
 * @returns the damage found; undefined for a whole file
 * @throws Error when the check cannot be made now @forTests
 */
export async function findDamage(path: string): Promise<string | undefined> {
  const finding = await new Promise<Finding>((resolve, reject) => {
    const worker = startThread(thread, { eval: true, workerData: { path, timeout: lockWaitMs } });
    // A stop does not wait for the thread.
    worker.unref();
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error(`the check of ${path} has ended without a result`)));
  });
  if ('found' in finding) return finding.found === 'ok' ? undefined : finding.found;
  const { code = 0, message } = finding;
  const primary = code & 0xff;
  if (primary === sqliteCodes.corrupt || primary === sqliteCodes.notADatabase) return message;
  throw new Error(`${path} cannot be checked: ${message}`);
}
