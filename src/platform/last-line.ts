/**
 * The last line of a terminal, which shows progress. It is cleared before anything else is written, and progress is
 * drawn again below. The log and the screen share it, since both write to the same terminal.
 */
let clearHeld: (() => void) | undefined;

/** Calls `clear` before anything else is written, until disposed of. */
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

/** Sets the function that returns the width of the screen. */
export const setColumns = (read: typeof readColumns): void => void (readColumns = read);

/** Columns of the terminal; undefined without one. */
export const countColumns = (): number | undefined => readColumns();
