/** Signals that ask the process to end. */
import { clearEcho } from './output.ts';

interface Interrupt extends Disposable {
  /** Aborted at the first signal: what is in flight is finished and recorded. */
  readonly signal: AbortSignal;
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Listens for SIGINT, SIGTERM and SIGHUP. A second signal ends the process at once, which loses nothing either:
 * transfers in flight are then in doubt, and the next run inquires about them.
 */
export function listenForInterrupt(onFirst: () => void): Interrupt {
  const controller = new AbortController();
  const onSignal = (name: NodeJS.Signals): void => {
    if (controller.signal.aborted) {
      process.removeAllListeners(name);
      process.kill(process.pid, name);
      return;
    }
    controller.abort();
    clearEcho();
    onFirst();
  };
  for (const name of signals) process.on(name, onSignal);
  return {
    signal: controller.signal,
    [Symbol.dispose]: () => {
      for (const name of signals) process.off(name, onSignal);
    },
  };
}
