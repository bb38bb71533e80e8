/** The clocks of a scene: paydrop's machine and the bank, each set by a file that its programs keep reading. */
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Whose clock. */
type ClockOwner = 'paydrop' | 'bank';

export interface SceneClocks {
  /** The file that a program of this owner reads. */
  pathOf(owner: ClockOwner): string;
  /** Time passes for everybody, as for a machine that was suspended. */
  pass(ms: number): void;
  /** Sets paydrop's own clock wrong by so much, fast when positive; 0 sets it right again. */
  setWrong(ms: number): void;
  /** What both clocks show, if none is wrong; epoch milliseconds. */
  readMs(): number;
  /** How much time has passed beyond the real. */
  readonly passedMs: number;
}

const noonInBangkokUtcHours = 5;

/** Longer than a program goes on by the offset that it has read (noon-clock.ts): its next look is at the new one. */
const settlesMs = 5;
const settle = (): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, settlesMs);

/** What brings the clock to noon in Bangkok, today. */
function computeNoonOffsetMs(nowMs: number): number {
  const noon = new Date(nowMs);
  noon.setUTCHours(noonInBangkokUtcHours, 0, 0, 0);
  return noon.getTime() - nowMs;
}

/** Makes the clocks of a scene, at noon in Bangkok. */
export function makeClocks(folder: string): SceneClocks {
  const noonMs = computeNoonOffsetMs(Date.now());
  let passedMs = 0;
  let wrongMs = 0;
  const pathOf = (owner: ClockOwner): string => join(folder, `clock-of-${owner}`);
  const set = (owner: ClockOwner, offsetMs: number): void => {
    // A reader meets the old offset or the new one, never half of one.
    writeFileSync(`${pathOf(owner)}.new`, String(offsetMs));
    renameSync(`${pathOf(owner)}.new`, pathOf(owner));
  };
  const setBoth = (): void => {
    set('bank', noonMs + passedMs);
    set('paydrop', noonMs + passedMs + wrongMs);
  };
  setBoth();
  return {
    pathOf,
    pass: (ms) => {
      passedMs += ms;
      setBoth();
      settle();
    },
    setWrong: (ms) => {
      wrongMs = ms;
      setBoth();
      settle();
    },
    readMs: () => Date.now() + noonMs + passedMs,
    get passedMs() {
      return passedMs;
    },
  };
}
