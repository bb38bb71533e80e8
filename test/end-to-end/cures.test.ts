/** Commands that status, show, run and refusals print are typed, and help. */
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { header } from '../support/rehearsal.ts';
import { tamper } from '../support/store-fixtures.ts';
import { dayOf, showDay } from './as-bank.ts';
import { findReports, openScene, type Scene, until } from './harness.ts';
import { addPeople } from './scene-people.ts';

const dayMs = 86_400_000;
const rows = (ids: readonly string[]): string =>
  ids.map((id, place) => `${id},MSISDN,081234567${place},,1${place}.00,R-${id},\n`).join('');

interface Next {
  readonly command: string;
  readonly why: string;
}

interface Told {
  readonly status: string;
  readonly reasonCode: string | null;
  readonly remedy: string;
  readonly next: readonly Next[];
  readonly batchId: string;
}

async function show(scene: Scene, id: string): Promise<Told> {
  const { stdout } = await scene.run('show', id, '--json');
  const [told] = JSON.parse(stdout) as Told[];
  if (told === undefined) throw new Error(stdout);
  return told;
}

/** Types a command as a shell reads it, with what is in capitals filled in. */
async function type(scene: Scene, command: string): ReturnType<Scene['run']> {
  const script = `paydrop() { printf '%s\\0' "$@"; }; ${command}`;
  const words = execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1);
  // The scene names its settings itself.
  const own = words.filter((word, place) => word !== '--config' && words[place - 1] !== '--config');
  return scene.run(...own.map((word) => (/^(WHERE|WHY)$/.test(word) ? 'case 4711' : word)));
}

const commandOf = ({ next }: Told, verb: string): string =>
  next.find(({ command }) => command.startsWith(`paydrop ${verb}`))?.command ?? `no command for ${verb}`;

test('what another journal has sent is settled by the statement, which is what every screen says', async () => {
  await using scene = await openScene();
  const file = await scene.addFile('a.csv', `${header}\n${rows(['A1', 'A2'])}`);
  expect(await scene.run('run', file)).toEndWith(0);
  const day = showDay(dayOf(scene));
  for (const side of ['', '-wal', '-shm'])
    await rm(join(scene.dataDir, `journal.db${side}`), { force: true });
  for (const path of await findReports(scene.outbox, /^[^.]/)) await rename(path, `${path}.old`);
  const found = await scene.run('run', file, '--journal-lost', '--since', day);
  expect(found).toEndWith(4);
  const told = await show(scene, 'A1');
  expect(told).toMatchObject({ status: 'unresolved', reasonCode: 'found-after-loss' });
  const status = await scene.run('status');
  const shown = await scene.run('show', 'A1');
  for (const { stdout } of [found, status, shown]) {
    expect(stdout).toContain(`paydrop reconcile --date ${day}`);
    expect(stdout).not.toContain('paydrop settle');
  }
  expect(shown.stdout).not.toContain('[object Object]');
  scene.clocks.pass(dayMs);
  expect(await type(scene, commandOf(told, 'reconcile'))).toEndWith(0);
  expect(await show(scene, 'A1')).toMatchObject({ status: 'paid' });
  expect(await scene.run('run', file)).toEndWith(0);
});

test('what the bank has told by phone is recorded by two people, as remedy and show say', async () => {
  await using scene = await openScene({
    sandbox: { behaviours: [{ match: {}, money: 'stuck' }] },
    settle: { giveUpAfterMs: 1_000 },
  });
  const file = await scene.addFile('a.csv', `${header}\n${rows(['A1'])}`);
  expect(await scene.run('run', file, '--wait', '10')).toEndWith(4);
  const told = await show(scene, 'A1');
  expect(told).toMatchObject({ status: 'unresolved', remedy: expect.stringContaining('"paydrop confirm"') });
  const become = await addPeople(scene);
  await become('mali');
  const proposed = await type(scene, commandOf(told, 'confirm --paid'));
  expect(proposed).toEndWith(0);
  const number = /"paydrop approve (\d+)"/.exec(proposed.stdout)?.[1] ?? '';
  await become('nok');
  expect(await scene.run('approve', number)).toEndWith(0);
  expect(await show(scene, 'A1')).toMatchObject({ status: 'paid', reasonCode: 'confirmed-paid' });
});

test('what bears an alarm is tried again once that has ended, as remedy, show and the refusal say', async () => {
  await using scene = await openScene({
    sandbox: { behaviours: [{ match: {}, money: 'untouched', code: 'EV042', times: 1 }] },
  });
  const file = await scene.addFile('a.csv', `${header}\n${rows(['A1'])}`);
  expect(await scene.run('run', file)).toEndWith(3);
  tamper(join(scene.dataDir, 'journal.db'), 'update payout set is_alarm = 1');
  const told = await show(scene, 'A1');
  expect(told).toMatchObject({ status: 'failed', remedy: expect.stringContaining('"paydrop ack"') });
  const refused = await scene.run('retry', 'A1');
  expect(refused).toEndWith(2);
  expect(refused.stdout).toContain('"paydrop ack A1" with --note ends the alarm');
  const become = await addPeople(scene);
  await become('mali');
  expect(await type(scene, commandOf(told, 'ack'))).toEndWith(0);
  const cleared = await show(scene, 'A1');
  expect(cleared.next).toMatchObject([{ command: `paydrop retry A1 --config ${scene.configPath}` }]);
});

test('an outage and a halt stand above everything that status shows', async () => {
  await using scene = await openScene({
    sandbox: { behaviours: [{ match: {}, money: 'untouched', code: 'EM053' }] },
  });
  expect((await scene.run('status')).stdout).not.toContain('NOT SENDING');
  const file = await scene.addFile('a.csv', `${header}\n${rows(['A1', 'A2'])}`);
  expect(await scene.run('run', file)).toEndWith(6);
  expect((await scene.run('status')).stdout).toMatch(
    /^NOT SENDING: sending is halted for account \*+\d{4} since .*EM053\)\n {2}remedy: .*\n {2}then type: paydrop resume /m,
  );
  for (const [words, printed] of [
    [['status'], 2],
    [['show', 'A1'], 2],
  ] as const) {
    for (const text of [await scene.run(...words), await scene.run(...words, '--json')]) {
      const commands = text.stdout.match(/(?<=["]|: |^ *)paydrop [a-z]+ [^"\n]*?(?="|$| {2})/gm) ?? [];
      expect(commands.length).toBeGreaterThanOrEqual(printed);
      for (const command of commands) expect(command).toContain(` --config ${scene.configPath}`);
    }
  }
  await scene.bank.kill();
  const away = await scene.run('status');
  expect(away.stdout).toMatch(/^NOT SENDING: the bank is out of reach: /m);
  const [, command = ''] = /type first: (.*)/.exec(away.stdout) ?? [];
  expect(await type(scene, command)).toEndWith(6);
});

test('cancel of a batch says when it has nothing to cancel, and that the batch is halted while rows are in doubt', async () => {
  await using scene = await openScene({
    sandbox: { behaviours: [{ match: { reference1: 'R-B1' }, money: 'moves', reply: 'lost' }] },
    settle: { firstDelayMs: 60_000, maxDelayMs: 60_000 },
  });
  const paid = await scene.addFile('a.csv', `${header}\n${rows(['A1'])}`);
  expect(await scene.run('run', paid)).toEndWith(0);
  const { batchId } = await show(scene, 'A1');
  const nothing = await scene.run('cancel', batchId);
  expect(nothing).toEndWith(2);
  expect(nothing.stdout).toMatch(/^nothing of batch \w+ waits to be sent/m);
  expect(nothing.stdout).not.toContain('0 rows');

  const lost = await scene.addFile('b.csv', `${header}\n${rows(['B1'])}`);
  expect(await scene.run('run', lost, '--wait', '1')).toEndWith(4);
  await scene.bank.kill();
  const doubt = await show(scene, 'B1');
  const halted = await scene.run('cancel', doubt.batchId);
  expect(halted).toEndWith(0);
  expect(halted.stdout).toMatch(
    /^Batch \w+ is halted: nothing more of it is sent; 1 row is in doubt: "paydrop settle /m,
  );
  expect(halted.stdout).not.toContain('0 rows');
});

test('an inbox that is gone stands above everything that status shows, and what is typed first brings it back', async () => {
  await using scene = await openScene({ watch: { rescanMs: 1_000 } });
  const inbox = join(scene.dataDir, 'inbox');
  const registrations = join(inbox, 'registrations');
  const watcher = scene.start('watch');
  await until(async () => (await readdir(registrations).catch((): string[] => [])).includes('.paydrop'));
  expect((await scene.run('status')).stdout).not.toContain('NOT ');
  for (const gone of [registrations, inbox]) {
    await rm(gone, { recursive: true });
    const { stdout } = await scene.run('status');
    expect(stdout).toContain(`NOT TAKING FILES: cannot use ${gone}: the folder is not there`);
    const [, command = ''] = /type first: (mkdir .*)/.exec(stdout) ?? [];
    const program = JSON.parse((await scene.run('status', '--json')).stdout) as { stops?: object[] }[];
    expect(program.at(-1)?.stops).toContainEqual(expect.objectContaining({ code: 'inbox-gone', command }));
    const ofRegistrations = await scene.run('status', '--registrations', '--json');
    expect(JSON.parse(ofRegistrations.stdout)).toMatchObject({ stops: program.at(-1)?.stops });
    expect((await scene.run('status', '--registrations')).stdout).toContain('NOT TAKING FILES');
    execFileSync('sh', ['-c', command]);
    if (gone === inbox) await mkdir(registrations, { recursive: true });
    await until(async () => (await readdir(gone)).some((name) => name === '.paydrop'));
    expect((await scene.run('status')).stdout).not.toContain('NOT ');
  }
  watcher.kill('SIGTERM');
  await watcher.ended;
});

test('after a restore status, show and a notice name the reports that keep a batch back, and the command that moves them away', async () => {
  const aside = await mkdtemp(join(tmpdir(), "paydrop's aside "));
  const told = join(aside, 'told.jsonl');
  await using scene = await openScene({
    folders: { outbox: join(aside, 'out box') },
    watch: { rescanMs: 1_000, stillMs: 200 },
    notices: { command: ['/bin/sh', '-c', 'cat >> "$0"; echo >> "$0"', told] },
  });
  const before = await scene.addFile('b.csv', `${header}\n${rows(['B1'])}`);
  expect(await scene.run('run', before)).toEndWith(0);
  const backup = join(aside, 'backup.db');
  expect(await scene.run('backup', backup)).toEndWith(0);
  const file = await scene.addFile('a.csv', `${header}\n${rows(['A1'])}`);
  expect(await scene.run('run', file)).toEndWith(0);
  const day = showDay(dayOf(scene));
  for (const side of ['', '-wal', '-shm'])
    await rm(join(scene.dataDir, `journal.db${side}`), { force: true });
  expect(await scene.run('restore', backup, '--since', day)).toEndWith(0);
  expect((await scene.run('status')).stdout).toMatch(
    /^NOTE: The journal was lost or restored: .* sent on \d{4}-/m,
  );
  const watcher = scene.start('watch');
  await until(async () => (await readdir(join(scene.dataDir, 'inbox')).catch(() => [])).length > 0);
  await rename(file, join(scene.dataDir, 'inbox', 'a.csv'));
  await until(async () => (await readFile(told, 'utf8').catch(() => '')).includes('"batch-failing"'), 60_000);
  const notice = (await readFile(told, 'utf8')).split('\n').find((line) => line.includes('"batch-failing"'));
  const status = await scene.run('status');
  expect(status.stdout).toMatch(
    /^NOT SENDING: nothing of batch \w+ is sent: \d other files have the names of its reports/m,
  );
  const [, command = ''] = /type first: (mkdir .*)/.exec(status.stdout) ?? [];
  const { commands } = JSON.parse(notice ?? '') as { commands: string[] };
  expect(commands[0]).toBe(command);
  const shown = (await show(scene, 'A1')) as Told & { stops: object[] };
  expect(shown).toMatchObject({ status: 'ready', stops: [{ code: 'batch-failing' }] });
  expect(shown.remedy).toMatch(/^Move them away .*pay it by no other means/);
  expect(shown.next[0]).toMatchObject({ command });
  execFileSync('sh', ['-c', command]);
  await until(async () => (await show(scene, 'A1')).status !== 'ready', 120_000, 500);
  expect((await scene.run('status')).stdout).not.toContain('NOT SENDING');
  expect((await scene.bank.ledger()).entries.filter(({ reference1 }) => reference1 === 'R-A1')).toHaveLength(
    1,
  );
  watcher.kill('SIGTERM');
  await watcher.ended;
  await rm(aside, { recursive: true, force: true });
});
