/** The chained history of a proposal, and the comparison of the proposal with it. */
import { hash } from 'node:crypto';
import { type Link, type LinkDraft, readFacts } from './chain.ts';
import {
  type AnyProposal,
  type EvidenceFile,
  openProposalStatuses,
  type ProposalMove,
  type ProposalStatus,
} from './proposal.ts';
import { encodeFigures } from './proposal-figures.ts';

/** An event of a proposal; its kind is the status that follows. */
export type ProposalEvent = Link<ProposalStatus>;
export type ProposalEventDraft = LinkDraft<ProposalStatus>;

/** The unchanging facts of a proposal, without names. */
const lasting = ({ decision, people, items, totalSatang, digest, expiresAtMs }: AnyProposal) => ({
  decision,
  people,
  items,
  totalSatang: String(totalSatang),
  digest,
  expiresAtMs,
});

/** The facts of the evidence file; none without a file, so that the event's text stays as it always was. */
const factsOfFile = (file: EvidenceFile | null) =>
  file === null ? {} : { evidenceSha256: file.sha256, evidenceBytes: file.bytes };

/** SHA-256 (hex) of the figures. */
const hashFigures = (figures: object): string => hash('sha256', encodeFigures(figures), 'hex');

/** Drafts the events of a new proposal; one that needs no second person is approved at once. */
export function draftProposed(proposal: AnyProposal): readonly ProposalEventDraft[] {
  const { proposalId: subject, madeAtMs: atMs, makerId: byPerson, maker, note, evidence } = proposal;
  const place = { subject, atMs, byPerson, proof: null };
  const file = proposal.evidenceFile ?? null;
  const cells = {
    maker,
    note,
    ...(evidence === null ? {} : { evidence }),
    ...(file === null ? {} : { evidenceFile: file.name }),
  };
  const facts = { ...lasting(proposal), figuresSha256: hashFigures(proposal.figures), ...factsOfFile(file) };
  const proposed = { ...place, kind: 'proposed', facts, cells } as const;
  // A proposal that waits for its maker's signature is approved by the signature.
  if (proposal.people > 1 || proposal.status === 'proposed') return [proposed];
  return [proposed, { ...place, kind: 'approved', facts: {}, cells: { checker: maker } }];
}

/** Drafts the event of a check, a lapse or an end. */
export function draftMoved(
  subject: number,
  { to, by, note, nowMs }: ProposalMove,
  facts: ProposalEventDraft['facts'] = {},
): ProposalEventDraft {
  const cells = { ...(by === null ? {} : { checker: by.name }), ...(note === null ? {} : { note }) };
  return { subject, kind: to, atMs: nowMs, byPerson: by?.personId ?? null, proof: null, facts, cells };
}

/** The digest of the items' outcomes (applied, refused or closed) for the end of the proposal. */
export const digestOutcome = (statuses: readonly string[]): string =>
  hash('sha256', statuses.join('\n'), 'hex');

/**
 * The reason why a proposal differs from its history; undefined when it does not.
 * @param events the events of the proposal, in their order
 * @param digest the digest over its present items
 */
export function findChangedProposal(
  proposal: AnyProposal,
  events: readonly ProposalEvent[],
  digest: string,
  items: readonly { readonly status: string }[],
): string | undefined {
  const [first] = events;
  if (first === undefined) return 'nothing in the history says that it was made';
  const said = readFacts(first);
  const changed = Object.entries(lasting(proposal)).find(([name, value]) => said[name] !== value);
  if (changed !== undefined) return `its ${changed[0]} is not what was proposed`;
  if (said['figuresSha256'] !== hashFigures(proposal.figures))
    return 'what it lets happen is not what was counted when it was proposed';
  const file = proposal.evidenceFile ?? null;
  const isSameFile =
    (said['evidenceSha256'] ?? null) === (file?.sha256 ?? null) &&
    (said['evidenceBytes'] ?? null) === (file?.bytes ?? null);
  if (!isSameFile) return 'its file is not what was proposed';
  if (digest !== proposal.digest) return 'what it is about is not what was proposed';
  const { maker, note, evidence } = proposal;
  const isSaid = Object.entries({ maker, note, evidence, evidenceFile: file?.name ?? null }).every(
    ([name, value]) => first.cells === null || (first.cells[name]?.value ?? null) === value,
  );
  if (!isSaid) return 'who proposed it, or why, is not what was said then';
  if (first.byPerson !== proposal.makerId) return 'another person proposed it';
  const approval = events.find(({ kind }) => kind === 'approved');
  if (proposal.people > 1 && (approval?.byPerson ?? null) !== approverOf(proposal))
    return 'another person approved it, or none did';
  const last = events.at(-1);
  if (last?.kind !== proposal.status) return `its history does not end with "${proposal.status}"`;
  const isOpen = openProposalStatuses.includes(proposal.status);
  if (first.atMs !== proposal.madeAtMs || (isOpen ? null : last.atMs) !== proposal.endedAtMs)
    return 'when it was proposed, or has ended, is not what its history says';
  const { outcome } = readFacts(last);
  if (outcome !== undefined && outcome !== digestOutcome(items.map(({ status }) => status)))
    return 'what became of its items is not what was said at its end';
  return findChangedCheck(proposal, events);
}

/** Compares the checker, the moment and the checker's note. */
function findChangedCheck(proposal: AnyProposal, [, checked]: readonly ProposalEvent[]): string | undefined {
  const { people, checkerId, checker, checkedAtMs, checkNote } = proposal;
  const isAlone = people === 1 && checkedAtMs === null;
  const isChecked = checked !== undefined && checked.kind !== 'expired' && !isAlone;
  if (!isChecked)
    return checkerId === null && checker === null && checkedAtMs === null && checkNote === null
      ? undefined
      : 'nothing in its history says that it was checked';
  const { byPerson, atMs, cells } = checked;
  if (byPerson !== checkerId || atMs !== checkedAtMs) return 'who has checked it, or when, is another';
  const isSaid =
    cells === null ||
    ((cells['checker']?.value ?? null) === checker && (cells['note']?.value ?? null) === checkNote);
  return isSaid ? undefined : 'who has checked it, or with what words, is not what was said then';
}

const approvedStatuses: readonly ProposalStatus[] = ['approved', 'applied', 'stale'];

const approverOf = ({ status, checkerId }: AnyProposal): number | null =>
  approvedStatuses.includes(status) ? checkerId : null;
