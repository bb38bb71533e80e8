/**
 * Holds what was decided against what was done: each item is applied once and by its own change, none is lost, nobody
 * checks his own, and what has changed since is left alone.
 */
import { formatBaht, parseBaht } from '../../../src/core/money.ts';
import { quietCauses } from '../../../src/core/payout.ts';
import type { Proposal, ProposalItem } from '../../../src/review/ports.ts';
import { causeOf, isPayoutDecision } from '../../../src/review/rules/terms.ts';
import type { DiskView, SeenAttempt, SeenEvent, SeenResumes, SeenRow } from '../disk-view.ts';
import type { World } from '../world.ts';

export type SeenItem = Pick<ProposalItem, 'itemNo' | 'kind' | 'key' | 'version' | 'status'> & {
  readonly correction?: ProposalItem['correction'];
};

/** A proposal as the disk shows it. */
export interface SeenProposal extends Pick<
  Proposal,
  'proposalId' | 'decision' | 'status' | 'people' | 'makerId' | 'checkerId'
> {
  readonly items: readonly SeenItem[];
}

/** What a change must have been decided by. */
const decidedCauses: ReadonlySet<string> = new Set([
  'corrected',
  'released',
  'acknowledged',
  'decided-paid',
  'decided-failed',
]);

/** What may move money, or declares an outcome. */
const ofTwo: ReadonlySet<string> = new Set(
  'go-on release retry retry-corrected confirm-paid confirm-failed resume-batch resume-payer'.split(' '),
);

const decidingStatuses: readonly string[] = ['approved', 'applied'];

const nextDayOf = (date: string): string => {
  const [year, month, day] = [date.slice(0, 4), date.slice(4, 6), date.slice(6)].map(Number);
  return new Date(Date.UTC(year ?? 0, (month ?? 1) - 1, (day ?? 0) + 1))
    .toISOString()
    .slice(0, 10)
    .replaceAll('-', '');
};

export class DecisionJudge {
  readonly #world: World;
  readonly #disk: () => DiskView;
  /** Days of which a statement was accepted. */
  readonly #hasStatement: (date: string) => boolean;
  /** Causes of a row's events, in their order, with the proposal that each belongs to. */
  readonly #events = new Map<number, { readonly cause: string; readonly proposalId: number | undefined }[]>();
  /** How each attempt was when its row last changed. */
  readonly #statuses = new Map<string, string>();
  /** Times that an item was applied. */
  readonly #applied = new Map<string, number>();
  #resumes: SeenResumes = { resumes: 0, halts: new Map() };
  /** Rows that ask for something else than their file. */
  readonly corrected = new Set<number>();
  /** Rows of whose alarm a person has taken note. */
  readonly acknowledged = new Set<number>();

  constructor(world: World, disk: () => DiskView, hasStatement: (date: string) => boolean) {
    this.#world = world;
    this.#disk = disk;
    this.#hasStatement = hasStatement;
  }

  /** @returns true when people have decided on the row in this event, by the rules */
  noteEvent(event: SeenEvent, row: SeenRow, onAsked: (asked: string) => void): boolean {
    const { proposal: proposalId } = JSON.parse(event.detail) as { proposal?: number };
    const before = this.#events.get(event.payoutSeq) ?? [];
    this.#events.set(event.payoutSeq, [...before, { cause: event.cause, proposalId }]);
    const attempts = row.references.flatMap((one) => this.#disk().attempts(one));
    const ended = attempts.filter((attempt) => {
      const former = this.#statuses.get(nameOf(attempt)) ?? 'failed';
      return attempt.status === 'failed' && former !== 'failed' && former !== 'refused';
    });
    for (const attempt of attempts) this.#statuses.set(nameOf(attempt), attempt.status);
    if (proposalId === undefined) {
      if (decidedCauses.has(event.cause)) this.#fail(event, 'nobody has decided it');
      return false;
    }
    const isFailed = event.cause === 'decided-failed';
    const why =
      (isFailed ? this.#judgeFailed(ended) : undefined) ?? this.#judgeEvent(event, proposalId, row, before);
    if (why !== undefined) this.#fail(event, why);
    if (event.cause === 'acknowledged') this.acknowledged.add(event.payoutSeq);
    if (event.cause === 'corrected') {
      this.corrected.add(event.payoutSeq);
      onAsked(`${row.amountText} ${row.proxyNo}`);
    }
    return true;
  }

  /** Something was written: an account that is resumed takes along what it alone has halted, and nothing else. */
  noteWritten(): void {
    const before = this.#resumes;
    this.#resumes = this.#disk().resumes();
    if (this.#resumes.resumes === before.resumes) return;
    for (const [batchId, halt] of before.halts) {
      const now = this.#resumes.halts.get(batchId);
      if (halt === 'own' && now !== 'own')
        this.#world.fail(
          `decision: batch ${batchId} goes on with its account, though it was halted by itself`,
        );
      if (halt === 'payer' && now !== 'nothing')
        this.#world.fail(`decision: batch ${batchId} stays halted, though its account is resumed`);
      if (halt === 'payer') this.#world.figures.count('batch resumed with its account');
      if (halt === 'own') this.#world.figures.count('batch halted by itself as its account is resumed');
    }
  }

  #fail({ payoutSeq, cause }: SeenEvent, why: string): void {
    this.#world.fail(`decision: row ${payoutSeq} is ${cause}, though ${why}`);
  }

  #judgeEvent(
    event: SeenEvent,
    proposalId: number,
    row: SeenRow,
    before: readonly { readonly cause: string; readonly proposalId: number | undefined }[],
  ): string | undefined {
    const proposal = this.#disk().proposal(proposalId);
    if (proposal === undefined) return `there is no proposal ${proposalId}`;
    const unfit = judgeProposal(proposal);
    if (unfit !== undefined) return unfit;
    const item = proposal.items.find(({ kind, key }) => kind === 'payout' && key === String(event.payoutSeq));
    if (item === undefined) return `proposal ${proposalId} is not about it`;
    if (item.status !== 'applied') return `its item of proposal ${proposalId} is ${item.status} still`;
    const since = before
      .slice(Number(item.version) - 1)
      .filter((one) => one.proposalId !== proposalId)
      .find(({ cause }) => !quietCauses.some((quiet) => quiet === cause));
    if (since !== undefined) return `it has changed since it was decided (${since.cause})`;
    return this.#judgeApplied(event, proposal, item, row);
  }

  #judgeApplied(
    { payoutSeq, cause, to }: SeenEvent,
    { decision, proposalId }: SeenProposal,
    { correction, itemNo }: SeenItem,
    row: SeenRow,
  ): string | undefined {
    const isFirst = isPayoutDecision(decision) && cause === causeOf[decision];
    if (!isFirst || (cause === 'decided-failed' && to !== 'failed')) return undefined;
    const name = `${proposalId} ${itemNo}`;
    const times = (this.#applied.get(name) ?? 0) + 1;
    this.#applied.set(name, times);
    this.#world.figures.count(`applied ${decision}`);
    if (times > 1) return `item ${itemNo} of proposal ${proposalId} was applied before`;
    const attempts = row.references.flatMap((one) => this.#disk().attempts(one));
    const open = attempts.find(({ status }) => status !== 'failed' && status !== 'refused');
    if (cause === 'released' && (to !== 'cancelled' || open !== undefined))
      return `it is ${to}, or its transfer may be paid`;
    if (cause !== 'corrected') return undefined;
    const amount = correction?.amount === null ? undefined : correction?.amount;
    const isRight =
      correction !== undefined &&
      (amount === undefined || formatBaht(parseBaht(amount) ?? neverSatang) === row.amountText) &&
      (correction.proxyNo === null || correction.proxyNo === row.proxyNo);
    return isRight ? undefined : `row ${payoutSeq} is not what was decided`;
  }

  /** The bank's word stands against people's, and what it ever knew it must have left out of its statements. */
  #judgeFailed(attempts: readonly SeenAttempt[]): string | undefined {
    for (const { order, lastFinding, acknowledged } of attempts) {
      const { transRefNo, tranDate } = order;
      if (lastFinding === 'in-process' || lastFinding === 'complete')
        return `the bank says that ${transRefNo} is ${lastFinding}`;
      const isRead = this.#hasStatement(tranDate) && this.#hasStatement(nextDayOf(tranDate));
      if (acknowledged && !isRead) return `the bank has known ${transRefNo}, and its statements are not read`;
    }
    return undefined;
  }

  /** When all is over: everything decided is done, or refused with a reason, and nothing else was. */
  judgeEnd(): string[] {
    const broken: string[] = [];
    for (const proposal of this.#disk().proposals()) {
      const { proposalId, decision, status, items } = proposal;
      const where = `decision: proposal ${proposalId}`;
      if (status === 'approved') broken.push(`${where} is lost: it is approved, and not applied`);
      const unfit = decidingStatuses.includes(status) ? judgeProposal(proposal) : undefined;
      if (unfit !== undefined) broken.push(`${where}: ${unfit}`);
      for (const item of items) {
        const times = this.#applied.get(`${proposalId} ${item.itemNo}`) ?? 0;
        const wanted = item.status === 'applied' ? 1 : 0;
        if (item.status === 'open' && status !== 'proposed')
          broken.push(`${where}: item ${item.itemNo} is open`);
        if (isPayoutDecision(decision) && times !== wanted)
          broken.push(`${where}: item ${item.itemNo} is ${item.status}, and was applied ${times} times`);
      }
    }
    return broken;
  }
}

const nameOf = ({ seq, attemptNo }: SeenAttempt): string => `${seq} ${attemptNo}`;

const neverSatang = -1n as Parameters<typeof formatBaht>[0];

/** Why nothing may follow from a proposal. */
function judgeProposal({
  proposalId,
  decision,
  status,
  people,
  makerId,
  checkerId,
}: SeenProposal): string | undefined {
  if (!decidingStatuses.includes(status)) return `proposal ${proposalId} is ${status}`;
  const isChecked = makerId !== null && checkerId !== null && makerId !== checkerId;
  return (people === 2 || ofTwo.has(decision)) && !isChecked
    ? `nobody else has checked proposal ${proposalId}`
    : undefined;
}
