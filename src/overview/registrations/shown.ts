/** Parts of registrations that several views share. */
import { sayCode } from '../../core/message.ts';
import { showText } from '../../core/outgoing-text.ts';
import { showLastDigits } from '../../core/proxy-id.ts';
import type { RegistrationRow } from '../../registration/ports.ts';
import { readRegistrationCell, remedyOfRegistration } from '../../registration/rules/report-rows.ts';
import { html, type Html } from '../../review/web/html.ts';
import { alarmTag } from '../../review/web/parts.ts';
import type { ProvedVisit, Visit } from '../../review/web/view.ts';

export const nameOf = (row: Pick<RegistrationRow, 'cells'>): string =>
  showText(row.cells.registrationId.trim());

export const accountOf = (row: RegistrationRow): string => readRegistrationCell(row, 'accountNo');

export const maskedAccountOf = (row: RegistrationRow): string => showLastDigits(accountOf(row));

/** "VENDOR0001, COMP000001". */
export const companyOf = (row: RegistrationRow): string =>
  showText(
    [readRegistrationCell(row, 'vendorId'), readRegistrationCell(row, 'companyId')]
      .filter(Boolean)
      .join(', '),
  );

export const referencesOf = (row: RegistrationRow): string =>
  showText(
    (['ref1', 'ref2', 'ref3', 'ref4'] as const)
      .map((column) => readRegistrationCell(row, column))
      .filter(Boolean)
      .join(', '),
  );

/** The state, by sign and word. */
export const stateOf = (visit: ProvedVisit, row: RegistrationRow): Html =>
  html`${row.isAlarm && html`${alarmTag(visit)} `}<b
      >${sayCode(visit.language, `registration-status.${row.status}`)}</b
    >`;

export const remedyFor = ({ say }: Pick<Visit, 'say'>, row: RegistrationRow): string =>
  showText(say(remedyOfRegistration(row)));
