/**
 * Decisions of people, from the proposal to the last of its changes. Approved items are applied one by one, each in the
 * transaction that ends it: after a crash the next process continues with the rest, and two processes at once apply
 * nothing twice.
 */
import { setImmediate } from 'node:timers/promises';
import { dayMs } from '../core/bangkok-time.ts';
import { isMessage, type Message, message } from '../core/message.ts';
import { type Satang, sumSatang } from '../core/money.ts';
import { mapManyAtOnce } from '../platform/bounded.ts';
import { makeBatchWork, makePayerWork } from './batch-target.ts';
import {
  makeBreakWork,
  makeStatementWork,
  makeCallbackWork,
  makeDayWork,
  makeFileWork,
} from './queue-target.ts';
import type { ReviewContext, TargetWork } from './context.ts';
import { makePayoutWork } from './payout-target.ts';
import { makeSalt } from './people.ts';
import { makeRegistrationBatchWork, makeRegistrationWork } from './registration-target.ts';
import type { Proposal, ProposalClash, ProposalDraft, ProposalItem, ProposalStore } from './ports.ts';
import type { Person } from './rules/people.ts';
import { findMoreThanProposed } from './freeze.ts';
import {
  type ProposalFigures,
  sendsWhatWaits,
  sumFigures,
  type TargetFigures,
} from './rules/proposal-figures.ts';
import {
  computeProposalDigest,
  type Corrected,
  countDeciders,
  type Decider,
  describeOpen,
  type EvidenceFile,
  type ProposalStatus,
  type Target,
  type TargetKind,
  whyNotCheck,
  whyNotWithdraw,
} from './rules/proposal.ts';
import { type Signed, whyNotSigned } from './rules/signature.ts';
import { type Decision, decisionTerms } from './rules/terms.ts';
import { type CountedWhy, countWhys } from './rules/offers.ts';
import { findObstacle, readInvolved, termsFor, whyNotApprover } from './standing.ts';

/** A decision that a person asks for. */
export interface Wish {
  readonly decision: Decision;
  readonly targets: readonly Target[];
  readonly note: string;
  readonly evidence: string | null;
  /** Kept right before the proposal is recorded. */
  readonly evidenceFile?: EvidenceFile | null;
}

/** The reason why something is not done: for the whole, or for one of its targets. */
export interface Objection {
  readonly target?: Target;
  readonly why: Message;
}

/** The outcome when nothing was proposed. */
interface Refused {
  readonly kind: 'refused';
  readonly objections: readonly Objection[];
}

export type Proposed =
  | { readonly kind: 'waiting'; readonly proposal: Proposal }
  /** One person was enough. */
  | { readonly kind: 'applied'; readonly proposal: Proposal; readonly applied: Applied };

/** The results of the items of an approved proposal. */
interface Applied {
  readonly applied: number;
  readonly refused: readonly ProposalItem[];
}

const makeWork: Readonly<Record<TargetKind, (context: ReviewContext) => TargetWork>> = {
  payout: makePayoutWork,
  batch: makeBatchWork,
  payer: makePayerWork,
  break: makeBreakWork,
  statement: makeStatementWork,
  day: makeDayWork,
  file: makeFileWork,
  registration: makeRegistrationWork,
  'registration-batch': makeRegistrationBatchWork,
  callback: makeCallbackWork,
};

/** The work on each kind of target, opened on first use. */
class Works implements AsyncDisposable {
  readonly #context: ReviewContext;
  readonly #made = new Map<TargetKind, TargetWork>();

  constructor(context: ReviewContext) {
    this.#context = context;
  }

  of(kind: TargetKind): TargetWork {
    const known = this.#made.get(kind) ?? makeWork[kind](this.#context);
    this.#made.set(kind, known);
    return known;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const work of this.#made.values()) await work[Symbol.asyncDispose]();
  }
}

const saltTarget = (target: Target): Target =>
  target.correction === undefined && target.note === undefined ? target : { ...target, salt: makeSalt() };

/** Adds the present request of the row, which is shown beside the correction permanently. */
const freezeTarget = (target: Target, was: Corrected | undefined): Target =>
  target.correction === undefined || was === undefined
    ? target
    : { ...target, correction: { ...target.correction, was } };

/** Tells whether registrations are mixed with other targets: one proposal states one effect for all of its targets. */
const areMixed = (targets: readonly Target[]): boolean =>
  targets.some(({ kind }) => kind === 'registration') && targets.some(({ kind }) => kind !== 'registration');

const objectTooLittle = ({ decision, targets, note, evidence, evidenceFile }: Wish): readonly Objection[] => [
  ...(areMixed(targets) ? [{ why: message('proposal.mixed') }] : []),
  ...(targets.length === 0 ? [{ why: message('proposal.about-nothing') }] : []),
  ...(note.trim() === '' ? [{ why: message('proposal.note-missing') }] : []),
  ...(decisionTerms[decision].needsEvidence && (evidence ?? '').trim() === '' && !evidenceFile
    ? [{ why: message('proposal.evidence-missing', { decision: message(`decision.${decision}`) }) }]
    : []),
];

/** Drafts the proposals of a wish, or gives the reasons why there is none. */
async function draft(
  context: ReviewContext,
  wish: Wish,
  { maker, people }: { readonly maker: Decider; readonly people: readonly Person[] },
  works: Works,
): Promise<ProposalDraft | readonly Objection[]> {
  const { decision, targets, note, evidence, evidenceFile = null } = wish;
  const objections = [...objectTooLittle(wish)];
  const amounts: Satang[] = [];
  const counted: TargetFigures[] = [];
  const frozen: Target[] = [];
  // An approval of a batch takes what its batch needs, and no more.
  const approvers: number[] = [decision === 'approve-batch' ? 1 : context.people];
  const examinedOfEach = await mapManyAtOnce(targets, async (target) => ({
    target,
    examined: await works.of(target.kind).examine(decision, target),
  }));
  for (const { target, examined } of examinedOfEach) {
    if (isMessage(examined)) objections.push({ target, why: examined });
    else {
      amounts.push(examined.amountSatang);
      counted.push(examined.figures);
      frozen.push(freezeTarget(target, examined.was));
      const approval = examined.approval && termsFor(examined.approval, maker, people);
      const why = approval && whyNotApprover(decision, approval, maker, people);
      if (why !== undefined) objections.push({ target, why });
      approvers.push(approval?.people ?? 1);
    }
  }
  if (objections.length > 0) return objections;
  const nowMs = context.clock.now();
  const salted = frozen.map(saltTarget);
  return {
    decision,
    note: note.trim(),
    evidence,
    evidenceFile,
    people: countDeciders(decision, Math.max(...approvers), maker.personId !== null),
    awaitsSignature: decision === 'approve-batch' && context.signing !== undefined,
    totalSatang: sumSatang(amounts),
    figures: sumFigures(counted),
    digest: computeProposalDigest(decision, salted),
    maker,
    madeAtMs: nowMs,
    expiresAtMs: nowMs + context.expireDays * dayMs,
    targets: salted,
  };
}

/**
 * Decides, from the page, a shell or a file: proposes all wishes or none. Where one person is enough, applies each at once.
 * @param maker a proved person; before the first person exists, the user of the operating system
 * @param keepFiles keeps the evidence files of the wishes once no objection is left
 */
export async function decide(
  context: ReviewContext,
  maker: Decider,
  wishes: readonly Wish[],
  keepFiles: () => Promise<void> = async () => {},
): Promise<Refused | { readonly kind: 'proposed'; readonly ends: readonly Proposed[] }> {
  await using works = new Works(context);
  const objections: Objection[] = [];
  const drafts: ProposalDraft[] = [];
  const { people } = await context.journal.persons();
  for (const wish of wishes) {
    const drafted = await draft(context, wish, { maker, people }, works);
    if ('targets' in drafted) drafts.push(drafted);
    else objections.push(...drafted);
  }
  const clash = objections.length > 0 ? undefined : await findClash(context, drafts);
  if (clash !== undefined) objections.push(describeClash(clash, drafts));
  if (objections.length > 0) return { kind: 'refused', objections };
  await keepFiles();
  const added = await context.journal.addProposals(drafts);
  if ('clash' in added) return { kind: 'refused', objections: [describeClash(added, drafts)] };
  const ends: Proposed[] = [];
  for (const proposalId of added) ends.push(await beginProposal(context, proposalId));
  return { kind: 'proposed', ends };
}

/** The limit of one query: the database takes a limited number of values. */
const keysAtOnce = 1_000;

/** The open items of proposals about these subjects, in the order of their keys. */
export async function* findOpenItems(
  journal: Pick<ReviewContext['journal'], 'openItems'>,
  kind: TargetKind,
  keys: readonly string[],
): AsyncGenerator<ProposalItem> {
  for (let from = 0; from < keys.length; from += keysAtOnce)
    yield* await journal.openItems(kind, keys.slice(from, from + keysAtOnce));
}

/** The first target with another open proposal. */
async function findClash(
  { journal }: ReviewContext,
  drafts: readonly ProposalDraft[],
): Promise<ProposalClash | undefined> {
  const keysByKind = Map.groupBy(
    drafts.flatMap(({ targets }) => targets),
    ({ kind }) => kind,
  );
  for (const [kind, targets] of keysByKind) {
    const keys = targets.map(({ key }) => key);
    for await (const { key, proposalId } of findOpenItems(journal, kind, keys))
      return { clash: { kind, key }, proposalId };
  }
  return undefined;
}

function describeClash({ clash, proposalId }: ProposalClash, drafts: readonly ProposalDraft[]): Objection {
  const target = drafts
    .flatMap(({ targets }) => targets)
    .find(({ kind, key }) => kind === clash.kind && key === clash.key);
  return { ...(target === undefined ? {} : { target }), why: describeOpen(proposalId) };
}

async function beginProposal(context: ReviewContext, proposalId: number): Promise<Proposed> {
  const proposal = await requireProposal(context, proposalId);
  if (proposal.status === 'proposed') return { kind: 'waiting', proposal };
  const applied = await applyApproved(context, proposalId);
  return { kind: 'applied', proposal: await requireProposal(context, proposalId), applied };
}

async function requireProposal({ journal }: ReviewContext, proposalId: number): Promise<Proposal> {
  const proposal = await journal.proposal(proposalId);
  if (proposal === undefined) throw new Error(`there is no proposal ${proposalId}`);
  return proposal;
}

export type Checked =
  | { readonly kind: 'refused'; readonly why: Message }
  | { readonly kind: 'sent-back' | 'withdrawn'; readonly proposal: Proposal }
  | { readonly kind: 'applied'; readonly proposal: Proposal; readonly applied: Applied };

/** The checker's words with the verdict, and the people who had a part in the proposal. */
export interface CheckTerms {
  readonly note?: string | null;
  /** The digest that the checker has looked at. */
  readonly seen?: string;
  /** The people who uploaded the file, or corrected a row in it. */
  readonly involved?: readonly number[];
  /** The checker's signature. */
  readonly signed?: Signed | undefined;
}

/** Approves a proposal, or sends it back. */
export async function check(
  context: ReviewContext,
  proposalId: number,
  verdict: 'approve' | 'send-back',
  checker: Decider,
  { note = null, seen, involved = [], signed }: CheckTerms = {},
): Promise<Checked> {
  const { journal, clock } = context;
  const proposal = await journal.proposal(proposalId);
  if (proposal === undefined)
    return { kind: 'refused', why: message('proposal.unknown', { id: proposalId }) };
  const nowMs = clock.now();
  const hands = [...involved, ...(await readInvolved(context, proposal))];
  const why =
    whyNotCheck(proposal, checker, hands, nowMs) ??
    (await findObstacle(context, checker, proposal, hands, verdict === 'approve')) ??
    (seen !== undefined && seen !== proposal.digest ? message('proposal.not-seen') : undefined) ??
    (verdict === 'approve' ? await findMoreInAll(context, proposal) : undefined) ??
    (verdict === 'approve'
      ? whyNotSigned(
          context.signing === undefined ? 'optional' : 'required',
          proposal,
          checker.personId,
          signed,
        )
      : undefined) ??
    (verdict === 'send-back' && (note ?? '').trim() === ''
      ? message('proposal.why-back-missing')
      : undefined);
  if (why !== undefined) return { kind: 'refused', why };
  const to: ProposalStatus = verdict === 'approve' ? 'approved' : 'sent-back';
  if (!(await journal.moveProposal(proposalId, { to, by: checker, note, nowMs })))
    return { kind: 'refused', why: message('change.other-decision') };
  if (to === 'sent-back') return { kind: to, proposal: await requireProposal(context, proposalId) };
  const applied = await applyApproved(context, proposalId);
  return { kind: 'applied', proposal: await requireProposal(context, proposalId), applied };
}

/** The part of a proposal that can be carried out now, over all of its open items. */
export interface Judged {
  readonly possible: number;
  readonly amountSatang: Satang;
  /** The reasons against the other items, the most frequent first. */
  readonly whyNot: readonly CountedWhy[];
}

/** Examines every open item, as its approval would. */
export async function judgeProposal(
  context: ReviewContext,
  { proposalId, decision, items }: Pick<Proposal, 'proposalId' | 'decision' | 'items'>,
): Promise<Judged> {
  const all = await context.journal.proposalItems(proposalId, 0, items);
  return judgeTargets(
    context,
    decision,
    all.filter(({ status }) => status === 'open'),
  );
}

/** The present effect of a decision on some targets. */
interface JudgedTargets extends Judged {
  readonly figures: ProposalFigures;
  /** The reasons of the others, by the key of the target. */
  readonly impossible: ReadonlyMap<string, Message>;
}

/** Examines targets, as a proposal of them would. */
export async function judgeTargets(
  context: ReviewContext,
  decision: Decision,
  targets: readonly Target[],
): Promise<JudgedTargets> {
  await using works = new Works(context);
  const amounts: Satang[] = [];
  const counted: TargetFigures[] = [];
  const impossible = new Map<string, Message>();
  for (const [place, target] of targets.entries()) {
    const examined = await works.of(target.kind).examine(decision, target);
    if (isMessage(examined)) impossible.set(target.key, examined);
    else {
      amounts.push(examined.amountSatang);
      counted.push(examined.figures);
    }
    // Gives other work of the process its turn during a list of thousands.
    if (place % itemsAtOnce === itemsAtOnce - 1) await setImmediate();
  }
  const whyNot = countWhys([...impossible.values()]);
  const amountSatang = sumSatang(amounts);
  return { possible: amounts.length, amountSatang, whyNot, figures: sumFigures(counted), impossible };
}

/** The reason why the proposal would now do more than it says; undefined when it would not. */
export async function findMoreInAll(
  context: ReviewContext,
  proposal: Proposal,
): Promise<Message | undefined> {
  const { proposalId, decision, items } = proposal;
  if (!sendsWhatWaits(decision)) return undefined;
  return findMoreThanProposed(context, proposal, await context.journal.proposalItems(proposalId, 0, items));
}

/** Withdraws a proposal. */
export async function withdraw(
  context: ReviewContext,
  proposalId: number,
  person: Decider,
): Promise<Checked> {
  const { journal, clock } = context;
  const proposal = await journal.proposal(proposalId);
  if (proposal === undefined)
    return { kind: 'refused', why: message('proposal.unknown', { id: proposalId }) };
  const nowMs = clock.now();
  const why = whyNotWithdraw(proposal, person, nowMs);
  if (why !== undefined) return { kind: 'refused', why };
  const isMoved = await journal.moveProposal(proposalId, { to: 'withdrawn', by: person, note: null, nowMs });
  if (!isMoved) return { kind: 'refused', why: message('change.other-decision') };
  return { kind: 'withdrawn', proposal: await requireProposal(context, proposalId) };
}

/** The number of items applied at a time, whose changes share a few commits. */
const itemsAtOnce = 200;

/** Applies the open items of an approved proposal, and ends it. @forTests */
export async function applyApproved(context: ReviewContext, proposalId: number): Promise<Applied> {
  const { journal, clock } = context;
  const proposal = await requireProposal(context, proposalId);
  if (proposal.status === 'approved') {
    await using works = new Works(context);
    for (let after = 0; ;) {
      const items = await journal.proposalItems(proposalId, after, itemsAtOnce);
      const open = items.filter(({ status }) => status === 'open');
      await Promise.all(open.map((item) => works.of(item.kind).apply(proposal, item)));
      if (items.length < itemsAtOnce) break;
      after = items.at(-1)?.itemNo ?? after;
    }
    await journal.endProposal(proposalId, clock.now());
  }
  return await countItems(journal, proposalId);
}

async function countItems(journal: ProposalStore, proposalId: number): Promise<Applied> {
  let applied = 0;
  const refused: ProposalItem[] = [];
  for (let after = 0; ;) {
    const items = await journal.proposalItems(proposalId, after, itemsAtOnce);
    for (const item of items) {
      if (item.status === 'applied') applied += 1;
      else if (item.status === 'refused') refused.push(item);
    }
    if (items.length < itemsAtOnce) return { applied, refused };
    after = items.at(-1)?.itemNo ?? after;
  }
}

/** Ends proposals that were not checked in time, and applies what a killed process has left. @returns lapsed proposals */
export async function sweepProposals(context: ReviewContext): Promise<readonly number[]> {
  const { journal, clock } = context;
  const expired = await journal.expireProposals(clock.now());
  for (const { proposalId } of await journal.proposals(['approved'], Number.MAX_SAFE_INTEGER, 1_000))
    await applyApproved(context, proposalId);
  return expired;
}
