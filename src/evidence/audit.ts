/**
 * Checks the whole journal against its chains, digests and heads, in two passes over the events, with constant memory.
 */
import { inEnglish } from '../core/message.ts';
import { formatBangkokDate } from '../core/bangkok-time.ts';
import { countOf } from '../core/figures.ts';
import { describeMissingArchive } from '../payout/rules/archive.ts';
import { showDate } from '../payout/rules/lost-journal.ts';
import { findChangedBatch } from '../payout/rules/seal.ts';
import type { AuditReader, AuditSource, KeptHead } from './ports.ts';
import {
  auditAttempt,
  auditChain,
  auditRegistration,
  type Audited,
  type AuditedPart,
  type AuditPart,
  auditParts,
  auditRow,
  describeLostAttempt,
  type Finding,
  findingsMax,
  listChangedSums,
  makeFinding,
  nameRegistration,
  readErased,
} from './rules/audit.ts';
import { findBrokenLink, proposalFormat } from '../review/rules/chain.ts';
import { listChangedReports, listChangedTerms } from './rules/batch-audit.ts';
import { listChangedCalls, listChangedRegistration } from './rules/registration-audit.ts';
import { claimFaults } from './rules/state-audit.ts';
import { listChangedPersons } from './rules/people-audit.ts';
import { listChangedSignatures, listUnsignedApprovals } from './rules/signature-audit.ts';
import {
  type DayHead,
  EventTree,
  findBrokenHead,
  findChangedStretch,
  findOtherHead,
  type HashedHead,
  type HeadChain,
  headChains,
  readDayHead,
} from './rules/day-head.ts';
import {
  type AnyProposal,
  computeProposalDigest,
  type EvidenceFile,
  type Proposal,
} from '../review/rules/proposal.ts';
import { findChangedNote } from '../review/rules/queue.ts';
import { findChangedProposal } from '../review/rules/proposal-chain.ts';
import { findSignatureFault } from '../review/rules/signature.ts';

/** A head stored outside the journal. */
export interface OutsideHead extends HashedHead {
  /** Name of its file. */
  readonly file: string;
}

interface AuditOptions {
  readonly journalId: string;
  readonly outside: readonly OutsideHead[];
  /** YYYYMMDD: events under the heads of earlier days are not checked. Left out: all are. */
  readonly sinceDate?: string | undefined;
  /** Reason why an evidence file of a decision differs from the stored one; undefined when it does not. */
  readonly findEvidenceFault: (file: EvidenceFile) => string | undefined;
}

/** Collects the findings of one part. */
class PartAudit {
  readonly #part: AuditPart;
  readonly #looked: Record<string, number> = {};
  readonly #findings: Finding[] = [];
  #broken = 0;

  constructor(part: AuditPart) {
    this.#part = part;
  }

  look(what: string, count = 1): void {
    this.#looked[what] = (this.#looked[what] ?? 0) + count;
  }

  add(finding: Finding | undefined): void {
    if (finding === undefined) return;
    this.#broken += 1;
    if (this.#findings.length < findingsMax) this.#findings.push(finding);
  }

  find(place: string, why: string | undefined): void {
    if (why !== undefined) this.add(makeFinding(this.#part, place, why));
  }

  /** A part that cannot be read counts as broken. */
  async run(work: (audit: this) => Promise<void>): Promise<AuditedPart> {
    try {
      await work(this);
    } catch (error) {
      this.find(
        'what comes after',
        `it cannot be read: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
    return { part: this.#part, looked: this.#looked, broken: this.#broken, findings: this.#findings };
  }
}

/** The input of all parts. */
interface Scene extends AuditOptions {
  readonly reader: AuditReader;
  /** All heads of the journal. */
  readonly heads: readonly KeptHead[];
  /** The last head that is not checked. */
  readonly before: DayHead | undefined;
  readonly notes: string[];
}

export async function auditJournal(reader: AuditReader, options: AuditOptions): Promise<Audited> {
  const heads = await Array.fromAsync(reader.dayHeads());
  const taken = heads.filter(({ date }) => date < (options.sinceDate ?? '')).at(-1);
  const scene = { ...options, reader, heads, before: taken && readDayHead(taken), notes: [] };
  const parts = await Array.fromAsync(auditParts, (part) =>
    new PartAudit(part).run((audit) => audits[part](scene, audit)),
  );
  return { isWhole: parts.every(({ broken }) => broken === 0), parts, notes: scene.notes };
}

const audits: Readonly<Record<AuditPart, (scene: Scene, audit: PartAudit) => Promise<void>>> = {
  payouts: auditPayouts,
  instructions: auditInstructions,
  attempts: (scene, audit) =>
    eachSource(scene, async ({ attempts, lostAttempts }, afterSeq) => {
      for await (const page of attempts(afterSeq)) {
        audit.look('attempts', page.length);
        for (const attempt of page) audit.add(auditAttempt(attempt));
      }
      for await (const page of lostAttempts(afterSeq))
        for (const lost of page) audit.add(describeLostAttempt(lost));
    }),
  batches: auditBatches,
  archives: auditArchives,
  people: auditPeople,
  proposals: auditProposals,
  notes: auditNotes,
  limits: auditLimits,
  registrations: auditRegistrations,
  days: auditDays,
  outside: auditOutside,
};

/** Passes the journal, then each existing archive; a missing one is reported once, by its own part. */
async function eachSource(
  { reader, before }: Scene,
  look: (source: AuditSource, afterSeq: number) => Promise<void>,
): Promise<void> {
  const afterSeq = before?.stretches.payouts.upTo ?? 0;
  await look(reader.journal, afterSeq);
  for (const archive of reader.archives)
    if (archive.isThere && archive.latestEventSeq > afterSeq)
      await archive.read((source) => look(source, afterSeq));
}

async function auditPayouts(scene: Scene, audit: PartAudit): Promise<void> {
  const { approvals } = await scene.reader.batches();
  const approvedAtMs = new Map(
    [...Map.groupBy(approvals, ({ batchId }) => batchId)].map(([batchId, all]) => [
      batchId,
      Math.max(...all.map(({ atMs }) => atMs ?? Infinity)),
    ]),
  );
  await eachSource(scene, async ({ chains }, afterSeq) => {
    for await (const page of chains(afterSeq))
      for (const payout of page) {
        audit.look('payouts');
        audit.look('events', payout.events.length);
        audit.add(auditChain(payout, approvedAtMs.get(payout.batchId)));
      }
  });
  for (const { id, fault } of await scene.reader.changedClaims())
    audit.find(`claim on ${id}`, claimFaults[fault]);
}

async function auditBatches(scene: Scene, audit: PartAudit): Promise<void> {
  const { reader } = scene;
  await eachSource(scene, async ({ seals }, afterSeq) => {
    for await (const { batchId, seal } of seals(afterSeq)) {
      audit.look('batches');
      const changed = findChangedBatch(batchId, seal);
      audit.find(`batch ${batchId}`, changed && inEnglish(changed.reason));
    }
  });
  const kept = await reader.batches();
  if (kept.reports.length > 0) audit.look('reports', kept.reports.length);
  const events = await Array.fromAsync(reader.personEvents());
  for (const { place, why } of listChangedTerms(kept, events)) audit.find(place, why);
  for (const { place, why } of listChangedReports(kept, events)) audit.find(place, why);
}

async function auditInstructions(scene: Scene, audit: PartAudit): Promise<void> {
  const saidErased = readErased(await Array.fromAsync(scene.reader.personEvents()));
  await eachSource(scene, async ({ rows }, afterSeq) => {
    for await (const page of rows(afterSeq))
      for (const row of page) {
        audit.look('rows');
        if (row.versions.length > 0) audit.look('versions', row.versions.length);
        if (row.isErased) audit.look('erased rows');
        audit.add(auditRow(row, saidErased));
      }
  });
}

async function auditArchives({ reader }: Scene, audit: PartAudit): Promise<void> {
  for (const { name, isThere, digests } of reader.archives) {
    audit.look('archives');
    if (!isThere) {
      audit.find(name, describeMissingArchive(name));
      continue;
    }
    for await (const { batchId, isSame } of digests()) {
      audit.look('batches');
      if (!isSame) audit.find(`${name}: batch ${batchId}`, 'it is not what was moved into the archive');
    }
  }
}

async function auditPeople({ reader }: Scene, audit: PartAudit): Promise<void> {
  const events = await Array.fromAsync(reader.personEvents());
  const kept = await reader.people();
  audit.look('people', kept.people.length);
  audit.look('events', events.length);
  const broken = findBrokenLink(events);
  audit.find(`event ${broken?.seq} of people`, broken?.why);
  if (broken !== undefined) return;
  const proposals = await Array.fromAsync(reader.personProposals());
  for (const { place, why } of listChangedPersons(kept, events, proposals)) audit.find(place, why);
}

async function auditProposals(
  { reader, journalId, findEvidenceFault }: Scene,
  audit: PartAudit,
): Promise<void> {
  const events = await Array.fromAsync(reader.proposalEvents());
  audit.look('events', events.length);
  const broken = findBrokenLink(events, proposalFormat);
  audit.find(`event ${broken?.seq} of proposals`, broken?.why);
  const own = Map.groupBy(events, ({ subject }) => subject);
  const auditOne = async (proposal: AnyProposal): Promise<void> => {
    const { proposalId, decision } = proposal;
    audit.look('proposals');
    const items = await Array.fromAsync(reader.itemsOf(proposalId));
    const digest = computeProposalDigest(decision, items);
    audit.find(
      `proposal ${proposalId}`,
      findChangedProposal(proposal, own.get(proposalId) ?? [], digest, items),
    );
    own.delete(proposalId);
    if (proposal.evidenceFile) {
      audit.look('files');
      audit.find(`proposal ${proposalId}`, findEvidenceFault(proposal.evidenceFile));
    }
    for (const signature of await reader.signaturesOf(proposalId)) {
      audit.look('signatures');
      audit.find(
        `signature ${signature.signatureId} under proposal ${proposalId}`,
        findSignatureFault(signature),
      );
    }
  };
  const proposals = new Map<number, Proposal>();
  for await (const proposal of reader.proposals()) {
    proposals.set(proposal.proposalId, proposal);
    await auditOne(proposal);
  }
  for await (const proposal of reader.personProposals()) await auditOne(proposal);
  for (const proposalId of own.keys())
    audit.find(`proposal ${proposalId}`, 'it is gone; its history is there');
  const kept = await reader.people();
  const ofPeople = await Array.fromAsync(reader.personEvents());
  for (const { place, why } of listChangedSignatures(kept, ofPeople, proposals, journalId))
    audit.find(place, why);
  for (const { place, why } of listUnsignedApprovals(kept, ofPeople, proposals.values()))
    audit.find(place, why);
}

/** Compares the notes and their authors with the history of users, and looks for missing ones. */
async function auditNotes({ reader }: Scene, audit: PartAudit): Promise<void> {
  const ofPeople = await Array.fromAsync(reader.personEvents());
  const noted = ofPeople.filter(({ kind }) => kind === 'noted');
  const events = new Map(noted.map((event) => [event.seq, event]));
  for await (const note of reader.notes()) {
    audit.look('notes');
    const { seq, eventSeq } = note;
    audit.find(`note ${seq} on ${note.kind} that waits`, findChangedNote(note, events.get(eventSeq)));
    events.delete(eventSeq);
  }
  for (const seq of events.keys()) audit.find(`event ${seq} of people`, 'the note that it tells of is gone');
}

async function auditLimits({ reader }: Scene, audit: PartAudit): Promise<void> {
  for await (const day of reader.dayUses()) {
    audit.look('days');
    for (const name of listChangedSums(day))
      audit.find(
        `limits of ${showDate(day.date)}: ${name}`,
        'what was counted is not what its rows add up to',
      );
  }
}

async function auditRegistrations({ reader }: Scene, audit: PartAudit): Promise<void> {
  for await (const page of reader.registrations())
    for (const registration of page) {
      audit.look('registrations');
      audit.look('events', registration.events.length);
      const broken = auditRegistration(registration);
      audit.add(broken);
      if (broken !== undefined) continue;
      for (const { place, why } of listChangedRegistration(registration, nameRegistration(registration)))
        audit.find(place, why);
    }
  for await (const page of reader.callbacks()) {
    if (page.length > 0) audit.look('callbacks', page.length);
    for (const { place, why } of listChangedCalls(page)) audit.find(place, why);
  }
  for (const { id, fault } of await reader.changedRegistrationClaims())
    audit.find(`claim on ${id}`, claimFaults[fault]);
}

const nameDay = ({ date, number }: Pick<KeptHead, 'date' | 'number'>): string =>
  `day ${showDate(date)} (head ${number})`;

async function auditDays(
  { reader, heads, before, journalId, notes }: Scene,
  audit: PartAudit,
): Promise<void> {
  const looked: DayHead[] = [];
  for (const kept of heads) {
    if (kept.number <= (before?.number ?? 0)) continue;
    audit.look('days');
    const head = readDayHead(kept);
    const why =
      findBrokenHead(kept, looked.at(-1) ?? before) ??
      (head?.journalId === journalId && head.date === kept.date
        ? undefined
        : 'it is of another journal or day');
    audit.find(nameDay(kept), why);
    // Later heads have no basis to be checked against.
    if (why !== undefined || head === undefined) break;
    looked.push(head);
  }
  let later = 0;
  for (const chain of headChains) later += await auditChainOfDays(reader, chain, looked, before, audit);
  if (later > 0) notes.push(`${countOf(later, 'event')} of today, or late, under no head yet`);
}

/** @returns the number of events after the last head */
async function auditChainOfDays(
  reader: AuditReader,
  chain: HeadChain,
  heads: readonly DayHead[],
  before: DayHead | undefined,
  audit: PartAudit,
): Promise<number> {
  let tree = new EventTree();
  let ended = 0;
  let later = 0;
  /** Ends the stretches of heads that are complete before this event. */
  const endBefore = (seq: number): void => {
    for (let head = heads[ended]; head !== undefined; head = heads[ended]) {
      const said = head.stretches[chain];
      if (seq <= said.upTo) return;
      audit.look('events', tree.events);
      const why = findChangedStretch(said, tree.events, tree.root());
      audit.find(nameDay(head), why && `events of ${chain} ${said.after + 1} to ${said.upTo}: ${why}`);
      ended += 1;
      tree = new EventTree();
    }
  };
  const after = before?.stretches[chain].upTo ?? 0;
  for await (const page of reader.eventHashes(chain, after, Number.MAX_SAFE_INTEGER))
    for (const { seq, hash } of page) {
      endBefore(seq);
      if (ended === heads.length) later += 1;
      else tree.add(hash ?? '');
    }
  endBefore(Infinity);
  return later;
}

async function auditOutside(scene: Scene, audit: PartAudit): Promise<void> {
  const { outside, heads, notes } = scene;
  const matched = new Set<string>();
  for (const head of outside) {
    audit.look('heads');
    const said = readDayHead(head);
    const kept = heads.find(({ date }) => date === said?.date);
    const isForeign = said !== undefined && said.journalId !== scene.journalId;
    const why = isForeign ? 'it is of another journal' : findOtherHead(head, kept);
    if (why === undefined) matched.add(kept?.hash ?? '');
    else if (said !== undefined && isExplained(said, isForeign, scene))
      notes.push(`${head.file}: ${why}, from before the journal was lost or restored`);
    else audit.find(`${head.file}${said === undefined ? '' : `, day ${showDate(said.date)}`}`, why);
  }
  const missing = heads.filter(({ hash, isPublished }) => isPublished && !matched.has(hash)).length;
  if (missing > 0)
    notes.push(
      `${countOf(missing, 'head')} of the journal not found outside: name where you keep them with --heads`,
    );
}

/**
 * True when a loss explains the difference: a journal that was lost or restored has other heads from the first day in
 * question on.
 */
function isExplained({ date }: DayHead, isForeign: boolean, { reader: { loss } }: Scene): boolean {
  if (loss === undefined || date > formatBangkokDate(loss.recoveredAtMs)) return false;
  return isForeign || date >= loss.sinceDate;
}
