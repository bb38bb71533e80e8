/** Days on which something was sent, and whose statement has not been accepted as a whole. */
import type { DatabaseSync } from 'node:sqlite';
import { wholeDay } from '../../reconcile/ports.ts';
import type { UnreconciledDays } from '../../reconcile/rules/unreconciled-days.ts';
import { prepare, query, readAll, readFirst } from '../statements.ts';

const isWhole = (reading: string): boolean => reading.endsWith(` ${wholeDay}`);

export function makeUnreconciledDays(db: DatabaseSync): UnreconciledDays {
  const sent = prepare(db, ({ date }: { date: string }) =>
    query.selectFrom('attempt').select('tran_date').where('tran_date', '=', date).limit(1),
  );
  const present = prepare(db, ({ date }: { date: string }) =>
    query
      .selectFrom('statement_version')
      .select('reading')
      .where('date', '=', date)
      .orderBy('version', 'desc')
      .limit(1),
  );
  return {
    daysWithoutStatement: async (dates) =>
      dates.filter((date) => {
        if (sent.get({ date }) === undefined) return false;
        const version = present.get({ date });
        return version === undefined || !isWhole(version.reading);
      }),
    daysReadInPart: async () => {
      const versions = query.selectFrom('statement_version').select(['date', 'reading']).orderBy('version');
      const latest = new Map(readAll(db, versions).map(({ date, reading }) => [date, reading]));
      return [...latest].filter(([, reading]) => !isWhole(reading)).map(([date]) => date);
    },
    firstDaySent: async () => {
      const first = query.selectFrom('attempt').select('tran_date').orderBy('tran_date').limit(1);
      return readFirst(db, first)?.tran_date;
    },
  };
}
