/** A script: takes the right to send, says so, and keeps it until it is killed. */
import { systemClock } from '../../src/platform/clock.ts';
import { acquireSenderLock } from '../../src/app/sender-lock.ts';

const [dataDir = ''] = process.argv.slice(2);
const lock = await acquireSenderLock(dataDir, 'run payouts.csv', { ...systemClock, now: () => 1_000 });
console.log('heldBy' in lock ? 'refused' : 'held');
setInterval(() => lock, 60_000);
