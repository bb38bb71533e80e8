/** People who decide by the program's own review: each act is a command of its own, on one of two machines. */
import { verbatim } from '../../../src/core/message.ts';
import { formatBaht, toSatang } from '../../../src/core/money.ts';
import { isSealed } from '../../../src/core/payout.ts';
import type { ResultRow } from '../../../src/core/ports.ts';
import { readOptions } from '../../../src/review/payout-target.ts';
import type { ReviewContext } from '../../../src/review/context.ts';
import { check, decide, sweepProposals, withdraw, type Wish } from '../../../src/review/review.ts';
import { readBatchVersion } from '../../../src/review/batch-target.ts';
import { payerKeyOf, versionOfPayer } from '../../../src/review/rules/batch-decisions.ts';
import type { Correction, Decider, Target } from '../../../src/review/rules/proposal.ts';
import {
  type Decision,
  isPayoutDecision,
  type PayoutDecision,
  payoutDecisions,
} from '../../../src/review/rules/terms.ts';
import type { BankBook } from '../bank-book.ts';
import type { SimulatedJournal } from '../disk.ts';
import { company } from '../process.ts';
import type { Life, World } from '../world.ts';
import type { PlannedDecision } from './plan.ts';

/** All of them may propose and check; nobody both at once. */
const people: readonly Decider[] = [
  { personId: 1, name: 'Mali' },
  { personId: 2, name: 'Nok' },
  { personId: 3, name: 'Dao' },
];

const decisions: readonly Decision[] = [
  ...payoutDecisions,
  ...(['retry', 'retry-corrected', 'go-on', 'confirm-failed', 'confirm-paid', 'release'] as const),
  ...(['cancel-batch', 'resume-batch', 'resume-batch', 'halt-payer', 'resume-payer'] as const),
];

/** What is paid follows from these. */
const ofPaying: ReadonlySet<string> = new Set(
  'go-on retry retry-corrected approve-batch resume-batch resume-payer'.split(' '),
);

const targetsMax = 4;

const grown = { code: 'file-grown', reason: verbatim('its file has grown'), remedy: verbatim('look at it') };

/** Nobody decides on days and files here, and nothing is known of people. */
const noQueue = {
  persons: async () => ({ people: [], tokens: [], passkeys: [], latestSeq: 0, heads: [] }),
  refusedFiles: async () => [],
  reviewNotes: async () => [],
  noteItem: async () => false,
  daysWithoutStatement: async () => [],
};

/** Those that go on once nothing stops their account. */
const runnableOf = async (journal: SimulatedJournal) =>
  (await journal.batches())
    .filter(({ status }) => isSealed(status) && status !== 'halted')
    .map((batch) => ({ batch, hasReady: true }));

export class Office {
  readonly #world: World;
  readonly #book: BankBook;

  constructor(world: World, book: BankBook) {
    this.#world = world;
    this.#book = book;
  }

  /** One act, from the look to the last of its changes; it may be killed at any of them. */
  async act(planned: PlannedDecision, life: Life, journal: SimulatedJournal): Promise<void> {
    const { dice, figures } = this.#world;
    const context = this.#contextOf(journal);
    figures.count(`decision ${planned.act}`);
    if (planned.act === 'sweep') return void (await sweepProposals(context));
    if (planned.act === 'halt-batch') return this.#haltBatch(journal);
    const person = dice.pick(people);
    const think = (): Promise<void> =>
      new Promise((resolve) => void this.#world.after(planned.thinksMs, 'thinks', life, resolve));
    if (planned.act === 'propose') return this.#propose(context, person, think);
    const waiting = await journal.proposals(['proposed'], Number.MAX_SAFE_INTEGER, 100);
    if (waiting.length === 0) return;
    const { proposalId, makerId, digest, decision } = dice.pick(waiting);
    const isOwn = makerId === person.personId;
    await think();
    const involved = await journal.involvedIn(proposalId);
    const hadPart = ofPaying.has(decision) && involved.includes(person.personId ?? 0);
    if (planned.act === 'withdraw') {
      const { kind } = await withdraw(context, proposalId, person);
      if (kind !== 'refused' && !isOwn)
        this.#world.fail(`proposal ${proposalId} is withdrawn by another than its maker`);
      return;
    }
    const verdict = dice.chance(0.85) ? 'approve' : 'send-back';
    const { kind } = await check(context, proposalId, verdict, person, { note: 'seen', seen: digest });
    this.#world.note(`${person.name} ${verdict}: ${kind}`);
    figures.count(`checked ${kind}`);
    if (kind === 'applied' && hadPart)
      this.#world.fail(`proposal ${proposalId} is approved by one who corrected a row in it`);
    if (kind !== 'refused' && isOwn) this.#world.fail(`proposal ${proposalId} is checked by its own maker`);
  }

  /** A watcher finds that the file of a batch has grown: the batch is halted by itself. */
  async #haltBatch(journal: SimulatedJournal): Promise<void> {
    const open = (await journal.batches()).filter(({ status }) =>
      ['sealed', 'running', 'paused', 'halted'].includes(status),
    );
    const [batch] = this.#world.dice.shuffle(open);
    if (batch !== undefined)
      await journal.moveBatch(batch.batchId, 'halted', grown, this.#world.ourMs, batch);
  }

  #contextOf(journal: SimulatedJournal): ReviewContext {
    return {
      // It holds no registrations: nothing is decided about any.
      journal: {
        ...journal,
        ...noQueue,
        runnableBatches: async () => runnableOf(journal),
      } as unknown as ReviewContext['journal'],
      clock: { now: () => this.#world.ourMs },
      rules: { payoutSatangMax: null },
      payerAccount: company.payerAccount,
      people: 2,
      expireDays: 7,
    };
  }

  async #propose(context: ReviewContext, person: Decider, think: () => Promise<void>): Promise<void> {
    const { dice, figures } = this.#world;
    const halt = await context.journal.payerHalt(company.companyId, company.payerAccount);
    const decision = halt !== undefined && dice.chance(0.4) ? 'resume-payer' : dice.pick(decisions);
    const targets = await this.#findTargets(context, decision);
    if (targets.length === 0) return;
    await think();
    const isMute = dice.chance(0.05);
    const wish: Wish = { decision, targets, note: isMute ? ' ' : 'seen', evidence: 'letter, folder 7' };
    const proposed = await decide(context, person, [wish]);
    const ends = proposed.kind === 'refused' ? ['refused'] : proposed.ends.map(({ kind }) => kind);
    this.#world.note(`${person.name} proposes ${decision}: ${ends.join()}`);
    for (const end of ends) figures.count(`${decision} ${end}`);
    if (isMute && proposed.kind !== 'refused') this.#world.fail(`${decision} is proposed without a reason`);
  }

  async #findTargets(context: ReviewContext, decision: Decision): Promise<readonly Target[]> {
    const { journal } = context;
    const { dice } = this.#world;
    if (isPayoutDecision(decision)) return this.#findPayouts(context, decision);
    if (decision === 'halt-payer' || decision === 'resume-payer') {
      const halt = await journal.payerHalt(company.companyId, company.payerAccount);
      const pause = await journal.payerPause(company.companyId, company.payerAccount);
      return [{ kind: 'payer', key: payerKeyOf(company), version: versionOfPayer(halt, pause) }];
    }
    const [batch] = dice.shuffle((await journal.batches()).filter(({ sealedAtMs }) => sealedAtMs !== null));
    return batch === undefined
      ? []
      : [{ kind: 'batch', key: batch.batchId, version: await readBatchVersion(context, batch) }];
  }

  /** Mostly rows of which the program says that it can be decided so; now and then any. */
  async #findPayouts(context: ReviewContext, decision: PayoutDecision): Promise<readonly Target[]> {
    const { dice } = this.#world;
    const rows: ResultRow[] = [];
    await using snapshot = await context.journal.snapshot();
    for (const { batchId, sealedAtMs } of await context.journal.batches())
      if (sealedAtMs !== null) for await (const page of snapshot.resultRows(batchId)) rows.push(...page);
    const wanted = dice.whole(1, targetsMax);
    const isAny = dice.chance(0.15);
    const targets: Target[] = [];
    for (const row of dice.shuffle(rows)) {
      if (targets.length === wanted) break;
      if (!this.#isTrue(decision, row, await attemptsOf(context, row))) continue;
      const options = isAny ? [] : ((await readOptions(context, row.seq)) ?? []);
      if (options.some((one) => one.decision === decision && one.whyNot !== undefined)) continue;
      const correction = decision === 'retry-corrected' ? { correction: this.#correct(row) } : {};
      targets.push({ kind: 'payout', key: String(row.seq), version: String(row.version), ...correction });
    }
    return targets;
  }

  /** Whoever declares an outcome has asked the bank what is in its book, and says so. */
  #isTrue(decision: PayoutDecision, row: ResultRow, references: readonly string[]): boolean {
    if (decision === 'confirm-failed') return references.every((one) => !this.#book.mayMove(one));
    if (decision !== 'confirm-paid') return true;
    const { instruction } = row;
    return references
      .flatMap((one) => this.#book.of(one))
      .some(
        (entry) =>
          this.#book.stateOf(entry) === 'complete' &&
          instruction !== null &&
          entry.order.proxyNo === instruction.proxyNo &&
          entry.order.amountText === formatBaht(instruction.amountSatang),
      );
  }

  #correct({ amountSatang }: ResultRow): Correction {
    const { dice } = this.#world;
    const isOther = dice.chance(0.6);
    const amount = formatBaht(toSatang((amountSatang ?? 0n) + BigInt(dice.whole(1, 500))));
    return {
      proxyNo: isOther ? `08${dice.whole(20_000_000, 29_999_999)}` : null,
      amount: !isOther || dice.chance(0.3) ? amount : null,
    };
  }
}

const attemptsOf = async (
  { journal }: ReviewContext,
  { cells, seq }: ResultRow,
): Promise<readonly string[]> =>
  (await journal.attemptsOf(company.companyId, cells.payoutId.trim()))
    .filter(({ payoutSeq }) => payoutSeq === seq)
    .map(({ order }) => order.transRefNo);
