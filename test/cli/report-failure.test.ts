import { describe, expect, test, vi } from 'vitest';
import { forgetExitCode, noteExitCode, notedExitCode } from '../../src/cli/exit-codes.ts';
import { recordOnStderr, say } from '../../src/cli/output.ts';
import { noteDoubt, reportFailure } from '../../src/cli/report-failure.ts';

function named(name: string, message: string): Error {
  return Object.assign(new Error(message), { name });
}

async function report(thrown: unknown): Promise<{ code: number; said: string }> {
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const code = await reportFailure(thrown);
  return { code, said: write.mock.calls.map(([text]) => String(text)).join('') };
}

const full = named('JournalWriteError', 'the journal cannot be written: the disk is full');

test.each([
  ['nothing', false, false],
  ['messages', true, false],
  ['failures, too', true, true],
] as const)('where stderr is no terminal, %s is a line of JSON', async (what, isMessage, isFailure) => {
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  recordOnStderr(what);
  try {
    say('Stopping "now".', 'warn');
    await reportFailure(full);
  } finally {
    recordOnStderr('nothing');
  }
  const [message, failure] = write.mock.calls.map(([text]) => String(text));
  const record = (level: string, msg: string): string =>
    JSON.stringify({ level, time: '', pid: process.pid, msg });
  const withoutTime = (line = ''): string => line.replace(/"time":"[^"]*"/, '"time":""');
  expect(withoutTime(message)).toBe(`${isMessage ? record('warn', 'Stopping "now".') : 'Stopping "now".'}\n`);
  const words = `paydrop: ${full.message}`;
  expect(withoutTime(failure)).toBe(`${isFailure ? record('error', words) : words}\n`);
});

describe('what a user reads of a failure', () => {
  test.each([
    ['as it is', full],
    ['when closing fails as well', new SuppressedError(new Error('cannot close'), full)],
    [
      'when closing fails twice',
      new SuppressedError(new Error('late'), new SuppressedError(new Error('early'), full)),
    ],
  ])('is what broke first: %s', async (_when, thrown) => {
    expect(await report(thrown)).toEqual({ code: 1, said: `paydrop: ${full.message}\n` });
  });

  test.each([
    ['TotalsGapError', 1, 'Running it again will not help: make a copy with "paydrop backup"'],
    ['ClearLineError', 1, 'Running it again will not help: make a copy with "paydrop backup"'],
    ['ChangedMeanwhile', 6, 'run it again when less is under way'],
  ])('of %s is what to do about it', async (name, code, cure) => {
    const { code: exit, said } = await report(named(name, 'it does not tie out'));
    expect({ exit, said }).toEqual({ exit: code, said: expect.stringContaining(cure) });
    expect(said).toMatch(/^paydrop: it does not tie out\. /);
  });

  test.each([11, 26])('of a damaged journal (%i) is the command that puts a backup back', async (errcode) => {
    const { said } = await report(Object.assign(new Error('read failed'), { errcode }));
    expect(said).toContain(
      'put the newest backup in their place with "paydrop restore FILE --since YYYY-MM-DD"',
    );
  });

  test.each([
    ['a damaged page', { errcode: 11 }, 'the journal is damaged'],
    ['a damaged page of an index', { errcode: 779 }, 'the journal is damaged'],
    ['what is no journal any more', { errcode: 26 }, 'the journal is damaged'],
    [
      'a disk that fails under the journal',
      { errcode: 266 },
      'the disk reports an error where the journal is read',
    ],
    ['a disk that fails', { code: 'EIO' }, 'the disk reports an error (EIO)'],
    ['too many open files', { code: 'EMFILE' }, 'too many files are open'],
  ])('of %s is no internal error', async (_name, facts, said) => {
    const cause = Object.assign(new Error('read failed'), facts);
    for (const thrown of [cause, new Error('cannot read', { cause })]) {
      const told = await report(thrown);
      expect(told).toEqual({ code: 1, said: expect.stringContaining(`paydrop: ${said}`) });
      expect(told.said).not.toContain('internal error');
    }
  });
});

describe('what was noted before something broke', () => {
  type Case = readonly [when: string, count: () => Promise<number>, code: number, words: string];
  test.each<Case>([
    ['some is in doubt', async () => 2, 4, 'In doubt: 2. Ask.\n'],
    ['none is', async () => 0, 0, ''],
    ['nobody can tell', () => Promise.reject(new Error('EIO')), 4, 'The journal cannot be read. Ask.\n'],
  ])('when %s', async (_when, count, code, words) => {
    forgetExitCode();
    const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    await noteDoubt(count, 'Ask.');
    expect([notedExitCode(), write.mock.calls.map(([text]) => String(text)).join('')]).toEqual([code, words]);
    forgetExitCode();
  });

  test.each([
    [[0, 3], 3],
    [[3, 1], 1],
    [[1, 3], 1],
    [[4, 1], 4],
    [[1, 4], 4],
    [[1, 5, 3], 5],
    [[4, 6, 5, 1], 6],
    [[2, 3], 2],
  ] as const)('of %j the weightiest is %i', (codes, expected) => {
    forgetExitCode();
    for (const code of codes) noteExitCode(code);
    expect(notedExitCode()).toBe(expected);
    forgetExitCode();
  });
});
