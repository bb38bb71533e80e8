/** A workbook's sheet after reading: rows of texts as shown. */
import type { Message } from '../../core/message.ts';

/** Codes of cells that may not mean what they show. */
const faultCodes = [
  'cell-error',
  'cell-formula',
  'cell-digits',
  'cell-rounded',
  'cell-date',
  'cell-format',
  'cell-merged',
] as const;
export type FaultCode = (typeof faultCodes)[number];

export interface CellFault {
  /** Position of the cell in its row, from 0. */
  readonly place: number;
  readonly code: FaultCode;
  /** The fault and its cure. */
  readonly message: Message;
}

export interface SheetRow {
  /** Number of the row in the sheet, from 1, as a spreadsheet shows it. */
  readonly line: number;
  /** Cells as shown; an amount without thousands separators. */
  readonly cells: readonly string[];
  readonly faults: readonly CellFault[];
  /** True when a filter or a person has hidden the row: a reader of the sheet has not seen it. */
  readonly isHidden: boolean;
}

/** Facts of a sheet before its rows. */
export interface SheetHead {
  readonly name: string;
  /** Positions, from 0, of hidden columns. */
  readonly hiddenColumns: readonly number[];
}

/** The sheet to read: the one with this name, else the first visible one. */
export interface SheetChoice {
  readonly preferredName?: string;
}

/** The name of a column: A, B, … Z, AA. */
export function nameColumn(place: number): string {
  const letter = String.fromCharCode(65 + (place % 26));
  return place < 26 ? letter : nameColumn(Math.floor(place / 26) - 1) + letter;
}
