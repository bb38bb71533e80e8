/** Checks people and their credentials against the chained history of people. */
import { hash } from 'node:crypto';
import { digestSecret, type EventFacts, type Link, readFacts } from '../../review/rules/chain.ts';
import { type Passkey, showKey } from '../../review/rules/passkey.ts';
import type { Person } from '../../review/rules/people.ts';
import { nameKeyOf, type PersonProposal, type PersonRequest } from '../../review/rules/person-request.ts';
import type { PersonSession } from '../../review/rules/session.ts';
import type { ApprovalSignature } from '../../review/rules/signature.ts';

/** A user with the secret fields. */
export interface KeptPerson extends Person {
  readonly nameKey: string;
  readonly passwordHash: string;
  readonly mustChange: boolean;
}

/** A token with the secret fields. */
export interface KeptToken {
  readonly tokenId: number;
  readonly personId: number;
  readonly tokenHash: string;
  readonly label: string;
  readonly madeAtMs: number;
  readonly expiresAtMs: number;
  readonly revokedAtMs: number | null;
}

/** A person's part in the content of a batch. */
interface KeptHand {
  readonly batchId: string;
  readonly personId: number;
  readonly part: 'uploaded' | 'corrected';
}

/** A person who proposed to correct a row of a batch. */
export interface ProposedCorrection {
  readonly batchId: string;
  readonly personId: number;
  /** True when the row was corrected by it, and is in the journal. */
  readonly isApplied: boolean;
}

/** Everything that is compared with the history of people. */
export interface KeptPersons {
  readonly people: readonly KeptPerson[];
  readonly tokens: readonly KeptToken[];
  readonly passkeys: readonly Passkey[];
  readonly sessions: readonly PersonSession[];
  readonly signatures: readonly ApprovalSignature[];
  readonly hands: readonly KeptHand[];
  readonly corrections: readonly ProposedCorrection[];
}

/** A difference from the history, and its place. */
export interface Difference {
  readonly place: string;
  readonly why: string;
}

type Event = Link<string>;

const isGone = 'it is gone; its history is there';
export const missingInHistory = (what: string): string => `the history of users tells of no such ${what}`;
const sha256 = (text: string | Buffer): string => hash('sha256', text, 'hex');

/** A value and its record; a value without a record does not differ. */
interface Compared {
  readonly why: string;
  readonly is: unknown;
  /** Undefined without an event. */
  readonly said: unknown;
}

export function* compare(place: string, compared: readonly Compared[]): Generator<Difference> {
  for (const { why, is, said } of compared) {
    if (said === undefined || JSON.stringify(is) === JSON.stringify(said)) continue;
    yield { place, why };
    return;
  }
}

const cellOf = ({ cells }: Event, name: string): string | undefined => cells?.[name]?.value;

// ---------------------------------------------------------------- users

/** The history of a user; undefined for facts that it lacks. */
interface SaidPerson {
  readonly role: unknown;
  readonly isDisabled: boolean;
  readonly name: string | undefined;
  readonly displayName: string | undefined;
  readonly madeBy: number | null;
  readonly madeAtMs: number;
  readonly handedBy: number | null;
  readonly handedAtMs: number;
  readonly confirmedBy: unknown;
  readonly adminSinceMs: number | null;
  readonly standsSinceMs: number;
  readonly passwordDigest: unknown;
  readonly mustChange: boolean;
}

type Step = (before: SaidPerson, event: Event, facts: EventFacts) => SaidPerson;

/** The user gets a one-time password. */
const hand: Step = (before, event, facts) => ({
  ...before,
  handedBy: event.byPerson,
  handedAtMs: event.atMs,
  confirmedBy: facts['confirmedBy'] ?? null,
  passwordDigest: facts['passwordDigest'],
  mustChange: true,
});

const handIfNew: Step = (before, event, facts) =>
  facts['newPassword'] === true ? hand(before, event, facts) : before;

const sinceOf = ({ adminSinceMs }: SaidPerson, role: unknown, { atMs }: Event): number | null =>
  adminSinceMs ?? (role === 'admin' ? atMs : null);

function begin(event: Event, role: unknown): SaidPerson {
  const { byPerson, atMs } = event;
  const name = cellOf(event, 'name');
  return {
    role,
    isDisabled: false,
    name,
    displayName: cellOf(event, 'displayName') ?? name,
    madeBy: byPerson,
    madeAtMs: atMs,
    handedBy: byPerson,
    handedAtMs: atMs,
    confirmedBy: null,
    adminSinceMs: role === 'admin' ? atMs : null,
    standsSinceMs: atMs,
    passwordDigest: undefined,
    mustChange: true,
  };
}

const personSteps: Readonly<Record<string, Step>> = {
  'role-changed': (before, event, facts) => ({
    ...handIfNew(before, event, facts),
    role: facts['to'],
    adminSinceMs: sinceOf(before, facts['to'], event),
  }),
  disabled: (before) => ({ ...before, isDisabled: true }),
  enabled: (before, event, facts) =>
    facts['newPassword'] === true
      ? { ...hand(before, event, facts), isDisabled: false, standsSinceMs: event.atMs }
      : before,
  'password-reset': hand,
  recovered: (before, event, facts) => ({
    ...hand(before, event, facts),
    role: 'admin',
    isDisabled: false,
    adminSinceMs: sinceOf(before, 'admin', event),
    standsSinceMs: event.atMs,
  }),
  'password-changed': (before, _event, facts) => ({
    ...before,
    passwordDigest: facts['passwordDigest'],
    mustChange: false,
  }),
};

function foldPeople(events: readonly Event[]): ReadonlyMap<number, SaidPerson> {
  const said = new Map<number, SaidPerson>();
  for (const event of events) {
    const facts = readFacts(event);
    const isNew = event.kind === 'made' || (event.kind === 'recovered' && facts['isNew'] === true);
    const before = isNew ? begin(event, facts['role'] ?? 'admin') : said.get(event.subject);
    if (before === undefined) continue;
    const step = event.kind === 'made' ? hand : personSteps[event.kind];
    if (step !== undefined) said.set(event.subject, step(before, event, facts));
  }
  return said;
}

function* comparePeople({ people }: KeptPersons, events: readonly Event[]): Generator<Difference> {
  const said = foldPeople(events);
  for (const person of people) {
    const { personId, name, role, isDisabled } = person;
    const place = `user ${name}`;
    const one = said.get(personId);
    const now = `${role}${isDisabled ? ', disabled' : ''}`;
    if (one?.role !== role || one.isDisabled !== isDisabled) {
      yield { place, why: `is ${now}, and the history of users says otherwise` };
      continue;
    }
    yield* compare(place, [
      { why: 'the name is another than the history of users says', is: name, said: one.name },
      { why: 'the name by which it is found is another', is: person.nameKey, said: nameKeyOf(name) },
      { why: 'the full name is another', is: person.displayName, said: one.displayName },
      { why: 'who made the user is another', is: person.madeBy, said: one.madeBy },
      { why: 'when the user was made is another', is: person.madeAtMs, said: one.madeAtMs },
      { why: 'who handed the first password is another', is: person.handedBy, said: one.handedBy },
      { why: 'when the password was handed is another', is: person.handedAtMs, said: one.handedAtMs },
      { why: 'who confirmed it is another', is: person.confirmedBy, said: one.confirmedBy },
      { why: 'since when it is an admin is another', is: person.adminSinceMs, said: one.adminSinceMs },
      { why: 'since when it stands is another', is: person.standsSinceMs, said: one.standsSinceMs },
      {
        why: 'the password is another than was set',
        is: digestSecret(person.passwordHash),
        said: one.passwordDigest,
      },
      { why: 'whether the password is a one-time one', is: person.mustChange, said: one.mustChange },
    ]);
  }
  const there = new Set(people.map(({ personId }) => personId));
  for (const personId of said.keys())
    if (!there.has(personId)) yield { place: `user ${personId}`, why: isGone };
}

// ---------------------------------------------------------------- tokens

/** True for events that end all tokens of a person. */
const endsTokens = ({ kind }: Event, facts: EventFacts): boolean =>
  ['disabled', 'password-reset', 'recovered'].includes(kind) ||
  (['enabled', 'role-changed'].includes(kind) && facts['newPassword'] === true);

interface SaidToken {
  readonly event: Event;
  revokedAtMs: number | null;
}

function foldTokens(events: readonly Event[]): ReadonlyMap<unknown, SaidToken> {
  const said = new Map<unknown, SaidToken>();
  for (const event of events) {
    const facts = readFacts(event);
    if (event.kind === 'token-made') said.set(facts['tokenId'], { event, revokedAtMs: null });
    const ended =
      event.kind === 'token-revoked'
        ? [said.get(facts['tokenId'])]
        : [...said.values()].filter((one) => endsTokens(event, facts) && one.event.subject === event.subject);
    for (const one of ended) if (one !== undefined) one.revokedAtMs ??= event.atMs;
  }
  return said;
}

function* compareTokens({ tokens }: KeptPersons, events: readonly Event[]): Generator<Difference> {
  const said = foldTokens(events);
  for (const token of tokens) {
    const place = `token ${token.tokenId}`;
    const one = said.get(token.tokenId);
    if (one === undefined) {
      yield { place, why: missingInHistory('token') };
      continue;
    }
    const facts = readFacts(one.event);
    const label = one.event.cells === null ? undefined : (cellOf(one.event, 'label') ?? '');
    yield* compare(place, [
      { why: 'whose it is is another', is: token.personId, said: one.event.subject },
      { why: 'it is another token', is: digestSecret(token.tokenHash), said: facts['tokenDigest'] },
      { why: 'when it was made is another', is: token.madeAtMs, said: facts['madeAtMs'] },
      { why: 'how long it lasts is another', is: token.expiresAtMs, said: facts['expiresAtMs'] },
      { why: 'when it was revoked is another', is: token.revokedAtMs, said: one.revokedAtMs },
      { why: 'its label is another', is: token.label, said: label },
    ]);
  }
  const there = new Set<unknown>(tokens.map(({ tokenId }) => tokenId));
  for (const tokenId of said.keys())
    if (!there.has(tokenId)) yield { place: `token ${String(tokenId)}`, why: isGone };
}

// ---------------------------------------------------------------- passkeys

interface SaidPasskey {
  readonly enrolled: Event;
  confirmed: Event | undefined;
  revoked: Event | undefined;
}

/** The admins who confirmed a key, by the event. */
export function confirmersOf(event: Event | undefined): readonly unknown[] | null {
  if (event === undefined) return null;
  const second = readFacts(event)['confirmedBy'] ?? null;
  return [event.byPerson ?? 0, ...(second === null ? [] : [second])];
}

function foldPasskeys(events: readonly Event[]): ReadonlyMap<unknown, SaidPasskey> {
  const said = new Map<unknown, SaidPasskey>();
  for (const event of events) {
    const { credentialId } = readFacts(event);
    const before = said.get(credentialId);
    if (event.kind === 'passkey-enrolled')
      said.set(credentialId, { enrolled: event, confirmed: undefined, revoked: undefined });
    if (before !== undefined && event.kind === 'passkey-confirmed') before.confirmed = event;
    if (before !== undefined && event.kind === 'passkey-revoked') before.revoked = event;
  }
  return said;
}

export const hashKey = (publicKey: string): string => sha256(Buffer.from(publicKey, 'base64url'));

function* comparePasskeys({ passkeys }: KeptPersons, events: readonly Event[]): Generator<Difference> {
  const said = foldPasskeys(events);
  for (const passkey of passkeys) {
    const place = `passkey ${showKey(passkey)}`;
    const one = said.get(passkey.credentialId);
    if (one === undefined) {
      yield { place, why: missingInHistory('passkey') };
      continue;
    }
    const { enrolled, confirmed, revoked } = one;
    const facts = readFacts(enrolled);
    const label = enrolled.cells === null ? undefined : (cellOf(enrolled, 'label') ?? '');
    yield* compare(place, [
      { why: 'whose it is is another', is: passkey.personId, said: enrolled.subject },
      { why: 'its key is not the one that was enrolled', is: passkey.keyHash, said: facts['keyHash'] },
      { why: 'its key is not what its hash says', is: hashKey(passkey.publicKey), said: facts['keyHash'] },
      {
        why: 'its key as the authenticator wrote it is another',
        is: sha256(passkey.coseKey),
        said: facts['coseHash'],
      },
      { why: 'its rpId is another', is: passkey.rpId, said: facts['rpId'] },
      { why: 'its origin is another', is: passkey.origin, said: facts['origin'] },
      { why: 'where it may be kept is another', is: passkey.backup, said: facts['backup'] },
      { why: 'its label is another', is: passkey.label, said: label },
      { why: 'when it was enrolled is another', is: passkey.enrolledAtMs, said: facts['enrolledAtMs'] },
      { why: 'who confirmed it is another', is: passkey.confirmedBy, said: confirmersOf(confirmed) },
      { why: 'when it was confirmed is another', is: passkey.confirmedAtMs, said: confirmed?.atMs ?? null },
      { why: 'who revoked it is another', is: passkey.revokedBy, said: revoked?.byPerson ?? null },
      { why: 'when it was revoked is another', is: passkey.revokedAtMs, said: revoked?.atMs ?? null },
    ]);
  }
  const there = new Set<unknown>(passkeys.map(({ credentialId }) => credentialId));
  for (const [credentialId, { enrolled }] of said)
    if (!there.has(credentialId))
      yield { place: `passkey ${showKey({ keyHash: String(readFacts(enrolled)['keyHash']) })}`, why: isGone };
}

// ---------------------------------------------------------------- changes that two admins made

/** The kind of event by which each request is carried out. */
const eventKinds: Readonly<Record<PersonRequest['kind'], string>> = {
  add: 'made',
  role: 'role-changed',
  disable: 'disabled',
  enable: 'enabled',
  'reset-password': 'password-reset',
  'confirm-passkey': 'passkey-confirmed',
  policy: 'policy-changed',
};

/** Tells whether an event carries out exactly the request. */
function isCarriedOut(request: PersonRequest, event: Event): boolean {
  if (event.kind !== eventKinds[request.kind]) return false;
  const facts = readFacts(event);
  const isAbout = !('personId' in request) || request.personId === event.subject;
  const said: EventFacts = {
    ...('role' in request ? { [request.kind === 'add' ? 'role' : 'to']: request.role } : {}),
    ...('credentialId' in request ? { credentialId: request.credentialId } : {}),
    ...('policy' in request ? request.policy : {}),
  };
  const named = request.kind === 'add' && event.cells !== null ? request : undefined;
  return (
    isAbout &&
    Object.entries(said).every(([name, value]) => facts[name] === value) &&
    (named === undefined ||
      (cellOf(event, 'name') === named.name && cellOf(event, 'displayName') === named.displayName))
  );
}

/** Compares each change that a second admin confirmed with its proposal: applied, by these two, and for this change. */
function* compareConfirmed(
  proposals: readonly PersonProposal[],
  events: readonly Event[],
): Generator<Difference> {
  const confirmed = Map.groupBy(
    events.filter((event) => 'confirmedBy' in readFacts(event)),
    (event) => readFacts(event)['proposalId'],
  );
  for (const { proposalId, status, makerId, checkerId, figures } of proposals) {
    const [event, another] = confirmed.get(proposalId) ?? [];
    confirmed.delete(proposalId);
    const place = `proposal ${proposalId} about users`;
    if (event === undefined) {
      if (status === 'applied') yield { place, why: missingInHistory('change') };
    } else if (status !== 'applied' || another !== undefined)
      yield { place, why: `it is ${status}, and the history of users says otherwise` };
    else if (event.byPerson !== makerId || readFacts(event)['confirmedBy'] !== checkerId)
      yield { place, why: 'the history of users says that others proposed and confirmed it' };
    else if (!isCarriedOut(figures.request, event))
      yield { place, why: 'it asks for something else than the history of users says' };
  }
  for (const event of [...confirmed.values()].flat())
    yield { place: `event ${event.seq} of people`, why: 'no proposal says that a second admin confirmed it' };
}

// ---------------------------------------------------------------- sessions, and parts in batches

/** Compares sessions; one that has ended has no row. */
function* compareSessions(
  { sessions, people }: KeptPersons,
  events: readonly Event[],
): Generator<Difference> {
  const said = new Map(
    events
      .filter(({ kind }) => kind === 'session-begun')
      .map((event) => [readFacts(event)['sessionDigest'], event]),
  );
  for (const session of sessions) {
    const { personId, role, madeAtMs } = session;
    const name = people.find((person) => person.personId === personId)?.name ?? `${personId}`;
    const place = `session of user ${name}`;
    const event = said.get(digestSecret(session.sessionHash));
    if (event === undefined) yield { place, why: missingInHistory('session') };
    else
      yield* compare(place, [
        { why: 'whose it is is another', is: personId, said: event.subject },
        { why: 'its role is another', is: role, said: readFacts(event)['role'] },
        { why: 'when it began is another', is: madeAtMs, said: event.atMs },
      ]);
  }
}

const keyOfHand = ({ batchId, personId, part }: KeptHand): string => `${part} ${personId} ${batchId}`;

/** Compares parts in batches. An upload has no event in this journal when the batch came with an archive. */
function* compareHands({ hands, corrections }: KeptPersons, events: readonly Event[]): Generator<Difference> {
  const sealed = new Set(ofKind(events, 'batch-sealed').map((event) => readFacts(event)['batchId']));
  const uploaded = new Set(
    ofKind(events, 'uploaded').map((event) =>
      keyOfHand({ batchId: String(readFacts(event)['batchId']), personId: event.subject, part: 'uploaded' }),
    ),
  );
  const corrected = new Set(corrections.map((one) => keyOfHand({ ...one, part: 'corrected' })));
  for (const one of hands) {
    const isTold =
      one.part === 'corrected'
        ? corrected.has(keyOfHand(one))
        : uploaded.has(keyOfHand(one)) || !sealed.has(one.batchId);
    const place = `hand of user ${one.personId} in batch ${one.batchId}`;
    if (!isTold)
      yield { place, why: `nothing in the journal says that the user has ${one.part} anything of it` };
  }
  const there = new Set(hands.map(keyOfHand));
  const placeOf = (key: string): string => {
    const [part, personId, batchId] = key.split(' ');
    const what = part === 'uploaded' ? 'upload of batch' : 'correction in batch';
    return `${what} ${batchId} by user ${personId}`;
  };
  const applied = corrections.filter(({ isApplied }) => isApplied);
  const expected = [...uploaded, ...applied.map((one) => keyOfHand({ ...one, part: 'corrected' }))];
  for (const key of new Set(expected))
    if (!there.has(key)) yield { place: placeOf(key), why: 'it is gone: that user could approve the batch' };
}

export const ofKind = (events: readonly Event[], kind: string): readonly Event[] =>
  events.filter((event) => event.kind === kind);

/** All differences from the history of people; the history itself is intact. @param proposals about people */
export function* listChangedPersons(
  kept: KeptPersons,
  events: readonly Event[],
  proposals: readonly PersonProposal[],
): Generator<Difference> {
  yield* comparePeople(kept, events);
  yield* compareTokens(kept, events);
  yield* comparePasskeys(kept, events);
  yield* compareConfirmed(proposals, events);
  yield* compareSessions(kept, events);
  yield* compareHands(kept, events);
}
