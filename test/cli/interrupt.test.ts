/** What Ctrl-C shows on a terminal, which has just written "^C" where the cursor stood. */
import { afterEach, expect, test, vi } from 'vitest';
import { listenForInterrupt } from '../../src/cli/interrupt.ts';
import { say } from '../../src/cli/output.ts';

const { isTTY } = process.stderr;

function listen(isTerminal: boolean): () => string {
  process.stderr.isTTY = isTerminal;
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  return () => write.mock.calls.map(([text]) => String(text)).join('');
}

afterEach(() => {
  process.stderr.isTTY = isTTY;
  vi.restoreAllMocks();
});

test.each([
  [true, '\r\u001B[2Kstopping: what is in flight is finished first\n'],
  [false, 'stopping: what is in flight is finished first\n'],
])('the message of an interrupt stands on a line of its own (terminal: %s)', (isTerminal, shown) => {
  const text = listen(isTerminal);
  using interrupt = listenForInterrupt(() => say('stopping: what is in flight is finished first'));
  expect(interrupt.signal.aborted).toBe(false);
  process.emit('SIGINT');
  expect(interrupt.signal.aborted).toBe(true);
  expect(text()).toBe(shown);
});
