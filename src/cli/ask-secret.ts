/** Passwords typed without an echo. Without a terminal, each is a line of standard input. */
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { SettingsError } from '../settings/secrets.ts';
import { say } from './output.ts';

interface SecretPrompt extends Disposable {
  /** @throws SettingsError when there is nothing to read */
  ask(question: string): Promise<string>;
}

/** One prompt for all questions of a command, so that lines that arrive together are all read. */
export function openSecretPrompt(): SecretPrompt {
  const { stdin } = process;
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = stdin.isTTY;
  const reader = createInterface({ input: stdin, output: nowhere, terminal, historySize: 0 });
  // In raw mode the terminal does not end the process at Ctrl-C.
  reader.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  const lines = reader[Symbol.asyncIterator]();
  return {
    async ask(question) {
      if (terminal) say(`${question} (what you type is not shown):`);
      const { value, done } = await lines.next();
      if (done !== true) return value;
      throw new SettingsError(`${question}: nothing was given on standard input`);
    },
    [Symbol.dispose]: () => reader.close(),
  };
}
