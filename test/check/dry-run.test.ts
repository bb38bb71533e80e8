/** The dry run: real files, a scripted bank, a clock that tests drive, and a journal that is only read. */
import { inEnglish, verbatim } from '../../src/core/message.ts';
import { CheckReport, showChecked } from '../../src/cli/views/check.ts';
import { describe, expect, test } from 'vitest';
import { checkFile, makeFindLike } from '../../src/check/check.ts';
import { dryRun, type FileForecast } from '../../src/check/dry-run.ts';
import { PayeeChecker } from '../../src/check/payee-checker.ts';
import type { BankReply, PayeeCheck, PayeeCheckFields } from '../../src/core/bank-port.ts';
import { toSatang } from '../../src/core/money.ts';
import type { ProgressFigures } from '../../src/core/progress.ts';
import type { Clock } from '../../src/core/ports.ts';
import { computeBatchId } from '../../src/core/reference.ts';
import { makePayoutFileReader, type PayoutFileOptions } from '../../src/intake/formats/payout-file.ts';
import { readTimeLimits } from '../../src/payout/rules/limits.ts';
import { settingsSchema } from '../../src/settings/schema.ts';
import { ingestFile } from '../../src/intake/ingest.ts';
import type { PayoutFileReader, ReadPart } from '../../src/intake/ports.ts';
import type { Journal } from '../../src/store/store.ts';
import { lost, payer } from '../support/core-fixtures.ts';
import { ingest, makeRow } from '../support/journal-fixtures.ts';
import { defaults, file, inspectPath, noLimits, row, useFolder } from '../support/payout-file-kit.ts';
import { dayMs, minuteMs, notSent, openTheatre, type Theatre, verify } from '../support/theatre.ts';

type PayoutFileLimits = PayoutFileOptions['limits'];

type PayeeCheckerOptions = ConstructorParameters<typeof PayeeChecker>[0];

type DryRunPolicy = Parameters<typeof dryRun>[0]['policy'];

type DryRunContext = Parameters<typeof dryRun>[0];

const folder = useFolder();
const brake = { consecutiveFailures: 10, failureShare: 0.5, window: 100, inDoubtMax: 200 };

type Answer = BankReply<PayeeCheckFields>;

interface Play {
  readonly answer?: (check: PayeeCheck, no: number) => Answer | Promise<Answer>;
  readonly context?: Partial<DryRunContext>;
  readonly policy?: Partial<DryRunPolicy>;
  readonly checker?: Partial<PayeeCheckerOptions>;
  readonly limits?: Partial<PayoutFileLimits>;
}

interface Played {
  readonly forecast: FileForecast | { readonly kind: 'rejected'; readonly rejection: object };
  /** "row code" */
  readonly issues: readonly string[];
  readonly notes: readonly string[];
  /** proxyNo of each question. */
  readonly asked: readonly string[];
  readonly checker: PayeeChecker;
}

/** A file that has been read already: the disk takes time that no virtual clock knows of. */
async function readAhead(path: string, limits: Partial<PayoutFileLimits> = {}): Promise<PayoutFileReader> {
  const reader = makePayoutFileReader({ ...defaults, limits: { ...noLimits, ...limits } });
  const inspected = await reader.inspect(path);
  const parts: ReadPart[] = [];
  if (inspected.kind === 'inspected')
    for await (const part of reader.read(inspected.inspection)) parts.push(part);
  return {
    inspect: async () => inspected,
    async *read() {
      yield* parts;
    },
  };
}

async function predict(theatre: Theatre, path: string, play: Play = {}): Promise<Played> {
  const issues: string[] = [];
  const notes: string[] = [];
  const asked: string[] = [];
  const checker = new PayeeChecker({
    bank: {
      checkPayee: async (check) => {
        asked.push(check.proxyNo);
        return (await play.answer?.(check, asked.length)) ?? theatre.checked('IC001');
      },
    },
    clock: theatre.time,
    concurrency: 3,
    waitMs: 5 * minuteMs,
    unansweredMax: 10,
    interrupted: new AbortController().signal,
    ...play.checker,
  });
  const context: DryRunContext = {
    reader: await readAhead(path, play.limits),
    checker,
    journal: undefined,
    clock: theatre.time,
    policy: {
      bank: payer,
      verify: play.policy?.verify ?? verify,
      brake,
      limits: { similarDays: 0, likeFileDays: 3, batchMaxAgeHours: 24, ...play.policy?.limits },
    },
    onIssues: (found) => void issues.push(...found.map(({ rowNo, issue }) => `${rowNo} ${issue.code}`)),
    onNotes: (found) => void notes.push(...found.map(({ rowNo, issue }) => `${rowNo} ${issue.code}`)),
    ...play.context,
  };
  const work = dryRun(context, path);
  await theatre.time.drive(work);
  return { forecast: await work, issues, notes, asked, checker };
}

/** Rows by outcome, those that have any. */
function outcomesOf({ forecast }: Played): Record<string, number> {
  if (forecast.kind === 'rejected') return { file: 0 };
  const sum = Object.values(forecast.outcomes).reduce((rows, total) => rows + total.rows, 0);
  expect(sum).toBe(forecast.all.rows);
  return Object.fromEntries(
    Object.entries(forecast.outcomes).flatMap(([name, { rows }]) => (rows > 0 ? [[name, rows]] : [])),
  );
}

const mobile = (place: number): string => `08${String(place).padStart(8, '0')}`;
const rows = (count: number, amount = '1'): string =>
  file(...Array.from({ length: count }, (_, place) => `P${place},MSISDN,${mobile(place)},,${amount},,`));

describe('who is asked about', () => {
  test('only rows that passed the rules, once the whole file has been read', async () => {
    await using theatre = await openTheatre();
    const content = file(
      'A,MSISDN,0810000001,,1,,',
      'B,MSISDN,0810000002,,x,,',
      'C,MSISDN,0810000003,,1,,',
      'C,MSISDN,0810000003,,2,,',
      'D,MSISDN,0810000004,,500,,',
    );
    const play = { limits: { payoutSatangMax: toSatang(40_000n) } };
    const played = await predict(theatre, await folder.write(content), play);
    expect(played.asked).toEqual(['0810000001', '0810000004']);
    expect(outcomesOf(played)).toEqual({ toPay: 1, held: 1, rejected: 3 });
    expect(played.issues).toEqual([
      '2 amount-characters',
      '4 duplicate-differs',
      '3 duplicate-differs',
      '5 limit',
    ]);
    expect(played.forecast).toMatchObject({
      all: { rows: 5, amountSatang: 50_400n, unreadableAmounts: 1 },
      outcomes: { toPay: { amountSatang: 100n }, held: { amountSatang: 50_000n } },
      holds: { limit: { rows: 1, amountSatang: 50_000n } },
    });
  });

  test('nobody of a file that is rejected as a whole, at its last line too', async () => {
    await using theatre = await openTheatre();
    const cut = await predict(theatre, await folder.write(rows(50).slice(0, -1)));
    const over = await predict(theatre, await folder.write(rows(50)), {
      limits: { fileSatangMax: toSatang(4_900n) },
    });
    expect([cut.forecast, cut.asked]).toMatchObject([{ rejection: { code: 'line-end-missing' } }, []]);
    expect([over.forecast, over.asked]).toMatchObject([{ rejection: { code: 'total-over-limit' } }, []]);
  });

  test('as many at once as the settings allow, also where the settings would ask about nobody', async () => {
    await using theatre = await openTheatre();
    let atOnce = 0;
    let most = 0;
    const answer = async (): Promise<Answer> => {
      atOnce += 1;
      most = Math.max(most, atOnce);
      await theatre.time.sleep(100);
      atOnce -= 1;
      return theatre.checked('IC001');
    };
    const policy = { verify: { ...verify, enabled: false } };
    const played = await predict(theatre, await folder.write(rows(20)), { answer, policy });
    expect([most, played.asked.length]).toEqual([3, 20]);
  });

  test('rows whose payoutIds differ only in case or leading zeros are held', async () => {
    await using theatre = await openTheatre();
    const path = await folder.write(file(row('a1'), row('B'), row('A1'), row('007'), row('7')));
    const played = await predict(theatre, path);
    expect(outcomesOf(played)).toEqual({ toPay: 1, held: 4 });
    expect(played.forecast).toMatchObject({ holds: { similar: { rows: 4 } } });
  });

  test('rows like an earlier one are held where the settings say so', async () => {
    await using theatre = await openTheatre();
    const path = await folder.write(file(row('A', '5'), row('B', '6'), row('C', '5')));
    expect(outcomesOf(await predict(theatre, path))).toEqual({ toPay: 3 });
    const played = await predict(theatre, path, {
      policy: { limits: { similarDays: 7, likeFileDays: 3, batchMaxAgeHours: 24 } },
    });
    expect([outcomesOf(played), played.issues]).toEqual([{ toPay: 2, held: 1 }, ['3 similar-payment']]);
  });
});

test('rows that limits over time would hold are foreseen, with what counts already', async () => {
  await using theatre = await openTheatre();
  const { batchId } = await ingest(theatre.journal, [makeRow(1, { amountSatang: toSatang(300n) })]);
  await theatre.run(batchId);
  const content = file(...[1, 2, 3, 4].map((place) => `P${place},MSISDN,${mobile(place)},,${place},,`));
  const path = await folder.write(content);
  const foresee = async (limits: object) => {
    const read = settingsSchema.parse({ bank: { baseUrl: 'sandbox', ...payer }, limits }).limits;
    const policy = {
      limits: { similarDays: 0, likeFileDays: 0, batchMaxAgeHours: 24, overTime: readTimeLimits(read) },
    };
    return predict(theatre, path, { policy, context: { journal: theatre.journal } });
  };
  const ofDay = await foresee({ bahtPerDay: '10' });
  expect([outcomesOf(ofDay), ofDay.issues]).toEqual([{ toPay: 3, held: 1 }, ['4 baht-per-day']]);
  expect(ofDay.forecast).toMatchObject({ holds: { 'day-limit': { rows: 1, amountSatang: 400n } } });
  const ofPayees = await foresee({ newPayeeBaht: '2' });
  expect([outcomesOf(ofPayees), ofPayees.issues]).toEqual([
    { toPay: 2, held: 2 },
    ['3 new-payee', '4 new-payee'],
  ]);
  // What is the same for all rows is told once.
  const ofFiles = await foresee({ filesPerDay: 1, closedDates: ['2026-11-21'] });
  expect([outcomesOf(ofFiles), ofFiles.issues]).toEqual([{ held: 4 }, ['1 files-per-day', '1 service-day']]);
});

test('rows like another but for their reference1 are paid and told of', async () => {
  await using theatre = await openTheatre();
  const like = (payoutId: string, reference1: string): string =>
    `${row(payoutId).slice(0, -1)}${reference1},`;
  const path = await folder.write(file(like('A', 'x'), like('B', 'y'), like('C', 'x'), like('D', '')));
  const policy = { limits: { similarDays: 3, likeFileDays: 3, batchMaxAgeHours: 24 } };
  const played = await predict(theatre, path, { policy });
  expect(outcomesOf(played)).toEqual({ toPay: 2, held: 2 });
  expect(played.issues).toEqual(['3 similar-payment', '4 similar-payment']);
  expect(played.notes).toEqual(['2 similar-reference']);
});

describe('trouble', () => {
  test('of the service is waited for, and its answers are the file’s', async () => {
    await using theatre = await openTheatre();
    const answer = (_check: PayeeCheck, no: number): Answer =>
      no < 6 ? notSent : theatre.checked(no % 2 === 0 ? 'IC001' : 'EV033');
    const played = await predict(theatre, await folder.write(rows(10)), { answer });
    expect(played.forecast).toMatchObject({ stop: undefined });
    expect(Object.keys(outcomesOf(played)).toSorted()).toEqual(['toPay', 'unpayable']);
  });

  test('is seen by whoever watches, and how many were asked about', async () => {
    await using theatre = await openTheatre();
    const shown: ProgressFigures[] = [];
    const waits: string[] = [];
    const answer = (_check: PayeeCheck, no: number): Answer =>
      no < 6 ? notSent : theatre.checked(no === 9 ? 'EV033' : 'IC001');
    await predict(theatre, await folder.write(rows(10)), {
      answer,
      context: { progress: { show: (figures) => void (figures && shown.push(figures)) } },
      checker: { reportWait: (wait) => void (wait && waits.push(wait.kind)) },
    });
    expect(shown.at(0)).toEqual({ phase: 'reading', rowsDone: 10, rowsTotal: undefined, inDoubt: 0 });
    const asked = shown.filter(({ phase }) => phase === 'asking');
    expect(asked.map(({ rowsDone }) => rowsDone)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(asked.at(-1)).toMatchObject({ rowsTotal: 10, refused: 1 });
    expect(new Set(waits)).toEqual(new Set(['pause']));
  });

  test('that does not end is waited for as long as allowed', async () => {
    await using theatre = await openTheatre();
    const startMs = theatre.now();
    const played = await predict(theatre, await folder.write(rows(10)), { answer: () => notSent });
    expect(played.forecast).toMatchObject({ stop: { kind: 'wait-over', code: 'not-sent' } });
    expect(outcomesOf(played)).toEqual({ notAsked: 10 });
    expect(theatre.now() - startMs).toBeLessThan(6 * minuteMs);
  });

  test('a bank that never answers costs a few rows, not all of them', async () => {
    await using theatre = await openTheatre();
    const answer = async (): Promise<Answer> => {
      await theatre.time.sleep(30_000);
      return lost;
    };
    const played = await predict(theatre, await folder.write(rows(5_000)), { answer });
    expect(played.forecast).toMatchObject({ stop: { kind: 'no-answers' } });
    expect(played.asked.length).toBeLessThan(50);
    expect(outcomesOf(played)['notAsked']).toBeGreaterThan(4_980);
  });

  test.each([
    ['the payer', (theatre: Theatre): Answer => theatre.checked('EM004'), 'EM004'],
    ['the credentials', (): Answer => ({ kind: 'credentials-refused', code: 'TK001' }), 'TK001'],
    [
      'a token that is refused',
      (theatre: Theatre): Answer => theatre.answer<PayeeCheckFields>(undefined, { httpStatus: 401 }),
      'http-401',
    ],
  ])('with %s ends it, and what was learnt is told', async (_name, trouble, code) => {
    await using theatre = await openTheatre();
    const answer = (_check: PayeeCheck, no: number): Answer =>
      no === 5 ? trouble(theatre) : theatre.checked('IC001');
    const played = await predict(theatre, await folder.write(rows(2_000)), { answer });
    expect(played.forecast).toMatchObject({
      stop: { kind: 'halted', code },
      all: { rows: 2_000, amountSatang: 200_000n },
    });
    const { toPay = 0, notAsked = 0 } = outcomesOf(played);
    expect([toPay + notAsked, toPay < 10, played.asked.length < 10]).toEqual([2_000, true, true]);
  });

  test('a signal ends it, and what was learnt is told', async () => {
    await using theatre = await openTheatre();
    const controller = new AbortController();
    const answer = (_check: PayeeCheck, no: number): Answer => {
      if (no === 7) controller.abort();
      return theatre.checked('EV033');
    };
    const play = { answer, checker: { interrupted: controller.signal } };
    const played = await predict(theatre, await folder.write(rows(3_000)), play);
    expect(played.forecast).toMatchObject({ stop: { kind: 'interrupted' } });
    const { unpayable = 0, notAsked } = outcomesOf(played);
    expect([unpayable >= 7, unpayable < 12, notAsked]).toEqual([true, true, 3_000 - unpayable]);
    expect(played.issues).toHaveLength(unpayable);
  });

  test('payees that cannot be paid stop nothing; the brake of a run is foretold', async () => {
    await using theatre = await openTheatre();
    const answer = (check: PayeeCheck): Answer =>
      theatre.checked(Number(check.proxyNo.slice(-2)) >= 20 ? 'EV033' : 'IC001');
    const played = await predict(theatre, await folder.write(rows(60)), { answer });
    expect(outcomesOf(played)).toEqual({ toPay: 20, unpayable: 40 });
    expect(played.forecast).toMatchObject({ brakeStop: { code: 'brake-consecutive', rowNo: 30 } });
  });

  test('the mean time of an answer is told', async () => {
    await using theatre = await openTheatre();
    const answer = (_check: PayeeCheck, no: number): Answer =>
      ({ ...theatre.checked('IC001'), elapsedMs: no * 10 }) as Answer;
    const { checker } = await predict(theatre, await folder.write(rows(4)), { answer });
    expect([checker.answers, checker.latencyMs]).toEqual([4, 25]);
  });
});

/** A journal that may be read and breaks when anything is written. */
function readOnly(journal: Journal): Journal {
  const reads = ['batch', 'claimHolders', 'payerHalt', 'similarHolders', 'similarPayment', 'snapshot'];
  return new Proxy(journal, {
    get: (target, name: keyof Journal) => {
      if (!reads.includes(String(name))) throw new Error(`a dry run has used ${String(name)}`);
      return (target[name] as (...args: readonly unknown[]) => unknown).bind(target);
    },
  });
}

async function take(theatre: Theatre, path: string): Promise<string> {
  const clock: Clock = theatre.time;
  const context = { journal: theatre.journal, reader: makePayoutFileReader(defaults), clock };
  const { companyId, payerAccount } = payer;
  const stop = new AbortController().signal;
  const given = { companyId, payerAccount, likeFileDays: 3, stop, onRows: () => {} };
  await ingestFile({ ...context, ...given }, path, 'payouts.csv');
  return computeBatchId((await inspectPath(path)).sha256);
}

describe('beside a journal', () => {
  test('a file that pays the same people the same again is foreseen to be held, and a weekly one to be paid', async () => {
    await using theatre = await openTheatre();
    const payees = ['1', '2', '3', '4', '5'];
    const march = await folder.write(file(...payees.map((payee) => row(`M-${payee}`, payee))));
    const batchId = await take(theatre, march);
    await theatre.run(batchId);
    expect(await theatre.statuses(batchId)).toEqual({ paid: 5 });
    const again = await folder.write(
      file(...payees.map((payee) => row(`N-${payee}`, payee)), row('N-6', '6')),
    );
    const journal = readOnly(theatre.journal);
    const played = await predict(theatre, again, { context: { journal } });
    expect(outcomesOf(played)).toEqual({ held: 6 });
    expect(played.issues[0]).toBe('1 like-file');
    const alone = { findLike: makeFindLike(journal, payer.companyId, 3, theatre.now()) };
    const found: string[] = [];
    const checked = await checkFile(await readAhead(again), again, {
      ...alone,
      onIssues: (issues) => void found.push(...issues.map(({ issue }) => inEnglish(issue.message))),
    });
    expect(checked).toMatchObject({ totals: { ready: { rows: 0 }, held: { rows: 6 } }, likeRows: 5 });
    const few = await folder.write(file(row('F-1', '1'), row('F-2', '77')));
    const told = await checkFile(await readAhead(few), few, { ...alone, onIssues: () => {} });
    expect(told).toMatchObject({ totals: { ready: { rows: 2 } }, likeReason: undefined, likeRows: 1 });
    expect(showChecked(new CheckReport('few.csv', false), told).text).toContain(
      '1 row of it pays a payee as much as another file did',
    );
    expect(found).toEqual([expect.stringContaining(`(5 of them with payouts.csv, batch ${batchId})`)]);
    await theatre.time.drive(theatre.time.sleep(7 * dayMs));
    expect(outcomesOf(await predict(theatre, again, { context: { journal } }))).toEqual({ toPay: 6 });
  });

  test('rows of a known batch stand as it has them, and nothing is written', async () => {
    await using theatre = await openTheatre();
    const path = await folder.write(rows(6));
    const batchId = await take(theatre, path);
    theatre.script = {
      transfer: (order, no) =>
        theatre.code(['IC000', 'EM069', 'EM073', 'EM053'][no - 1] ?? 'EM053', {
          transRefNo: order.transRefNo,
        }),
      inquire: (inquiry) => theatre.found(inquiry, '010003'),
    };
    await theatre.run(batchId, { verify: { ...verify, concurrency: 1 }, transferConcurrency: 1 });
    const before = await theatre.statuses(batchId);
    const journal = readOnly(theatre.journal);
    const halted = await predict(theatre, path, { context: { journal } });
    expect(before).toEqual({ paid: 1, failed: 1, submitted: 1, held: 3 });
    expect(outcomesOf(halted)).toEqual({ paidEarlier: 1, endedEarlier: 1, inDoubt: 1, held: 3 });
    // These go on with the account: their payees are asked about, as under any stopped line.
    expect(halted.asked).toEqual([3, 4, 5].map(mobile));
    expect(halted.forecast).toMatchObject({ isKnown: true, halt: { code: 'EM053' } });
    await theatre.resume(batchId);
    const resumed = await predict(theatre, path, { context: { journal } });
    expect(outcomesOf(resumed)).toEqual({ paidEarlier: 1, endedEarlier: 1, inDoubt: 1, toPay: 3 });
    expect(resumed.asked).toEqual([3, 4, 5].map(mobile));
  });

  test('rows that another batch holds are rejected, like ones are held, and nobody is asked for the first', async () => {
    await using theatre = await openTheatre();
    await take(theatre, await folder.write(file(row('A1'), row('B1'))));
    const path = await folder.write(file(row('A1', '7'), row('b1', '8'), row('C1', '9')));
    const played = await predict(theatre, path, { context: { journal: readOnly(theatre.journal) } });
    expect(outcomesOf(played)).toEqual({ rejected: 1, held: 1, toPay: 1 });
    expect([played.asked.length, played.issues]).toEqual([2, ['1 payout-id-claimed', '2 similar']]);
  });

  test('a stopped line is told once, and payees are asked about all the same', async () => {
    await using theatre = await openTheatre();
    const { companyId, payerAccount } = payer;
    const stop = {
      companyId,
      payerAccount,
      code: 'EM053',
      reason: verbatim('empty'),
      remedy: verbatim('fund it'),
      sinceMs: 1,
    };
    await theatre.journal.recordPayerHalt(stop);
    const played = await predict(theatre, await folder.write(rows(3)), {
      context: { journal: readOnly(theatre.journal) },
    });
    expect([outcomesOf(played), played.issues, played.asked.length]).toEqual([{ held: 3 }, [], 3]);
    expect(played.forecast).toMatchObject({ halt: { code: 'EM053' }, holds: { halted: { rows: 3 } } });
  });
});
