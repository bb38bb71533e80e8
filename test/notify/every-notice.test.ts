/** Every kind of notice says why, how severe, where, and what to type; and what it says to type can be typed. */
import { message, verbatim } from '../../src/core/message.ts';
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { formatBangkokDate, dayMs } from '../../src/core/bangkok-time.ts';
import { noticeKinds } from '../../src/notify/rules/notice.ts';
import { isTrouble } from '../../src/notify/rules/readiness.ts';
import { type HealthReason, judgeHealth, type WatchState } from '../../src/watch/rules/health.ts';
import { runPaydrop } from '../cli/run-paydrop.ts';
import { partner } from '../support/core-fixtures.ts';
import { makeNoticeSamples } from '../support/notice-samples.ts';
import { noticeScene } from '../support/notices.ts';

/** A folder whose name a shell must be told to take as one word. */
const folder = await mkdtemp(join(tmpdir(), "paydrop's notices "));
const settingsPath = join(folder, 'pay drop.yaml');
const dataDir = join(folder, 'data');
const inbox = join(dataDir, 'inbox');
const broken = join(dataDir, 'rejected', 'broken.csv');
const nowMs = Date.now();

const database = 'postgres://db.example/paydrop';
const place = { command: { settingsPath }, dataDir, inbox, database };

/** Every trouble that keeps a watcher from being ready, with the command that health names. */
function listTroubles(): readonly HealthReason[] {
  const trouble = { sinceMs: nowMs, why: 'it is so' };
  const why = { code: 'EM005', reason: verbatim('no funds'), remedy: verbatim('fund it') };
  const gone = {
    state: { kind: 'gone', sinceMs: nowMs, why: 'not mounted', isMissing: false },
    waiting: 0,
    left: [],
    stuck: [],
  };
  const payer = {
    why,
    pausedUntilMs: nowMs + dayMs,
    account: message('account.payer', { number: '******5924' }),
    haltedSinceMs: nowMs,
    paysNewFiles: true,
  };
  const amiss = {
    role: 'active',
    inbox: gone,
    diskTrouble: trouble,
    journalTrouble: trouble,
    journalAway: trouble,
    journalDamage: trouble,
    bankTrouble: trouble,
    payers: [
      { ...payer, status: 'halted' },
      { ...payer, status: 'paused' },
    ],
    lastPollMs: 0,
    place,
  } as unknown as WatchState;
  const found = [amiss, { ...amiss, inboxPollMs: dayMs }].flatMap(
    (state) => judgeHealth(state, nowMs).reasons,
  );
  return [...new Map(found.map((reason) => [reason.code, reason])).values()].filter(isTrouble);
}

/** The words that a shell makes of a command that is pasted. */
const readByShell = (command: string): readonly string[] =>
  execFileSync('sh', ['-c', `paydrop() { printf '%s\\0' "$@"; }; ${command}`], { encoding: 'utf8' })
    .split('\0')
    .slice(0, -1);

async function readSubject(): Promise<{ readonly batchId: string; readonly transRefNo: string }> {
  const shown = await runPaydrop(['show', 'A1', '--json', '--config', settingsPath]);
  const found = JSON.parse(shown.stdout) as {
    readonly batchId: string;
    readonly attempts: readonly { readonly transRefNo: string }[];
  }[];
  const [one] = found;
  return { batchId: one?.batchId ?? '', transRefNo: one?.attempts[0]?.transRefNo ?? '' };
}

let makers: ReturnType<typeof makeNoticeSamples> = [];

beforeAll(async () => {
  for (const path of [inbox, join(dataDir, 'rejected')]) await mkdir(path, { recursive: true });
  await writeFile(settingsPath, stringify({ dataDir, bank: { baseUrl: 'sandbox', ...partner } }));
  await writeFile(broken, 'payoutId;proxyNo\nA1;0812345678\n');
  const payouts = join(folder, 'payouts.csv');
  await writeFile(payouts, 'payoutId,proxyType,proxyNo,amount\nA1,MSISDN,0812345678,10.00\n');
  const ran = await runPaydrop(['run', payouts, '--config', settingsPath]);
  expect(ran).toMatchObject({ code: 0 });
  const { batchId, transRefNo } = await readSubject();
  const date = formatBangkokDate(nowMs - dayMs);
  const troubles = listTroubles();
  makers = makeNoticeSamples({
    batchId,
    registrationBatchId: batchId,
    date,
    transRefNo,
    path: broken,
    troubles,
  });
});

afterAll(() => rm(folder, { recursive: true, force: true }));

const scene = { ...noticeScene, dataDir, nowMs, place: place.command };

interface Said {
  readonly [name: string]: unknown;
  readonly kind: string;
  readonly commands: readonly string[];
}

const bodies = (): readonly Said[] => makers.map((make) => make(scene).body as Said);

describe('every kind of notice', () => {
  test('says why, how severe it is, which machine and folder it is of, and what to type', () => {
    expect(new Set(bodies().map(({ kind }) => kind))).toEqual(new Set(noticeKinds));
    for (const { kind, ...body } of bodies()) {
      const { reasonCode } = body;
      expect({ kind, reasonCode, ...body }).toMatchObject({
        reason: expect.stringMatching(/\w{2}/),
        severity: expect.stringMatching(/^(critical|high|info)$/),
        machine: 'pay-1',
        dataDir,
        commands: expect.arrayContaining([expect.stringMatching(/^[a-z_]+( |$)/)]),
      });
      // Every notice but that of an end says what to do.
      if (body['severity'] !== 'info')
        expect({ kind, remedy: body['remedy'] }).toEqual({ kind, remedy: expect.stringMatching(/\w{2}/) });
    }
  });

  test('names commands that can be pasted', async () => {
    const commands = new Set(bodies().flatMap((body) => body.commands));
    const typed = [...commands].filter((command) => command.startsWith('paydrop '));
    expect(typed.length).toBeGreaterThan(8);
    for (const command of typed) {
      const { code, stderr } = await runPaydrop(readByShell(command), { cwd: tmpdir() });
      // 1 is an error of ours, 2 a command that is wrong.
      expect({ command, code, stderr }).toEqual({ command, code: expect.toBeOneOf([0, 3, 4, 5, 6]), stderr });
    }
    // Commands of the system leave nothing for a person to fill in.
    for (const command of commands)
      expect(command.replaceAll(folder, '')).not.toMatch(/\b(FILE|HOST|YYYY|BATCH)\b/);
  }, 60_000);
});
