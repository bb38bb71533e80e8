/**
 * The history of people, and that of proposals, as a chain: each event is a text that is kept byte for byte and bears the
 * hash of the event before it of the same person or proposal. What could name somebody stands in it as a salted hash, so
 * that it can be erased and the chain still holds.
 */
import { hash } from 'node:crypto';
import type { Proof } from './people.ts';

/** What happened; `locked-out` and `recovered` are alarms. */
export const personEventKinds = [
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
  'change-proposed',
  'change-sent-back',
  'change-withdrawn',
  'change-stale',
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
  /** Whom or what it is about; 0 for nobody, or somebody who is yet to be. */
  readonly subject: number;
  readonly kind: Kind;
  readonly atMs: number;
  /** Who did it; null for whoever owns the journal, or nobody. */
  readonly byPerson: number | null;
  readonly proof: Proof | null;
  /** Names nobody, and holds no secret. */
  readonly facts: EventFacts;
  /** What may name somebody. */
  readonly cells: Readonly<Record<string, string>>;
}

/** True once there has been a user: the history tells of somebody, whatever stands in the table of users now. */
export const hasToldOfUsers = (heads: readonly Pick<PersonEvent, 'subject'>[]): boolean =>
  heads.some(({ subject }) => subject !== 0);

/** Facts of the journal that an audit needs and no person reads: each stands in the table that it is about. */
export const journalFactKinds: ReadonlySet<PersonEventKind> = new Set([
  'session-begun',
  'batch-sealed',
  'payer-moved',
  'approval-taken-back',
  'reports-written',
]);

export type PersonEventDraft = LinkDraft<PersonEventKind>;

/**
 * What an event says of a secret that a table keeps, itself a hash already: another one in its place is found.
 * @returns SHA-256 (hex)
 */
export const digestSecret = (kept: string): string => hash('sha256', `kept secret v1\n${kept}`, 'hex');

/** A personal cell: its salt goes with it when it is erased. */
export interface SaltedCell {
  readonly salt: string;
  readonly value: string;
}

/** An event as it is kept. */
export interface Link<Kind extends string> extends Pick<
  LinkDraft<Kind>,
  'subject' | 'kind' | 'atMs' | 'byPerson' | 'proof'
> {
  /** From 1, without a gap. */
  readonly seq: number;
  /** What is hashed: canonical JSON. */
  readonly text: string;
  /** Of the event before it of the same subject; null of the first. */
  readonly previousHash: string | null;
  /** SHA-256 (hex) of the text. */
  readonly hash: string;
  /** Null once they were erased. */
  readonly cells: Readonly<Record<string, SaltedCell>> | null;
}

export type PersonEvent = Link<PersonEventKind>;

/** What an event is of, as the first words of its text say it. */
const personFormat = 'paydrop person event v1';
export const proposalFormat = 'paydrop proposal event v1';
type LinkFormat = typeof personFormat | typeof proposalFormat;

/** What of a personal cell enters a text. */
export const hashCell = ({ salt, value }: SaltedCell): string => hash('sha256', `${salt}\n${value}`, 'hex');

/** Names in their order: the same record has one text. */
const inOrder = <Value>(record: Readonly<Record<string, Value>>): Record<string, Value> =>
  Object.fromEntries(Object.entries(record).toSorted(([one], [other]) => (one < other ? -1 : 1)));

/**
 * The next event of a chain.
 * @param seq one more than that of the latest event of all
 * @param previousHash of the latest event of the same subject
 * @param makeSalt a new one each time: 128 bits of chance, as hex
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

/** What the text of an event says. */
interface EventText extends Omit<Link<string>, 'text' | 'hash' | 'cells'> {
  readonly format: string;
  readonly facts: EventFacts;
  readonly cells: Readonly<Record<string, string>>;
}

/** What an event says beside its columns, for people. */
export const readFacts = ({ text }: Pick<Link<string>, 'text'>): EventFacts =>
  (JSON.parse(text) as EventText).facts;

/** What has become of a chain: `seq` is of the first event that is not as it was written. */
export interface BrokenLink {
  readonly seq: number;
  readonly why: string;
}

/** The first link of all events, in their order, that does not hold; undefined when all do. */
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
    : 'what names somebody is not what was hashed';
}
