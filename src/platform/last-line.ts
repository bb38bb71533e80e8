/**
 * The last line of a terminal, where progress stands: whoever writes anything else has it cleared first, and progress
 * is drawn again below. The log and the screen share it, since both end on the same terminal.
 */
let clearHeld: (() => void) | undefined;

/** From now on `clear` is called before anything else is written, until it is disposed of. */
export function holdLastLine(clear: () => void): Disposable {
  clearHeld = clear;
  return {
    [Symbol.dispose]: () => {
      if (clearHeld === clear) clearHeld = undefined;
    },
  };
}

export const clearLastLine = (): void => clearHeld?.();

let readColumns = (): number | undefined => undefined;

/** Whoever owns the screen says how wide it is. */
export const setColumns = (read: typeof readColumns): void => void (readColumns = read);

/** Columns of the terminal; undefined where there is none. */
export const countColumns = (): number | undefined => readColumns();
