/**
 * The histories of people and of proposals as chains: each event is a text kept byte for byte, with the hash of the
 * previous event of the same person or proposal. Personal cells stand in it as salted hashes, so that they can be
 * erased without breaking the chain.
 */
import { hash } from 'node:crypto';
import type { Proof } from './people.ts';

/** The kinds of events; `locked-out` and `recovered` are alarms. */
const personEventKinds = [
  'made',
  'role-changed',
  'disabled',
  'enabled',
  'password-reset',
  'password-changed',
  'passkey-enrolled',
  'passkey-confirmed',
  'passkey-revoked',
  'approval-signed',
  'policy-changed',
  'token-made',
  'token-revoked',
  'locked-out',
  'signed-in',
  'sign-in-failed',
  'refused',
  'recovered',
  'revealed',
  'erased',
  'noted',
  'session-begun',
  'uploaded',
  'batch-sealed',
  'payer-moved',
  'approval-taken-back',
  'reports-written',
] as const;
export type PersonEventKind = (typeof personEventKinds)[number];

export type EventFacts = Readonly<Record<string, string | number | boolean | null>>;

/** An event before it is chained. */
export interface LinkDraft<Kind extends string> {
  /** The person or proposal of the event; 0 for none. */
  readonly subject: number;
  readonly kind: Kind;
  readonly atMs: number;
  /** The actor; null for the owner of the journal, or for none. */
  readonly byPerson: number | null;
  readonly proof: Proof | null;
  /** Facts without names and secrets. */
  readonly facts: EventFacts;
  /** Cells that may name a person. */
  readonly cells: Readonly<Record<string, string>>;
}

/** True once there has been a user: the history names one, whatever the table of users holds now. */
export const hasToldOfUsers = (heads: readonly Pick<PersonEvent, 'subject'>[]): boolean =>
  heads.some(({ subject }) => subject !== 0);

/** Facts of the journal for audits alone: people read each in the table that it is about. */
export const journalFactKinds: ReadonlySet<PersonEventKind> = new Set([
  'session-begun',
  'batch-sealed',
  'payer-moved',
  'approval-taken-back',
  'reports-written',
]);

export type PersonEventDraft = LinkDraft<PersonEventKind>;

/**
 * The digest of a secret in a table, itself already a hash; an event bears it, so that an exchanged secret is found.
 * @returns SHA-256 (hex)
 */
export const digestSecret = (kept: string): string => hash('sha256', `kept secret v1\n${kept}`, 'hex');

/** A personal cell, erased together with its salt. */
interface SaltedCell {
  readonly salt: string;
  readonly value: string;
}

/** An event as it is kept. */
export interface Link<Kind extends string> extends Pick<
  LinkDraft<Kind>,
  'subject' | 'kind' | 'atMs' | 'byPerson' | 'proof'
> {
  /** The number from 1, without a gap. */
  readonly seq: number;
  /** The hashed text: canonical JSON. */
  readonly text: string;
  /** The hash of the previous event of the same subject; null for the first. */
  readonly previousHash: string | null;
  /** SHA-256 (hex) of the text. */
  readonly hash: string;
  /** Null once erased. */
  readonly cells: Readonly<Record<string, SaltedCell>> | null;
}

export type PersonEvent = Link<PersonEventKind>;

/** The format of an event, which begins its text. */
const personFormat = 'paydrop person event v1';
export const proposalFormat = 'paydrop proposal event v1';
type LinkFormat = typeof personFormat | typeof proposalFormat;

/** The hash of a personal cell, as a text has it. */
export const hashCell = ({ salt, value }: SaltedCell): string => hash('sha256', `${salt}\n${value}`, 'hex');

/** Sorts the names, so that equal records have equal texts. */
const inOrder = <Value>(record: Readonly<Record<string, Value>>): Record<string, Value> =>
  Object.fromEntries(Object.entries(record).toSorted(([one], [other]) => (one < other ? -1 : 1)));

/**
 * The next event of a chain.
 * @param seq one more than that of the latest event of all
 * @param previousHash the hash of the latest event of the same subject
 * @param makeSalt returns a new salt each time: 128 random bits, as hex
 */
export function chainEvent<Kind extends string>(
  draft: LinkDraft<Kind>,
  seq: number,
  previousHash: string | null,
  makeSalt: () => string,
  format: LinkFormat = personFormat,
): Link<Kind> {
  const { subject, kind, atMs, byPerson, proof, facts } = draft;
  const cells = Object.fromEntries(
    Object.entries(inOrder(draft.cells)).map(([name, value]) => [name, { salt: makeSalt(), value }]),
  );
  const hashes = Object.fromEntries(Object.entries(cells).map(([name, cell]) => [name, hashCell(cell)]));
  const place = { format, seq, subject, previousHash };
  const text = JSON.stringify({
    ...place,
    kind,
    atMs,
    byPerson,
    proof,
    facts: inOrder(facts),
    cells: hashes,
  });
  return {
    seq,
    subject,
    kind,
    atMs,
    byPerson,
    proof,
    text,
    previousHash,
    hash: hash('sha256', text, 'hex'),
    cells,
  };
}

/** The content of an event's text. */
interface EventText extends Omit<Link<string>, 'text' | 'hash' | 'cells'> {
  readonly format: string;
  readonly facts: EventFacts;
  readonly cells: Readonly<Record<string, string>>;
}

/** The facts of an event beyond its columns, for people. */
export const readFacts = ({ text }: Pick<Link<string>, 'text'>): EventFacts =>
  (JSON.parse(text) as EventText).facts;

/** The fault of a chain; `seq` is the number of the first event that differs from what was written. */
export interface BrokenLink {
  readonly seq: number;
  readonly why: string;
}

/** The first broken link of all events, in their order; undefined when all hold. */
export function findBrokenLink(
  events: Iterable<Link<string>>,
  format: LinkFormat = personFormat,
): BrokenLink | undefined {
  const heads = new Map<number, string>();
  let seq = 0;
  for (const event of events) {
    seq += 1;
    const why =
      event.seq === seq ? findFault(event, heads.get(event.subject) ?? null, format) : 'an event is missing';
    if (why !== undefined) return { seq, why };
    heads.set(event.subject, event.hash);
  }
  return undefined;
}

function findFault(event: Link<string>, previousHash: string | null, format: LinkFormat): string | undefined {
  const { text, cells, hash: kept, ...columns } = event;
  if (hash('sha256', text, 'hex') !== kept) return 'its text is not the one that was hashed';
  if (event.previousHash !== previousHash) return 'it does not follow the event before it';
  const said = JSON.parse(text) as EventText;
  if (said.format !== format) return 'it is written in another way';
  for (const [name, value] of Object.entries(columns))
    if (said[name as keyof EventText] !== value) return `its ${name} is not what its text says`;
  if (cells === null) return undefined;
  const hashes = Object.entries(cells).map(([name, cell]) => [name, hashCell(cell)]);
  return JSON.stringify(Object.fromEntries(hashes)) === JSON.stringify(said.cells)
    ? undefined
    : 'its personal cells are not what was hashed';
}
