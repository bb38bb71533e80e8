/**
 * Loaded before a program (`node --import`): sets its clock forward or back by the milliseconds that stand in the file
 * PAYDROP_TEST_CLOCK_FILE. The file is read again all the time, so that the clock of a running program can be made to
 * jump. What may be sent again depends on how far midnight is, so every process of a scene lives around noon in Bangkok.
 * The variable is looked at again, too: a program that serves one scene after the other has the clock of each.
 */
import { readFileSync } from 'node:fs';

const lookMs = 2;

function readOffsetMs(otherwise: number): number {
  const path = process.env['PAYDROP_TEST_CLOCK_FILE'];
  if (path === undefined) return 0;
  try {
    return Number(readFileSync(path, 'utf8'));
  } catch {
    // The scene is being cleared away.
    return otherwise;
  }
}

const now = Date.now.bind(Date);
let offsetMs = readOffsetMs(0);
let readAtMs = performance.now();
Date.now = () => {
  const atMs = performance.now();
  if (atMs - readAtMs >= lookMs) {
    offsetMs = readOffsetMs(offsetMs);
    readAtMs = atMs;
  }
  return now() + offsetMs;
};
