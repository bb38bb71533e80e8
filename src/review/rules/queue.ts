/** Everything that waits for a person and is no payout: its kinds, what it is made of, notes, and owners. */
import { type Message, message } from '../../core/message.ts';
import { type Satang, sumSatang } from '../../core/money.ts';
import type { HoldReason } from '../../core/payout.ts';
import type { MoneyMoved } from '../../payout/rules/search.ts';
import type { RegistrationCallback } from '../../registration/rules/callback.ts';
import type { FileKindName } from '../../watch/rules/drop-folder.ts';
import { type PersonEvent, type PersonEventDraft, readFacts } from './chain.ts';
import type { Person } from './people.ts';
import type { Decider, TargetKind } from './proposal.ts';
import { type Decision, decisionTerms } from './terms.ts';

/**
 * `day`: a day with sent payouts and without a statement; `file`: a file refused as a whole; `doubt`: payouts that
 * have long been in doubt for one cause; `decisions`: an unconfirmed file of decisions; `callback`: a callback of an
 * unknown registration.
 */
export const queueKinds = [
  'break',
  'day',
  'file',
  'payer',
  'batch',
  'doubt',
  'registration',
  'callback',
  'proposal',
  'decisions',
] as const;
export type QueueKind = (typeof queueKinds)[number];

/** The asker; undefined where persons are unknown, and roles do not apply. */
export type Asker = Pick<Person, 'personId' | 'name' | 'role' | 'isDisabled'> | undefined;

// ---------------------------------------------------------------- breaks, days, files

/**
 * The reason why a decision on a day is impossible; undefined when it is possible.
 * @param isWithout payouts were sent on the day, and its statement is missing
 */
export function decideDay(decision: Decision, isWithout: boolean): Message | undefined {
  if (decision !== 'acknowledge' && decision !== 'adopt-statement') return message('day.decisions');
  return isWithout ? undefined : message('day.has-statement');
}

/** The prefix of the id of an item that a run refused, not the drop folder. */
export const runItemMark = 'run-';

/** A file of the drop folder, or of a run, that was refused as a whole. */
export interface RefusedFile {
  readonly itemId: string;
  readonly kind: FileKindName;
  readonly fileName: string;
  readonly endedAtMs: number;
  readonly code: string;
  readonly message: Message;
}

/** The reason why a decision on a refused file is impossible; undefined when it is possible. */
export function decideFile(decision: Decision, isWaiting: boolean): Message | undefined {
  if (decision !== 'acknowledge') return message('file.decisions');
  return isWaiting ? undefined : message('file.waits-no-more');
}

/** The limit of a file name in characters: a heading is one line. */
const nameMax = 80;

/** Shortens the middle of a name: its end tells the kind of file. */
export function shortenName(fileName: string): string {
  const characters = Array.from(fileName);
  if (characters.length <= nameMax) return fileName;
  return [...characters.slice(0, nameMax - 10), '…', ...characters.slice(-9)].join('');
}

export const versionOfFile = ({ endedAtMs }: Pick<RefusedFile, 'endedAtMs'>): string => String(endedAtMs);

/** A kept callback whose registration is unknown. */
export interface UnknownCallback {
  readonly id: number;
  readonly callback: RegistrationCallback;
  readonly receivedAtMs: number;
}

export const versionOfCallback = ({ receivedAtMs }: Pick<UnknownCallback, 'receivedAtMs'>): string =>
  String(receivedAtMs);

/** The reason why a decision on a callback is impossible; undefined when it is possible. */
export function decideUnknownCallback(decision: Decision, isWaiting: boolean): Message | undefined {
  if (decision !== 'acknowledge') return message('callback.decisions');
  return isWaiting ? undefined : message('callback.waits-no-more');
}

/** Rows of a batch that wait together, for a decision on it. */
export interface RowsOfBatch {
  readonly batchId: string;
  readonly rows: number;
  readonly amountSatang: Satang;
  /** All rows that wait for approval, also those that wait for a decision of their own, too. */
  readonly forApproval: number;
  /** The moment since which the longest-waiting row waits. */
  readonly sinceMs: number;
  /** The holds of all these rows. */
  readonly holds: readonly HoldReason[];
}

/** Adds more rows of the same batch. */
export const addRows = (rows: RowsOfBatch, others: RowsOfBatch | undefined): RowsOfBatch =>
  others === undefined
    ? rows
    : {
        batchId: rows.batchId,
        rows: rows.rows + others.rows,
        amountSatang: sumSatang([rows.amountSatang, others.amountSatang]),
        forApproval: rows.forApproval + others.forApproval,
        sinceMs: Math.min(rows.sinceMs, others.sinceMs),
        holds: [...new Set([...rows.holds, ...others.holds])],
      };

/** The outcome is unknown where a decision needs evidence or accepts a difference; otherwise no money has moved. */
export const moneyMovedOfDecisions = (decisions: readonly Decision[]): MoneyMoved =>
  decisions.some((one) => decisionTerms[one].needsEvidence || one === 'accept-break') ? 'unknown' : 'no';

/** A dropped file of decisions: not a proposal until a maker confirms it. */
export interface WaitingDecisions {
  /** The id, unique among all files ever dropped. */
  readonly itemId: string;
  readonly fileName: string;
  readonly droppedAtMs: number;
  /** SHA-256 (hex) of its bytes. */
  readonly sha256: string;
  /** The decisions in words, and their sum, by the rows as they were when the file was dropped. */
  readonly asks?: string;
  readonly totalSatang?: Satang;
  /** Whether money has moved for its rows, as far as is known. */
  readonly moneyMoved?: MoneyMoved;
}

// ---------------------------------------------------------------- notes and owners

/** A note beside an item or a payout: append-only. */
export interface ReviewNote {
  readonly kind: QueueKind | TargetKind | 'group';
  readonly key: string;
  readonly version: string;
  /** `taken`, `given-back`: a change of owner; `noted`: the item has left the queue. */
  readonly what: 'taken' | 'given-back' | 'noted';
  readonly personId: number | null;
  readonly person: string;
  readonly note: string;
  readonly atMs: number;
}

/** Drafts the event of a note, in the history of its author. */
export const draftNoted = (note: ReviewNote): PersonEventDraft => ({
  subject: note.personId ?? 0,
  kind: 'noted',
  atMs: note.atMs,
  byPerson: note.personId,
  proof: null,
  facts: { kind: note.kind, what: note.what, version: note.version },
  cells: { key: note.key, person: note.person, note: note.note },
});

/** A note as it is kept. */
export interface KeptNote extends ReviewNote {
  readonly seq: number;
  /** The number of the event for the note. */
  readonly eventSeq: number;
}

/**
 * The reason why a note differs from its event; undefined when it does not.
 * @param event the event of that number, of any kind
 */
export function findChangedNote(note: KeptNote, event: PersonEvent | undefined): string | undefined {
  if (event?.kind !== 'noted') return 'nothing in the history of users says that it was written';
  const draft = draftNoted(note);
  const said = { ...readFacts(event), atMs: event.atMs, byPerson: event.byPerson };
  const shown = { ...draft.facts, atMs: draft.atMs, byPerson: draft.byPerson };
  const isSame =
    Object.entries(shown).every(([name, value]) => said[name as keyof typeof said] === value) &&
    (event.cells === null ||
      Object.entries(draft.cells).every(([name, value]) => event.cells?.[name]?.value === value));
  return isSame ? undefined : 'it is not what was written';
}

/** The owner of an item, and since when. */
export type Owner = Pick<ReviewNote, 'personId' | 'person' | 'atMs'>;

/** The owners by key. @param notes notes of one kind, in their order */
export function readOwners(notes: readonly ReviewNote[]): ReadonlyMap<string, Owner> {
  const owners = new Map<string, Owner>();
  for (const { key, what, personId, person, atMs } of notes) {
    if (what === 'taken') owners.set(key, { personId, person, atMs });
    else owners.delete(key);
  }
  return owners;
}

/** The reason why a person cannot take something, or give it back; undefined when they can. */
export function whyNotTake(
  what: 'taken' | 'given-back',
  owner: Owner | undefined,
  { personId }: Pick<Decider, 'personId'>,
): Message | undefined {
  const isOwn = owner !== undefined && owner.personId === personId;
  if (what === 'taken') return isOwn ? message('owner.you') : undefined;
  if (owner === undefined) return message('owner.none');
  return isOwn ? undefined : message('owner.another', { name: owner.person });
}
