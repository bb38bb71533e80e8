/** What the review works on, and how it looks at what is decided on. */
import type { Satang } from '../core/money.ts';
import type { Batch, Clock } from '../core/ports.ts';
import type { RowRules } from '../intake/rules/row.ts';
import { bankNotAsked, type CancelQuestions } from '../payout/operator.ts';
import type { HistoryReader, PayoutJournal } from '../payout/ports.ts';
import type { TimeLimits } from '../payout/rules/limits.ts';
import type { Inspected } from '../reconcile/inspect.ts';
import type { StatementStore, UnreconciledDays } from '../reconcile/ports.ts';
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

/** What has become of a statement that is decided; `overtaken`: it is to be tried again. */
export type StatementTaken =
  { readonly kind: 'taken' | 'overtaken' } | { readonly kind: 'refused'; readonly why: string };

/** Reads statements whose bytes are kept, and reconciles with them. */
export interface DecidedStatements {
  /** As it is, nobody insisting. @returns a text where its bytes are not kept any more */
  inspect(kept: KeptStatement): Promise<Inspected | string>;
  reconcile(kept: KeptStatement, provenance: Provenance): Promise<StatementTaken>;
}

/** Batches that go on by themselves once nothing stops their account. */
interface RunnableBatches {
  runnableBatches(): Promise<readonly { readonly batch: Batch }[]>;
}

export interface ReviewContext {
  readonly journal: PayoutJournal &
    RunnableBatches &
    ProposalStore &
    ApprovalStore &
    Pick<QueueStore, 'refusedFiles' | 'reviewNotes' | 'noteItem' | 'payerHalts'> &
    RegistrationStore &
    Pick<UnreconciledDays, 'daysWithoutStatement'> &
    Pick<PersonStore, 'persons'> &
    HistoryReader &
    Pick<StatementStore, 'openStatementView' | 'openBreak' | 'acceptBreak' | 'statement'>;
  /** Undefined where none is reconciled with: what is decided of them waits for a process that can. */
  readonly statements?: DecidedStatements | undefined;
  /** Asks the bank about what is to be cancelled; where it is left out, nothing is that was sent. */
  readonly openCancelQuestions?: (() => CancelQuestions) | undefined;
  readonly clock: Pick<Clock, 'now'>;
  readonly rules: RowRules;
  /** What a registration says whose file leaves it out, by the settings. */
  readonly registrationDefaults?: RegistrationDefaults | undefined;
  /** `bank.payerAccount` of the settings: what a batch that is resumed is paid from. */
  readonly payerAccount: string;
  /** `review.people` of the settings. */
  readonly people: 1 | 2;
  /** What signatures are held against where `approval.signed` of the settings is required; left out where it is optional. */
  readonly signing?: SigningTerms | undefined;
  /** `approval.people` of the settings: what a changed payer account, a lifted limit and a corrected payee take at least. */
  readonly approvers?: 1 | 2;
  /** Limits over time of the settings; left out where there are none. */
  readonly overTime?: TimeLimits | undefined;
  /** `review.expireDays` of the settings. */
  readonly expireDays: number;
}

/** Why a target cannot be decided on so, in words; or what it is about. */
export type Examined =
  | string
  | {
      readonly amountSatang: Satang;
      /** What it lets happen, as it is kept with the proposal. */
      readonly figures: TargetFigures;
      /** What a row asks for that is to be corrected. */
      readonly was?: Corrected | undefined;
      /** Of what approves something: what it takes, whatever other decisions take. */
      readonly approval?: ApprovalTerms;
    };

/** What it takes to approve something of a batch. */
export interface ApprovalTerms {
  readonly people: 1 | 2;
  /** People who had a part in what the batch asks for: none of them approves it. */
  readonly involved: readonly number[];
}

/** One kind of target, for as long as one proposal is worked on. */
export interface TargetWork extends AsyncDisposable {
  examine(decision: Decision, target: Target): Promise<Examined>;
  /** Applies the item and ends it, or ends it with the reason why it is refused; one that has ended is left alone. */
  apply(proposal: Proposal, item: ProposalItem): Promise<void>;
}

/** Nothing to be closed. */
export const noRest = { [Symbol.asyncDispose]: async (): Promise<void> => {} };

/** For as long as one proposal is worked on. */
export const cancelQuestionsOf = ({ openCancelQuestions }: ReviewContext): CancelQuestions =>
  openCancelQuestions?.() ?? { ask: bankNotAsked, ...noRest };

/** What it takes to let something be paid of a batch that needs no approval as a whole, or to do so besides. */
export async function readTerms(
  { journal, people, approvers = 1 }: ReviewContext,
  batchId: string,
): Promise<ApprovalTerms> {
  return { people: people === 2 ? 2 : approvers, involved: await journal.handsOf(batchId) };
}
