import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { type CommandRecord, makeCommand } from '../../src/notify/command.ts';
import { makeNotice, never } from '../support/notices.ts';
import { makeVirtualClock } from '../support/virtual-clock.ts';

const folder = mkdtempSync(join(tmpdir(), 'paydrop-command-'));
afterAll(() => rmSync(folder, { recursive: true }));

const notice = makeNotice({ channel: 'command' });
const path = process.env['PATH'];

function sending(command: readonly string[], env: Record<string, string | undefined> = { PATH: path }) {
  const ended: CommandRecord[] = [];
  const clock = makeVirtualClock();
  return {
    ended,
    clock,
    sender: makeCommand({ command, env, clock, onEnd: (record) => ended.push(record) }),
  };
}

const shell = (script: string, ...more: string[]) => ['/bin/sh', '-c', script, 'sh', ...more];

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** The process that wrote its id into a file, and whether it still runs. */
const isAlive = (file: string): boolean => {
  const pid = Number(readFileSync(file, 'utf8'));
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  // One that has ended may stand in the table until somebody has taken note of it.
  return !existsSync(`/proc/${pid}/stat`) || !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
};

describe('the program', () => {
  test('is given the notice on its standard input', async () => {
    const { sender, ended } = sending(['/bin/cat']);
    expect(await sender.send(notice, never)).toEqual({ ok: true });
    expect(JSON.parse(ended[0]!.output)).toEqual(notice.body);
    expect(ended).toMatchObject([{ kind: 'batch-done', batchId: '4K7Q2M9XWD', why: null }]);
  });

  test('gets its arguments as they are: there is no shell', async () => {
    const { sender, ended } = sending(['/bin/echo', '$HOME', '; exit 1', '*']);
    expect(await sender.send(notice, never)).toEqual({ ok: true });
    expect(ended[0]!.output).toBe('$HOME ; exit 1 *\n');
  });

  test('sees what programs need and nothing else of our environment', async () => {
    const env = {
      PATH: '/usr/bin:/bin',
      HOME: '/nowhere',
      LANG: 'th_TH.UTF-8',
      TZ: 'Asia/Bangkok',
      PAYDROP_CLIENT_SECRET: 'hush-hush',
      PAYDROP_WEBHOOK_SECRET: 'hush-hush',
      NODE_OPTIONS: '--inspect',
      LD_PRELOAD: '',
    };
    const { sender, ended } = sending(['env'], env);
    expect(await sender.send(notice, never)).toEqual({ ok: true });
    expect(ended[0]!.output.trim().split('\n').toSorted()).toEqual([
      'HOME=/nowhere',
      'LANG=th_TH.UTF-8',
      'PATH=/usr/bin:/bin',
      'PAYDROP_BATCH_ID=4K7Q2M9XWD',
      'PAYDROP_EXIT_CODE=3',
      'PAYDROP_NOTICE_KIND=batch-done',
      'TZ=Asia/Bangkok',
    ]);
  });

  test('of a file that is no batch finds an empty batch', async () => {
    const { sender } = sending(shell('test "${PAYDROP_BATCH_ID-unset}" = ""'));
    expect(await sender.send({ ...notice, batchId: null }, never)).toEqual({ ok: true });
  });

  test('need not read its input', async () => {
    const big = { ...notice, body: { ...notice.body, reason: 'x'.repeat(1_000_000) } };
    const { sender } = sending(['/bin/true']);
    expect(await sender.send(big, never)).toEqual({ ok: true });
  });

  test('may say what it likes: some of it is kept', async () => {
    const { sender, ended } = sending(shell('head -c 3000000 /dev/zero; echo trouble >&2'));
    expect(await sender.send(notice, never)).toEqual({ ok: true });
    expect(ended[0]!.output).toHaveLength(4_096);
  });
});

describe('a failure', () => {
  const plain = join(folder, 'plain.txt');
  writeFileSync(plain, 'no program');
  const orphan = join(folder, 'orphan.sh');
  writeFileSync(orphan, '#!/no/such/interpreter\n');
  chmodSync(orphan, 0o700);

  test.each([
    ['an exit code', shell('exit 7'), 'notices.command ended with exit code 7'],
    ['a signal', shell('kill -TERM $$'), 'notices.command was ended by SIGTERM'],
    [
      'no such program',
      [join(folder, 'gone')],
      `notices.command ${join(folder, 'gone')} cannot be started (ENOENT): there is no such program`,
    ],
    [
      'none in PATH',
      ['paydrop-no-such-program'],
      'paydrop-no-such-program cannot be started (ENOENT): there is',
    ],
    ['no such interpreter', [orphan], 'cannot be started (ENOENT): there is no such program, or it names an'],
    ['no program', [plain], 'cannot be started (EACCES): it may not be executed'],
    [
      'an impossible argument',
      ['/bin/echo', 'a\0b'],
      'cannot be started (ERR_INVALID_ARG_VALUE): try it by hand',
    ],
  ])('%s', async (_name, command, why) => {
    const { sender, ended, clock } = sending(command);
    expect(await sender.send(notice, never)).toEqual({ ok: false, why: expect.stringContaining(why) });
    expect(ended).toMatchObject([{ why: expect.stringContaining(why) }]);
    expect(clock.sleepers).toBe(0);
  });
});

describe('a program that does not end', () => {
  const script = 'sleep 60 & echo $! > "$1.part"; mv "$1.part" "$1"; wait';

  test('is killed after a minute, with everything it has started', async () => {
    const file = join(folder, 'child-1');
    const { sender, clock } = sending(shell(script, file));
    const sent = sender.send(notice, never);
    await until(() => existsSync(file));
    await clock.advance(59_999);
    expect(isAlive(file)).toBe(true);
    await clock.advance(1);
    expect(await sent).toEqual({
      ok: false,
      why: 'notices.command was killed: it may take 60 s and no longer',
    });
    await until(() => !isAlive(file));
  });

  test('is killed when it is stopped', async () => {
    const file = join(folder, 'child-2');
    const stop = new AbortController();
    const { sender, clock } = sending(shell(script, file));
    const sent = sender.send(notice, stop.signal);
    await until(() => existsSync(file));
    stop.abort();
    expect(await sent).toEqual({ ok: false, why: 'interrupted' });
    await until(() => !isAlive(file));
    expect(clock.sleepers).toBe(0);
  });

  test('is never begun after the stop', async () => {
    const { sender, ended } = sending(['/bin/true']);
    expect(await sender.send(notice, AbortSignal.abort())).toEqual({ ok: false, why: 'interrupted' });
    expect(ended).toEqual([]);
  });

  test('counts by its own exit code when only what it left behind goes on', async () => {
    const file = join(folder, 'child-3');
    const { sender, clock } = sending(
      // What is left behind tells of itself only when the program has ended.
      shell(
        `sh -c 'while kill -0 "$2" 2>/dev/null; do sleep 0.02; done
          echo $$ > "$1.part"; mv "$1.part" "$1"; exec sleep 60' _ "$1" $$ & exit 0`,
        file,
      ),
    );
    const sent = sender.send(notice, never);
    await until(() => existsSync(file));
    await clock.advance(60_000);
    expect(await sent).toEqual({ ok: true });
    await until(() => !isAlive(file));
  });
});
