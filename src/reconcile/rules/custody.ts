/**
 * The custody of statements: where one came from, whose it is, and whether it may take the place of the one before. What
 * is another company's is refused; what lacks lines that were there is not complete yet, and is asked for again.
 */
import { countOf } from '../../core/figures.ts';
import type { FileRejection } from '../../core/payout-file.ts';
import { showDate } from '../../payout/rules/lost-journal.ts';
import { commonSchemes, fetchAgain, type StatementLine } from './statement.ts';

/** Where an accepted statement came from. */
export interface Provenance {
  /** `bank`: its download; `file`: a person has given it. */
  readonly from: 'bank' | 'file';
  /**
   * Who gave the file, or insisted: the person who has proposed it, or, without a proposal, the user of the operating
   * system, which proves nobody; null for a download that nobody insisted on.
   */
  readonly user: string | null;
  /** Somebody insisted on it (--force), though it lacks lines or was superseded before. */
  readonly isForced: boolean;
  /** Number of the proposal by which people have decided on it. */
  readonly proposal?: number;
  /** The second of them. */
  readonly checkedBy?: string;
}

/** "the bank", "a file given by alice, who insisted", "a file given by Mali, checked by Nok (proposal 3)". */
export function describeProvenance({ from, user, isForced, proposal, checkedBy }: Provenance): string {
  const name = user ?? 'nobody';
  const checked = checkedBy === undefined ? '' : `, checked by ${checkedBy}`;
  const decided = proposal === undefined ? '' : `${checked} (proposal ${proposal})`;
  if (from === 'file') return `a file given by ${name}${isForced ? ', who insisted' : ''}${decided}`;
  return isForced ? `the bank, ${name} insisted${decided}` : 'the bank';
}

/** Where a version that people have decided on came from. */
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

/** Whose statements are read. */
export interface StatementScope {
  /** The company whose payouts the journal holds, as statements name it. */
  readonly companyId: string;
  /** The bank is asked for all of the partner's companies at once. */
  readonly isOfAllCompanies: boolean;
  /** The scheme's word in the names of files. */
  readonly scheme: string;
}

const refuse = (code: string, message: string): FileRejection => ({
  code,
  line: null,
  column: null,
  message,
});

const takenOnly = 'nothing of it is recorded';

/**
 * Why a file is refused of which so many lines cannot be read that it is written in another form, or none tells its day.
 * @param count of those read so far
 */
export function refuseUnread(first: StatementLine, count: number): FileRejection {
  const others = count === 1 ? '' : `, and ${countOf(count - 1, 'line')} more cannot be read`;
  return { ...refuse('lines-unreadable', `${first.fault}${others}: ${fetchAgain}`), line: first.line };
}

/** A name as §2.7 has it: PartnerID, CompanyID where one was asked for, the scheme's word and the day. */
const namePattern = /^(.+)_([^_]+)_\d{8}(?:\D.*)?$/u;

/**
 * Why a file is refused by its name (§2.7), which says that it is another company's. A name of another form says
 * nothing, nor does one without a company.
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
    `the file's name says that it is the statement of company ${other}, and the settings are those of ${companyId}: ` +
      `${takenOnly}; give the statement of ${companyId}, or rename the file if its name is wrong`,
  );
}

/** Of which companies the lines of a file are. */
export interface LineOwners {
  readonly own: number;
  readonly others: number;
  /** The first of another company; as the bank has it. */
  readonly otherCompanyId: string | undefined;
}

/** What is known of a statement that was read to its end, and of the one before. */
export interface StatementSeen {
  /** YYYYMMDD. */
  readonly date: string;
  readonly scope: StatementScope;
  readonly isForced: boolean;
  readonly owners: LineOwners;
  /** Transfers of the day that we call paid. */
  readonly paidCount: number;
  /** Transfers that the present version has and this one lacks. */
  readonly lost: LostLines;
}

export interface LostLines {
  readonly count: number;
  /** The first of them; undefined when there are none. */
  readonly key: string | undefined;
}

/** Why a statement that could be read is not taken; undefined when it is. Nobody can insist on another company's. */
export function refuseStatement(seen: StatementSeen): FileRejection | undefined {
  const { owners, scope, isForced } = seen;
  if (owners.own === 0 && owners.others > 0 && !scope.isOfAllCompanies)
    return refuse(
      'other-company',
      `every line is of company ${owners.otherCompanyId ?? ''} or another, and the settings are those of ` +
        `${scope.companyId}: ${takenOnly}; give the statement of ${scope.companyId}`,
    );
  return isForced ? undefined : findIncomplete(seen);
}

function findIncomplete({ date, owners, paidCount, lost }: StatementSeen): FileRejection | undefined {
  const day = showDate(date);
  if (lost.count > 0) {
    const which = `such as ${lost.key ?? ''}`;
    return incomplete(
      `it lacks ${countOf(lost.count, 'transfer')} (${which}) that the accepted statement of ${day} has`,
      day,
    );
  }
  if (owners.own > 0 || paidCount === 0) return undefined;
  return incomplete(
    `it has no line of ours, and ${countOf(paidCount, 'payout')} of ${day} ${paidCount === 1 ? 'is' : 'are'} paid`,
    day,
  );
}

const incompleteCode = 'statement-incomplete';

const incomplete = (what: string, day: string): FileRejection =>
  refuse(
    incompleteCode,
    `the statement is not complete yet: ${what}; ${takenOnly}, ask again later ("paydrop reconcile --date ${day}"), or, ` +
      `if the bank says that it is right, add --force (where there are users: "paydrop accept ${day} --statement")`,
  );

const supersededCode = 'statement-superseded';

/** The statement may yet come whole: it is asked for again. */
export const isIncomplete = ({ code }: Pick<FileRejection, 'code'>): boolean => code === incompleteCode;

/**
 * Why bytes are not taken: they are those of a version that another one has superseded, and would undo its correction. A
 * person may insist on going back, and what the bank still has does not undo that.
 * @param known the version whose bytes they are
 * @param present the version that stands
 */
export function refuseSuperseded(date: string, known: number, present: number): FileRejection {
  const day = showDate(date);
  return refuse(
    supersededCode,
    `this is version ${known} of the statement of ${day}, which version ${present} has superseded: ${takenOnly}; what ` +
      `the bank has now is fetched with "paydrop reconcile --date ${day}", and to go back to this version add --force (where there are users: ` +
      `"paydrop accept ${day} --file FILE --force")`,
  );
}

/** The statement was replaced by another version. */
export const isSuperseded = ({ code }: Pick<FileRejection, 'code'>): boolean => code === supersededCode;
