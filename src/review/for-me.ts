/** Reads what waits for one person, and the counts that the menu shows. */
import { entriesFor, sentBackMs } from '../attention/attention-list.ts';
import type { Attention, AttentionEntry } from '../attention/rules/entry.ts';
import { dayMs } from '../core/bangkok-time.ts';
import type { Message } from '../core/message.ts';
import type { StatementStore } from '../reconcile/ports.ts';
import type { ReviewContext } from './context.ts';
import type { PersonStore, Proposal, ProposalStore, QueueStore, TakenItem } from './ports.ts';
import { can, type Person, type ProvedPerson } from './rules/people.ts';
import { decideConfirmation, findUnconfirmed, type PersonChange } from './rules/person-request.ts';
import { describeChange } from './rules/person-words.ts';
import { openProposalStatuses } from './rules/proposal.ts';
import type { SessionContext } from './sessions.ts';
import { listForCheck } from './verdict.ts';

export interface ForMe {
  /** Proposals of others that wait for this person's check. */
  readonly toCheck: readonly Proposal[];
  /** The person's own proposals that a checker sent back, until they are proposed again. */
  readonly sentBack: readonly Proposal[];
  /** The person's own proposals that lapse unchecked within a day. */
  readonly lapsing: readonly Proposal[];
  /** The groups of the queue that the person took. */
  readonly groups: readonly AttentionEntry[];
  /** The items that the person took, the latest first. */
  readonly taken: readonly TakenItem[];
  /** Changes of people that an admin may confirm. */
  readonly changes: readonly (Pick<PersonChange, 'changeId' | 'madeAtMs'> & {
    readonly what: Message;
    readonly maker: string;
  })[];
  /** Passkeys of others that no admin has asked to confirm yet. */
  readonly passkeys: number;
}

/** The facts of the frame around a page. */
export interface FrameFacts {
  readonly forMe: ForMe;
  /** The groups of the queue. */
  readonly groups: number;
  /** One of them must be acted on now. */
  readonly isAlarm: boolean;
  readonly openBreaks: number;
}

interface FrameContext {
  readonly store: Pick<ProposalStore, 'proposals' | 'sentBack'> &
    Pick<QueueStore, 'takenBy'> &
    Pick<PersonStore, 'persons'> &
    Pick<StatementStore, 'statementDays'>;
  readonly readContext: () => Promise<Pick<SessionContext, 'clock' | 'restoredAtMs'>>;
  readonly readReview: () => Promise<ReviewContext>;
  readonly readAttention: () => Promise<Attention>;
}

const proposalsMax = 200;
const takenMax = 20;
/** Milliseconds. */
const goodForMs = 1_000;
const newest = Number.MAX_SAFE_INTEGER;

async function readForMe(
  context: FrameContext,
  proved: ProvedPerson,
  entries: readonly AttentionEntry[],
): Promise<ForMe> {
  const { store, readReview } = context;
  const review = await readReview();
  const nowMs = review.clock.now();
  const { person } = proved;
  const open = await store.proposals(openProposalStatuses, newest, proposalsMax);
  const ofMine = ({ makerId }: Proposal): boolean => makerId === person.personId;
  const sentBack = await store.sentBack(nowMs - sentBackMs, proposalsMax);
  const isLate = ({ expiresAtMs }: Proposal): boolean => nowMs < expiresAtMs && expiresAtMs - nowMs < dayMs;
  return {
    toCheck: await listForCheck(review, proved, open),
    sentBack: sentBack.filter(ofMine),
    lapsing: open.filter((one) => ofMine(one) && isLate(one)),
    groups: entries.filter(({ owner }) => owner?.personId === person.personId),
    taken: await store.takenBy(person.personId, nowMs - 7 * dayMs, takenMax),
    ...(await readForAdmin(context, person)),
  };
}

/** Reads the changes and passkeys of others that this admin may confirm. */
async function readForAdmin(
  { store, readContext }: FrameContext,
  person: Person,
): Promise<Pick<ForMe, 'passkeys' | 'changes'>> {
  if (!can(person, 'people').allowed) return { passkeys: 0, changes: [] };
  const kept = await store.persons();
  const { clock, restoredAtMs } = await readContext();
  const nowMs = clock.now();
  const mayConfirm = (change: PersonChange): boolean =>
    decideConfirmation(change, person, { ...kept, restoredAtMs }, nowMs).kind === 'applies';
  return {
    passkeys: findUnconfirmed(kept, { nowMs, restoredAtMs }, person).length,
    changes: kept.changes.filter(mayConfirm).map((change) => ({
      changeId: change.changeId,
      madeAtMs: change.madeAtMs,
      what: describeChange(change, kept.people),
      maker: kept.people.find(({ personId }) => personId === change.makerId)?.name ?? '',
    })),
  };
}

async function readFrame(context: FrameContext, proved: ProvedPerson): Promise<FrameFacts> {
  const entries = entriesFor(await context.readAttention(), proved.person);
  const days = await context.store.statementDays();
  return {
    forMe: await readForMe(context, proved, entries),
    groups: entries.length,
    isAlarm: entries.some(({ severity }) => severity === 'alarm'),
    openBreaks: days.reduce((sum, { openBreaks }) => sum + openBreaks, 0),
  };
}

/** The number of things that wait for the person. */
export const countForMe = (forMe: ForMe): number => {
  const { toCheck, sentBack, lapsing, groups, taken, passkeys, changes } = forMe;
  const lists = [toCheck, changes, sentBack, lapsing, groups, taken];
  return lists.reduce((sum, { length }) => sum + length, passkeys);
};

/** A visit, as far as the facts depend on it. */
interface FrameVisit {
  readonly proved: ProvedPerson;
  /** Changes with the journal. */
  readonly mark: string;
  readonly nowMs: number;
}

/** Reads the facts for each person; they are good for a second, unless something changes. */
export function makeFrameReader(context: FrameContext): (visit: FrameVisit) => Promise<FrameFacts> {
  const kept = new Map<
    number,
    { readonly mark: string; readonly atMs: number; readonly facts: Promise<FrameFacts> }
  >();
  return async ({ proved, mark, nowMs }) => {
    const { personId } = proved.person;
    const latest = kept.get(personId);
    if (latest?.mark === mark && Math.abs(nowMs - latest.atMs) < goodForMs) return latest.facts;
    const facts = readFrame(context, proved);
    kept.set(personId, { mark, atMs: nowMs, facts });
    return facts;
  };
}
