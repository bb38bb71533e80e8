/** The one way to change a registration, and to keep a callback. */
import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import { encodeMessage } from '../../core/message.ts';
import { ForbiddenChangeError } from '../../core/change.ts';
import type { BatchStatus } from '../../core/payout.ts';
import { toColumns } from '../../platform/record-rows.ts';
import type { RegistrationStore } from '../../registration/ports.ts';
import { identityKey } from '../../registration/rules/callback.ts';
import type {
  CallbackRecord,
  RegistrationChange,
  RegistrationPayer,
} from '../../registration/rules/change.ts';
import {
  awaitedStatuses,
  canMoveRegistration,
  isOpenRegistration,
  type Registration,
  type RegistrationAttempt,
  type RegistrationCause,
  type RegistrationInstruction,
  type RegistrationStatus,
  unendedStatuses,
} from '../../registration/rules/registration.ts';
import { describeRegistration, saltDetail } from '../../review/rules/payout-chain.ts';
import type { Engine } from '../engine.ts';
import { groupIndependent, makeGroupCommit } from '../group-commit.ts';
import { makeSalt } from '../payouts/chain.ts';
import { isDecided, keepHand, markDecided } from '../review/proposals.ts';
import { claimKeyOf, type ClaimOfRow, type Tables } from '../schema.ts';
import { type Body, define, query, type Reading, together } from '../statements.ts';
import { bind, isUnbound, keep } from './callbacks.ts';
import { appendRegistrationEvent, readLatestRegistrationEventSeq } from './chain.ts';
import { isClaimMeet, moveClaim } from './claims.ts';
import { keepAskedOf } from './ingest.ts';
import type { RegistrationPlaceKind } from '../tables/registrations.ts';
import { registrationBatchReads } from './reads.ts';
import { computeRegistrationDigest, encodeHolds, statusLiteral } from './rows.ts';

/** Steps that no reader of a result cares about: they alone make no row a changed one. */
const quietCauses: readonly RegistrationCause[] = ['request-renewed', 'released', 'acknowledged-by-person'];

/** Causes by people, who may end an alarm; no other change does, whether it knows of it or not. */
const personalCauses: readonly RegistrationCause[] = ['decided', 'tried-again', 'acknowledged-by-person'];

// ---------------------------------------------------------------- the row

interface StateValues extends Omit<
  Registration,
  | 'instruction'
  | 'reason'
  | 'holds'
  | 'acceptedHolds'
  | 'isAlarm'
  | 'isAcknowledged'
  | 'batchId'
  | 'rowNo'
  | 'version'
> {
  readonly reason: string | null;
  readonly holds: number;
  readonly acceptedHolds: number;
  readonly isAlarm: number;
  readonly isAcknowledged: number;
  readonly statusBefore: RegistrationStatus;
  readonly versionBefore: number;
  readonly lastEventSeq: number;
  /** The number of the event that is news; 0 of an event that is none. */
  readonly newsSeq: number;
}

const updateState = define(
  ({ seq, statusBefore, versionBefore, lastEventSeq, newsSeq, ...state }: StateValues) =>
    query
      .updateTable('registration')
      .set(toColumns(state))
      .set((eb) => ({
        version: eb('version', '+', 1),
        last_event_seq: lastEventSeq,
        last_news_seq: sql<number>`max(${eb.ref('last_news_seq')}, ${newsSeq})`,
      }))
      .where('seq', '=', seq)
      .where('version', '=', versionBefore)
      .where('status', '=', statusBefore),
);

// ---------------------------------------------------------------- intents

const haltOf = define((values: RegistrationPayer) =>
  query
    .selectFrom('payer_halt')
    .select('since_ms')
    .where('company_id', '=', values.companyId)
    .where('payer_account', '=', values.payerAccount)
    .where('lifted_at_ms', 'is', null),
);

const othersOfIdentity = (statuses: readonly RegistrationStatus[]) =>
  define((values: { identity: string; seq: number }) =>
    query
      .selectFrom('registration_asked as a')
      .innerJoin('registration as p', 'p.seq', 'a.seq')
      .select('p.seq')
      .where('a.identity_key', '=', values.identity)
      .where('p.seq', '<>', values.seq)
      .where('p.status', 'in', statuses.map(statusLiteral))
      .limit(1),
  );

const awaitedOfIdentity = othersOfIdentity(awaitedStatuses);
const unendedOfIdentity = othersOfIdentity(unendedStatuses);

/** True where a callback could tell the row from every other one, as far as the change would have it sent. */
function* isDistinct({ before, after, event, intent }: RegistrationChange): Reading<boolean> {
  if (after.instruction === null) return true;
  const ofRow = { identity: identityKey(after.instruction), seq: before.seq };
  if (intent !== undefined) return (yield* awaitedOfIdentity.get(ofRow)) === undefined;
  return event.cause !== 'tried-again' || (yield* unendedOfIdentity.get(ofRow)) === undefined;
}

/** The facts about a batch, read once a transaction. */
interface BatchFacts {
  readonly companyId: string;
  readonly status: BatchStatus;
}

interface Transaction {
  /** True while this process may send; left out where one process alone does. */
  readonly fence: (() => Body<boolean>) | undefined;
  /** The answer of the fence; undefined until something is to be sent. */
  hasRight?: boolean;
  readonly batches: Map<string, BatchFacts>;
  /** The latest event that a result shows, by batch. */
  readonly news: Map<string, number>;
  latestEventSeq: number;
  /** The last number that a change has taken for its event, recorded or not. */
  drawnEventSeq: number;
}

function* readBatch({ batches }: Transaction, batchId: string): Body<BatchFacts> {
  const known = batches.get(batchId);
  if (known !== undefined) return known;
  const batch = yield* registrationBatchReads.registrationBatch(batchId);
  if (batch === undefined) throw new ForbiddenChangeError(`there is no batch ${batchId}`);
  batches.set(batchId, batch);
  return batch;
}

function* maySend(
  transaction: Transaction,
  { intent }: RegistrationChange,
  { status }: BatchFacts,
): Body<boolean> {
  if (intent === undefined) return true;
  if (status !== 'running') return false;
  for (const payer of intent.payers) if ((yield* haltOf.get(payer)) !== undefined) return false;
  if (transaction.fence === undefined) return true;
  transaction.hasRight ??= yield* transaction.fence();
  return transaction.hasRight;
}

// ---------------------------------------------------------------- attempts

interface AttemptValues extends Omit<RegistrationAttempt, 'instruction'> {
  readonly instruction: string;
  readonly identityKey: string;
}

const insertAttempt = define((values: AttemptValues) =>
  query.insertInto('registration_attempt').values(toColumns(values)),
);

/** Keeps the answer; what was sent stays as it is. */
const updateAttempt = define(
  ({
    registrationSeq,
    attemptNo,
    renewedUid,
    ...answer
  }: Omit<AttemptValues, 'instruction' | 'identityKey' | 'requestUid' | 'ipAddress' | 'intentAtMs'>) =>
    query
      .updateTable('registration_attempt')
      .set(toColumns(answer))
      .set({ renewed_uid: sql<string | null>`coalesce(${renewedUid}, renewed_uid)` })
      .where('registration_seq', '=', registrationSeq)
      .where('attempt_no', '=', attemptNo),
);

function* keepAttempt(attempt: RegistrationAttempt, isNew: boolean): Body<void> {
  const { instruction, requestUid, ipAddress, intentAtMs, ...answered } = attempt;
  const sent = { requestUid, ipAddress, intentAtMs, instruction: JSON.stringify(instruction) };
  if (isNew) yield* insertAttempt.run({ ...answered, ...sent, identityKey: identityKey(instruction) });
  else if ((yield* updateAttempt.run(answered)) === 0)
    throw new ForbiddenChangeError(
      `registration ${attempt.registrationSeq} has no attempt ${attempt.attemptNo}`,
    );
}

// ---------------------------------------------------------------- corrections

const latestVersion = define((values: { seq: number }) =>
  query
    .selectFrom('registration_version')
    .select(({ fn }) => fn.max<number | null>('version').as('version'))
    .where('registration_seq', '=', values.seq),
);

const insertVersion = define((values: Tables['registration_version']) =>
  query.insertInto('registration_version').values(values),
);

const insertPlace = define((values: { text: string; kind: RegistrationPlaceKind; seq: number }) =>
  query
    .insertInto('registration_place')
    .values({ text: values.text, kind: values.kind, registration_seq: values.seq })
    .onConflict((conflict) => conflict.doNothing()),
);

function* recordPlacesOf(
  seq: number,
  { customerId, accountNo, registrationId, refs }: RegistrationInstruction,
) {
  yield* insertPlace.run({ text: registrationId, kind: 'registrationId', seq });
  yield* insertPlace.run({ text: customerId, kind: 'customerId', seq });
  yield* insertPlace.run({ text: accountNo, kind: 'accountNo', seq });
  for (const ref of refs) if (ref !== null) yield* insertPlace.run({ text: ref, kind: 'ref', seq });
}

/** @returns what the event commits to, where the row asks for something else by it */
function* keepCorrection(
  { before, after, event, isCorrected }: RegistrationChange,
  companyId: string,
): Body<string | undefined> {
  const { instruction } = after;
  if (isCorrected !== true || instruction === null) return undefined;
  const { seq, batchId, rowNo } = before;
  const version = ((yield* latestVersion.get({ seq }))?.version ?? 0) + 1;
  const digest = computeRegistrationDigest({ companyId, batchId, rowNo }, instruction);
  const replaced = before.instruction && JSON.stringify(before.instruction);
  const kept = { instruction: JSON.stringify(instruction), replaced, digest, at_ms: event.atMs };
  yield* insertVersion.run({ registration_seq: seq, version, ...kept });
  yield* keepAskedOf(seq, instruction);
  yield* recordPlacesOf(seq, instruction);
  return digest;
}

// ---------------------------------------------------------------- one change

/** True while every guard of the change but its version and status holds. */
function* isGuarded(
  transaction: Transaction,
  change: RegistrationChange,
  batch: BatchFacts,
  ofRow: ClaimOfRow,
): Body<boolean> {
  const { decision, callback } = change;
  if (!(yield* maySend(transaction, change, batch)) || !(yield* isDistinct(change))) return false;
  if (!(yield* isClaimMeet(change, ofRow))) return false;
  if (decision !== undefined && !(yield* isDecided(decision))) return false;
  return callback === undefined || (yield* isUnbound(callback));
}

function toValues({ before, after, event }: RegistrationChange, eventSeq: number): StateValues {
  const isAlarm = after.isAlarm || (before.isAlarm && !personalCauses.includes(event.cause));
  const { instruction: _asked, batchId: _batch, rowNo: _row, version: _version, ...state } = after;
  return {
    ...state,
    reason: after.reason === null ? null : encodeMessage(after.reason),
    holds: encodeHolds(after.holds),
    acceptedHolds: encodeHolds(after.acceptedHolds),
    isAlarm: Number(isAlarm),
    isAcknowledged: Number(after.isAcknowledged),
    statusBefore: before.status,
    versionBefore: before.version,
    lastEventSeq: eventSeq,
    newsSeq: quietCauses.includes(event.cause) ? 0 : eventSeq,
  };
}

/** False when a guard no longer holds; nothing has changed then. */
function* applyChange(transaction: Transaction, change: RegistrationChange): Body<boolean> {
  const { before, after, event, attempt, intent, decision, callback, isCorrected } = change;
  const { seq, batchId, rowNo } = before;
  const batch = yield* readBatch(transaction, batchId);
  const { companyId } = batch;
  const registrationId = (after.instruction ?? before.instruction)?.registrationId ?? '';
  const ofRow = { ...claimKeyOf(companyId, registrationId), seq };
  if (!(yield* isGuarded(transaction, change, batch, ofRow))) return false;
  const eventSeq = (transaction.drawnEventSeq += 1);
  if ((yield* updateState.run(toValues(change, eventSeq))) === 0) {
    // No number is skipped where changes come one after the other.
    if (transaction.drawnEventSeq === eventSeq) transaction.drawnEventSeq -= 1;
    return false;
  }
  if (decision !== undefined) yield* markDecided(decision);
  if (decision !== undefined && isCorrected === true) yield* keepHand(decision, batchId);
  const asksFor = yield* keepCorrection(change, companyId);
  yield* moveClaim(change, ofRow);
  if (attempt !== undefined) yield* keepAttempt(attempt, intent !== undefined);
  if (callback !== undefined) yield* bind(callback, seq);
  const moved = { from: before.status, to: after.status, cause: event.cause, attemptNo: after.attemptNo };
  const facts = { ...event.detail, ...describeRegistration(after, callback?.body) };
  const detail = JSON.stringify({ ...saltDetail(facts, makeSalt), asksFor });
  const at = { companyId, batchId, rowNo, seq: eventSeq, atMs: event.atMs };
  yield* appendRegistrationEvent(seq, { ...at, ...moved, detail });
  transaction.latestEventSeq = Math.max(transaction.latestEventSeq, eventSeq);
  if (!quietCauses.includes(event.cause))
    transaction.news.set(batchId, Math.max(transaction.news.get(batchId) ?? 0, eventSeq));
  return true;
}

// ---------------------------------------------------------------- group commit

interface KeptCall {
  readonly record: CallbackRecord;
  readonly registrationSeq: number | null;
}

type RegistrationWork = readonly RegistrationChange[] | KeptCall;

const isChanges = (work: RegistrationWork): work is readonly RegistrationChange[] => Array.isArray(work);

/**
 * Two rows of one registrationId, or of one account, may decide about one another; one change at a time looks at
 * people's decisions, and at what a row asks for from now on.
 */
function writeSetOf(change: RegistrationChange): readonly string[] | undefined {
  const { before, after, decision, callback, isCorrected } = change;
  const instruction = after.instruction ?? before.instruction;
  if (decision !== undefined || isCorrected === true || instruction === null) return undefined;
  const { registrationId, accountNo } = instruction;
  const ofRow = [`registration ${before.seq}`, `claim ${registrationId}`, `account ${accountNo}`];
  return callback === undefined ? ofRow : [...ofRow, `callback ${callback.key}`];
}

function writeSetOfWork(work: RegistrationWork): readonly string[] | undefined {
  if (!isChanges(work)) return [`callback ${work.record.key}`];
  const touched = work.map(writeSetOf);
  return touched.includes(undefined) ? undefined : touched.flatMap((keys) => keys ?? []);
}

function* applyWork(transaction: Transaction, work: RegistrationWork): Body<readonly boolean[]> {
  if (!isChanges(work)) return [yield* keep(work.record, work.registrationSeq)];
  const applied: boolean[] = [];
  for (const wave of groupIndependent(work.map(writeSetOf))) {
    const changes = wave.map((place) => work[place] as RegistrationChange);
    applied.push(...(yield* together(changes.map((change) => applyChange(transaction, change)))));
  }
  return applied;
}

function* beginTransaction(fence: Transaction['fence']): Body<Transaction> {
  const latestEventSeq = yield* readLatestRegistrationEventSeq();
  return { fence, batches: new Map(), news: new Map(), latestEventSeq, drawnEventSeq: latestEventSeq };
}

const noteNews = define((values: { batchId: string; eventSeq: number }) =>
  query
    .updateTable('registration_batch')
    .set({ latest_news_seq: values.eventSeq })
    .where('batch_id', '=', values.batchId),
);

/** Keeps the news once for all rows of a batch. */
function* keepNews({ news }: Transaction): Body<void> {
  for (const [batchId, eventSeq] of news) yield* noteNews.run({ batchId, eventSeq });
}

export type RegistrationApplier = Pick<RegistrationStore, 'applyRegistrations' | 'keepCallback'> & {
  /** Takes no more changes, and resolves when all those asked for are settled. */
  end(): Promise<void>;
};

/**
 * Gathers changes and commits them.
 * @param onCommit told the number of the latest event once it is durable, before anybody else is
 * @param fence whether this process may send, asked in the transaction; left out where one process alone does
 */
export function makeRegistrationApplier(
  engine: Pick<Engine, 'write' | 'gathering'>,
  onCommit: (latestEventSeq: number) => void,
  fence?: () => Body<boolean>,
): RegistrationApplier {
  const { ask, end } = makeGroupCommit(engine, {
    begin: () => beginTransaction(fence),
    apply: applyWork,
    writeSet: writeSetOfWork,
    end: keepNews,
    onCommit: ({ latestEventSeq }: Transaction) => onCommit(latestEventSeq),
  });
  return {
    end,
    applyRegistrations: async (changes) => {
      for (const change of changes) requireAllowedRegistration(change);
      return changes.length === 0 ? [] : ask(changes);
    },
    keepCallback: async (record, registrationSeq) => (await ask({ record, registrationSeq }))[0] ?? false,
  };
}

// ---------------------------------------------------------------- what no store may apply

/** @throws ForbiddenChangeError for a change that no store may apply: a bug of the code that composed it */
function requireAllowedRegistration(change: RegistrationChange): void {
  const why = findForbiddenMove(change) ?? findForbiddenAttempt(change) ?? findForbiddenCorrection(change);
  if (why !== undefined) throw new ForbiddenChangeError(`registration ${change.before.seq}: ${why}`);
}

function findForbiddenMove({ before, after, event, isReleased }: RegistrationChange): string | undefined {
  if (!canMoveRegistration(before.status, after.status, event.cause))
    return `${before.status} cannot become ${after.status} because of "${event.cause}"`;
  if (after.seq !== before.seq) return `the change is composed for registration ${after.seq}`;
  if ((isReleased === true) !== (event.cause === 'released'))
    return 'a release, and nothing else, gives its registrationId back';
  if (isOpenRegistration(after.status) !== (after.awaitedUntilMs !== null))
    return 'what is awaited, and nothing else, has a time until which it is';
  return undefined;
}

function findForbiddenAttempt({
  before,
  after,
  event,
  attempt,
  intent,
}: RegistrationChange): string | undefined {
  if (attempt !== undefined && attempt.registrationSeq !== before.seq) return 'the attempt is another’s';
  const isIntent = event.cause === 'intent-recorded';
  if (isIntent !== (intent !== undefined)) return 'an intent, and nothing else, is marked as one';
  if (!isIntent) {
    const isLatest = attempt === undefined || attempt.attemptNo <= before.attemptNo;
    return isLatest && after.attemptNo === before.attemptNo
      ? undefined
      : 'an intent, and nothing else, makes a new attempt';
  }
  if (attempt?.attemptNo !== before.attemptNo + 1 || after.attemptNo !== attempt.attemptNo)
    return 'its new attempt is not the next one';
  return isDeepStrictEqual(attempt.instruction, after.instruction)
    ? undefined
    : 'the attempt sends something else than it asks for';
}

function findForbiddenCorrection({ before, after, isCorrected }: RegistrationChange): string | undefined {
  const isChanged = !isDeepStrictEqual(before.instruction, after.instruction);
  if (isChanged !== (isCorrected === true)) return 'a correction, and nothing else, changes what it asks for';
  if (!isChanged) return undefined;
  if (after.instruction === null) return 'a correction asks for something';
  if (isOpenRegistration(before.status) || isOpenRegistration(after.status))
    return 'what is awaited is not corrected';
  const registrationId = before.instruction?.registrationId ?? after.instruction.registrationId;
  return after.instruction.registrationId === registrationId
    ? undefined
    : 'a correction keeps the registrationId';
}
