/** docs/states.md: the lives of payout, attempt, batch and registration, from the transition tables. */
import {
  attemptTransitions,
  batchTransitions,
  claimReleasingStatuses,
  finalStatuses,
  moneyMoved,
  type PayoutCause,
  type PayoutStatus,
  payoutStatuses,
  payoutTransitions,
} from '../../src/core/payout.ts';
import { describeRegistrationStates } from './registration-states.ts';
import { describeMoves, drawStates, type Move } from './state-parts.ts';
import { table } from './markdown.ts';

/** Causes that contradict what was called proved or ended: each is an alarm, or the news of one. */
const contradicting: readonly PayoutCause[] = [
  'late-proof',
  'second-proof',
  'earlier-attempt-alive',
  'found-after-loss',
  'statement-contradicts',
  'alarm-raised',
];

/** Each cause in the few words of the picture, and in full. */
const causes = {
  sealed: ['file sealed', 'the whole file was read, its totals hold, and it was sealed in one step'],
  'hold-added': ['a hold', 'something holds it: [holds](files.md#holds)'],
  'hold-lifted': ['hold lifted', 'one hold is lifted; it goes on when the last one is'],
  cancelled: ['cancelled', 'a person has cancelled it'],
  'payee-check-refused': ['payee check says no', 'the bank says that this payee cannot receive'],
  'intent-recorded': ['intent on disk', 'what will be sent is on disk; only then does the request leave'],
  'earlier-attempt-alive': [
    'attempt reopened',
    'an attempt that had ended is in process at the bank after all: in doubt, an alarm',
  ],
  'found-after-loss': [
    'found after a loss',
    'the journal was lost, and the bank knows a reference that it does not',
  ],
  'outcome-in-doubt': ['no clear answer', 'the reply proved nothing: the bank is asked what became of it'],
  inquired: ['inquired', 'the bank was asked, and nothing new is proved'],
  'inquiry-requested': ['inquiry wanted', '`paydrop settle` has whoever sends ask now'],
  'sending-again': ['sent again', 'the same attempt leaves once more, under the rule for it'],
  proved: ['proved', 'the bank has proved the payment: by its reply, an inquiry or a statement'],
  'refused-for-payout': ['refused', 'a definite refusal that concerns this payout alone'],
  'inquiry-failed': ['inquiry shows failure', 'inquiries show nothing but failed transfers'],
  'refused-for-line': [
    'payer or service refused',
    'a definite refusal that concerns the payer account or the service: no money moved',
  ],
  'given-up': ['inquiries used up', 'inquiries are used up, or it may not be sent again'],
  'decided-paid': ['decision', 'people have confirmed, with evidence, that it was paid'],
  'decided-failed': ['decision', 'people have confirmed, with evidence, that it failed'],
  'statement-failed': ['statement shows failure', "the bank's statement shows that it failed"],
  'tried-again': ['tried again', 'a person has it tried again: `paydrop retry`'],
  corrected: ['corrected', 'people have it paid with another payee number or amount than its file has'],
  released: ['released', 'people have released its `payoutId`: another file may use it'],
  acknowledged: ['noted', 'a person has taken note of it: it leaves the queue, and an alarm ends'],
  'late-proof': ['late proof', 'a proof of payment for a row that was called otherwise: an alarm'],
  'second-proof': ['second proof', 'a second attempt of a paid payout is proved as well: an alarm'],
  'alarm-raised': ['alarm', 'the bank contradicts what was called proved'],
  'statement-read': ['statement read', 'a statement tells of it and changes nothing about its status'],
  'statement-contradicts': [
    'statement contradicts',
    'a statement contradicts a payment that was proved: an alarm',
  ],
} as const satisfies Record<PayoutCause, readonly [short: string, full: string]>;

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
  ready: ['waits for its turn', 'by itself; run the file again if nobody is sending'],
  held: ['waits for something: [holds](files.md#holds)', 'lift what holds it, or `paydrop cancel`'],
  cancelled: ['a person decided that it is not to be paid', 'none needed'],
  unpayable: [
    'the bank says that this payee cannot receive',
    'ask the payee, then `paydrop retry` or a new file',
  ],
  submitted: ['with the bank, or perhaps; inquiries go on', 'by itself, or `paydrop settle`; never by hand'],
  paid: ['the bank has proved it', 'none needed'],
  failed: [
    'the bank has proved that it did not and will not happen',
    'remove the cause, then `paydrop retry` or a new file',
  ],
  unresolved: [
    'inquiries are used up and proved nothing',
    'ask the bank with the `transRefNo`; `paydrop settle` or a statement records its answer, and `paydrop confirm` what it tells by phone or letter',
  ],
  disputed: [
    'was called paid, and a statement contradicts it',
    'ask the bank with the `transRefNo`; a later proof, or `paydrop confirm`, makes it paid again',
  ],
} as const satisfies Record<PayoutStatus, readonly [meaning: string, wayOut: string]>;

const isContradiction = (cause: PayoutCause): boolean => contradicting.includes(cause);
const payoutMoves = payoutTransitions.filter(({ from, to }) => from !== to);
const withLabel = ({ from, to, cause }: (typeof payoutTransitions)[number]): Move => ({
  from,
  to,
  label: causes[cause][0],
});

/** A late proof leads to `paid` from everywhere: only the usual ways there are drawn. */
const attemptMoves = attemptTransitions.filter(
  ({ from, to }) => to !== 'paid' || from === 'sent' || from === 'unresolved',
);

function describeStatuses(): string {
  const rows = payoutStatuses.map((status) => {
    const [meaning, wayOut] = statuses[status];
    const isFinal = finalStatuses.includes(status) ? 'yes' : '';
    return [`\`${status}\``, moneyMoved(status), isFinal, meaning, wayOut];
  });
  return table(['status', 'money moved?', 'final', 'meaning', 'way out'], rows);
}

/** The page, in paragraphs. */
export function describeStatesPage(): string[] {
  const ordinary = payoutMoves.filter(({ cause }) => !isContradiction(cause)).map(withLabel);
  const contradictions = payoutMoves
    .filter(({ cause }) => isContradiction(cause) && cause !== 'late-proof')
    .map(withLabel);
  const released = claimReleasingStatuses.map((status) => `\`${status}\``).join(', ');
  return [
    '# States',
    '<!-- Written by `npm run docs` from the transition tables: change them there. -->',
    'What a row, an attempt, a batch and a registration can be, and what leads from one to the other. `paydrop show ID` prints the ' +
      'steps of one payout or registration with these words.',
    '## Statuses of a row',
    describeStatuses(),
    'A final status is changed by nothing but a late proof, a dispute or a decision. While a row is open, paid or cancelled no other ' +
      `row can have its \`payoutId\`; ${released} give it back.`,
    '## A payout',
    drawStates(ordinary, ['staged', 'rejected'], ['paid', 'cancelled']),
    '## When later evidence contradicts',
    'Whatever a row is called, a late proof for any of its attempts makes it `paid`. Such a change, and those below, is an ' +
      '[alarm](files.md#alarms) or comes with one.',
    drawStates(contradictions, [], []),
    '## Causes',
    'Steps that leave the status as it is are in the history, too.',
    describeMoves(payoutTransitions, (cause) => causes[cause][1]),
    '## An attempt',
    'One try to pay a payout, with a reference of its own.',
    drawStates(attemptMoves, ['recorded'], ['paid']),
    '`recorded`: the intent is on disk. `sent`: bytes may have left. `refused`: by the gateway, before processing. `unresolved`: ' +
      'inquiries are used up. A late proof makes any of them `paid`.',
    '## A batch',
    drawStates(batchTransitions, ['ingesting'], []),
    '`ingesting`: the file is being read. `sealed`: all of it stands. `done` runs again when a person lets a held row go on; a ' +
      '`rejected` file may be tried again.',
    ...describeRegistrationStates(),
  ];
}
