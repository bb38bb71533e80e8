/** Sending a batch of registrations, by a clock of the test's own: pauses, halts, brakes, and what a dead process leaves. */
import { message, verbatim } from '../../src/core/message.ts';
import { expect, test } from 'vitest';
import type { BankReply, RegistrationFields, RegistrationOrder } from '../../src/core/bank-port.ts';
import type { JournalLoss } from '../../src/core/ports.ts';
import { AdaptiveLimit } from '../../src/payout/adaptive-limit.ts';
import { BreakerGate, type Payer, PayerBreaker } from '../../src/payout/circuit-breaker.ts';
import { RunState } from '../../src/payout/context.ts';
import { endAnswered } from '../../src/registration/conclude.ts';
import type { RegistrationContext } from '../../src/registration/context.ts';
import type { RegistrationBatch } from '../../src/registration/ports.ts';
import { companyPayer, servicePayer } from '../../src/registration/rules/intent.ts';
import type { RegistrationInstruction } from '../../src/registration/rules/registration.ts';
import { runRegistrations } from '../../src/registration/run-batch.ts';
import { cancelRegistrations } from '../../src/review/registration-target.ts';
import type { Store } from '../../src/store/store.ts';
import { noonMs, payer } from '../support/journal-fixtures.ts';
import {
  applyOne,
  calledBack,
  changeOf,
  intentOf,
  makeRegistrationRow,
  registrationBatchId as batchId,
  runRegistrations as makeRunning,
  takeRegistrationsIn,
} from '../support/registration-journal.ts';
import { makeSqliteStore } from '../support/sqlite-store.ts';
import { makeVirtualClock, type VirtualClock } from '../support/virtual-clock.ts';

const hourMs = 3_600_000;
const brake = { consecutiveFailures: 10, failureShare: 0.5, window: 100, inDoubtMax: 200 };

/** A code, or "lost". */
type Says = (order: RegistrationOrder, no: number) => string;

interface Scene {
  readonly store: Store;
  readonly clock: VirtualClock;
  readonly sent: RegistrationOrder[];
  /** What the bank says of each; it calls back a second later about what it has taken. */
  says: Says;
  callsBack: 'registered' | 'refused' | 'never';
  /** How long its answer takes. */
  takesMs: number;
  /** From which the journal has recovered. */
  loss?: JournalLoss;
  /** Whether the process has the right to send, where several machines might have it. */
  mayTransmit: () => boolean;
}

async function makeScene(stack: AsyncDisposableStack): Promise<Scene> {
  const { store } = stack.use(await makeSqliteStore());
  return {
    store,
    clock: makeVirtualClock(noonMs),
    sent: [],
    says: () => '0',
    callsBack: 'registered',
    takesMs: 0,
    mayTransmit: () => true,
  };
}

function answerOf(statusCode: string, requestUid: string): BankReply<RegistrationFields> {
  const exchange = { requestUid, xRequestId: 'x', elapsedMs: 5 };
  if (statusCode === 'TK001') return { kind: 'credentials-refused', code: statusCode };
  if (statusCode === 'lost') return { kind: 'lost', why: 'timeout', ...exchange };
  const fields = { statusCode, statusDesc: undefined, severity: undefined, requestUid, ddrOapiSeqId: '7' };
  const around = { httpStatus: 200, bankDateMs: undefined, retryAfterMs: undefined };
  return { kind: 'answered', ...around, ...exchange, fields };
}

async function callBack(
  { store, clock, callsBack }: Scene,
  { requestUid }: RegistrationOrder,
): Promise<void> {
  await clock.sleep(1_000);
  const [found] = await store.findRegistrations(requestUid);
  const registration = found && (await store.registration(found.row.seq));
  if (callsBack === 'never' || registration === undefined) return;
  const change = calledBack(registration, callsBack);
  await store.applyRegistrations([{ ...change, after: { ...change.after, settledAtMs: clock.now() } }]);
}

interface Way {
  readonly waitMs?: number;
  readonly isPatient?: boolean;
  /** A process that starts anew knows nothing but its journal. */
  readonly breakers?: Map<string, PayerBreaker>;
}

async function run(scene: Scene, { waitMs = 5_000, isPatient = false, breakers = new Map() }: Way = {}) {
  const { store, clock } = scene;
  const batch = (await store.registrationBatch(batchId)) as RegistrationBatch;
  const waitOver = new AbortController();
  const gates = new Map<string, BreakerGate>();
  const gateOf = ({ companyId, payerAccount }: Payer): BreakerGate => {
    const breaker = breakers.get(payerAccount) ?? new PayerBreaker();
    breakers.set(payerAccount, breaker);
    const gate = gates.get(payerAccount) ?? new BreakerGate({ clock, brake, stop: waitOver.signal, breaker });
    gates.set(payerAccount, gate);
    expect(companyId).toBe(payer.companyId);
    return gate;
  };
  const context: RegistrationContext = {
    journal: { ...store, loss: async () => scene.loss },
    bank: {
      async register(order, mayTransmit) {
        if (!mayTransmit()) return { kind: 'withheld' };
        scene.sent.push(order);
        const said = scene.says(order, scene.sent.length);
        if (said === '0') void callBack(scene, order);
        if (scene.takesMs > 0) await clock.sleep(scene.takesMs);
        return answerOf(said, order.requestUid);
      },
    },
    clock,
    log: () => {},
    companyId: payer.companyId,
    ipAddress: '192.0.2.7',
    answerWithinMs: 24 * hourMs,
    limit: new AdaptiveLimit(1),
    service: gateOf(servicePayer(payer.companyId)),
    gateOf,
    run: new RunState(clock),
    doubts: new Set(),
    stop: waitOver.signal,
    inFlight: new Set(),
    inDoubtMax: brake.inDoubtMax,
    consecutiveRefusalsMax: brake.consecutiveFailures,
    report: () => {},
    mayTransmit: () => scene.mayTransmit(),
    isPaused: () => !scene.mayTransmit(),
  };
  const interrupted = new AbortController().signal;
  await clock.drive(runRegistrations(context, batch, { waitMs, isPatient, interrupted, waitOver }));
  const totals = await store.registrationTotals(batchId);
  const { status = '', reasonCode } = (await store.registrationBatch(batchId)) ?? {};
  return {
    batch: reasonCode === null ? status : `${status} ${reasonCode}`,
    rows: Object.fromEntries(totals.map((total) => [total.status, total.rows])),
  };
}

const takeIn = (
  scene: Scene,
  rows: number,
  own: (rowNo: number) => Partial<RegistrationInstruction> = () => ({}),
) =>
  takeRegistrationsIn(
    scene.store,
    Array.from({ length: rows }, (_, index) => makeRegistrationRow(index + 1, own(index + 1))),
  );

test('each row is sent once, under its own requestUID, and its outcome awaited', async () => {
  await using stack = new AsyncDisposableStack();
  const scene = await makeScene(stack);
  await takeIn(scene, 12);
  expect(await run(scene)).toEqual({ batch: 'done', rows: { registered: 12 } });
  expect(new Set(scene.sent.map(({ accountNo }) => accountNo)).size).toBe(12);
  expect(new Set(scene.sent.map(({ requestUid }) => requestUid)).size).toBe(12);
  expect(scene.sent[0]).toMatchObject({
    ipAddress: '192.0.2.7',
    requestUid: expect.stringMatching(/^[0-9a-f-]{36}$/),
  });
});

test('once another may send, no bytes leave, and the batch is left to whoever does', async () => {
  await using stack = new AsyncDisposableStack();
  const scene = await makeScene(stack);
  await takeIn(scene, 5);
  let asked = 0;
  // Its lease is over between the intent of the third row and its bytes.
  scene.mayTransmit = () => scene.sent.length < 2 || (scene.sent.length === 2 && (asked += 1) < 2);
  const { batch, rows } = await run(scene);
  expect(batch).toBe('running');
  expect(scene.sent).toHaveLength(2);
  expect(rows).toEqual({ registered: 2, held: 2, ready: 1 });
  scene.mayTransmit = () => true;
  expect(await run(scene)).toEqual({ batch: 'done', rows: { registered: 5 } });
});

test('outcomes that do not come are awaited for as long as asked, and unanswered when their time is over', async () => {
  await using stack = new AsyncDisposableStack();
  const scene = await makeScene(stack);
  scene.callsBack = 'never';
  await takeIn(scene, 3);
  expect(await run(scene)).toEqual({ batch: 'running', rows: { acknowledged: 3 } });
  expect(scene.clock.now() - noonMs).toBeLessThan(10_000);
  await scene.clock.advance(24 * hourMs);
  expect(await run(scene)).toEqual({ batch: 'done', rows: { unanswered: 3 } });
  expect(scene.sent).toHaveLength(3);
});

test('whoever does not wait at all sends every row all the same', async () => {
  await using stack = new AsyncDisposableStack();
  const scene = await makeScene(stack);
  scene.callsBack = 'never';
  scene.takesMs = 800;
  await takeIn(scene, 5);
  expect(await run(scene, { waitMs: 0 })).toEqual({ batch: 'running', rows: { acknowledged: 5 } });
});

test('a batch whose last outcome comes when nobody sends any more is done by whoever takes the callbacks', async () => {
  await using stack = new AsyncDisposableStack();
  const scene = await makeScene(stack);
  const { store, clock } = scene;
  scene.callsBack = 'never';
  await takeIn(scene, 2);
  await run(scene);
  for (const left of [1, 0]) {
    const [row] = await store.searchRegistrations({ statuses: ['acknowledged'] }, Number.MAX_SAFE_INTEGER, 1);
    const registration = await store.registration(row!.seq);
    await applyOne(store, calledBack(registration!));
    await endAnswered(store, clock.now());
    expect((await store.registrationBatch(batchId))?.status).toBe(left === 0 ? 'done' : 'running');
  }
});

test('a batch that was cancelled while outcomes were awaited is done when the last of them has come', async () => {
  await using stack = new AsyncDisposableStack();
  const scene = await makeScene(stack);
  const { store, clock } = scene;
  scene.callsBack = 'never';
  await takeIn(scene, 2);
  await run(scene);
  const batch = await store.registrationBatch(batchId);
  await cancelRegistrations(store, batch!, clock.now());
  for (const left of [1, 0]) {
    const [row] = await store.searchRegistrations({ statuses: ['acknowledged'] }, Number.MAX_SAFE_INTEGER, 1);
    await applyOne(store, calledBack((await store.registration(row!.seq))!));
    await endAnswered(store, clock.now());
    expect((await store.registrationBatch(batchId))?.status).toBe(left === 0 ? 'done' : 'halted');
  }
});

test('a row whose registrationId has been proven registered by another is held, and its batch ends', async () => {
  await using stack = new AsyncDisposableStack();
  const scene = await makeScene(stack);
  const { store, clock } = scene;
  const [first] = await makeRunning(store, [makeRegistrationRow(1)], { batchId: 'REGBBBBBBBBB' });
  const { now: sent } = await applyOne(store, intentOf(first!));
  const ended = {
    status: 'failed',
    awaitedUntilMs: null,
    settledAtMs: clock.now(),
    settledBy: 'reply',
  } as const;
  const { now: failed } = await applyOne(store, changeOf(sent, 'turned-down', ended));
  await takeIn(scene, 2);
  await applyOne(store, {
    ...calledBack(failed),
    event: { ...calledBack(failed).event, cause: 'called-back-after-all' },
  });
  expect(await run(scene)).toEqual({ batch: 'done', rows: { held: 1, registered: 1 } });
  expect(scene.sent).toHaveLength(1);
  const [held] = await store.searchRegistrations({ hold: 'called-back' }, Number.MAX_SAFE_INTEGER, 1);
  expect(held).toMatchObject({
    rowNo: 1,
    batchId,
    reason: { args: { row: 1, batch: 'REGBBBBBBBBB' } },
  });
});

test('0429 leaves the service alone for an hour, whoever starts meanwhile, and then goes on by itself', async () => {
  await using stack = new AsyncDisposableStack();
  const scene = await makeScene(stack);
  scene.says = (_, no) => (no === 3 ? '0429' : '0');
  await takeIn(scene, 6);
  expect(await run(scene)).toEqual({ batch: 'paused 0429', rows: { registered: 2, held: 4 } });
  expect(scene.sent).toHaveLength(3);
  const { companyId, payerAccount } = servicePayer(payer.companyId);
  const pause = await scene.store.payerPause(companyId, payerAccount);
  expect(pause).toMatchObject({ code: '0429', untilMs: pause!.sinceMs + hourMs });
  // Another process, half an hour later: nothing is sent.
  await scene.clock.advanceTo(noonMs + hourMs / 2);
  expect(await run(scene)).toEqual({ batch: 'paused 0429', rows: { registered: 2, held: 4 } });
  expect(scene.sent).toHaveLength(3);
  // One that stays waits for the end of the hour.
  expect(await run(scene, { isPatient: true })).toEqual({ batch: 'done', rows: { registered: 6 } });
  expect(scene.clock.now()).toBeGreaterThanOrEqual(pause!.untilMs);
  expect(scene.sent).toHaveLength(7);
  expect(new Set(scene.sent.map(({ requestUid }) => requestUid)).size).toBe(7);
  expect(await scene.store.payerPause(companyId, payerAccount)).toBeUndefined();
});

test('a company that the bank does not know halts alone, until a person resumes', async () => {
  await using stack = new AsyncDisposableStack();
  const scene = await makeScene(stack);
  scene.says = ({ companyId }) => (companyId === 'C002' ? 'BSN004' : '0');
  await takeIn(scene, 10, (rowNo) => (rowNo % 2 === 0 ? { companyId: 'C002' } : {}));
  const stopped = { batch: 'halted BSN004', rows: { registered: 5, held: 5 } };
  expect(await run(scene)).toEqual(stopped);
  expect(scene.sent.filter(({ companyId }) => companyId === 'C002')).toHaveLength(1);
  const remedy = message('registration-remedy.BSN004');
  expect(await scene.store.registrationBatch(batchId)).toMatchObject({ remedy });
  // Neither another run nor another process goes on with it.
  expect(await run(scene)).toEqual(stopped);
  const { companyId, payerAccount } = companyPayer(payer.companyId, { vendorId: 'V001', companyId: 'C002' });
  expect(await scene.store.liftPayerHalt(companyId, payerAccount, scene.clock.now())).toBe(true);
  await scene.store.liftRegistrationHolds(batchId, ['halted'], scene.clock.now());
  await scene.store.moveRegistrationBatch(batchId, 'running', null, scene.clock.now());
  scene.says = () => '0';
  expect(await run(scene)).toEqual({ batch: 'done', rows: { registered: 10 } });
  expect(scene.sent).toHaveLength(11);
});

test('a company of which too many were rejected by callback stays halted, though nothing of it is with the bank', async () => {
  await using stack = new AsyncDisposableStack();
  const scene = await makeScene(stack);
  await takeIn(scene, 3);
  const breakers = new Map<string, PayerBreaker>();
  const halted = companyPayer(payer.companyId, { vendorId: 'V001', companyId: 'C001' });
  const breaker = new PayerBreaker();
  breakers.set(halted.payerAccount, breaker);
  const gate = new BreakerGate({ clock: scene.clock, brake, stop: new AbortController().signal, breaker });
  gate.observe({
    kind: 'payer-stop',
    reason: { code: 'brake-rejected', text: verbatim('rejected in a row') },
  });
  expect(await run(scene, { breakers })).toEqual({ batch: 'halted brake-rejected', rows: { held: 3 } });
  expect(scene.sent).toHaveLength(0);
});

test('after a loss of the journal nothing is sent until a person lets it go on, once for each loss', async () => {
  await using stack = new AsyncDisposableStack();
  const scene = await makeScene(stack);
  const { store, clock } = scene;
  await takeIn(scene, 3);
  const { companyId, payerAccount } = servicePayer(payer.companyId);
  for (const lossNo of [1, 2]) {
    const recoveredAtMs = clock.now() + lossNo;
    scene.loss = { recoveredAtMs, sinceDate: '20261120', untilDate: '20261121' };
    expect(await run(scene)).toEqual({ batch: 'halted journal-lost', rows: { held: 3 } });
    // Another process.
    expect(await run(scene)).toEqual({ batch: 'halted journal-lost', rows: { held: 3 } });
    expect(scene.sent).toHaveLength(0);
    await clock.advance(1_000);
    await store.liftPayerHalt(companyId, payerAccount, clock.now());
    await store.liftRegistrationHolds(batchId, ['halted'], clock.now());
    await store.moveRegistrationBatch(batchId, 'running', null, clock.now());
  }
  expect(await run(scene)).toEqual({ batch: 'done', rows: { registered: 3 } });
});

test('what a row has met is told first, though another is under way and what goes on beside fails, too', async () => {
  await using stack = new AsyncDisposableStack();
  const scene = await makeScene(stack);
  await takeRegistrationsIn(scene.store, [makeRegistrationRow(1), makeRegistrationRow(2)]);
  let hasFailed = false;
  const { applyRegistrations, registrationTotals } = scene.store;
  scene.takesMs = 2_000;
  scene.callsBack = 'never';
  const store: Store = {
    ...scene.store,
    applyRegistrations: async (changes) => {
      const isOutcome = changes.some(({ after }) => after.status !== 'submitted');
      if (hasFailed || !isOutcome) return applyRegistrations(changes);
      hasFailed = true;
      throw new Error('the disk is full');
    },
    registrationTotals: async (id) => {
      if (hasFailed) throw new Error('nothing more can be asked');
      return registrationTotals(id);
    },
  };
  await expect(run({ ...scene, store })).rejects.toThrow('the disk is full');
});

test('that no more rows can be read is told first, though one is under way and what goes on beside fails, too', async () => {
  await using stack = new AsyncDisposableStack();
  const scene = await makeScene(stack);
  const rows = Array.from({ length: 501 }, (_, index) => makeRegistrationRow(index + 1));
  await takeRegistrationsIn(scene.store, rows);
  scene.takesMs = 2_000;
  scene.callsBack = 'never';
  const { readyRegistrations, registrationTotals } = scene.store;
  let pages = 0;
  const store: Store = {
    ...scene.store,
    readyRegistrations: async (...asked) => {
      pages += 1;
      if (pages > 1) throw new Error('the disk is full');
      return readyRegistrations(...asked);
    },
    registrationTotals: async (id) => {
      if (pages > 1) throw new Error('nothing more can be asked');
      return registrationTotals(id);
    },
  };
  await expect(run({ ...scene, store })).rejects.toThrow('the disk is full');
});

test('credentials that are refused halt everything', async () => {
  await using stack = new AsyncDisposableStack();
  const scene = await makeScene(stack);
  scene.says = () => 'TK001';
  await takeIn(scene, 5);
  expect(await run(scene)).toEqual({ batch: 'halted TK001', rows: { held: 5 } });
  expect(scene.sent).toHaveLength(1);
});

test.each([
  ['turned down', 'CBS001', 'failed'],
  ['in doubt', 'BSN002', 'in-doubt'],
] as const)('a company whose registrations are all %s costs ten of them', async (_, code, status) => {
  await using stack = new AsyncDisposableStack();
  const scene = await makeScene(stack);
  scene.says = () => code;
  await takeIn(scene, 30);
  expect(await run(scene)).toEqual({ batch: 'halted brake-consecutive', rows: { [status]: 10, held: 20 } });
  expect(scene.sent).toHaveLength(10);
});

test('a company whose registrations are all rejected by callback is halted, too', async () => {
  await using stack = new AsyncDisposableStack();
  const scene = await makeScene(stack);
  scene.callsBack = 'refused';
  scene.takesMs = 300;
  await takeIn(scene, 40);
  const { batch, rows } = await run(scene);
  expect(batch).toBe('halted brake-rejected');
  expect(rows['held']).toBeGreaterThan(20);
  expect(scene.sent.length).toBeLessThan(20);
});

test('what another process has left submitted is awaited, and never sent again', async () => {
  await using stack = new AsyncDisposableStack();
  const scene = await makeScene(stack);
  const { store, clock } = scene;
  const [first] = await makeRunning(store, [makeRegistrationRow(1), makeRegistrationRow(2)]);
  const { now } = await applyOne(store, intentOf(first!));
  // The clock is set back between the two.
  clock.jump(-60_000);
  expect(await run(scene)).toEqual({ batch: 'running', rows: { 'in-doubt': 1, registered: 1 } });
  expect(scene.sent.map(({ accountNo }) => accountNo)).toEqual([
    makeRegistrationRow(2).instruction?.accountNo,
  ]);
  await store.applyRegistrations([calledBack({ ...now, status: 'in-doubt', version: now.version + 1 })]);
  expect(await run(scene)).toEqual({ batch: 'done', rows: { registered: 2 } });
  expect(scene.sent).toHaveLength(1);
});

test('no answer twice leaves the bank alone for a moment, and nothing is sent again', async () => {
  await using stack = new AsyncDisposableStack();
  const scene = await makeScene(stack);
  scene.says = (_, no) => (no <= 3 ? 'lost' : '0');
  await takeIn(scene, 6);
  expect(await run(scene)).toEqual({ batch: 'running', rows: { 'in-doubt': 3, registered: 3 } });
  expect(scene.sent).toHaveLength(6);
});
