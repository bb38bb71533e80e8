/** Reads a journal through in a thread of its own, so that paying goes on meanwhile. */
import { Worker } from 'node:worker_threads';
import { lockWaitMs, sqliteCodes } from './connection.ts';

/** What the thread says in the end. */
type Finding = { readonly found: string } | { readonly code: number | undefined; readonly message: string };

/** So short that it comes with this module, wherever the program is put together. */
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

/** SQLite does the work: what the thread itself needs of memory is small, and stays so. */
const resourceLimits = { maxYoungGenerationSizeMb: 2 };

/**
 * Looks whether each page of the file is what SQLite wrote.
 * @returns what is damaged; undefined for a whole file
 * @throws Error when that cannot be found out now
 */
export async function findDamage(path: string): Promise<string | undefined> {
  const finding = await new Promise<Finding>((resolve, reject) => {
    const worker = new Worker(thread, {
      eval: true,
      workerData: { path, timeout: lockWaitMs },
      resourceLimits,
    });
    // Nobody who stops waits for it.
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
