/** Checks the terms, the approval and the reports of a batch against the chained histories. */
import { maskDigits } from '../../core/proxy-id.ts';
import { type EventFacts, type Link, readFacts } from '../../review/rules/chain.ts';
import type { Difference } from './people-audit.ts';

/** A sealed batch, with the parts that its seal and its approval fix. */
export interface KeptTerms {
  readonly batchId: string;
  readonly companyId: string;
  readonly payerAccount: string;
  readonly fileSha256: string;
  readonly sealedAtMs: number;
  readonly digest: string | null;
  readonly approvalPeople: number | null;
  readonly boundSatang: string | null;
  readonly boundPeople: number | null;
  readonly approvedDigest: string | null;
  readonly approvedPayer: string | null;
  /**
   * True for a batch that is archived, or has come back: another journal may have sealed it, before this one was lost.
   */
  readonly isOfArchive: boolean;
  /** Accounts from which its rows in the journal were sent. */
  readonly sentFrom: readonly string[];
}

export interface KeptReport {
  readonly batchId: string;
  readonly kind: string;
  readonly number: number;
  readonly sha256: string;
}

/** An applied decision to pay a batch, as in the proposals. */
export interface AppliedApproval {
  readonly batchId: string;
  /** Time at which its proposal ended; null while other items of it are open. */
  readonly atMs: number | null;
}

export interface KeptBatches {
  readonly batches: readonly KeptTerms[];
  readonly reports: readonly KeptReport[];
  readonly approvals: readonly AppliedApproval[];
}

type Event = Link<string>;

const byBatch = (events: readonly Event[], kind: string): ReadonlyMap<unknown, readonly Event[]> =>
  Map.groupBy(
    events.filter((event) => event.kind === kind),
    (event) => readFacts(event)['batchId'],
  );

/** The account in an event; undefined after an erasure. */
const accountOf = ({ cells }: Event): string | undefined => cells?.['payerAccount']?.value;

/** The facts of a batch in its history. */
interface BatchHistory {
  /** Undefined when another journal sealed it: it came with an archive. */
  readonly sealed: Event | undefined;
  /** Moves, in order. */
  readonly moves: readonly Event[];
  /** The last withdrawal of its approval; undefined without any. */
  readonly takenBack: Event | undefined;
  readonly isApproved: boolean;
}

const fixedAtSeal = ['companyId', 'fileSha256', 'boundSatang', 'boundPeople'] as const;
const fixedWords: Readonly<Record<(typeof fixedAtSeal)[number], string>> = {
  companyId: 'its company is not that of its seal',
  fileSha256: 'the hash of its file is not that of its seal',
  boundSatang: 'what it may come to without being approved is not what its seal says',
  boundPeople: 'what it may come to without being approved is not what its seal says',
};

function findChangedPeople(
  { approvalPeople, boundPeople }: KeptTerms,
  said: EventFacts,
  takenBack: Event | undefined,
): string | undefined {
  const atSeal = (takenBack && readFacts(takenBack)['people']) ?? said['approvalPeople'] ?? null;
  // The batch has exceeded its bound since.
  if (approvalPeople === atSeal || (atSeal === null && approvalPeople === boundPeople)) return undefined;
  return 'how many people must approve it is not what its seal says';
}

function findChangedAccount(batch: KeptTerms, { sealed, moves }: BatchHistory): string | undefined {
  const latest = moves.at(-1) ?? sealed;
  const account = latest && accountOf(latest);
  if (account !== undefined && account !== batch.payerAccount)
    return `it is paid from account ${maskDigits(batch.payerAccount)}, and its history says another`;
  const known = [sealed, ...moves].flatMap((event) => (event && accountOf(event)) ?? []);
  const other = batch.sentFrom.find((one) => known.length > 0 && !known.includes(one));
  return other === undefined
    ? undefined
    : `it was sent from account ${maskDigits(other)}, and its history says another`;
}

function findChangedApproval(batch: KeptTerms, history: BatchHistory): string | undefined {
  const { approvedDigest, approvedPayer, digest } = batch;
  const isApproved = approvedDigest !== null || approvedPayer !== null;
  if (isApproved !== history.isApproved)
    return isApproved
      ? 'it counts as approved, and no proposal says so'
      : 'a proposal says that it was approved, and it does not count so';
  if (!isApproved) return undefined;
  if (approvedDigest !== digest) return 'what was approved of it is not what was sealed';
  const accounts = [history.sealed, ...history.moves].flatMap((event) => (event && accountOf(event)) ?? []);
  const isKnown = accounts.length === 0 || accounts.includes(approvedPayer ?? '');
  return isKnown ? undefined : 'it was approved to be paid from an account that was never its own';
}

function findChangedTerms(batch: KeptTerms, history: BatchHistory): string | undefined {
  const { sealed, takenBack } = history;
  const facts = sealed && readFacts(sealed);
  const changed =
    facts && fixedAtSeal.find((name) => facts[name] !== undefined && facts[name] !== batch[name]);
  return (
    (changed && fixedWords[changed]) ??
    (facts && findChangedPeople(batch, facts, takenBack)) ??
    findChangedAccount(batch, history) ??
    findChangedApproval(batch, history)
  );
}

/** Terms and approvals that contradict the histories of people and proposals. */
export function* listChangedTerms(
  { batches, approvals }: KeptBatches,
  events: readonly Event[],
): Generator<Difference> {
  const seals = byBatch(events, 'batch-sealed');
  const moves = byBatch(events, 'payer-moved');
  const takings = byBatch(events, 'approval-taken-back');
  const applied = Map.groupBy(approvals, (one) => one.batchId);
  const firstMs = Math.min(...[...seals.values()].flat().map(({ atMs }) => atMs));
  for (const batch of batches) {
    const { batchId } = batch;
    const sealed = seals.get(batchId)?.at(-1);
    const place = `batch ${batchId}`;
    if (sealed === undefined && batch.isOfArchive) continue;
    if (sealed === undefined && batch.sealedAtMs > firstMs) {
      yield { place, why: 'nothing in the history of users says that it was sealed' };
      continue;
    }
    const takenBack = takings.get(batchId)?.at(-1);
    const taken = Number((takenBack && readFacts(takenBack)['approvals']) ?? 0);
    const isApproved = (applied.get(batchId) ?? []).length > taken;
    const history = { sealed, moves: moves.get(batchId) ?? [], takenBack, isApproved };
    const why = findChangedTerms(batch, history);
    if (why !== undefined) yield { place, why };
  }
  const there = new Set<unknown>(batches.map(({ batchId }) => batchId));
  for (const batchId of seals.keys())
    if (!there.has(batchId))
      yield { place: `batch ${String(batchId)}`, why: 'it is gone; its history is there' };
}

/** Reports whose hashes contradict the history of people. */
export function* listChangedReports(
  { reports }: KeptBatches,
  events: readonly Event[],
): Generator<Difference> {
  const sealed = byBatch(events, 'batch-sealed');
  const written = byBatch(events, 'reports-written');
  const said = new Map<string, unknown>();
  for (const [batchId, ofBatch] of written)
    for (const event of ofBatch)
      for (const [name, sha256] of Object.entries(readFacts(event)))
        if (name !== 'batchId') said.set(`report ${name} of batch ${String(batchId)}`, sha256);
  const there = new Set<string>();
  for (const { batchId, kind, number, sha256 } of reports) {
    const place = `report ${kind} ${number} of batch ${batchId}`;
    there.add(place);
    if (!said.has(place) && !sealed.has(batchId)) continue;
    if (said.get(place) !== sha256)
      yield { place, why: 'its hash is not what the history of users says of it' };
  }
  for (const place of said.keys())
    if (!there.has(place)) yield { place, why: 'it is gone; its history is there' };
}
