/** The part of docs/states.md that is about registrations, from their transition table. */
import {
  awaitedStatuses,
  type RegistrationCause,
  type RegistrationStatus,
  registrationStatuses,
  registrationTransitions,
} from '../../src/registration/rules/registration.ts';
import { finalRegistrationStatuses } from '../../src/registration/rules/report-rows.ts';
import { describeMoves, drawStates, type Move } from './state-parts.ts';
import { table } from './markdown.ts';

/** Causes that contradict what was called ended, or believed not to be with the bank. */
const contradicting: readonly RegistrationCause[] = ['called-back-after-all', 'contradicted'];

/** Each cause in the few words of the picture, and in full. */
const causes = {
  sealed: ['file sealed', 'the whole file was read and sealed in one step'],
  'hold-added': ['a hold', 'something holds it'],
  'hold-lifted': ['hold lifted', 'one hold is lifted; it goes on when the last one is'],
  cancelled: ['cancelled', 'a person has cancelled it'],
  'intent-recorded': ['intent on disk', 'what will be sent is on disk; only then does the request leave'],
  'request-renewed': [
    'sent again',
    'its access token was refused: its next requestUID is on disk, and then it goes again with a new token',
  ],
  acknowledged: ['taken', 'the bank has taken it, and calls back'],
  'outcome-in-doubt': ['no clear answer', 'the bank may have it: its callback alone tells'],
  'turned-down': ['turned down', 'the bank will not do it, for what concerns this registration alone'],
  'turned-down-for-all': [
    'company or service turned down',
    'the bank does none of the company, or none at all, for now: as if it had not been sent',
  ],
  'answered-late': [
    'late answer',
    'the callback, or another process that took over, was before the answer, which adds its facts',
  ],
  'called-back': ['called back', 'the bank has told how it ended'],
  'time-passed': ['no callback in time', 'no callback has come within `registration.answerWithinMs`'],
  'called-back-after-all': [
    'called back after all',
    'the bank tells of one that was not believed to be with it: an alarm',
  ],
  contradicted: ['contradicted', 'the bank tells the opposite of what it had told: an alarm'],
  decided: ['decision', 'people have confirmed, with evidence, how it ended'],
  'tried-again': ['tried again', 'a person has it registered anew: `paydrop retry`'],
  released: ['released', 'people have released its `registrationId`: another file may use it'],
  'acknowledged-by-person': [
    'noted',
    'a person has taken note of it: it leaves the queue, and an alarm ends',
  ],
} as const satisfies Record<RegistrationCause, readonly [short: string, full: string]>;

/** What a status means for a user, and how a row gets out of it. */
const statuses = {
  staged: [
    'read, while the rest of the file is still being read',
    'by itself; after a kill the file is read again',
  ],
  rejected: [
    'breaks a rule; the reason names each',
    'correct it and send it in a new file, or `paydrop retry`',
  ],
  ready: ['waits for its turn', 'by itself; register the file again if nobody is sending'],
  held: ['waits for something', 'lift what holds it, or `paydrop cancel`'],
  cancelled: ['a person decided that it is not to be made', 'none needed'],
  submitted: ['its request is with the bank, or perhaps', 'by itself'],
  'in-doubt': ['the bank may have it', 'its callback, or the time set; never a second request'],
  acknowledged: ['the bank has taken it, and works on it', 'its callback, or the time set'],
  unanswered: [
    'no callback has come in the time set',
    'ask the bank; `paydrop retry` if it has none, `paydrop confirm` if it tells; a late callback still counts',
  ],
  registered: ['the bank has told that it is made', 'none needed'],
  refused: ['the bank has told that it refuses it', 'ask why, then `paydrop retry` or a new file'],
  failed: ['the bank did not take it', 'remove the cause, then `paydrop retry` or a new file'],
  contradicted: ['the bank has told both', 'ask the bank which is true; `paydrop confirm` records it'],
} as const satisfies Record<RegistrationStatus, readonly [meaning: string, wayOut: string]>;

const isContradiction = (cause: RegistrationCause): boolean => contradicting.includes(cause);
const moves = registrationTransitions.filter(({ from, to }) => from !== to);
const withLabel = ({ from, to, cause }: (typeof registrationTransitions)[number]): Move => ({
  from,
  to,
  label: causes[cause][0],
});

function describeStatuses(): string {
  const rows = registrationStatuses.map((status) => {
    const [meaning, wayOut] = statuses[status];
    const isFinal = finalRegistrationStatuses.includes(status) ? 'yes' : '';
    const isAwaited = awaitedStatuses.some((awaited) => awaited === status) ? 'yes' : '';
    return [`\`${status}\``, isAwaited, isFinal, meaning, wayOut];
  });
  return table(['status', 'callback awaited', 'final', 'meaning', 'way out'], rows);
}

/** In paragraphs. */
export function describeRegistrationStates(): string[] {
  const ordinary = moves.filter(({ cause }) => !isContradiction(cause)).map(withLabel);
  const contradictions = moves.filter(({ cause }) => isContradiction(cause)).map(withLabel);
  return [
    '## A registration',
    'One row of a file of direct-debit registrations. The bank cannot be asked about one: what was sent waits for its callback, and ' +
      'nothing is sent again while one may come.',
    drawStates(ordinary, ['staged', 'rejected'], ['registered', 'cancelled']),
    describeStatuses(),
    'A callback about one that was not believed to be with the bank, or one that tells the opposite of another, is an ' +
      '[alarm](files.md#alarms):',
    drawStates(contradictions, [], []),
    'What leads from one to the other:',
    describeMoves(registrationTransitions, (cause) => causes[cause][1]),
  ];
}
