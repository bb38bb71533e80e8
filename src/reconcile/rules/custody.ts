/**
 * The custody of statements: their origin, their company, and whether one may replace the previous version. One of
 * another company is refused; one that lacks earlier lines is incomplete, and requested again.
 */
import { counted, decodeMessage, message, type Message } from '../../core/message.ts';
import type { FileRejection } from '../../core/payout-file.ts';
import { showDate } from '../../payout/rules/lost-journal.ts';
import { commonSchemes, type StatementLine } from './statement.ts';

/** The origin of an accepted statement. */
export interface Provenance {
  /** `bank`: downloaded; `file`: given by a person. */
  readonly from: 'bank' | 'file';
  /**
   * The person who gave the file or insisted on it: the author of the proposal, or, without one, the user of the
   * operating system, which is no proof of identity; null for a download that was accepted normally.
   */
  readonly user: string | null;
  /** True when a person insisted on it (--force), although it lacks lines or was superseded before. */
  readonly isForced: boolean;
  /** Number of the proposal by which people decided on it. */
  readonly proposal?: number;
  /** The second of these people. */
  readonly checkedBy?: string;
}

/** "the bank", "a file given by alice, who insisted", "a file given by Mali, checked by Nok (proposal 3)". */
export function describeProvenance({ from, user, isForced, proposal, checkedBy }: Provenance): Message {
  const name = user ?? message('source.unknown-user');
  const insisted = isForced ? '-insisted' : '';
  if (from === 'bank' && !isForced) return message('source.bank');
  const source = message(from === 'file' ? `source.file${insisted}` : 'source.bank-insisted', { name });
  if (proposal === undefined) return source;
  return checkedBy === undefined
    ? message('source.decided', { source, id: proposal })
    : message('source.checked', { source, name: checkedBy, id: proposal });
}

/** The origin of a version that people have decided on. */
export const provenanceOfDecided = (
  from: Provenance['from'],
  isForced: boolean,
  by: { readonly maker: string; readonly checker: string | null; readonly proposalId: number },
): Provenance => ({
  from,
  user: by.maker,
  isForced,
  proposal: by.proposalId,
  ...(by.checker === null ? {} : { checkedBy: by.checker }),
});

/** The companies whose statements are read. */
export interface StatementScope {
  /** The company of the journal's payouts, as statements name it. */
  readonly companyId: string;
  /** True when the bank is asked for all of the partner's companies at once. */
  readonly isOfAllCompanies: boolean;
  /** The scheme's word in file names. */
  readonly scheme: string;
}

const refuse = (code: string, why: Message): FileRejection => ({
  code,
  line: null,
  column: null,
  message: why,
});

/**
 * Refuses a file with so many unreadable lines that it must have another form, or without any day.
 * @param count unreadable lines so far
 */
export function refuseUnread(first: StatementLine, count: number): FileRejection {
  const fault = decodeMessage(first.fault);
  const why =
    count === 1
      ? message('statement-file.line-unread', { fault })
      : message('statement-file.lines-unread', { fault, others: counted(count - 1, 'line') });
  return { ...refuse('lines-unreadable', why), line: first.line };
}

/** A name as in §2.7: PartnerID, CompanyID if one was requested, the scheme's word and the day. */
const namePattern = /^(.+)_([^_]+)_\d{8}(?:\D.*)?$/u;

/**
 * Refuses a file whose name (§2.7) shows another company. A name of another form proves nothing, nor does one without a
 * company.
 * @param name without its folder
 */
export function refuseOtherName(name: string, scope: StatementScope): FileRejection | undefined {
  const { companyId, isOfAllCompanies, scheme } = scope;
  const [, owner = '', word = ''] = namePattern.exec(name) ?? [];
  if (isOfAllCompanies || ![scheme, ...commonSchemes].includes(word.toLowerCase())) return undefined;
  if (!owner.includes('_')) return undefined;
  if (owner.toUpperCase().endsWith(`_${companyId.toUpperCase()}`)) return undefined;
  const other = owner.slice(owner.indexOf('_') + 1);
  return refuse(
    'other-company',
    message('statement-file.name-of-other-company', { other, company: companyId }),
  );
}

/** The companies of a file's lines. */
export interface LineOwners {
  readonly own: number;
  readonly others: number;
  /** First other company, as written by the bank. */
  readonly otherCompanyId: string | undefined;
}

/** Facts about a statement that was read to its end, and about the one before. */
interface StatementSeen {
  /** YYYYMMDD. */
  readonly date: string;
  readonly scope: StatementScope;
  readonly isForced: boolean;
  readonly owners: LineOwners;
  /** Number of the day's transfers that we call paid. */
  readonly paidCount: number;
  /** Transfers that the present version has and this one lacks. */
  readonly lost: LostLines;
}

export interface LostLines {
  readonly count: number;
  /** First lost transfer; undefined without any. */
  readonly key: string | undefined;
}

/** Reason why a readable statement is refused; undefined when it is accepted. Another company's cannot be forced. */
export function refuseStatement(seen: StatementSeen): FileRejection | undefined {
  const { owners, scope, isForced } = seen;
  if (owners.own === 0 && owners.others > 0 && !scope.isOfAllCompanies)
    return refuse(
      'other-company',
      message('statement-file.of-other-company', {
        other: owners.otherCompanyId ?? '',
        company: scope.companyId,
      }),
    );
  return isForced ? undefined : findIncomplete(seen);
}

function findIncomplete({ date, owners, paidCount, lost }: StatementSeen): FileRejection | undefined {
  const day = showDate(date);
  if (lost.count > 0) {
    const transfers = counted(lost.count, 'transfer');
    return refuse(
      incompleteCode,
      message('statement-file.lost-transfers', { transfers, key: lost.key ?? '', day }),
    );
  }
  if (owners.own > 0 || paidCount === 0) return undefined;
  const code = paidCount === 1 ? 'statement-file.no-own-line.one' : 'statement-file.no-own-line.many';
  return refuse(incompleteCode, message(code, { payouts: counted(paidCount, 'payout'), day }));
}

const incompleteCode = 'statement-incomplete';

const supersededCode = 'statement-superseded';

/** True when the statement may become complete: it is requested again. */
export const isIncomplete = ({ code }: Pick<FileRejection, 'code'>): boolean => code === incompleteCode;

/**
 * Refuses bytes of a superseded version, which would undo a correction. A person may insist on going back; the bank's
 * present file does not undo that.
 * @param known version of these bytes
 * @param present version in force
 */
export function refuseSuperseded(date: string, known: number, present: number): FileRejection {
  const day = showDate(date);
  return refuse(supersededCode, message('statement-file.superseded', { known, present, day }));
}

/** True for the refusal of a version that another one has replaced. */
export const isSuperseded = ({ code }: Pick<FileRejection, 'code'>): boolean => code === supersededCode;
