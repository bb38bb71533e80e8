/** Passwords that are typed: what is typed is not shown. Where no terminal is, each is a line of standard input. */
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { SettingsError } from '../settings/secrets.ts';
import { say } from './output.ts';

export interface SecretPrompt extends Disposable {
  /** @throws SettingsError when there is nothing to read */
  ask(question: string): Promise<string>;
}

/** One for all questions of a command: lines that come together are all read. */
export function openSecretPrompt(): SecretPrompt {
  const { stdin } = process;
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = stdin.isTTY;
  const reader = createInterface({ input: stdin, output: nowhere, terminal, historySize: 0 });
  // A terminal that hands out each key does not end the process itself.
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
