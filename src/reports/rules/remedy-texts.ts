/** Remedies for a row, cause by cause, in English; `remedy-texts-th.ts` has the same in Thai. */
import type { HoldReason, PayoutStatus } from '../../core/payout.ts';

/** Commands for one held row, after a comparison. */
const resumeOrCancel = (goesOnIf: string, endsIf: string): string =>
  `"paydrop resume" and its payoutId lets it go on if ${goesOnIf}, "paydrop cancel" and its payoutId ends it if ${endsIf}`;

const compareWith = (like: string): string =>
  `${like}: compare the two: ${resumeOrCancel('it is another payment', 'it is the same')}`;

const waitsForDay = (why: string): string =>
  `${why}: on another day "paydrop resume" and the batch lets go on what the limits of that day leave room for; ` +
  '"paydrop resume" and its payoutId pays it in spite of them';

const likeFile =
  'Compare its file with the one that the reason names: let all of it go on with "paydrop resume" and the batch if these ' +
  'are other payments, stop it with "paydrop cancel" and the batch if they are the same';

/** Advice on the bank's answer by phone or in writing, which two people record. */
const confirmIt =
  'What the bank has told you by phone or in writing two people record: "paydrop confirm" and its payoutId, with --paid or ' +
  '--failed, --evidence and --note';
const confirmPaid =
  'If it says that the payee has it, two people record that: "paydrop confirm" and its payoutId, with --paid, --evidence and --note';

/** The texts of one language. */
export interface RemedyTexts {
  /** Total: every status and every hold has an answer. */
  readonly statuses: Readonly<Record<PayoutStatus, string>>;
  readonly holds: Readonly<Record<HoldReason, string>>;
  /** Reason for a held row that has none of its own. */
  readonly holdReasons: Readonly<Record<HoldReason, string>>;
  /** Remedies by the code of a hold's finding, or of the account's pause, unless a later hold has replaced that code. */
  readonly holdsByCode: Readonly<Record<keyof typeof holdsByCode, string>>;
  /** Remedies by transfer status of §3.2 that an inquiry gives as the reason, and by codes of paydrop's own. */
  readonly codes: Readonly<Record<keyof typeof codes, string>>;
  /** Rows that no correction of a cell makes right; every other rejected row is corrected as its reason says. */
  readonly rejections: Readonly<Record<keyof typeof rejections, string>>;
  /** Remedy for a wrong payoutId, which cannot stay the same. */
  readonly rejectedForItsId: string;
  readonly alarms: Readonly<Record<keyof typeof alarms, string>>;
  readonly otherAlarm: string;
  /** The way out of every alarm. */
  readonly endAlarm: string;
  /** Remedy for a row that no inquiry proves paid. */
  readonly byStatement: string;
}

const holdsByCode = {
  'similar similar': compareWith(
    'Another payoutId differs from this one only in case, leading zeros, decimals of zeros, punctuation or blanks',
  ),
  'similar similar-payment': compareWith(
    'Another payoutId has paid, or may have paid, the same payee the same amount a short time ago',
  ),
  'similar like-file': likeFile,
  'similar in-like-file': likeFile,
  'paused outside-service-hours':
    'Run the same file again when the service is open. A watcher goes on with its files by itself',
  'paused wait-over':
    'Run the same file again: it goes on where it was. A watcher goes on with its files by itself',
};

const codes = {
  'look-up-unanswered': 'The journal was lost, and the bank did not say whether it was sent before',
  'clock-behind-journal': 'Set the clock of this machine right',
  '030002':
    'The bank refused it at validation: check limit, payer, profile, citizen ID and payee name with the bank',
  '030003': 'The transfer failed inside the bank or at the proxy lookup: it can be tried again later',
  EM003:
    'The bank executed it and it failed: where the reason does not tell why, ask the bank with the transRefNo',
  'batch-too-old':
    'Make sure that it is still to be paid and was not paid by other means: its file has waited too long',
  'brake-consecutive': 'Look at the reasons of the rows of this batch that ended otherwise than paid',
  'brake-share': 'Look at the reasons of the rows of this batch that ended otherwise than paid',
  'brake-in-doubt': 'Have the bank asked what became of those with "paydrop settle"',
  EM027: 'The destination bank timed out and the transfer failed: it can be tried again later',
  'reference-kept':
    'Stop it with "paydrop cancel" and its payoutId. Once the bank says that no money moved, pay the payee under another payoutId in a new file',
  'attempts-used-up':
    'Stop it with "paydrop cancel" and its payoutId, and pay the payee under another payoutId in a new file',
  'earlier-attempt-open':
    'Do not pay it by hand: an earlier attempt is not settled; ask the bank about its transRefNo, or run the file again later',
};

const rejections = {
  'payout-id-claimed':
    'Nothing was sent for this row. Do not pay it again: the payout that the reason names has its payoutId; "paydrop show" and ' +
    'the payoutId tells what became of it. Only if another payment was meant, or that one was cancelled and is to be paid ' +
    'after all, send it in a new file under another payoutId',
  'duplicate-repeat':
    'Nothing was sent for this row: the first row with its payoutId stands; do nothing if one payment was meant, ' +
    'send a second one in a new file under a payoutId of its own',
  'duplicate-differs':
    'Nothing was sent: rows of this file share the payoutId and differ; send the right one in a new file under that ' +
    'payoutId, and what is another payment under one of its own',
};

const alarms = {
  'late-proof':
    'It is paid, though it was called otherwise before: make sure that it was not paid by other means meanwhile, ' +
    'and tell the partner',
  'paid-twice':
    'Two transfers were made for it: ask the bank with both transRefNos ("paydrop show" lists them) to return one',
  'paid-by-earlier-attempt':
    'Do not pay it: an earlier row with its payoutId is paid; cancel it, or ask the bank what became of its own attempt',
};

export const englishRemedies: RemedyTexts = {
  statuses: {
    staged: 'The file was not read to its end: run it again',
    ready: 'Not paid yet: run the same file again',
    held: 'Not paid: clear what holds it, then let it go on with "paydrop resume" or stop it with "paydrop cancel"',
    rejected:
      'Nothing was sent: correct the row as the reason says and send it in a new file, under the same payoutId',
    cancelled: 'Nothing to do: a person cancelled it and nothing more is sent',
    unpayable:
      'No money moved: the bank says that this payee cannot be paid; ask the payee, then "paydrop retry" it as it is, ' +
      'or correct it in a new file, under the same payoutId',
    submitted:
      'Do not pay it again by hand: it may be with the bank; "paydrop settle" asks the bank what became of it',
    paid: 'Nothing to do',
    failed:
      'No money moved: remove the cause, then "paydrop retry" it as it is, or correct it in a new file, under the same payoutId',
    unresolved:
      'Do not pay it again by hand before the bank has said what became of it: ask the bank with the transRefNo; ' +
      `"paydrop settle" asks it once more, and the statement of its day settles it ("paydrop reconcile"). ${confirmIt}`,
    disputed:
      "Do not pay it again: the bank's statement contradicts a payment that the bank had confirmed; " +
      `ask the bank with the transRefNo. ${confirmPaid}`,
  },
  holds: {
    approval: 'It waits for approval: have the batch approved; nothing of it is sent before',
    name: `Compare the name in the file with the names that the bank holds: ${resumeOrCancel('they are the same payee', 'they are not')}`,
    limit:
      'Make sure that the amount is right, then let this payout go on with "paydrop resume" and its payoutId, or stop it ' +
      'with "paydrop cancel" and its payoutId',
    halted:
      'Sending is halted: remove the cause of the halt, then let the batch go on with "paydrop resume" and ' +
      'its batch id',
    paused:
      'The service could not take it: run the same file again later, or have it tried at once with "paydrop resume" and ' +
      'the batch',
    unavailable:
      'A check before sending got no answer: run the same file again later, or have it tried at once with "paydrop resume" ' +
      'and the batch',
    similar: compareWith('Another payoutId looks like this one, or has paid the same payee the same amount'),
    'new-payee': `No payee was proved paid under this number before: make sure that it is the payee's: ${resumeOrCancel('it is', 'it is not')}`,
    'day-limit': waitsForDay('The limits of the day are used up'),
    'service-day': waitsForDay('Nothing is sent on such a day'),
    resend:
      'The bank refused it without naming our request, or people called it failed: ask the bank whether its transRefNo was ever ' +
      `processed. ${resumeOrCancel('it was not', 'it was')}`,
  },
  holdReasons: {
    approval: 'it waits for approval',
    name: 'the bank holds another name',
    limit: 'its amount is above limits.bahtPerPayout of the settings',
    halted: 'sending is halted',
    paused: 'the service could not take it',
    unavailable: 'a check before sending got no answer',
    similar: 'another payout is like it',
    'new-payee': 'its payee was never paid before',
    'day-limit': 'a limit of the day is used up',
    'service-day': 'nothing is sent on this day',
    resend: 'a person must decide whether its reference goes again',
  },
  holdsByCode,
  codes,
  rejections,
  rejectedForItsId: 'Nothing was sent: correct the row as the reason says and send it in a new file',
  alarms,
  otherAlarm:
    'The bank contradicts what it had said before: ask it about every transRefNo of this payout ("paydrop show" lists them)',
  endAlarm:
    'Once that is cleared, "paydrop ack" and its payoutId, with --note, ends the alarm; nothing is tried again before',
  byStatement:
    "An inquiry shows neither amount nor payee: do not pay it again; find it in the bank's statement with both, " +
    `which settles it here, too ("paydrop reconcile --date" and its day). ${confirmPaid}`,
};
