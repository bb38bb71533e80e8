/** Registrations in tables for people and programs: their columns, and the texts of a workbook. */
import { inBoth, inEnglish, say, sayCode } from '../../core/message.ts';
import { showCount } from '../../core/figures.ts';
import type { SheetTable } from '../../reports/rules/column-words.ts';
import type { ReportTables } from '../../reports/rules/report-tables.ts';
import { type BookTally, type BookWords, listWord, summaryColumns } from '../../reports/rules/workbook.ts';
import { registrationDecisionWords } from '../../review/rules/decision-words.ts';
import type { RegistrationRow } from './registration-batch.ts';
import { registrationHolds, type RegistrationStatus, registrationStatuses } from './registration.ts';
import { isRegistrationException, registrationLines } from './report-rows.ts';
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
    ...registrationHolds.map((hold) => listWord(hold, `registration-hold-reason.${hold}`, 'reasonCode')),
    ...registrationCodes.map(
      ({ code, remedy }) => [code, inEnglish(remedy), say('th', remedy), 'reasonCode'] as const,
    ),
    ...registrationStatuses.map((status) => listWord(status, `registered-remedy.${status}`, 'remedy')),
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
  ...registrationLines,
  isException: isRegistrationException,
  book,
};
