/** What is known of a workbook's sheet once it has been read: rows of texts, as the sheet shows them. */

/** What may not be taken for what it looks like. */
export const faultCodes = [
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
  /** Place of the cell in its row, from 0. */
  readonly place: number;
  readonly code: FaultCode;
  /** What is wrong and what to do about it. */
  readonly message: string;
}

export interface SheetRow {
  /** Number of the row in the sheet, from 1, as a spreadsheet shows it. */
  readonly line: number;
  /** As the sheet shows them; an amount without the marks between its thousands. */
  readonly cells: readonly string[];
  readonly faults: readonly CellFault[];
  /** By a filter or by hand: whoever has looked at the sheet has not seen it. */
  readonly isHidden: boolean;
}

/** What stands before the rows. */
export interface SheetHead {
  readonly name: string;
  /** Places, from 0, of the columns that nobody sees. */
  readonly hiddenColumns: readonly number[];
}

/** Which sheet is read: the one of this name where there is one, else the first that is not hidden. */
export interface SheetChoice {
  readonly preferredName?: string;
}

/** The name of a column: A, B, … Z, AA. */
export function nameColumn(place: number): string {
  const letter = String.fromCharCode(65 + (place % 26));
  return place < 26 ? letter : nameColumn(Math.floor(place / 26) - 1) + letter;
}
