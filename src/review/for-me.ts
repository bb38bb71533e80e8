/** Reads what waits for one person, and the counts that the menu shows. */
import { entriesFor, sentBackMs } from '../attention/attention-list.ts';
import type { Attention, AttentionEntry } from '../attention/rules/entry.ts';
import { dayMs } from '../core/bangkok-time.ts';
import type { StatementStore } from '../reconcile/ports.ts';
import type { ReviewContext } from './context.ts';
import type { PersonStore, Proposal, ProposalStore, QueueStore, TakenItem } from './ports.ts';
import { can, type Person, type ProvedPerson } from './rules/people.ts';
import { listChangesToCheck, listOpenChanges, type PersonContext } from './people.ts';
import { findUnconfirmed, type PersonProposal } from './rules/person-request.ts';
import { openProposalStatuses } from './rules/proposal.ts';
import type { SessionContext } from './sessions.ts';
import { listForCheck } from './verdict.ts';

export interface ForMe {
  /** Proposals of others that wait for this person's check, for admins those about people, too. */
  readonly toCheck: readonly (Proposal | PersonProposal)[];
  /** The person's own proposals that a checker sent back, until they are proposed again. */
  readonly sentBack: readonly Proposal[];
  /** The person's own proposals that lapse unchecked within a day. */
  readonly lapsing: readonly (Proposal | PersonProposal)[];
  /** The groups of the queue that the person took. */
  readonly groups: readonly AttentionEntry[];
  /** The items that the person took, the latest first. */
  readonly taken: readonly TakenItem[];
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
    PersonStore &
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
  const { restoredAtMs } = await context.readContext();
  const persons = { store, nowMs, restoredAtMs };
  const open = await store.proposals(openProposalStatuses, newest, proposalsMax);
  const changes = await listOpenChanges(persons, person);
  const ofMine = ({ makerId }: Pick<Proposal, 'makerId'>): boolean => makerId === person.personId;
  const sentBack = await store.sentBack(nowMs - sentBackMs, proposalsMax);
  const isLate = ({ expiresAtMs }: Pick<Proposal, 'expiresAtMs'>): boolean =>
    nowMs < expiresAtMs && expiresAtMs - nowMs < dayMs;
  return {
    toCheck: [
      ...(await listForCheck(review, proved, open)),
      ...(await listChangesToCheck(persons, person, changes)),
    ],
    sentBack: sentBack.filter(ofMine),
    lapsing: [...open, ...changes].filter((one) => ofMine(one) && isLate(one)),
    groups: entries.filter(({ owner }) => owner?.personId === person.personId),
    taken: await store.takenBy(person.personId, nowMs - 7 * dayMs, takenMax),
    passkeys: await countUnconfirmed(persons, person),
  };
}

/** Passkeys of others that no admin has asked to confirm. */
async function countUnconfirmed(
  { store, nowMs, restoredAtMs }: Pick<PersonContext, 'store' | 'nowMs' | 'restoredAtMs'>,
  person: Person,
): Promise<number> {
  if (!can(person, 'people').allowed) return 0;
  const known = { ...(await store.persons()), restoredAtMs };
  return findUnconfirmed(known, await store.proposedPasskeys(nowMs), person).length;
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
  const { toCheck, sentBack, lapsing, groups, taken, passkeys } = forMe;
  const lists = [toCheck, sentBack, lapsing, groups, taken];
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
