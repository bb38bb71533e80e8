/** The context of the review: its stores and settings, and how it examines targets. */
import type { Message } from '../core/message.ts';
import type { Satang } from '../core/money.ts';
import type { Batch, BatchReader, Clock } from '../core/ports.ts';
import type { RowRules } from '../intake/rules/row.ts';
import { bankNotAsked, type CancelQuestions } from '../payout/operator.ts';
import type { HistoryReader, PayoutJournal } from '../payout/ports.ts';
import type { TimeLimits } from '../payout/rules/limits.ts';
import type { Inspected } from '../reconcile/inspect.ts';
import type { StatementStore, UnreconciledDays } from '../reconcile/ports.ts';
import type { LoadedSettings } from '../settings/settings.ts';
import type { PersonJournal } from './people.ts';
import type {
  ApprovalStore,
  PersonStore,
  Proposal,
  ProposalItem,
  ProposalStore,
  QueueStore,
} from './ports.ts';
import type { RegistrationStore } from '../registration/ports.ts';
import type { RegistrationDefaults } from '../registration/rules/registration-row.ts';
import type { Provenance } from '../reconcile/rules/custody.ts';
import type { Corrected, Target } from './rules/proposal.ts';
import type { TargetFigures } from './rules/proposal-figures.ts';
import type { SigningTerms } from './rules/proved-approval.ts';
import type { KeptStatement } from './rules/statement-decisions.ts';
import type { Decision } from './rules/terms.ts';

/** The outcome of a decided statement; `overtaken`: to be tried again. */
type StatementTaken =
  { readonly kind: 'taken' | 'overtaken' } | { readonly kind: 'refused'; readonly why: Message };

/** Reads kept statements and reconciles with them. */
export interface DecidedStatements {
  /** Inspects the statement as it is, without any confirmation. @returns the reason where its bytes are no longer kept */
  inspect(kept: KeptStatement): Promise<Inspected | Message>;
  reconcile(kept: KeptStatement, provenance: Provenance): Promise<StatementTaken>;
}

/** Batches that continue by themselves once nothing stops their account. */
interface RunnableBatches {
  runnableBatches(): Promise<readonly { readonly batch: Batch }[]>;
}

export interface ReviewContext {
  readonly journal: PayoutJournal &
    RunnableBatches &
    ProposalStore &
    ApprovalStore &
    Pick<
      QueueStore,
      'refusedFiles' | 'reviewNotes' | 'noteItem' | 'payerHalts' | 'haltedWithPayer' | 'resumePayer'
    > &
    RegistrationStore &
    Pick<UnreconciledDays, 'daysWithoutStatement'> &
    Pick<PersonStore, 'persons' | 'editPersons'> &
    HistoryReader &
    Pick<StatementStore, 'openStatementView' | 'openBreak' | 'acceptBreak' | 'statement'>;
  /** Undefined in a process that reconciles none: decisions on statements then wait for a process that can. */
  readonly statements?: DecidedStatements | undefined;
  /** Asks the bank about payouts to be cancelled; left out: payouts that were sent are not cancelled. */
  readonly openCancelQuestions?: (() => CancelQuestions) | undefined;
  readonly clock: Pick<Clock, 'now'>;
  readonly rules: RowRules;
  /** Values from the settings for fields that the file of a registration leaves out. */
  readonly registrationDefaults?: RegistrationDefaults | undefined;
  /** `bank.payerAccount` of the settings: the account from which a resumed batch is paid. */
  readonly payerAccount: string;
  /** `review.people` of the settings. */
  readonly people: 1 | 2;
  /** The terms for checking signatures; left out where `approval.signed` of the settings does not require them. */
  readonly signing?: SigningTerms | undefined;
  /** `approval.people` of the settings: the minimum for a changed payer account, lifted limit or corrected payee. */
  readonly approvers?: 1 | 2;
  /** Limits over time from the settings; left out where there are none. */
  readonly overTime?: TimeLimits | undefined;
  /** `review.expireDays` of the settings. */
  readonly expireDays: number;
}

/** The journal as decisions that are typed or filed read and write it. */
export type DecisionJournal = ReviewContext['journal'] &
  PersonJournal &
  Pick<BatchReader, 'batches' | 'batch' | 'snapshot'> &
  Pick<QueueStore, 'addReviewNote'> &
  Pick<StatementStore, 'openBreaks' | 'recall'>;

/** The journal, open for decisions; the caller closes it. */
export interface DecisionSession extends AsyncDisposable {
  readonly journal: DecisionJournal;
  readonly context: ReviewContext;
  readonly loaded: LoadedSettings;
}

/** The reason why a decision on a target is impossible; otherwise the facts of the target. */
export type Examined =
  | Message
  | {
      readonly amountSatang: Satang;
      /** The effect of the decision, kept with the proposal. */
      readonly figures: TargetFigures;
      /** The request of a row that is to be corrected. */
      readonly was?: Corrected | undefined;
      /** The terms of an approval, which replace those of other decisions. */
      readonly approval?: ApprovalTerms;
    };

/** The terms under which something of a batch is approved. */
export interface ApprovalTerms {
  readonly people: 1 | 2;
  /** People who had a part in the request of the batch; they cannot approve it. */
  readonly involved: readonly number[];
}

/** The work on one kind of target, open while one proposal is worked on. */
export interface TargetWork extends AsyncDisposable {
  examine(decision: Decision, target: Target): Promise<Examined>;
  /** Applies the item and ends it, or ends it with the reason for its refusal. An ended item stays as it is. */
  apply(proposal: Proposal, item: ProposalItem): Promise<void>;
}

/** A disposer for work that holds no resources. */
export const noResources = { [Symbol.asyncDispose]: async (): Promise<void> => {} };

/** The questions to the bank, open while one proposal is worked on. */
export const cancelQuestionsOf = ({ openCancelQuestions }: ReviewContext): CancelQuestions =>
  openCancelQuestions?.() ?? { ask: bankNotAsked, ...noResources };

/** Reads the terms for a release of rows in a batch that needs no approval as a whole, or beside that approval. */
export async function readTerms(
  { journal, people, approvers = 1 }: ReviewContext,
  batchId: string,
): Promise<ApprovalTerms> {
  return { people: people === 2 ? 2 : approvers, involved: await journal.handsOf(batchId) };
}
