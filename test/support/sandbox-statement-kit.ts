/** A bank that gives statements, and a partner who asks for them and reads them. */
import { parse } from 'csv-parse/sync';
import { wireNames } from '../../src/bank/wire.ts';
import type { SandboxOptions } from '../../src/sandbox/bank.ts';
import type { StatementTableInput } from '../../src/sandbox/statement/table.ts';
import { goodTransfer, isHeard, openBank, readBody, speak } from './sandbox-kit.ts';
import type { Fields, Heard, TestBank } from './sandbox-kit.ts';

/** The day of `noonMs`. */
export const today = '2026-11-21';
export const dayMs = 86_400_000;

export interface StatementBank extends TestBank {
  /** The whole answer of endpoint 8. */
  ask8(fields?: Fields, headers?: Readonly<Record<string, string>>): Promise<Heard>;
  /** The same as an object. */
  statement(fields?: Fields): Promise<Record<string, string>>;
  /** The file of a new answer, over plain HTTP. */
  download(fields?: Fields): Promise<Buffer>;
  /** The lines of a plain file in UTF-8, by column. */
  lines(fields?: Fields): Promise<Record<string, string>[]>;
  /** A transfer with other fields than `goodTransfer`. */
  pay(fields: Fields): Promise<void>;
}

/** Starts a bank with today's statement there, unless the table says otherwise. */
export async function openStatementBank(
  statement: StatementTableInput = {},
  options: Partial<SandboxOptions> = {},
): Promise<StatementBank> {
  const bank = await openBank({ statement: { today: true, ...statement }, ...options });
  const { statement: path } = wireNames(options.scheme ?? 'proxy').paths;
  const ask8: StatementBank['ask8'] = async (fields = { date: today }, headers = {}) => {
    const json = { 'content-type': 'application/json', authorization: `Bearer ${bank.token}` };
    const outcome = await speak(bank.sandbox.baseUrl, {
      path,
      body: JSON.stringify(fields),
      headers: { ...json, ...headers },
    });
    if (!isHeard(outcome)) throw new Error(`no answer: ${outcome}`);
    return outcome;
  };
  const ask = async (fields?: Fields) => readBody(await ask8(fields)) as Record<string, string>;
  const download: StatementBank['download'] = async (fields) => {
    const response = await fetch((await ask(fields))['storageSignedUrl'] ?? '');
    return Buffer.from(await response.arrayBuffer());
  };
  return Object.assign(bank, {
    ask8,
    statement: ask,
    download,
    lines: async (fields?: Fields) =>
      parse<Record<string, string>>(await download(fields), { columns: true, bom: true }),
    pay: async (fields: Fields) => {
      const { statusCode } = await bank.ask('transfer', { ...goodTransfer, ...fields });
      if (typeof statusCode !== 'string') throw new Error('the bank did not answer');
    },
  });
}

/** Three transfers of today: A of 100.25, B of 2,000.00, C of 3.50. */
export async function payThree(bank: StatementBank): Promise<void> {
  await bank.pay({ transRefNo: 'A', reference1: 'INV-A' });
  await bank.pay({ transRefNo: 'B', reference1: 'INV-B', tranAmount: '2000.00' });
  await bank.pay({ transRefNo: 'C', reference1: 'INV-C', tranAmount: '3.50' });
}

/** One column of all lines. */
export const columnOf = (lines: readonly Record<string, string>[], column: string) =>
  lines.map((line) => line[column]);
