/** Output of `list --registrations`: a line for each, as wide as the terminal. */
import { inEnglishIfAny } from '../../core/message.ts';
import type { FoundRegistration } from '../../app/registration/standing.ts';
import { formatBangkokDateTime, formatBangkokMoment } from '../../core/bangkok-time.ts';
import { printable, showText, toLines } from '../../core/outgoing-text.ts';
import { maskDigits } from '../../core/proxy-id.ts';
import type { RegistrationColumn } from '../../registration/rules/registration-file.ts';
import { latestRequestUid } from '../../registration/rules/registration.ts';
import { describeRegistrationReason, readRegistrationCell } from '../../registration/rules/report-rows.ts';
import { countOf, showCount } from './amounts.ts';
import { type Column, ListTable, wideColumns, widestColumns } from './list.ts';

const cellOf = ({ row }: FoundRegistration, column: RegistrationColumn): string =>
  readRegistrationCell(row, column);

/** Time of sending; before that, the time at which its file was taken in. */
const placeInTime = ({ row, batch }: FoundRegistration): number => row.submittedAtMs ?? batch.startedAtMs;

function whyOf({ row }: FoundRegistration): string {
  if (row.status === 'registered' && !row.isAlarm) return '';
  const [code, reason] = describeRegistrationReason(row);
  const why = [code, inEnglishIfAny(reason)].filter((text) => text !== '').join(': ');
  return row.isAlarm ? `ALARM ${why}` : why;
}

const columns: readonly Column<FoundRegistration>[] = [
  { head: 'When', cell: (found) => formatBangkokMoment(placeInTime(found)), from: wideColumns, max: 19 },
  { head: 'RegistrationId', cell: (found) => cellOf(found, 'registrationId'), max: 20, isId: true },
  { head: 'Status', cell: ({ row }) => row.status, max: 12 },
  { head: 'Account', cell: (found) => maskDigits(cellOf(found, 'accountNo')), max: 13 },
  {
    head: 'Company',
    cell: (found) =>
      [cellOf(found, 'vendorId'), cellOf(found, 'companyId')].filter((text) => text !== '').join('/'),
    from: wideColumns,
    max: 20,
  },
  { head: 'Ref1', cell: (found) => cellOf(found, 'ref1'), from: widestColumns, max: 20 },
  { head: 'Batch', cell: ({ batch }) => batch.batchId, from: widestColumns, max: 10 },
  { head: 'Why', cell: whyOf, max: Infinity },
];

/** Registrations as aligned lines. */
export class RegistrationTable {
  readonly #table: ListTable<FoundRegistration>;

  /** @param width of the terminal, if there is one */
  constructor(width: number | undefined) {
    this.#table = new ListTable(columns, width);
  }

  show(found: readonly FoundRegistration[]) {
    return this.#table.show(found);
  }

  /** Text below the last page. @param isMore true when more registrations exist than were asked for */
  end(isMore: boolean) {
    const { rows } = this.#table;
    if (rows === 0) return printable('No registration matches.');
    return toLines([
      '',
      isMore
        ? `The newest ${showCount(rows)}. More: --limit ${rows * 10}, or 0 for all.`
        : `${countOf(rows, 'registration')}.`,
      '"paydrop show ID" tells the whole story of one, and what to type.',
    ]);
  }
}

/** One registration for a program; numbers of people and accounts are masked, the result file has them in full. */
export function describeFoundRegistration(found: FoundRegistration): object {
  const { row, batch } = found;
  const [reasonCode, reason] = describeRegistrationReason(row);
  const stamp = (ms: number | null): string | null => (ms === null ? null : formatBangkokDateTime(ms));
  return {
    registrationId: cellOf(found, 'registrationId'),
    batchId: batch.batchId,
    file: batch.fileName,
    rowNo: row.rowNo,
    status: row.status,
    holds: row.holds,
    isAlarm: row.isAlarm,
    customerId: maskDigits(cellOf(found, 'customerId')),
    vendorId: showText(cellOf(found, 'vendorId')),
    companyId: showText(cellOf(found, 'companyId')),
    accountNo: maskDigits(cellOf(found, 'accountNo')),
    refs: (['ref1', 'ref2', 'ref3', 'ref4'] as const).map((column) => showText(cellOf(found, column))),
    reasonCode,
    reason: showText(inEnglishIfAny(reason)),
    requestUID: row.attempt === undefined ? null : latestRequestUid(row.attempt),
    ddrOapiSeqId: row.attempt?.ddrOapiSeqId ?? null,
    respCode: row.respCode,
    applyDtm: row.applyDtm,
    takenInAt: formatBangkokDateTime(batch.startedAtMs),
    submittedAt: stamp(row.submittedAtMs),
    settledAt: stamp(row.settledAtMs),
  };
}
