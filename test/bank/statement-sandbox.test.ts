/** The whole way of a statement: asked for, brought, kept, opened and read, in every form, and with every damage. */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makeBankClient } from '../../src/bank/client.ts';
import { makeStatementDownloader } from '../../src/bank/statement-download.ts';
import { makeStatementRequests } from '../../src/bank/statement-request.ts';
import { openStatementOriginals } from '../../src/reconcile/file/originals.ts';
import { makeStatementReader } from '../../src/reconcile/file/reader.ts';
import { makeStatementUnpacker } from '../../src/reconcile/file/unpacker.ts';
import { commonStatementWords, type StatementLine } from '../../src/reconcile/rules/statement.ts';
import type { StatementTableInput } from '../../src/sandbox/statement/table.ts';
import { clientOptions } from '../support/fake-bank.ts';
import { clientId, clientSecret } from '../support/sandbox-kit.ts';
import { openStatementBank, payThree } from '../support/sandbox-statement-kit.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paydrop-statements-'));
});
afterEach(() => rm(folder, { recursive: true }));

const bytesMax = 2_000_000;
const date = '20261121';

async function read(path: string): Promise<{ lines: StatementLine[]; last: unknown }> {
  const lines: StatementLine[] = [];
  let last: unknown;
  const reader = makeStatementReader({ scheme: 'proxy', words: commonStatementWords, bytesMax });
  for await (const part of reader.read(path)) {
    if (part.kind === 'lines') lines.push(...part.lines);
    else last = part.kind === 'refused' ? part.refusal.code : part.kind;
  }
  return { lines, last };
}

/** What came of a statement, and the names of what lies in the folder afterwards. */
async function fetchStatement(statement: StatementTableInput) {
  const bank = await openStatementBank(statement);
  await payThree(bank);
  const options = { clientId, clientSecret };
  await using client = makeBankClient(clientOptions(bank.sandbox.baseUrl, options));
  const offer = await makeStatementRequests(client, 'date').request(date, null);
  if (offer.kind !== 'offered') return { outcome: offer.kind, names: [] };
  const originals = await openStatementOriginals(folder);
  const result = async () => {
    await using draft = await originals.draft(date);
    const downloader = makeStatementDownloader({ bankHost: '127.0.0.1', bytesMax, timeoutMs: 60_000 });
    const delivery = await downloader.bring(offer.address, (bytes) => draft.write(bytes));
    if (delivery.kind === 'refused') return { outcome: delivery.refusal.code };
    const kept = await draft.keep();
    if (delivery.kind === 'web-page') return { outcome: 'web-page' };
    const opened = await makeStatementUnpacker({ folder, bytesMax }).open(kept.path, offer.key);
    if (opened.kind === 'refused') return { outcome: opened.refusal.code };
    await using plain = opened;
    const { lines, last } = await read(plain.path);
    return { outcome: last, lines };
  };
  return { ...(await result()), names: await readdir(folder) };
}

describe('a statement comes whole', () => {
  test.each<[StatementTableInput, string]>([
    [{ form: 'plain' }, 'csv'],
    [{ form: 'plain', host: 'other' }, 'csv'],
    [{ form: 'plain', encoding: 'windows-874' }, 'csv'],
    [{ form: 'gzip' }, 'gz'],
    [{ form: 'zipcrypto', unZipKey: 'k1', thousands: true }, 'zip'],
    [{ form: 'aes', unZipKey: 'k2', bom: true }, 'zip'],
    [{ form: 'plain', damages: [{ damage: 'moved' }] }, 'csv'],
  ])('%j', async (statement, ending) => {
    const { outcome, lines, names } = await fetchStatement(statement);
    expect(outcome).toBe('summary');
    expect(lines).toMatchObject([
      { transRefNo: 'A', amountSatang: 10025n, status: 'complete', effectiveDate: date },
      { transRefNo: 'B', amountSatang: 200000n, reference1: 'INV-B' },
      { transRefNo: 'C', amountSatang: 350n, companyId: 'COMP000001' },
    ]);
    expect(names).toMatchObject([
      expect.stringMatching(new RegExp(`^${date}\\.\\w{10}\\.original\\.${ending}$`)),
    ]);
  });
});

/** Whether the original lies in the folder afterwards. */
const kept = true;
const gone = false;

describe('a statement that is damaged on its way', () => {
  test.each<[StatementTableInput, RegExp, boolean]>([
    [{ damages: [{ damage: 'truncated' }] }, /^(?:cell-count|line-end-missing)$/, kept],
    [{ damages: [{ damage: 'cut' }] }, /^download-cut$/, gone],
    [{ damages: [{ damage: 'short-length' }] }, /^(?:cell-count|line-end-missing|download-cut)$/, kept],
    [{ damages: [{ damage: 'html' }] }, /^web-page$/, kept],
    [{ damages: [{ damage: 'endless' }] }, /^download-too-large$/, gone],
    [{ damages: [{ damage: 'huge' }] }, /^download-too-large$/, gone],
    [{ form: 'gzip', bombBytes: 20_000_000, damages: [{ damage: 'bomb' }] }, /^statement-too-large$/, kept],
    [{ form: 'aes', bombBytes: 20_000_000, damages: [{ damage: 'bomb' }] }, /^statement-too-large$/, kept],
    [{ form: 'aes', damages: [{ damage: 'truncated' }] }, /^zip-truncated$/, kept],
    [{ form: 'aes', damages: [{ damage: 'path' }] }, /^zip-path$/, kept],
    [{ form: 'zipcrypto', damages: [{ damage: 'two-entries' }] }, /^zip-entries$/, kept],
    [{ form: 'aes', damages: [{ damage: 'wrong-key' }] }, /^zip-key-wrong$/, kept],
    [{ form: 'zipcrypto', damages: [{ damage: 'wrong-key' }] }, /^zip-key-wrong$/, kept],
    [{ today: false }, /^not-found$/, gone],
  ])('%j is %s', async (statement, outcome, isKept) => {
    const found = await fetchStatement(statement);
    expect(found.outcome).toMatch(outcome);
    expect(found.names).toHaveLength(isKept ? 1 : 0);
  });
});
