/** The bank's own time: it can be set apart from the machine's. */
export interface BankClock {
  /** Epoch milliseconds. */
  now(): number;
  /** Sets the clock forward, or back when negative. */
  advance(ms: number): void;
  /** The `Date` header of an answer. */
  dateHeader(): string;
}

/** Makes the clock from a source of epoch milliseconds. */
export function createBankClock(source: () => number): BankClock {
  let offsetMs = 0;
  let second = NaN;
  let header = '';
  const now = (): number => source() + offsetMs;
  return {
    now,
    advance(ms) {
      offsetMs += ms;
    },
    dateHeader() {
      const current = Math.floor(now() / 1_000);
      if (current !== second) {
        second = current;
        header = new Date(current * 1_000).toUTCString();
      }
      return header;
    },
  };
}
