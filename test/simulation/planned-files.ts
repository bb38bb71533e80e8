/** The partner's files of a run, and a reader that hands out their rows. */
import { verbatim } from '../../src/core/message.ts';
import { hash } from 'node:crypto';
import { formatBaht, toSatang } from '../../src/core/money.ts';
import type { Inspection, SealTotals, StagedRow } from '../../src/core/payout-file.ts';
import type { HoldReason } from '../../src/core/payout.ts';
import type { PayoutFileReader, ReadPart } from '../../src/intake/ports.ts';
import type { Dice } from '../support/dice.ts';
import type { DrawnShape } from './plan.ts';

export interface PlannedFile {
  readonly name: string;
  readonly rows: readonly StagedRow[];
  /** The life, from 0, that finds it first. */
  readonly fromLife: number;
}

/** In Thai letters, so that it is compared with the bank's Thai name. */
export const thaiName = 'สมชาย ใจดี';

interface DrawnRow {
  readonly payoutId: string;
  readonly amountSatang: bigint;
  readonly holds: readonly HoldReason[];
  readonly isBad: boolean;
  readonly payeeName: string | null;
}

function makeRow(rowNo: number, proxyPlace: number, drawn: DrawnRow): StagedRow {
  const { payoutId, payeeName, holds, isBad } = drawn;
  const amountSatang = toSatang(drawn.amountSatang);
  const proxyNo = `08${String(10_000_000 + proxyPlace)}`;
  const texts = { payeeName: payeeName ?? '', reference1: payoutId, reference2: '' };
  const amount = isBad ? 'abc' : formatBaht(amountSatang);
  const cells = { payoutId, proxyType: 'MSISDN', proxyNo, amount, ...texts };
  const issue = {
    line: rowNo + 1,
    column: 'amount',
    code: 'amount-text',
    value: 'abc',
    message: verbatim('no amount'),
  };
  const instruction = {
    payoutId,
    proxyType: 'MSISDN',
    proxyNo,
    payeeName,
    amountSatang,
    // The simulated bank tells by it which payout a transfer pays.
    reference1: payoutId,
    reference2: null,
  } as const;
  return {
    rowNo,
    line: rowNo + 1,
    cells,
    instruction: isBad ? null : instruction,
    amountSatang: isBad ? null : amountSatang,
    holds: isBad ? [] : holds,
    issues: isBad ? [issue] : [],
    extras: [],
  };
}

function drawRow(dice: Dice, payoutId: string): DrawnRow {
  return {
    payoutId,
    amountSatang: BigInt(dice.whole(1, 900_000)),
    holds: dice.chance(0.05) ? ['limit'] : [],
    isBad: dice.chance(0.04),
    payeeName: dice.chance(0.3) ? thaiName : null,
  };
}

const rowsMax: Readonly<Record<DrawnShape, number>> = {
  simple: 4,
  mixed: 6,
  wild: 10,
  people: 4,
  lying: 4,
  outage: 12,
  edited: 4,
  clocks: 3,
  limits: 8,
};
const filesMax: Readonly<Record<DrawnShape, number>> = {
  simple: 1,
  mixed: 2,
  wild: 3,
  people: 3,
  lying: 3,
  outage: 1,
  edited: 1,
  clocks: 2,
  limits: 3,
};

/** Later files name payoutIds of earlier ones again, some with another amount or payee, or written in another way. */
export function drawFiles(dice: Dice, shape: DrawnShape): PlannedFile[] {
  const used: string[] = [];
  return Array.from({ length: dice.whole(1, filesMax[shape]) }, (_, place) => {
    const rows: StagedRow[] = [];
    const count = dice.whole(1, rowsMax[shape]);
    for (let rowNo = 1; rowNo <= count; rowNo += 1) {
      const again = used.length > 0 && dice.chance(0.6) ? dice.pick(used) : undefined;
      const fresh =
        rowNo % 2 === 0 ? `${place + 1}0${String(rowNo).padStart(2, '0')}` : `INV-${place}-${rowNo}`;
      const payoutId = again === undefined ? fresh : respell(dice, again);
      // Now and then the payee and the amount of another payout.
      const twin = dice.chance(0.1) ? rows.at(-1) : undefined;
      const drawn = drawRow(dice, payoutId);
      const amountSatang = twin?.amountSatang ?? drawn.amountSatang;
      rows.push(makeRow(rowNo, place * 100 + (twin?.rowNo ?? rowNo), { ...drawn, amountSatang }));
    }
    used.push(...rows.map((row) => row.cells.payoutId));
    return { name: `payouts-${place}.csv`, rows, fromLife: place === 0 ? 0 : dice.whole(0, place + 1) };
  });
}

const isOfDigits = (payoutId: string): boolean => /^[\d.]+$/.test(payoutId);

/** What a spreadsheet, or a person who types it again, makes of it. */
function respell(dice: Dice, payoutId: string): string {
  if (!dice.chance(0.15)) return payoutId;
  if (!dice.chance(0.5)) return `0${payoutId}`;
  if (!isOfDigits(payoutId)) return payoutId.toLowerCase();
  return payoutId.includes('.') ? `${payoutId}0` : `${payoutId}.0`;
}

/** The payoutId however `respell` has written it: by arithmetic, not by the rule that is put to the test. */
export const originOf = (payoutId: string): string =>
  isOfDigits(payoutId) ? String(Number(payoutId)) : payoutId.toUpperCase().replace(/^0+/, '');

function totalsOf(rows: readonly StagedRow[]): SealTotals {
  let totalSatang = 0n;
  for (const { amountSatang } of rows) totalSatang += amountSatang ?? 0n;
  const unreadableAmounts = rows.filter((row) => row.amountSatang === null).length;
  return { rows: rows.length, totalSatang: toSatang(totalSatang), unreadableAmounts, conflictingRowNos: [] };
}

/** SHA-256 that the file would have. */
const shaOf = (seed: number, { name }: PlannedFile): string => hash('sha256', `${seed} ${name}`, 'hex');

/** Reads the planned files as if they lay on a disk; their path is their name. */
export function makePlannedReader(seed: number, files: readonly PlannedFile[]): PayoutFileReader {
  const fileAt = (path: string): PlannedFile => {
    const file = files.find(({ name }) => name === path);
    if (file === undefined) throw new Error(`there is no file ${path}`);
    return file;
  };
  return {
    inspect: async (path) => {
      const inspection: Inspection = {
        path,
        sha256: shaOf(seed, fileAt(path)),
        sizeBytes: 1,
        encoding: 'utf-8',
        bomBytes: 0,
        endsWithLineEnd: true,
        identity: path,
      };
      return { kind: 'inspected', inspection };
    },
    async *read({ path }): AsyncGenerator<ReadPart> {
      const { rows } = fileAt(path);
      const middle = Math.ceil(rows.length / 2);
      yield { kind: 'header', extraColumns: [] };
      yield { kind: 'rows', rows: rows.slice(0, middle) };
      if (middle < rows.length) yield { kind: 'rows', rows: rows.slice(middle) };
      yield { kind: 'summary', totals: totalsOf(rows) };
    },
  };
}
