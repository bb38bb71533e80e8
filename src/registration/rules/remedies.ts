/**
 * Remedies for a registration, in words that a clerk can act on, in English and Thai. Total: every status and every hold
 * has an answer; the bank's code, or paydrop's own, makes it more precise.
 */
import { joined, message, type Message } from '../../core/message.ts';
import type { Language } from '../../core/language.ts';
import type { RegistrationRow } from './registration-batch.ts';
import type { RegistrationHold, RegistrationStatus } from './registration.ts';
import { englishRemedies, type RegistrationRemedies, thaiRemedies } from './remedy-texts.ts';
import { findRegistrationCode, type RegistrationCode } from './status-codes.ts';

/** The texts of a language, and how its sentences are joined. */
interface Speech {
  readonly language: Language;
  readonly texts: RegistrationRemedies;
  readonly join: string;
}

const speeches: Readonly<Record<Language, Speech>> = {
  en: { language: 'en', texts: englishRemedies, join: '. ' },
  th: { language: 'th', texts: thaiRemedies, join: ' ' },
};

/** Looks up a code in the table itself: a code may be any text. */
const find = (texts: Readonly<Record<string, string>>, code: string): string | undefined =>
  Object.hasOwn(texts, code) ? texts[code] : undefined;

/** Reason for a held registration that has none of its own. */
export const describeRegistrationHolds = (holds: readonly RegistrationHold[]): Message =>
  joined(holds.map((hold) => message(`registration-hold-reason.${hold}`)));

const joinSentences = ({ join }: Speech, sentences: readonly string[]): string =>
  [...new Set(sentences)].join(join);

/** The remedy of the bank's code, if it agrees with the status. */
function codeRemedy(
  { language }: Speech,
  reasonCode: string | null,
  outcome: RegistrationCode['outcome'],
): string[] {
  const known = findRegistrationCode(reasonCode ?? '');
  if (known?.outcome !== outcome) return [];
  return [language === 'th' ? known.remedyTh : known.remedy];
}

/** Codes of a registrationId that breaks a rule: it cannot stay as it is. */
const idPattern = /^registration-id-(?!claimed)/;

/** One remedy for each cause: all cells to correct count as one. */
function rejectedRemedies({ texts }: Speech, { issues, reasonCode }: RemediedRow): string[] {
  const codes = issues.map((issue) => issue.code);
  if (reasonCode !== null || codes.length === 0) codes.push(reasonCode ?? '');
  const isIdWrong = codes.some((code) => idPattern.test(code));
  const corrected = isIdWrong ? texts.rejectedForItsId : texts.statuses.rejected;
  return codes.map((code) => find(texts.rejections, code) ?? corrected);
}

type RemediedRow = Pick<RegistrationRow, 'status' | 'holds' | 'reasonCode' | 'issues'>;

/** Remedy for the row as it stands; never empty. */
export function describeRegistrationRemedy(row: RemediedRow, language: Language = 'en'): string {
  const speech = speeches[language];
  const { statuses, holds: holdTexts } = speech.texts;
  const { status, holds, reasonCode } = row;
  switch (status) {
    case 'failed':
      return joinSentences(speech, [...codeRemedy(speech, reasonCode, 'not-taken'), statuses.failed]);
    case 'held':
      return joinSentences(speech, [
        ...codeRemedy(speech, reasonCode, 'not-taken'),
        ...(holds.length === 0 ? [statuses.held] : holds.map((hold) => holdTexts[hold])),
      ]);
    case 'submitted':
    case 'in-doubt':
      return joinSentences(speech, [statuses[status], ...codeRemedy(speech, reasonCode, 'unknown')]);
    case 'rejected':
      return joinSentences(speech, rejectedRemedies(speech, row));
    case 'staged':
    case 'ready':
    case 'cancelled':
    case 'acknowledged':
    case 'unanswered':
    case 'registered':
    case 'refused':
    case 'contradicted':
      return statuses[status];
  }
}

const isTold: readonly RegistrationStatus[] = ['registered', 'refused'];

/** Remedy for a row that contradicts a recorded end. */
export function describeRegistrationAlarmRemedy(row: RemediedRow, language: Language = 'en'): string {
  const speech = speeches[language];
  if (row.status === 'contradicted') return speech.texts.statuses.contradicted;
  if (isTold.includes(row.status)) return speech.texts.toldAfterAll;
  return joinSentences(speech, [speech.texts.otherAlarm, describeRegistrationRemedy(row, language)]);
}
