/** The bank's time beside our own: what is sent again must be of today by both, and a wrong clock is an alarm. */
import type { Clock } from '../core/ports.ts';
import { type ClockAlarm, type ClockReading, decideClockAlarm } from './rules/clock-skew.ts';

/** The bank's time as its latest `Date` header told it, carried on by a clock of ours that nobody sets. */
export class BankClock {
  #latest: { readonly bankDateMs: number; readonly atElapsedMs: number } | undefined;
  #offsetMs: number | undefined;
  #toldOffsetMs = 0;
  #isUntold = false;
  #trouble: ClockAlarm | undefined;
  #jump: ClockAlarm | undefined;
  readonly #clock: Clock;
  readonly #onAlarm: (alarm: ClockAlarm) => void;

  /** @param onAlarm told when the two differ too much, or one of them has jumped; not again until that changes */
  constructor(clock: Clock, onAlarm: (alarm: ClockAlarm) => void = () => {}) {
    this.#clock = clock;
    this.#onAlarm = onAlarm;
  }

  /** What is amiss with the two now; undefined while they agree, and before anything is known. */
  get trouble(): ClockAlarm | undefined {
    return this.#trouble;
  }

  /** The bank's time less ours, as the latest reply told it. */
  get offsetMs(): number | undefined {
    return this.#offsetMs;
  }

  /** The latest jump, handed out once. */
  takeJump(): ClockAlarm | undefined {
    const jump = this.#jump;
    this.#jump = undefined;
    return jump;
  }

  /** Takes note of the `Date` header of a reply that tells the time of now, in epoch milliseconds. */
  see({ bankDateMs }: { readonly bankDateMs: number | undefined }): void {
    if (bankDateMs === undefined) return;
    this.#latest = { bankDateMs, atElapsedMs: this.#clock.elapsedMs() };
    const offsetMs = bankDateMs - this.#clock.now();
    const alarm = decideClockAlarm(this.#offsetMs, offsetMs, this.#toldOffsetMs);
    this.#offsetMs = offsetMs;
    if (this.#trouble?.kind === 'untold') this.#trouble = undefined;
    if (alarm === undefined) return;
    this.#toldOffsetMs = offsetMs;
    this.#raise(alarm);
  }

  /** The `Date` header of a reply as it came in; that there is none is said once, as long as none ever came. */
  hear(bankDateMs: number | undefined): void {
    if (bankDateMs !== undefined) this.see({ bankDateMs });
    else if (this.#offsetMs === undefined && !this.#isUntold) {
      this.#isUntold = true;
      const text =
        "the bank's replies bear no Date header: whether its day is ours cannot be told, and nothing is sent again";
      this.#raise({ kind: 'untold', text });
    }
  }

  #raise(alarm: ClockAlarm): void {
    if (alarm.kind === 'jumped') this.#jump = alarm;
    else this.#trouble = alarm.kind === 'agrees' ? undefined : alarm;
    this.#onAlarm(alarm);
  }

  /** Both clocks, now. */
  read(): ClockReading {
    const nowMs = this.#clock.now();
    if (this.#latest === undefined) return { nowMs, bankNowMs: undefined };
    const { bankDateMs, atElapsedMs } = this.#latest;
    const sinceMs = Math.round(this.#clock.elapsedMs() - atElapsedMs);
    return { nowMs, bankNowMs: bankDateMs + sinceMs };
  }
}
