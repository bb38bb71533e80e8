/** Takes the right to send, then ends at once: `node end-now.ts DATA_DIR [FIFO]`, waiting for a file that never answers. */
import { readFile } from 'node:fs/promises';
import { endNow } from '../../src/app/watch.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { makeLogger } from '../../src/platform/log.ts';
import { acquireSenderLock } from '../../src/app/sender-lock.ts';

const [dataDir = '', hung] = process.argv.slice(2);
const lock = await acquireSenderLock(dataDir, 'watch');
if ('heldBy' in lock) throw new Error('nobody else can have it');
if (hung !== undefined) void readFile(hung);
await endNow(makeLogger('info'), systemClock, () => lock[Symbol.dispose]());
