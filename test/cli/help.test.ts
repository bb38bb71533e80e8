import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runNode, runPaydrop } from './run-paydrop.ts';

const projectRoot = join(import.meta.dirname, '../..');
const commands = [
  'run',
  'watch',
  'check',
  'status',
  'show',
  'settle',
  'resume',
  'cancel',
  'retry',
  'reconcile',
  'backup',
  'sandbox',
  'config',
  'init',
  'adopt',
  'restore',
];

test('--help lists every command', async () => {
  const { code, stdout, stderr } = await runPaydrop(['--help']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  for (const command of commands)
    expect(stdout).toMatch(new RegExp(`^  paydrop ${command}\\b.* {2}\\w`, 'm'));
  expect(stdout).toContain('README.md');
});

test.each(commands)(
  '%s --help shows its examples, its exit codes and the options that all commands have',
  async (command) => {
    const { code, stdout } = await runPaydrop([command, '--help']);
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`Examples:\\n  paydrop ${command}`));
    expect(stdout).toMatch(/\n\nExit codes:\n  0  \w/);
    for (const option of ['--config', '--data-dir', '--json', '--log-level'])
      expect(stdout).toContain(option);
  },
);

test.each(['--version', '-v'])('%s is the one of package.json', async (option) => {
  const manifest = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8'));
  expect(await runPaydrop([option])).toEqual({ code: 0, stdout: `${manifest.version}\n`, stderr: '' });
});

test('-h is --help', async () => {
  expect(await runPaydrop(['status', '-h'])).toEqual(await runPaydrop(['status', '--help']));
});

test('completion prints a script that asks for the commands and their options', async () => {
  const { code, stdout } = await runPaydrop(['completion']);
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('complete -o bashdefault') });
  const asked = await runPaydrop(['--get-yargs-completions', 'paydrop', 'run', '--']);
  expect(asked.stdout.split('\n')).toEqual(expect.arrayContaining(['--wait', '--exceptions-ok', '--config']));
});

describe('wrong usage ends with 2, one line on stderr and nothing on stdout', () => {
  test.each([
    [[], /^paydrop: name a command/],
    [['pay'], /^paydrop: unknown command: did you mean \w+\?/],
    [['frobnicate'], /^paydrop: Unknown argument: frobnicate/],
    [['config', '--confg', 'a'], /^paydrop: unknown option --confg: did you mean --config\?/],
    [['config', '--log-level', 'loud'], /^paydrop: --log-level takes one of silent, .*, not "loud"/],
    [['config', '--config'], /^paydrop: --config is empty: give it a value or leave it out/],
    [['config', '--config='], /^paydrop: --config is empty/],
    [['config', 'surplus'], /^paydrop: Unknown argument: surplus/],
    [['run'], /^paydrop: FILE is missing/],
    [['run', 'a.csv', '--wait', 'long'], /^paydrop: --wait takes a number/],
    [['run', '-'], /^paydrop: -: standard input is not read/],
    [
      ['run', 'a.csv', '/dev/stdin'],
      /^paydrop: \/dev\/stdin: standard input is not read.*save it under a name/,
    ],
    [['check', '/dev/fd/63'], /^paydrop: \/dev\/fd\/63: standard input is not read/],
  ])('%j', async (args, message) => {
    const { code, stdout, stderr } = await runPaydrop(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(message);
    expect(stderr.split('\n')).toHaveLength(2);
  });
});

describe('a failure', () => {
  const report = (thrown: string) =>
    runNode([
      '--input-type=module',
      '--eval',
      `import { reportFailure } from '${join(projectRoot, 'src/cli/report-failure.ts')}';
       process.exitCode = await reportFailure(${thrown});`,
    ]);

  test('that is a bug ends with 1, its stack and causes in the log, numbers masked', async () => {
    const { code, stdout, stderr } = await report(
      `new Error('no row for 0812345678', { cause: new Error('underneath') })`,
    );
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    const [logged = '', told] = stderr.split('\n');
    expect(JSON.parse(logged)).toMatchObject({
      level: 'error',
      msg: 'internal error',
      err: {
        message: 'no row for ******5678',
        stack: expect.stringContaining(' at '),
        cause: { message: 'underneath' },
      },
    });
    expect(told).toMatch(/^paydrop: internal error/);
    expect(stderr).not.toContain('0812345678');
  });

  test('that throws no error at all is reported too', async () => {
    expect(await report(`'just text'`)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('just text'),
    });
  });

  test.each([
    ['SettingsError', 2],
    ['JournalRefusedError', 2],
    ['BankAddressError', 2],
    ['SandboxError', 2],
    ['SenderBusyError', 6],
    ['JournalWriteError', 1],
    ['OutputFileError', 1],
  ])('%s ends with %d and its message alone', async (name, code) => {
    const thrown = `Object.assign(new Error('do this instead'), { name: '${name}' })`;
    expect(await report(thrown)).toEqual({ code, stdout: '', stderr: 'paydrop: do this instead\n' });
  });
});

test('a reader that leaves early is no failure', () => {
  const script = `set -o pipefail; "$0" src/main.ts --help | true; echo "code \${PIPESTATUS[0]}"`;
  const output = execFileSync('bash', ['-c', `${script} 2>&1`, process.execPath], { cwd: projectRoot });
  expect(output.toString()).toBe('code 0\n');
});
