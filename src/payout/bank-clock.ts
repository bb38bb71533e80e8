/** The bank's clock beside ours: a repetition needs the same day by both, and a wrong clock raises an alarm. */
import { message } from '../core/message.ts';
import type { Clock } from '../core/ports.ts';
import { type ClockAlarm, type ClockReading, decideClockAlarm } from './rules/clock-skew.ts';

/** The bank's time from its latest `Date` header, advanced by a clock that cannot be set. */
export class BankClock {
  #latest: { readonly bankDateMs: number; readonly atElapsedMs: number } | undefined;
  #offsetMs: number | undefined;
  #toldOffsetMs = 0;
  #isUntold = false;
  #trouble: ClockAlarm | undefined;
  #jump: ClockAlarm | undefined;
  readonly #clock: Clock;
  readonly #onAlarm: (alarm: ClockAlarm) => void;

  /** @param onAlarm called when the clocks differ too much or one has jumped; not again until that changes */
  constructor(clock: Clock, onAlarm: (alarm: ClockAlarm) => void = () => {}) {
    this.#clock = clock;
    this.#onAlarm = onAlarm;
  }

  /** The present clock alarm; undefined while the clocks agree, and before the bank's time is known. */
  get trouble(): ClockAlarm | undefined {
    return this.#trouble;
  }

  /** The bank's time minus ours, in ms, as of the latest reply. */
  get offsetMs(): number | undefined {
    return this.#offsetMs;
  }

  /** Returns the latest jump, once. */
  takeJump(): ClockAlarm | undefined {
    const jump = this.#jump;
    this.#jump = undefined;
    return jump;
  }

  /** Records a fresh `Date` header, in epoch milliseconds. */
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

  /** Records the `Date` header of a reply. A missing header is reported once, as long as none was ever received. */
  hear(bankDateMs: number | undefined): void {
    if (bankDateMs !== undefined) this.see({ bankDateMs });
    else if (this.#offsetMs === undefined && !this.#isUntold) {
      this.#isUntold = true;
      this.#raise({ kind: 'untold', text: message('clock.untold') });
    }
  }

  #raise(alarm: ClockAlarm): void {
    if (alarm.kind === 'jumped') this.#jump = alarm;
    else this.#trouble = alarm.kind === 'agrees' ? undefined : alarm;
    this.#onAlarm(alarm);
  }

  /** Reads both clocks. */
  read(): ClockReading {
    const nowMs = this.#clock.now();
    if (this.#latest === undefined) return { nowMs, bankNowMs: undefined };
    const { bankDateMs, atElapsedMs } = this.#latest;
    const sinceMs = Math.round(this.#clock.elapsedMs() - atElapsedMs);
    return { nowMs, bankNowMs: bankDateMs + sinceMs };
  }
}
