/** Output of `list --registrations`: a line for each, as wide as the terminal. */
import { inEnglishIfAny } from '../../core/message.ts';
import type { FoundRegistration } from '../../app/registration/standing.ts';
import { formatBangkokMoment } from '../../core/bangkok-time.ts';
import { maskDigits } from '../../core/proxy-id.ts';
import { viewOf } from '../../core/view.ts';
import type { RegistrationColumn } from '../../registration/rules/registration-file.ts';
import { latestRequestUid } from '../../registration/rules/registration.ts';
import { describeRegistrationReason, readRegistrationCell } from '../../registration/rules/report-rows.ts';
import { refsOf } from './registration-status.ts';
import { type ListKind, wideColumns, widestColumns } from './list.ts';

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

export const registrationList: ListKind<FoundRegistration> = {
  noun: 'registration',
  idWord: 'ID',
  columns: [
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
  ],
};

/** One registration of a list; numbers of people and accounts are masked, the result file has them in full. */
export const foundRegistrationView = viewOf<FoundRegistration>()('registration of a list', {
  registrationId: (found) => cellOf(found, 'registrationId'),
  batchId: ({ batch }) => batch.batchId,
  file: ({ batch }) => batch.fileName,
  rowNo: ({ row }) => row.rowNo,
  status: ({ row }) => row.status,
  holds: ({ row }) => row.holds,
  isAlarm: ({ row }) => row.isAlarm,
  customerId: (found) => cellOf(found, 'customerId'),
  vendorId: (found) => cellOf(found, 'vendorId'),
  companyId: (found) => cellOf(found, 'companyId'),
  accountNo: (found) => cellOf(found, 'accountNo'),
  refs: ['texts', 'its four references', ({ row }) => refsOf(row)],
  reasonCode: ({ row }) => describeRegistrationReason(row)[0],
  reason: [
    'foreign',
    'why it is so; empty without a reason',
    ({ row }) => inEnglishIfAny(describeRegistrationReason(row)[1]),
  ],
  requestUID: [
    'text',
    'requestUID under which it was last sent',
    ({ row }) => row.attempt && latestRequestUid(row.attempt),
  ],
  ddrOapiSeqId: ['text', "the bank's number of the request", ({ row }) => row.attempt?.ddrOapiSeqId],
  respCode: ({ row }) => row.respCode,
  applyDtm: ({ row }) => row.applyDtm,
  takenInAt: ({ batch }) => batch.startedAtMs,
  submittedAt: ({ row }) => row.submittedAtMs,
  settledAt: ({ row }) => row.settledAtMs,
});
