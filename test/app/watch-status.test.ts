/** What a watcher shows of itself: whether it gets on, what keeps it from working, and whose line has stopped. */
import { afterEach, describe, expect, test } from 'vitest';
import type { Session } from '../../src/app/session.ts';
import { InboxTimer, WatchStatus } from '../../src/app/watch-status.ts';
import type { Intake } from '../../src/watch/folders/drop-folder.ts';
import type { RegistrationWatch } from '../../src/watch/registrations.ts';
import type { InboxView } from '../../src/watch/rules/drop-folder.ts';
import { PayerBreaker } from '../../src/payout/circuit-breaker.ts';
import { openBreaker } from '../../src/payout/rules/circuit-breaker.ts';
import { silentLogger } from '../../src/platform/log.ts';
import { payer } from '../support/core-fixtures.ts';
import { ingest, makeRows, why } from '../support/journal-fixtures.ts';
import { type KitOptions, openWatchKit } from '../support/watch-kit.ts';

type Working = Parameters<WatchStatus['begin']>[0];

let opened = new AsyncDisposableStack();
afterEach(async () => {
  await opened.disposeAsync();
  opened = new AsyncDisposableStack();
});

const own = `${payer.companyId} ${payer.payerAccount}`;
const halted = { ...openBreaker, status: 'halted', why } as const;

function lineOf(state: PayerBreaker['state']): PayerBreaker {
  const line = new PayerBreaker();
  line.become(state);
  return line;
}

/** A report on a watcher that is not at work, so that a test says how it is. */
async function openReport(
  options: KitOptions = { watch: { listen: '127.0.0.1:0' } },
  looks: InboxTimer = new InboxTimer(),
  registrationLooks: InboxTimer = new InboxTimer(),
) {
  const kit = opened.use(await openWatchKit(options));
  const { watcher, setup } = await kit.begin();
  const report = new WatchStatus(kit.loaded, silentLogger, kit.clock, looks, registrationLooks);
  const breakers = new Map<string, PayerBreaker>();
  const { adaptiveLimits, runs, intake, disk } = setup;
  let counts = 0;
  const journal = {
    ...kit.store,
    countByStatus: () => {
      counts += 1;
      return kit.store.countByStatus();
    },
  };
  const session = {
    journal,
    breakers,
    loaded: kit.loaded,
    adaptiveLimits,
    runs,
  } as Partial<Session> as Session;
  const begin = (registrations?: Working['registrations']): void =>
    report.begin({ session, watcher, intake, disk, ...(registrations && { registrations }) });
  return { kit, report, watcher, setup, breakers, begin, countReads: () => counts };
}

type Opened = Awaited<ReturnType<typeof openReport>>;

async function readHealth(one: Opened): Promise<object> {
  return (await ask(one)).all;
}

/** HTTP statuses of /livez and /healthz, and the reasons. */
async function ask({ report }: Opened) {
  const monitor = await report.listen();
  if (monitor === undefined) throw new Error('nothing listens');
  try {
    const address = await monitor.opened;
    const base = `http://${address?.host ?? ''}:${address?.port ?? 0}`;
    const [livez, healthz] = [await fetch(`${base}/livez`), await fetch(`${base}/healthz`)];
    const all = (await healthz.json()) as Record<string, { code: string }[]>;
    const { reasons, role, lines } = all;
    const found = { livez: livez.status, healthz: healthz.status, role, lines, all };
    return { ...found, reasons: reasons?.map(({ code }) => code) };
  } finally {
    await monitor[Symbol.asyncDispose]();
  }
}

/** The loop over the batches last turned so long ago. */
function stall({ watcher, kit }: Opened, ms: number): void {
  watcher.lastTurn = { atMs: kit.clock.now() - ms, atElapsedMs: performance.now() - ms };
}

describe('a watcher', () => {
  test('that stands by is well and unready, and names the disk that keeps it from taking over', async () => {
    const one = await openReport();
    expect(await ask(one)).toMatchObject({ livez: 200, role: 'starting', reasons: ['starting'] });
    one.report.isStandingBy = true;
    expect(await ask(one)).toMatchObject({ livez: 200, healthz: 503, role: 'standby', reasons: ['standby'] });
    one.report.diskTrouble = { sinceMs: one.kit.clock.now(), why: 'journal.mark cannot be written' };
    expect(await ask(one)).toMatchObject({ livez: 200, reasons: ['standby', 'disk'] });
    one.report.isJournalLocked = true;
    expect(await ask(one)).toMatchObject({ livez: 200, reasons: ['standby', 'journal-locked'] });
    Object.assign(one.report, { isJournalLocked: false, isJournalAway: true });
    expect(await ask(one)).toMatchObject({ livez: 200, reasons: ['standby', 'journal-away'] });
    one.report.isStopping = true;
    expect(one.report.readState().role).toBe('stopping');
  });

  test('that does not work yet tells no figures that nobody has read', async () => {
    const one = await openReport();
    const figures =
      /^paydrop_(?:payouts|in_doubt\w*|batches_\w+|files_(?:waiting|in_work)|notices_waiting|payer_state)\b/gm;
    const { metrics } = one.report;
    const before = await metrics.render();
    expect(before.match(figures)).toBeNull();
    expect(before).not.toMatch(/trouble\{kind="(?:bank|inbox)"/);
    const shown = JSON.parse(JSON.stringify(await readHealth(one))) as object;
    for (const fact of ['inbox', 'lines', 'rowsInDoubt', 'openBatches', 'filesWaiting', 'bankTroubleSince'])
      expect(shown).not.toHaveProperty(fact);
    one.begin();
    await one.report.refresh();
    expect(new Set((await metrics.render()).match(figures))).toHaveLength(9);
    expect(await readHealth(one)).toMatchObject({ rowsInDoubt: 0, openBatches: 0, filesWaiting: 0 });
  });

  test('that has lost its place to another stands by, and tells nothing of what it knew', async () => {
    const one = await openReport();
    one.begin();
    one.watcher.isRecovered = true;
    await one.report.refresh();
    expect(await ask(one)).toMatchObject({ healthz: 200, all: { role: 'active', rowsInDoubt: 0 } });
    one.report.end();
    one.report.isStandingBy = true;
    const { all } = await ask(one);
    expect(all).toMatchObject({ role: 'standby', reasons: [{ code: 'standby' }] });
    expect(all).not.toHaveProperty('rowsInDoubt');
  });

  test('whose inbox has not answered for a minute is alive and unready', async () => {
    let elapsedMs = 0;
    const looks = new InboxTimer(() => elapsedMs);
    const one = await openReport(undefined, looks);
    one.begin();
    one.watcher.isRecovered = true;
    const { promise: never } = Promise.withResolvers<never>();
    const hung = looks.watch({ ...one.setup.intake, take: () => never });
    void hung.take(1);
    elapsedMs = 60_000;
    expect(await ask(one)).toMatchObject({ livez: 200, healthz: 200, reasons: [] });
    elapsedMs = 61_000;
    expect(await ask(one)).toMatchObject({ livez: 200, healthz: 503, reasons: ['inbox-unresponsive'] });
    expect(await one.report.metrics.render()).toContain('paydrop_trouble{kind="inbox"} 1\n');
  });

  test('that takes up registrations that were left open is not ready yet, nor without their inbox', async () => {
    const one = await openReport();
    const view = { state: { kind: 'there' }, waiting: 0, stuck: [], left: [] } as InboxView;
    const files = { inWork: 0 };
    const registrations = {
      watch: { isRecovered: false, files, failing: [] } as unknown as RegistrationWatch,
      intake: { view } as Intake,
    };
    one.begin(registrations);
    one.watcher.isRecovered = true;
    expect(await ask(one)).toMatchObject({ healthz: 503, role: 'starting', reasons: ['starting'] });
    registrations.watch.isRecovered = true;
    expect(await ask(one)).toMatchObject({ healthz: 200, role: 'active', reasons: [] });
    registrations.intake = {
      view: { ...view, state: { kind: 'gone', why: 'it is not there', isMissing: false } },
    } as Intake;
    expect(await ask(one)).toMatchObject({ livez: 200, healthz: 503, reasons: ['inbox-gone'] });
    expect(await one.report.metrics.render()).toContain('paydrop_trouble{kind="inbox"} 1\n');
    registrations.intake = { view: { ...view, waiting: 3 } } as Intake;
    expect(await readHealth(one)).toMatchObject({ filesWaiting: 3, registrationsInbox: 'there' });
    expect(await one.report.metrics.render()).toContain('paydrop_files_waiting 3\n');
  });

  test('whose inbox of registrations has not answered for a minute is unready', async () => {
    let elapsedMs = 0;
    const looks = new InboxTimer(() => elapsedMs);
    const one = await openReport(undefined, new InboxTimer(), looks);
    one.begin();
    one.watcher.isRecovered = true;
    void looks.time(() => Promise.withResolvers<never>().promise);
    elapsedMs = 61_000;
    expect(await ask(one)).toMatchObject({ livez: 200, healthz: 503, reasons: ['inbox-unresponsive'] });
  });

  test('is well again once the inbox has answered, with an error or without', async () => {
    const looks = new InboxTimer(() => 5);
    await expect(looks.time(() => Promise.reject(new Error('gone')))).rejects.toThrow('gone');
    expect(looks.underWayMs).toBeUndefined();
    const answer = looks.time(async () => 'files');
    expect([looks.underWayMs, await answer, looks.underWayMs]).toEqual([0, 'files', undefined]);
  });

  test('is alive however long it takes to take up what was in work/', async () => {
    const one = await openReport();
    one.begin();
    stall(one, 3_600_000);
    expect(await ask(one)).toMatchObject({ livez: 200, healthz: 503, reasons: ['starting'] });
    one.watcher.isRecovered = true;
    expect(await ask(one)).toMatchObject({ livez: 503, healthz: 503, reasons: ['loop-stalled'] });
    stall(one, 1_000);
    expect(await ask(one)).toMatchObject({ livez: 200, healthz: 200, role: 'active', reasons: [] });
  });

  test('is alive while it writes the reports of a big batch', async () => {
    const one = await openReport();
    one.begin();
    one.watcher.isRecovered = true;
    const { kit, watcher } = one;
    const { promise: written, resolve: write } = Promise.withResolvers<void>();
    kit.before = { recordReports: () => written };
    const { batchId } = await ingest(kit.store, makeRows(1));
    await kit.store.cancelUnsent(batchId, kit.clock.now());
    await kit.store.moveBatch(batchId, 'running', null, kit.clock.now());
    await kit.store.moveBatch(batchId, 'done', null, kit.clock.now());
    watcher.batches.noteChange(batchId, true);
    const step = watcher.batches.step();
    await kit.time.until(() => watcher.batches.isReporting);
    stall(one, 3_600_000);
    expect(await ask(one)).toMatchObject({ livez: 200, reasons: [] });
    write();
    await kit.time.drive(step);
    expect(watcher.batches.isReporting).toBe(false);
    expect(await ask(one)).toMatchObject({ livez: 503, reasons: ['loop-stalled'] });
  });

  test('is unready while bank or disk are away', async () => {
    const one = await openReport();
    one.begin();
    one.watcher.isRecovered = true;
    const trouble = { sinceMs: one.kit.clock.now(), why: 'it is away' };
    one.report.bankTrouble = trouble;
    one.setup.disk.trouble = trouble;
    expect(await ask(one)).toMatchObject({ livez: 200, healthz: 503, reasons: ['disk', 'bank'] });
  });
});

describe('breakers', () => {
  test('show the stop that the journal keeps, though this process has never sent anything', async () => {
    const one = await openReport();
    one.begin();
    const { companyId, payerAccount } = payer;
    await one.kit.store.recordPayerHalt({ companyId, payerAccount, ...why, sinceMs: one.kit.clock.now() });
    await one.report.refresh();
    expect(one.report.readState().payers).toMatchObject([{ status: 'halted', why, paysNewFiles: true }]);
    await one.kit.store.liftPayerHalt(companyId, payerAccount, one.kit.clock.now());
    await one.report.refresh();
    expect(one.report.readState().payers).toMatchObject([{ status: 'open', paysNewFiles: true }]);
  });

  test('of other accounts are told of, and are nothing against new files', async () => {
    const one = await openReport();
    one.begin();
    one.watcher.isRecovered = true;
    one.breakers.set(`${payer.companyId} 0000345925`, lineOf(halted));
    one.breakers.set(own, lineOf(openBreaker));
    expect(await ask(one)).toMatchObject({ healthz: 200, reasons: [] });
    expect(one.report.readState().payers?.map(({ status, paysNewFiles }) => [status, paysNewFiles])).toEqual([
      ['open', true],
      ['halted', false],
    ]);
    one.breakers.set(own, lineOf(halted));
    expect(await ask(one)).toMatchObject({ healthz: 503, reasons: ['payer-halted'] });
  });
});

describe('figures of the journal', () => {
  test('are read anew when something has changed, here or by another process, and not before', async () => {
    const one = await openReport();
    one.begin();
    const read = async (): Promise<number> => {
      await one.report.refresh();
      await one.report.metrics.render();
      return one.countReads();
    };
    expect([await read(), await read()]).toEqual([1, 1]);
    await ingest(one.kit.store, makeRows(2));
    // At most once a minute.
    one.kit.time.jump(61_000);
    expect([await read(), await read()]).toEqual([2, 2]);
    expect(one.report.readState()).toMatchObject({ openBatches: 1, rowsInDoubt: 0 });
    one.report.noteChange();
    one.kit.time.jump(61_000);
    expect(await read()).toBe(3);
  });
});
