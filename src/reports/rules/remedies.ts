/**
 * Remedies for a row, in words that a finance officer can act on. Total: every status and every hold has an answer; the
 * bank's code, or paydrop's own, makes it more precise.
 */
import { joined, message, type Message } from '../../core/message.ts';
import type { Language } from '../../core/language.ts';
import { statementCodes } from '../../core/exit-code.ts';
import type { HoldReason } from '../../core/payout.ts';
import type { HoldTotal, ResultRow } from '../../core/ports.ts';
import { type BankStatus, findBankStatus } from '../../core/status-codes.ts';
import { likeFileCodes } from '../../payout/rules/similar.ts';
import { englishRemedies, type RemedyTexts } from './remedy-texts.ts';
import { thaiRemedies } from './remedy-texts-th.ts';

/** The texts of a language, and how its sentences are joined. */
interface Speech {
  readonly language: Language;
  readonly texts: RemedyTexts;
  readonly join: string;
}

const speeches: Readonly<Record<Language, Speech>> = {
  en: { language: 'en', texts: englishRemedies, join: '. ' },
  th: { language: 'th', texts: thaiRemedies, join: ' ' },
};

/** Looks up a code in the table itself: a code may be any text. */
const find = (texts: Readonly<Record<string, string>>, code: string): string | undefined =>
  Object.hasOwn(texts, code) ? texts[code] : undefined;

const holdRemedy = ({ texts }: Speech, hold: HoldReason, reasonCode: string | null): string =>
  find(texts.holdsByCode, `${hold} ${reasonCode}`) ?? texts.holds[hold];

/** Remedy for the rows of a batch that a hold keeps back. */
export const describeHoldRemedy = ({ hold, isOfFile }: HoldTotal, language: Language = 'en'): string =>
  holdRemedy(speeches[language], hold, isOfFile === true ? likeFileCodes.like : null);

/** Reason for a held row that has none of its own. */
export const describeHolds = (holds: readonly HoldReason[]): Message =>
  joined(holds.map((hold) => message(`hold-reason.${hold}`)));

/** Codes of a payoutId that breaks a rule; a claimed one has a remedy of its own. */
const idPattern = /^payout-id-(?!claimed)/;

/** The remedy of a code, if it agrees with what is known about the money. */
function codeRemedy(
  { language, texts }: Speech,
  reasonCode: string | null,
  outcome: BankStatus['outcome'],
): string[] {
  const code = reasonCode ?? '';
  const bankStatus = findBankStatus(code);
  if (bankStatus?.outcome === outcome) return [language === 'th' ? bankStatus.remedyTh : bankStatus.remedy];
  const own = outcome === 'failed' ? find(texts.codes, code) : undefined;
  return own === undefined ? [] : [own];
}

const joinSentences = ({ join }: Speech, sentences: readonly string[]): string =>
  [...new Set(sentences)].join(join);

/** One remedy for each cause: all cells to correct count as one. */
function rejectedRemedies({ texts }: Speech, { issues, reasonCode }: RemediedRow): string[] {
  const codes = issues.map((issue) => issue.code);
  if (reasonCode !== null || codes.length === 0) codes.push(reasonCode ?? '');
  const isIdWrong = codes.some((code) => idPattern.test(code));
  const corrected = isIdWrong ? texts.rejectedForItsId : texts.statuses.rejected;
  return codes.map((code) => find(texts.rejections, code) ?? corrected);
}

type RemediedRow = Pick<ResultRow, 'status' | 'holds' | 'reasonCode' | 'issues'>;

/** Remedy for the row as it stands; never empty. */
export function describeRemedy(row: RemediedRow, language: Language = 'en'): string {
  const speech = speeches[language];
  const { statuses, byStatement } = speech.texts;
  const { status, holds, reasonCode } = row;
  switch (status) {
    case 'failed':
    case 'unpayable':
      return joinSentences(speech, [...codeRemedy(speech, reasonCode, 'failed'), statuses[status]]);
    case 'held':
      return joinSentences(speech, [
        ...codeRemedy(speech, reasonCode, 'failed'),
        ...(holds.length === 0 ? [statuses.held] : holds.map((hold) => holdRemedy(speech, hold, reasonCode))),
      ]);
    case 'submitted':
    case 'unresolved':
      if (statementCodes.includes(reasonCode ?? '')) return byStatement;
      return joinSentences(speech, [statuses[status], ...codeRemedy(speech, reasonCode, 'unknown')]);
    case 'rejected':
      return joinSentences(speech, rejectedRemedies(speech, row));
    case 'staged':
    case 'ready':
    case 'cancelled':
    case 'paid':
    case 'disputed':
      return statuses[status];
  }
}

/** Remedy for a row that contradicts a proved outcome; paydrop's own code of the alarm makes it more precise. */
export function describeAlarmRemedy(row: RemediedRow, language: Language = 'en'): string {
  const speech = speeches[language];
  const { alarms, otherAlarm, endAlarm } = speech.texts;
  const remedy = find(alarms, row.reasonCode ?? '');
  const sentences =
    remedy === undefined ? [otherAlarm, endAlarm, describeRemedy(row, language)] : [remedy, endAlarm];
  return joinSentences(speech, sentences);
}
