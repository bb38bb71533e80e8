/**
 * Loaded before a program (`node --import`): sets its clock forward or back by the milliseconds that stand in the file
 * PAYDROP_TEST_CLOCK_FILE. The file is read again all the time, so that the clock of a running program can be made to
 * jump. What may be sent again depends on how far midnight is, so every process of a scene lives around noon in Bangkok.
 */
import { readFileSync } from 'node:fs';

const path = process.env['PAYDROP_TEST_CLOCK_FILE'];
const lookMs = 2;

function readOffsetMs(from: string, otherwise: number): number {
  try {
    return Number(readFileSync(from, 'utf8'));
  } catch {
    // The scene is being cleared away.
    return otherwise;
  }
}

if (path !== undefined) {
  const now = Date.now.bind(Date);
  let offsetMs = readOffsetMs(path, 0);
  let readAtMs = performance.now();
  Date.now = () => {
    const atMs = performance.now();
    if (atMs - readAtMs >= lookMs) {
      offsetMs = readOffsetMs(path, offsetMs);
      readAtMs = atMs;
    }
    return now() + offsetMs;
  };
}
