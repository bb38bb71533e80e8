/** Registrations in tables for people and programs: their columns, and the texts of a workbook. */
import { inBoth, inEnglish, say, sayCode } from '../../core/message.ts';
import { showCount } from '../../core/figures.ts';
import type { SheetTable } from '../../reports/rules/column-words.ts';
import type { ReportTables } from '../../reports/rules/report-tables.ts';
import { type BookTally, type BookWords, listWord, summaryColumns } from '../../reports/rules/workbook.ts';
import { registrationDecisionWords } from '../../review/rules/decision-words.ts';
import type { RegistrationRow } from './registration-batch.ts';
import { registrationHolds, type RegistrationStatus, registrationStatuses } from './registration.ts';
import {
  addThaiRegistrationRemedy,
  isRegistrationException,
  registrationExceptionColumns,
  registrationResultColumns,
  renderRegistrationException,
  renderRegistrationExceptionHeader,
  renderRegistrationResult,
  renderRegistrationResultHeader,
} from './report-rows.ts';
import { registrationCodes } from '../../core/direct-debit-codes.ts';

/** Adds up registrations as they come. */
function openTally(): BookTally<Pick<RegistrationRow, 'status'>> {
  const counts = new Map<RegistrationStatus, number>();
  return {
    add: ({ status }) => void counts.set(status, (counts.get(status) ?? 0) + 1),
    table: (): Pick<SheetTable, 'columns' | 'rows'> => {
      const lines = registrationStatuses.flatMap((status) => {
        const rows = counts.get(status);
        if (rows === undefined) return [];
        const name = `${status}\n${sayCode('th', `registration-status.${status}`)}`;
        return [[name, sayCode('en', `registration-meaning.${status}`), showCount(rows)]];
      });
      let rows = 0;
      for (const count of counts.values()) rows += count;
      return {
        columns: summaryColumns,
        rows: [
          (['column.status', 'sheet.meaning', 'sheet.rows'] as const).map(inBoth),
          ...lines,
          [inBoth('sheet.total'), '', showCount(rows)],
        ],
      };
    },
  };
}

const book: BookWords<RegistrationRow> = {
  idColumn: 'registrationId',
  beside: {},
  decisions: registrationDecisionWords,
  lists: [
    ...registrationStatuses.map((status) => listWord(status, `registration-meaning.${status}`, 'status')),
    ...registrationHolds.map(
      (hold) =>
        [
          hold,
          sayCode('en', `registration-hold-reason.${hold}`),
          sayCode('th', `registration-hold-reason.${hold}`),
          'reasonCode',
        ] as const,
    ),
    ...registrationCodes.map(
      ({ code, remedy }) => [code, inEnglish(remedy), say('th', remedy), 'reasonCode'] as const,
    ),
    ...registrationStatuses.map(
      (status) =>
        [
          status,
          sayCode('en', `registered-remedy.${status}`),
          sayCode('th', `registered-remedy.${status}`),
          'remedy',
        ] as const,
    ),
  ],
  howTo: [
    'how-to.registrations',
    'how-to.unknown-outcome',
    'how-to.yellow-columns',
    'how-to.registration-decisions',
    'how-to.registration-columns',
    'how-to.every-cell-is-text',
    'how-to.changed-rows',
  ],
  batch: 'sheet.registration-batch',
  openTally,
};

export const registrationTables: ReportTables<RegistrationRow> = {
  resultColumns: registrationResultColumns,
  exceptionColumns: registrationExceptionColumns,
  isException: isRegistrationException,
  renderResultHeader: renderRegistrationResultHeader,
  renderExceptionHeader: renderRegistrationExceptionHeader,
  renderResult: renderRegistrationResult,
  renderException: renderRegistrationException,
  addThaiRemedy: addThaiRegistrationRemedy,
  book,
};
