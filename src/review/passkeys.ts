/** Passkeys: enrolled on the page by their owner, revoked, and used to sign an approval. */
import { createPublicKey, hash, type JsonWebKey } from 'node:crypto';
import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import { decodeCredentialPublicKey, isoBase64URL } from '@simplewebauthn/server/helpers';
import { type Message, message } from '../core/message.ts';
import { type ChallengeOwner, type Challenges, makeNonce } from './challenges.ts';
import { appendEdit, type PersonContext } from './people.ts';
import type { PersonsKept } from './ports.ts';
import type { PersonEventDraft } from './rules/chain.ts';
import { type Passkey, passkeysMax, standingOf } from './rules/passkey.ts';
import { can, computeMomentAfterRestore, type Person, type ProvedPerson } from './rules/people.ts';
import { type ApprovalSignature, findSignatureFault, readBackup, type Signed } from './rules/signature.ts';
import { computeChallenge, makeSignedText, type SignedMatter } from './rules/signed-text.ts';

/** The page as browsers know it. */
export interface SigningPlace {
  /** The origin of the page, such as "https://review.example". */
  readonly origin: string;
  /** The host name of the origin. */
  readonly rpId: string;
}

/** A request to a person's authenticator: to show a new key, or to sign a text. */
export interface Question {
  readonly kind: 'enrol' | 'sign';
  /** The text to sign; empty for a new key. */
  readonly text: string;
  readonly proposalId: number;
  /** The digest of the proposal. */
  readonly digest: string;
}

export interface SigningContext extends PersonContext {
  readonly place: SigningPlace;
  readonly challenges: Challenges<Question>;
}

/** A person in one of their sessions. */
export interface Signer extends ProvedPerson {
  readonly sessionHash: string;
}

/** A refusal, for the person. */
interface NotDone {
  readonly why: Message;
}

const challengeOwnerOf = ({ sessionHash, person: { personId } }: Signer): ChallengeOwner => ({
  sessionHash,
  personId,
});

/** COSE algorithms: ECDSA over P-256, Ed25519, RSA. */
const algorithms = [-7, -8, -257];
const labelLengthMax = 60;

const notAnswered: NotDone = { why: message('passkey.not-answered') };

// ---------------------------------------------------------------- enrolling

/** Makes the options for `navigator.credentials.create`, as JSON. */
export async function askForPasskey(context: SigningContext, signer: Signer): Promise<object> {
  const { store, place, challenges, nowMs } = context;
  const { person } = signer;
  const { passkeys } = await store.persons();
  const options = await generateRegistrationOptions({
    rpName: 'paydrop',
    rpID: place.rpId,
    userName: person.name,
    userDisplayName: person.displayName,
    userID: new TextEncoder().encode(`paydrop ${person.personId}`),
    challenge: isoBase64URL.toBuffer(makeNonce()),
    attestationType: 'none',
    supportedAlgorithmIDs: algorithms,
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
    excludeCredentials: passkeys
      .filter(({ personId, revokedAtMs }) => personId === person.personId && revokedAtMs === null)
      .map(({ credentialId }) => ({ id: credentialId })),
  });
  const question = { kind: 'enrol', text: '', proposalId: 0, digest: '' } as const;
  challenges.keep(options.challenge, question, challengeOwnerOf(signer), nowMs);
  return options;
}

/** COSE numbers of the members of a key. */
const members = { type: 1, curveOrModulus: -1, xOrExponent: -2, y: -3 } as const;
const keyTypes = { okp: 1, ec2: 2, rsa: 3 } as const;

/** Reads a key of an authenticator as SubjectPublicKeyInfo. */
function readPublicKey(coseKey: Uint8Array): Buffer {
  const map = decodeCredentialPublicKey(new Uint8Array(coseKey)) as unknown as ReadonlyMap<number, unknown>;
  const part = (name: keyof typeof members): string =>
    Buffer.from(map.get(members[name]) as Uint8Array).toString('base64url');
  const read = (): JsonWebKey => {
    switch (map.get(members.type)) {
      case keyTypes.okp:
        return { kty: 'OKP', crv: 'Ed25519', x: part('xOrExponent') };
      case keyTypes.ec2:
        return { kty: 'EC', crv: 'P-256', x: part('xOrExponent'), y: part('y') };
      case keyTypes.rsa:
        return { kty: 'RSA', n: part('curveOrModulus'), e: part('xOrExponent') };
      default:
        throw new Error('a key of a kind that was not asked for');
    }
  };
  return createPublicKey({ key: read(), format: 'jwk' }).export({ type: 'spki', format: 'der' });
}

/** The challenge in an answer; empty where it has none. */
function challengeIn(clientDataJson: string): string {
  try {
    const { challenge } = JSON.parse(Buffer.from(clientDataJson, 'base64url').toString()) as {
      readonly challenge?: unknown;
    };
    return typeof challenge === 'string' ? challenge : '';
  } catch {
    return '';
  }
}

async function readRegistration(
  { place, nowMs, restoredAtMs }: SigningContext,
  { person }: Signer,
  response: RegistrationResponseJSON,
  label: string,
): Promise<Passkey | NotDone> {
  const { origin, rpId } = place;
  const { verified, registrationInfo: read } = await verifyRegistrationResponse({
    response,
    expectedChallenge: challengeIn(response.response.clientDataJSON),
    expectedOrigin: origin,
    expectedRPID: rpId,
    supportedAlgorithmIDs: algorithms,
    requireUserVerification: true,
  });
  if (!verified) return { why: message('passkey.not-asked-for') };
  const { id, publicKey: coseKey, counter, transports = [] } = read.credential;
  const publicKey = readPublicKey(coseKey);
  return {
    credentialId: id,
    personId: person.personId,
    label,
    publicKey: publicKey.toString('base64url'),
    coseKey: Buffer.from(coseKey).toString('base64url'),
    keyHash: hash('sha256', publicKey, 'hex'),
    rpId,
    origin,
    backup:
      read.credentialDeviceType === 'singleDevice' ? 'none' : read.credentialBackedUp ? 'done' : 'possible',
    transports,
    signCount: counter,
    enrolledAtMs: computeMomentAfterRestore(nowMs, restoredAtMs),
    confirmedBy: null,
    confirmedAtMs: null,
    revokedBy: null,
    revokedAtMs: null,
    lastUsedAtMs: null,
  };
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** The library's own error texts are not meant for people. */
const notRight: NotDone = { why: message('passkey.not-right') };

const makeDraft = (
  { person, proof }: ProvedPerson,
  { personId, credentialId, keyHash }: Pick<Passkey, 'personId' | 'credentialId' | 'keyHash'>,
  atMs: number,
  kind: PersonEventDraft['kind'],
  facts: PersonEventDraft['facts'] = {},
  cells: PersonEventDraft['cells'] = {},
): PersonEventDraft => ({
  subject: personId,
  kind,
  atMs,
  byPerson: person.personId,
  proof,
  facts: { credentialId, keyHash, ...facts },
  cells,
});

/** Keeps a new key, which an admin has yet to confirm. @param answer the answer of the browser, as JSON */
export async function enrolPasskey(
  context: SigningContext,
  signer: Signer,
  answer: string,
  label: string,
): Promise<Passkey | NotDone> {
  const { store, challenges, nowMs } = context;
  const response = parse(answer) as RegistrationResponseJSON | undefined;
  const challenge = challengeIn(response?.response?.clientDataJSON ?? '');
  if (challenges.take(challenge, challengeOwnerOf(signer), nowMs)?.kind !== 'enrol' || response === undefined)
    return notAnswered;
  const permission = can(signer.person, 'check');
  if (!permission.allowed) return permission;
  if (label.length > labelLengthMax || /[\p{C}\p{Zl}\p{Zp}]/u.test(label))
    return { why: message('label.form', { count: labelLengthMax }) };
  const passkey = await readRegistration(context, signer, response, label).catch(() => notRight);
  if ('why' in passkey) return passkey;
  let outcome: Passkey | NotDone = passkey;
  await appendEdit(store, ({ passkeys }) => {
    const own = passkeys.filter(
      ({ personId, revokedAtMs }) => personId === passkey.personId && revokedAtMs === null,
    );
    if (
      passkeys.some(
        ({ keyHash, credentialId }) => keyHash === passkey.keyHash || credentialId === passkey.credentialId,
      )
    )
      outcome = { why: message('passkey.enrolled-already') };
    else if (own.length >= passkeysMax)
      outcome = { why: message('passkey.too-many', { count: passkeysMax }) };
    if ('why' in outcome) return undefined;
    const { rpId, origin, backup, enrolledAtMs, coseKey } = passkey;
    const coseHash = hash('sha256', coseKey, 'hex');
    const facts = { rpId, origin, backup, enrolledAtMs, coseHash };
    const cells: PersonEventDraft['cells'] = label === '' ? {} : { label };
    return { passkey, events: [makeDraft(signer, passkey, nowMs, 'passkey-enrolled', facts, cells)] };
  });
  return outcome;
}

/**
 * Revokes a key: the owner their own, an admin any.
 * @returns the reason for a refusal; undefined once the key is invalid
 */
export async function revokePasskey(
  { store, nowMs }: PersonContext,
  by: ProvedPerson,
  credentialId: string,
): Promise<Message | undefined> {
  let refusal: Message | undefined;
  await appendEdit(store, ({ passkeys }) => {
    const found = passkeys.find((one) => one.credentialId === credentialId);
    const isOwn = found?.personId === by.person.personId;
    // The answer does not reveal whether another person has this key.
    refusal =
      found === undefined || (!isOwn && !can(by.person, 'people').allowed)
        ? message('passkey.none')
        : undefined;
    if (found === undefined || refusal !== undefined || found.revokedAtMs !== null) return undefined;
    const passkey = { ...found, revokedAtMs: nowMs, revokedBy: by.person.personId };
    return { passkey, events: [makeDraft(by, passkey, nowMs, 'passkey-revoked')] };
  });
  return refusal;
}

// ---------------------------------------------------------------- signing

/** The keys with which a person can sign now on this page. */
export function listUsable(
  { passkeys }: Pick<PersonsKept, 'passkeys'>,
  person: Person,
  { place, restoredAtMs }: Pick<SigningContext, 'place' | 'restoredAtMs'>,
): readonly Passkey[] {
  return passkeys.filter(
    (one) =>
      one.personId === person.personId &&
      one.rpId === place.rpId &&
      standingOf(one, person, restoredAtMs) === 'good',
  );
}

/** The text that a person signs, and the options for `navigator.credentials.get`, as JSON. */
interface Signing {
  readonly text: string;
  readonly options: object;
}

export async function askForSignature(
  context: SigningContext,
  signer: Signer,
  matter: SignedMatter,
): Promise<Signing | NotDone> {
  const { store, place, challenges, nowMs } = context;
  const { personId, name: person } = signer.person;
  const usable = listUsable(await store.persons(), signer.person, context);
  if (usable.length === 0) return { why: message('passkey.none-counts') };
  const text = makeSignedText(matter, { personId, person, nonce: makeNonce(), atMs: nowMs });
  const challenge = computeChallenge(text);
  const { proposalId, digest } = matter;
  challenges.keep(challenge, { kind: 'sign', text, proposalId, digest }, challengeOwnerOf(signer), nowMs);
  const options = await generateAuthenticationOptions({
    rpID: place.rpId,
    challenge: isoBase64URL.toBuffer(challenge),
    userVerification: 'required',
    allowCredentials: usable.map(({ credentialId, transports }) => ({
      id: credentialId,
      transports: [...transports],
    })),
  });
  return { text, options };
}

/** Verifies a signature with the library, then with the check that anyone can repeat later. */
async function readSignature(
  { place, nowMs }: SigningContext,
  { text, proposalId }: Question,
  passkey: Passkey,
  response: AuthenticationResponseJSON,
): Promise<
  { readonly signature: Omit<ApprovalSignature, 'signatureId'>; readonly signCount: number } | NotDone
> {
  const { credentialId, publicKey, coseKey, personId, confirmedBy } = passkey;
  const { rpId, origin } = place;
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response,
    expectedChallenge: computeChallenge(text),
    expectedOrigin: origin,
    expectedRPID: rpId,
    requireUserVerification: true,
    credential: { id: credentialId, publicKey: isoBase64URL.toBuffer(coseKey), counter: passkey.signCount },
  });
  const { authenticatorData, clientDataJSON: clientDataJson, signature: bytes } = response.response;
  const assertion = {
    text,
    credentialId,
    publicKey,
    authenticatorData,
    clientDataJson,
    signature: bytes,
    rpId,
    origin,
  };
  if (!verified || findSignatureFault(assertion) !== undefined) return notRight;
  const signature = {
    ...assertion,
    proposalId,
    personId,
    signedAtMs: nowMs,
    backup: readBackup(authenticatorData),
    enrolledBy: personId,
    confirmedBy: confirmedBy ?? [],
  };
  return { signature, signCount: authenticationInfo.newCounter };
}

/** Keeps a signature under a proposal, before the approval itself. @param answer the answer of the browser, as JSON */
export async function keepSignature(
  context: SigningContext,
  signer: Signer,
  answer: string,
): Promise<Signed | NotDone> {
  const { store, challenges, nowMs, restoredAtMs } = context;
  const response = parse(answer) as AuthenticationResponseJSON | undefined;
  const challenge = challengeIn(response?.response?.clientDataJSON ?? '');
  const question = challenges.take(challenge, challengeOwnerOf(signer), nowMs);
  if (question?.kind !== 'sign' || response === undefined) return notAnswered;
  const usable = listUsable(await store.persons(), signer.person, context);
  const passkey = usable.find(({ credentialId }) => credentialId === response.id);
  if (passkey === undefined) return { why: message('passkey.counts-not') };
  const read = await readSignature(context, question, passkey, response).catch(() => notRight);
  if ('why' in read) return read;
  const { signature, signCount } = read;
  const { proposalId, digest } = question;
  let outcome: Signed | NotDone = { proposalId, personId: signature.personId, digest };
  await appendEdit(store, ({ people, passkeys }) => {
    const person = people.find(({ personId }) => personId === passkey.personId);
    const now = passkeys.find(({ credentialId }) => credentialId === passkey.credentialId);
    const standing = person && now && standingOf(now, person, restoredAtMs);
    if (now === undefined || standing !== 'good') {
      outcome = { why: message(`passkey-is.${standing ?? 'revoked'}`) };
      return undefined;
    }
    const signatureHash = hash('sha256', signature.signature, 'hex');
    const textHash = hash('sha256', signature.text, 'hex');
    const facts = { proposalId, digest, textHash, signatureHash };
    return {
      signature,
      passkey: { ...now, signCount, lastUsedAtMs: nowMs },
      events: [makeDraft(signer, now, nowMs, 'approval-signed', facts)],
    };
  });
  return outcome;
}
