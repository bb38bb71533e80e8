/** What `resume`, `cancel` and `retry` print. */
import type { OperatorOutcome, OperatorVerb } from '../../app/operator.ts';
import { countOf } from './amounts.ts';
import type { Shown } from './shown.ts';

const done: Readonly<Record<OperatorVerb, string>> = {
  resume: 'released',
  cancel: 'cancelled',
  retry: 'tried again',
};

export function showChange(
  verb: OperatorVerb,
  target: string,
  { rowsChanged, refusals, isLineOpened = false }: OperatorOutcome,
): Shown {
  const lines = [
    `${countOf(rowsChanged, 'row')} ${done[verb]}.`,
    ...refusals,
    ...(isLineOpened ? ['The halt or pause of its payer account is lifted.'] : []),
    ...(verb !== 'cancel' && rowsChanged > 0
      ? ['They are sent by whoever is sending now, or when the file is run again.']
      : []),
  ];
  return { json: { target, rowsChanged, refusals }, text: lines.join('\n') };
}
