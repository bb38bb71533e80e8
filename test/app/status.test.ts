import { describe, expect, test } from 'vitest';
import { readBatches, readDays, stopBatches } from '../../src/app/status.ts';
import { addStops, showBatch } from '../../src/cli/views/status.ts';
import { printable } from '../../src/core/outgoing-text.ts';
import { loadSettings } from '../../src/settings/settings.ts';
import { ingestRunning, makeRows, noonMs } from '../support/journal-fixtures.ts';
import { makeSqliteStore } from '../support/sqlite-store.ts';

const state = {
  date: '20261120',
  version: 2,
  acceptedAtMs: 0,
  openBreaks: 0,
  oldestOpenedAtMs: null,
  provenance: null,
};

test('a day whose statement never came is listed, for a month', async () => {
  const asked: string[] = [];
  const store = {
    statementDays: async () => [state, { ...state, date: '20261118' }],
    daysReadInPart: async () => ['20261118'],
    daysWithoutStatement: async (dates: readonly string[]) => {
      asked.push(...dates);
      return ['20261119', '20261118'];
    },
  };
  const days = await readDays(store, Date.UTC(2026, 10, 21, 5));
  expect([asked.length, asked[0], asked.at(-1)]).toEqual([31, '20261120', '20261021']);
  expect(days.map(({ date, isWhole }) => [date, isWhole])).toEqual([
    ['20261120', true],
    ['20261119', false],
    ['20261118', false],
  ]);
});

describe('what keeps payouts from being sent', () => {
  const why = { code: 'EM053', reason: 'Insufficient funds', remedy: 'Fund the account' };
  const loaded = loadSettings({ configPath: 'config/sandbox.yaml', cwd: process.cwd(), env: {} });
  const { companyId, payerAccount } = loaded.settings.bank;

  async function open() {
    const opened = await makeSqliteStore();
    await ingestRunning(opened.store, makeRows(2), { companyId });
    const read = async (settings = loaded.settings) => {
      const batches = (await readBatches(opened.store, undefined)) ?? [];
      return stopBatches({ ...loaded, settings }, opened.store, batches, noonMs);
    };
    return { ...opened, read };
  }

  test('is nothing where nothing does', async () => {
    await using one = await open();
    expect((await one.read()).stops).toEqual([]);
  });

  test('is a halt as soon as the journal knows of it, though its batch still runs', async () => {
    await using one = await open();
    await one.store.recordPayerHalt({ companyId, payerAccount, ...why, sinceMs: noonMs });
    const { stops, standings } = await one.read();
    expect(stops).toMatchObject([
      { code: 'payer-halted', text: expect.stringContaining('Insufficient funds') },
    ]);
    const [standing] = standings;
    if (standing === undefined) throw new Error('there is no batch');
    const { text } = showBatch(standing, true);
    expect(standing.batch.status).toBe('running');
    expect(text).toMatch(/ {2}halted {5}.*\n.*\n.*to go on: paydrop resume /);
    const shown = addStops(stops, { json: [], text: printable('') });
    expect(shown.text).toMatch(
      /^NOT SENDING: sending is halted for account \*{4,}\d{4} since \d{4}-.* Bangkok time: Insufficient funds \(EM053\)\n {2}remedy: Fund the account\n {2}then type: paydrop resume \w+ --config /,
    );
    expect(shown.json).toEqual([{ kind: 'stops', stops }]);
  });

  test('is a pause, with when it ends, and one that is over while something is to be sent', async () => {
    await using one = await open();
    const pause = {
      companyId,
      payerAccount,
      ...why,
      code: 'TM001',
      troubles: 1,
      isTransfer: true,
      sinceMs: noonMs,
    };
    await one.store.recordPayerPause({ ...pause, untilMs: noonMs + 60_000 });
    expect((await one.read()).stops).toMatchObject([
      { code: 'payer-paused', text: expect.stringMatching(/^sending is paused until 20.*TM001/) },
    ]);
    await one.store.recordPayerPause({ ...pause, untilMs: noonMs - 1 });
    expect((await one.read()).stops).toMatchObject([{ text: expect.stringContaining('is tried again') }]);
  });

  test('is a bank out of reach, and service hours', async () => {
    await using one = await open();
    const { settings } = loaded;
    const away = { ...settings, bank: { ...settings.bank, baseUrl: 'http://127.0.0.1:9' } };
    expect((await one.read(away)).stops).toMatchObject([
      {
        code: 'bank',
        // A first question cannot tell since when.
        text: expect.stringMatching(/^the bank is out of reach: /),
        command: expect.stringContaining('paydrop config --login'),
      },
    ]);
    const closed = { ...settings, serviceHours: { open: '01:00', close: '02:00' } };
    expect((await one.read(closed)).stops).toMatchObject([{ code: 'service-closed' }]);
  });
});
