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
