/** Proposals of decisions: each with its items, their fates, and the people who had a part in it. */
import { type Expression, sql, type SqlBool } from 'kysely';
import { decodeMessageIfAny, encodeMessage } from '../../core/message.ts';
import { toSatang } from '../../core/money.ts';
import type { DecisionItem } from '../../core/ports.ts';
import { makeRowMapping } from '../../platform/record-rows.ts';
import type {
  ApprovedChange,
  DraftOf,
  PersonProposals,
  Proposal,
  ProposalItem,
  ProposalStore,
} from '../../review/ports.ts';
import { areEnough } from '../../review/rules/approval.ts';
import { chainEvent, proposalFormat } from '../../review/rules/chain.ts';
import { passkeyPrefix, personDecision, type PersonProposal } from '../../review/rules/person-request.ts';
import {
  type AnyProposal,
  canMoveProposal,
  type Correction,
  type EvidenceFile,
  openProposalStatuses,
  type ProposalStatus,
  type TargetKind,
} from '../../review/rules/proposal.ts';
import {
  digestOutcome,
  draftMoved,
  draftProposed,
  type ProposalEvent,
  type ProposalEventDraft,
} from '../../review/rules/proposal-chain.ts';
import { decodeFigures, encodeFigures, sendsWhatWaits } from '../../review/rules/proposal-figures.ts';
import { makeSalt } from '../payouts/chain.ts';
import {
  type BodiesOf,
  type Body,
  change,
  define,
  query,
  type Reading,
  select,
  selectFirst,
} from '../statements.ts';

const columns = [
  'proposal_id as proposalId',
  'decision',
  'status',
  'note',
  'evidence',
  'evidence_file as fileText',
  'maker_id as makerId',
  'maker',
  'people',
  'made_at_ms as madeAtMs',
  'expires_at_ms as expiresAtMs',
  'checker_id as checkerId',
  'checker',
  'checked_at_ms as checkedAtMs',
  'check_note as checkNote',
  'ended_at_ms as endedAtMs',
  'items',
  'total_satang as totalText',
  'figures as figuresText',
  'digest',
] as const;

const selectAll = () => query.selectFrom('proposal').select(columns);

/** A column of the first item. */
const ofFirstItem = (column: 'kind' | 'version' | 'why') =>
  query
    .selectFrom('proposal_item as i')
    .select(`i.${column} as value`)
    .whereRef('i.proposal_id', '=', sql.ref('proposal.proposal_id'))
    .where('i.item_no', '=', 1);

/** Proposals of decisions: every reading but that of admins leaves those about people out. */
const selectProposals = () =>
  selectAll().select(ofFirstItem('kind').as('kind')).where('decision', '!=', personDecision);

const selectPersonProposals = () =>
  selectAll()
    .select([ofFirstItem('version').as('seen'), ofFirstItem('why').as('why')])
    .where('decision', '=', personDecision);

interface ProposalRecord extends Omit<AnyProposal, 'totalSatang' | 'figures' | 'evidenceFile'> {
  readonly totalText: string;
  readonly figuresText: string;
  readonly fileText: string | null;
}

const decode = ({ totalText, figuresText, fileText, ...proposal }: ProposalRecord): AnyProposal => ({
  ...proposal,
  evidenceFile: fileText === null ? null : (JSON.parse(fileText) as EvidenceFile),
  totalSatang: toSatang(BigInt(totalText)),
  figures: decodeFigures(figuresText),
});

const toProposal = ({ kind, ...row }: ProposalRecord & { readonly kind: string | null }) =>
  ({ ...decode(row), kind: kind ?? undefined }) as Proposal;

const toPersonProposal = ({ why, ...row }: ProposalRecord & { readonly why: string | null }) =>
  ({ ...decode(row), why: decodeMessageIfAny(why) }) as PersonProposal;

const selectEveryItem = () =>
  query
    .selectFrom('proposal_item')
    .select(['proposal_id as proposalId', 'item_no as itemNo', 'kind', 'key', 'version', 'correction'])
    .select(['status', 'why', 'note', 'salt', 'commitment']);

/** Items of decisions: every reading but an audit leaves those about people out. */
const selectItems = () => selectEveryItem().where('kind', '!=', 'person').$narrowType<{ kind: TargetKind }>();

interface ItemRecord<Kind> extends Omit<
  ProposalItem,
  'kind' | 'why' | 'correction' | 'note' | 'salt' | 'commitment'
> {
  readonly kind: Kind;
  readonly why: string | null;
  readonly correction: string | null;
  readonly note: string | null;
  readonly salt: string | null;
  readonly commitment: string | null;
}

function toItem<Kind>({ why, correction, note, salt, commitment, ...item }: ItemRecord<Kind>) {
  return {
    ...item,
    why: decodeMessageIfAny(why),
    ...(salt === null ? {} : { salt }),
    ...(commitment === null ? {} : { commitment }),
    ...(note === null ? {} : { note }),
    ...(correction === null ? {} : { correction: JSON.parse(correction) as Correction }),
  };
}

const openItem = define((values: DecisionItem) =>
  query
    .selectFrom('proposal_item as i')
    .innerJoin('proposal as p', 'p.proposal_id', 'i.proposal_id')
    .select('i.item_no')
    .where('i.proposal_id', '=', values.proposalId)
    .where('i.item_no', '=', values.itemNo)
    .where('i.status', '=', 'open')
    .where('p.status', '=', 'approved'),
);

/** True while an item of an approved proposal is still to be applied. */
export function* isDecided(item: DecisionItem): Reading<boolean> {
  return (yield* openItem.get(item)) !== undefined;
}

const deciders = define((values: { proposalId: number }) =>
  query
    .selectFrom('proposal')
    .select(['people', 'maker_id as makerId', 'checker_id as checkerId'])
    .where('proposal_id', '=', values.proposalId),
);

const hands = define((values: { batchId: string }) =>
  query.selectFrom('contributor').select('person_id').distinct().where('batch_id', '=', values.batchId),
);

/** People who had a part in what a batch asks for. */
export function* readHands(batchId: string): Reading<number[]> {
  return (yield* hands.all({ batchId })).map(({ person_id: personId }) => personId);
}

/** True when the change of a row has been decided on as its batch is approved. */
export function* isDecidedByEnough(
  { proposalId }: DecisionItem,
  batchId: string,
  people: 1 | 2,
): Reading<boolean> {
  const decided = yield* deciders.get({ proposalId });
  return decided !== undefined && areEnough(decided, people, yield* readHands(batchId), true);
}

const insertHand = define((values: { proposalId: number; batchId: string }) =>
  query
    .insertInto('contributor')
    .columns(['batch_id', 'person_id', 'part'])
    .expression((eb) =>
      eb
        .selectFrom('proposal')
        .select((row) => [
          sql<string>`${values.batchId}`.as('batch_id'),
          sql<number>`${row.ref('maker_id')}`.as('person_id'),
          sql<'corrected'>`'corrected'`.as('part'),
        ])
        .where('proposal_id', '=', values.proposalId)
        .where('maker_id', 'is not', null),
    )
    .onConflict((conflict) => conflict.doNothing()),
);

/** Records who has corrected a row of a batch: that person approves nothing of it. */
export function* keepHand({ proposalId }: DecisionItem, batchId: string): Body<void> {
  yield* insertHand.run({ proposalId, batchId });
}

const endOpenItem = define((values: DecisionItem & { status: 'applied' | 'refused'; why: string | null }) =>
  query
    .updateTable('proposal_item')
    .set({ status: values.status, why: values.why })
    .where('proposal_id', '=', values.proposalId)
    .where('item_no', '=', values.itemNo)
    .where('status', '=', 'open'),
);

/** Marks an item as applied, in the transaction of the change that was decided. */
export function* markDecided(item: DecisionItem): Body<void> {
  yield* endOpenItem.run({ ...item, status: 'applied', why: null });
}

const insertItem = define(
  (values: Omit<ItemRecord<TargetKind | 'person'>, 'status' | 'why' | 'commitment'>) =>
    query.insertInto('proposal_item').values({
      proposal_id: values.proposalId,
      item_no: values.itemNo,
      kind: values.kind,
      key: values.key,
      version: values.version,
      correction: values.correction,
      note: values.note,
      salt: values.salt,
      status: 'open',
      why: null,
    }),
);

const clashing = define((values: { kind: TargetKind | 'person'; key: string }) =>
  query
    .selectFrom('proposal_item')
    .select('proposal_id as proposalId')
    .where('kind', '=', values.kind)
    .where('key', '=', values.key)
    .where('status', '=', sql.lit('open')),
);

type AnyDraft = DraftOf<AnyProposal & Pick<Proposal | PersonProposal, 'decision'>, TargetKind | 'person'>;

/** Adds a proposal with its items and its first event. */
function* addOne(draft: AnyDraft, firstHalf: string | null): Body<number> {
  const latest = query
    .selectFrom('proposal')
    .select((eb) => eb.fn.max<number | null>('proposal_id').as('id'));
  const proposalId = ((yield* selectFirst(latest))?.id ?? 0) + 1;
  const isAlone = draft.people === 1 && draft.awaitsSignature !== true;
  const record = {
    proposal_id: proposalId,
    decision: draft.decision,
    status: isAlone ? 'approved' : 'proposed',
    note: draft.note,
    evidence: draft.evidence,
    evidence_file: draft.evidenceFile ? JSON.stringify(draft.evidenceFile) : null,
    maker_id: draft.maker.personId,
    maker: draft.maker.name,
    people: draft.people,
    made_at_ms: draft.madeAtMs,
    expires_at_ms: draft.expiresAtMs,
    checker_id: null,
    checker: null,
    checked_at_ms: null,
    check_note: null,
    ended_at_ms: null,
    items: draft.targets.length,
    total_satang: String(draft.totalSatang),
    figures: encodeFigures(draft.figures),
    digest: draft.digest,
    first_half: firstHalf,
  } as const;
  yield* change(query.insertInto('proposal').values(record));
  const [kept] = yield* select(selectAll().where('proposal_id', '=', proposalId));
  if (kept !== undefined) for (const event of draftProposed(decode(kept))) yield* appendProposalEvent(event);
  for (const [index, { correction: asked, note = null, salt = null, ...target }] of draft.targets.entries()) {
    const correction = asked === undefined ? null : JSON.stringify(asked);
    const { kind, key, version } = target;
    yield* insertItem.run({ proposalId, itemNo: index + 1, kind, key, version, note, salt, correction });
  }
  return proposalId;
}

/** The open proposal about one of these things. */
function* findClash<Kind extends TargetKind | 'person'>(
  targets: readonly { readonly kind: Kind; readonly key: string }[],
) {
  for (const { kind, key } of targets) {
    const other = yield* clashing.get({ kind, key });
    if (other !== undefined) return { clash: { kind, key }, proposalId: other.proposalId };
  }
  return undefined;
}

const updateProposal = (proposalId: number, from: ProposalStatus) =>
  query.updateTable('proposal').where('proposal_id', '=', proposalId).where('status', '=', from);

/** The half of a one-time password goes as its proposal is checked or lapses. */
const noHalf = { first_half: null } as const;

/** Closes the items of a proposal: nothing of it is open any more. */
const closeItems = (proposalId: number) =>
  query
    .updateTable('proposal_item')
    .set({ status: 'closed' })
    .where('proposal_id', '=', proposalId)
    .where('status', '=', 'open');

const isOpenStatus = (status: Expression<ProposalStatus>) =>
  sql<SqlBool>`${status} in ('proposed', 'approved')`;

/** Returns every item that was ever about something. */
export function* proposalItemsAbout(kind: TargetKind, key: string): Reading<ProposalItem[]> {
  return (yield* select(selectItems().where('kind', '=', kind).where('key', '=', key))).map(toItem);
}

/** The people who had a part in a file of which a proposal sends rows without naming them. */
export function* readHandsOfSent(proposalId: number): Reading<number[]> {
  const found = yield* proposalReads.proposal(proposalId);
  if (found === undefined || !sendsWhatWaits(found.decision)) return [];
  const people: number[] = [];
  for (const { batchId } of found.figures.files) people.push(...(yield* readHands(batchId)));
  return people;
}

export const proposalReads = {
  *proposal(proposalId): Reading<Proposal | undefined> {
    const found = yield* selectFirst(selectProposals().where('proposal_id', '=', proposalId));
    return found === undefined ? undefined : toProposal(found);
  },
  *proposals(statuses, beforeId, limit) {
    if (statuses.length === 0) return [];
    const isOpen = statuses.every((status) => openProposalStatuses.includes(status));
    const page = selectProposals()
      .where('status', 'in', [...statuses])
      .where((eb) => (isOpen ? isOpenStatus(eb.ref('status')) : eb.lit(true)))
      .where('proposal_id', '<', beforeId)
      .orderBy('proposal_id', 'desc')
      .limit(limit);
    return (yield* select(page)).map(toProposal);
  },
  *sentBack(sinceMs, limit) {
    // Only the items of later proposals are read: nothing else finds the items about a target.
    const later = query
      .selectFrom('proposal_item as i')
      .innerJoin('proposal_item as j', (join) =>
        join
          .onRef('j.kind', '=', 'i.kind')
          .onRef('j.key', '=', 'i.key')
          .onRef('j.proposal_id', '>', 'i.proposal_id'),
      )
      .select('i.proposal_id')
      .whereRef('i.proposal_id', '=', sql.ref('proposal.proposal_id'))
      .where('i.item_no', '=', 1);
    const page = selectProposals()
      .where('status', '=', 'sent-back')
      .where('checked_at_ms', '>=', sinceMs)
      .where(({ not, exists }) => not(exists(later)))
      .orderBy('proposal_id', 'desc')
      .limit(limit);
    return (yield* select(page)).map(toProposal);
  },
  *proposalItems(proposalId, afterItemNo, limit) {
    const page = selectItems()
      .where('proposal_id', '=', proposalId)
      .where('item_no', '>', afterItemNo)
      .orderBy('item_no')
      .limit(limit);
    return (yield* select(page)).map(toItem);
  },
  *openItems(kind, keys) {
    if (keys.length === 0) return [];
    const open = selectItems()
      .where('kind', '=', kind)
      .where('key', 'in', [...keys])
      .where('status', '=', sql.lit('open'));
    return (yield* select(open)).map(toItem);
  },
  *proposalEvents(afterSeq, limit) {
    const rows = query.selectFrom('proposal_event').selectAll().where('seq', '>', afterSeq);
    return (yield* select(rows.orderBy('seq').limit(limit))).map((row) =>
      records.toRecord<ProposalEvent>(row),
    );
  },
} satisfies Partial<BodiesOf<ProposalStore>>;

/** Reads proposals about people, for admins. */
export const personProposalReads = {
  *personProposal(proposalId, _reader) {
    const found = yield* selectFirst(selectPersonProposals().where('proposal_id', '=', proposalId));
    return found === undefined ? undefined : toPersonProposal(found);
  },
  *personProposals(statuses, beforeId, limit, _reader) {
    const page = selectPersonProposals()
      .where('status', 'in', [...statuses])
      .where('proposal_id', '<', beforeId)
      .orderBy('proposal_id', 'desc')
      .limit(limit);
    return (yield* select(page)).map(toPersonProposal);
  },
  *firstHalf(proposalId) {
    const row = query.selectFrom('proposal').select('first_half as half');
    return (yield* selectFirst(row.where('proposal_id', '=', proposalId)))?.half ?? null;
  },
  *proposedPasskeys(nowMs) {
    const open = query
      .selectFrom('proposal_item as i')
      .innerJoin('proposal as p', 'p.proposal_id', 'i.proposal_id')
      .select(['i.key', 'p.proposal_id as proposalId', 'p.maker_id as makerId'])
      .where('i.kind', '=', 'person')
      .where('i.status', '=', sql.lit('open'))
      .where('p.expires_at_ms', '>', nowMs);
    const ofPasskeys = (yield* select(open)).filter(({ key }) => key.startsWith(passkeyPrefix));
    return new Map(ofPasskeys.map(({ key, ...one }) => [key.slice(passkeyPrefix.length), one]));
  },
} satisfies Partial<BodiesOf<PersonProposals>>;

/** Reads the items of any proposal in their order, for an audit. */
export function* readEveryItem(proposalId: number, afterItemNo: number, limit: number) {
  const page = selectEveryItem().where('proposal_id', '=', proposalId).where('item_no', '>', afterItemNo);
  return (yield* select(page.orderBy('item_no').limit(limit))).map(toItem);
}

/** Writes that are one transaction each. */
export const proposalWrites = {
  *addProposals(drafts) {
    const clash = yield* findClash(drafts.flatMap(({ targets }) => targets));
    if (clash !== undefined) return clash;
    const added: number[] = [];
    for (const draft of drafts) added.push(yield* addOne(draft, null));
    return added;
  },
  *addPersonProposal(draft, firstHalf) {
    const clash = yield* findClash(draft.targets);
    return clash === undefined ? yield* addOne(draft, firstHalf) : { openId: clash.proposalId };
  },
  *moveProposal(proposalId, { to, by, note, nowMs }) {
    if (!canMoveProposal('proposed', to)) throw new Error(`no proposal becomes ${to} when it is checked`);
    const checked = { checker_id: by?.personId ?? null, checker: by?.name ?? null, checked_at_ms: nowMs };
    const ended = to === 'approved' ? {} : { ended_at_ms: nowMs };
    const moved = yield* change(
      updateProposal(proposalId, 'proposed').set({
        status: to,
        ...checked,
        check_note: note,
        ...ended,
        ...noHalf,
      }),
    );
    if (moved > 0) yield* appendProposalEvent(draftMoved(proposalId, { to, by, note, nowMs }));
    if (moved > 0 && to !== 'approved') yield* change(closeItems(proposalId));
    return moved > 0;
  },
  *endItem(proposalId, itemNo, status, why) {
    if (!(yield* isDecided({ proposalId, itemNo }))) return false;
    return (yield* endOpenItem.run({ proposalId, itemNo, status, why: why && encodeMessage(why) })) > 0;
  },
  *endProposal(proposalId, nowMs): Body<ProposalStatus | undefined> {
    const items = query.selectFrom('proposal_item').where('proposal_id', '=', proposalId);
    const open = items.select('item_no').where('status', '=', 'open').limit(1);
    if ((yield* selectFirst(open)) !== undefined) return undefined;
    const applied = items.select('item_no').where('status', '=', 'applied').limit(1);
    const status = (yield* selectFirst(applied)) === undefined ? 'stale' : 'applied';
    const ended = updateProposal(proposalId, 'approved').set({ status, ended_at_ms: nowMs });
    if ((yield* change(ended)) === 0) return undefined;
    const states = items.select('status').orderBy('item_no');
    const outcome = digestOutcome((yield* select(states)).map((item) => item.status));
    const end = { to: status, by: null, note: null, nowMs } as const;
    yield* appendProposalEvent(draftMoved(proposalId, end, { outcome }));
    return status;
  },
  *expireProposals(nowMs) {
    const due = query
      .selectFrom('proposal')
      .select('proposal_id')
      .where('status', '=', sql.lit('proposed'))
      .where('expires_at_ms', '<=', nowMs);
    const expired: number[] = [];
    for (const { proposal_id: proposalId } of yield* select(due)) {
      yield* change(
        updateProposal(proposalId, 'proposed').set({ status: 'expired', ended_at_ms: nowMs, ...noHalf }),
      );
      yield* change(closeItems(proposalId));
      yield* appendProposalEvent(draftMoved(proposalId, { to: 'expired', by: null, note: null, nowMs }));
      expired.push(proposalId);
    }
    return expired;
  },
} satisfies Partial<BodiesOf<ProposalStore & PersonProposals>>;

/**
 * Approves a proposal about people and ends it, in the transaction of the change.
 * @returns false, with nothing changed, when it is not open
 */
export function* approveChange({ proposalId, checker, atMs, why }: ApprovedChange): Body<boolean> {
  const move = { to: 'approved', by: checker, note: null, nowMs: atMs } as const;
  if (!(yield* proposalWrites.moveProposal(proposalId, move))) return false;
  const status = why === null ? 'applied' : 'refused';
  yield* endOpenItem.run({ proposalId, itemNo: 1, status, why: why && encodeMessage(why) });
  yield* proposalWrites.endProposal(proposalId, atMs);
  return true;
}

const records = makeRowMapping({ json: ['cells'], own: [] });

const latestEvents = () =>
  query.selectFrom('proposal_event').select(['seq', 'hash']).orderBy('seq', 'desc').limit(1);

/** Appends the next event to a proposal's chained history; inside the caller's transaction. */
function* appendProposalEvent(draft: ProposalEventDraft): Body<void> {
  const seq = ((yield* selectFirst(latestEvents()))?.seq ?? 0) + 1;
  const previous = yield* selectFirst(latestEvents().where('subject', '=', draft.subject));
  const event = chainEvent(draft, seq, previous?.hash ?? null, makeSalt, proposalFormat);
  yield* change(query.insertInto('proposal_event').values(records.toRow(event)));
}
