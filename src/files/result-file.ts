import { stringify } from 'csv-stringify/sync';

/**
 * Records as lines of a result file: plain CSV for the partner's programs, which get their own values back
 * as they wrote them. Therefore no cell is escaped and there is no BOM; people open the exceptions file.
 */
export function formatResultRecords(records: readonly (readonly string[])[]): string {
  return stringify([...records], { record_delimiter: '\n' });
}
