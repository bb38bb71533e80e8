/** What the business endpoints share: the bank's terms, and the shape of an answer. */
import type { WireNames } from '../bank/wire.ts';
import type { Satang } from '../core/money.ts';
import type { FindBehaviour } from './behaviours.ts';
import type { Book } from './book.ts';
import type { FindPayee } from './directory.ts';
import { textOf } from './fields.ts';
import type { Body } from './fields.ts';
import type { SignedStatements } from './statement/signed-statements.ts';
import { statusOf } from './status-texts.ts';
import type { BusinessStatus } from './status-texts.ts';
import type { Behaviour, SandboxTable } from './table.ts';

/** What a request is answered with, and how the answer is spoilt on the way. */
export interface Answer {
  readonly body: Readonly<Record<string, unknown>>;
  readonly behaviour: Behaviour | undefined;
  /** The answer waits until what it says would survive the bank's own end. */
  readonly recorded?: Promise<void> | undefined;
}

/** Answers a body that has been read as a JSON object, from a bearer that the bank knows. */
export type AnswerRequest = (body: Body, nowMs: number) => Answer;

/** What the bank is like; the parts that can change while it runs are read anew for each request. */
export interface BusinessTerms {
  readonly names: WireNames;
  readonly clientId: string;
  readonly companyId: string;
  readonly payerAccounts: ReadonlySet<string>;
  readonly table: SandboxTable;
  readonly book: Book;
  readonly statements: SignedStatements;
  readonly findPayee: FindPayee;
  findBehaviour: FindBehaviour;
  /** False: transfers get TM001. */
  isOpen: boolean;
  /** What each payer account has to spend; null = no end of money. */
  payerBalanceSatang: Satang | null;
}

/** Fields that every business answer begins with (§2.4–2.6). Severities but INFO are not shown (§4 rule 8). */
export function answerHead({ code, text }: BusinessStatus, body: Body): Record<string, string> {
  const severity = code === 'IC000' || code === 'IC001' ? 'INFO' : 'ERROR';
  return { statusCode: code, statusDesc: text, severity, requestUID: textOf(body, 'requestUID') ?? '' };
}

/** The company must be ours, and the payer account registered for it (§4 rule 4). */
export function findPayerFault(terms: BusinessTerms, body: Body): BusinessStatus | undefined {
  if (body['compId'] !== terms.companyId) return statusOf('EM002');
  const account = textOf(body, 'payerAccount') ?? '';
  return terms.payerAccounts.has(account) ? undefined : statusOf('EM004');
}
