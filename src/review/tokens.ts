/** Personal tokens, which prove the person in a shell and to a program. */
import { createHash, randomBytes } from 'node:crypto';
import { userInfo } from 'node:os';
import { dayMs, formatBangkokMoment } from '../core/bangkok-time.ts';
import { inEnglish, type Message, message } from '../core/message.ts';
import { appendEdit, makePersonContext, type PersonContext, type PersonJournal } from './people.ts';
import type { ApprovalStore, PersonToken } from './ports.ts';
import { digestSecret, hasToldOfUsers } from './rules/chain.ts';
import { SettingsError } from '../settings/secrets.ts';
import type { LoadedSettings } from '../settings/settings.ts';
import {
  can,
  computeMomentAfterRestore,
  isBeforeRestore,
  type Person,
  type Proof,
  type ProvedPerson,
} from './rules/people.ts';
import { beforeRestore } from './rules/person-request.ts';

/**
 * A source that identifies people: a token of the shell, a session of the page, the header of a trusted proxy. Each
 * looks up the person's present state at every request.
 */
export interface PersonSource<Shown> {
  /** @param shown the proof in the request */
  identify(shown: Shown): Promise<Identified>;
}

export type Identified =
  | ({ readonly ok: true } & ProvedPerson)
  /** A reason for the asker, without secrets. */
  | { readonly ok: false; readonly why: Message };

const secretBytes = 32;
const tokenDaysMax = 366;
const labelLengthMax = 60;

/** The form of a token, recognizable wherever it turns up. */
const tokenForm = /^pdt_[\w-]{43}$/;

const hashToken = (token: string): string => createHash('sha256').update(token).digest('hex');

export interface TokenWish {
  readonly label: string;
  readonly days: number;
}

/** A new token; its text is shown this once. */
export interface NewToken {
  readonly token: string;
  readonly kept: PersonToken;
}

/** Makes a token for oneself; a token for another person is impossible. */
export async function makeToken(
  { store, nowMs, restoredAtMs }: PersonContext,
  { person, proof }: ProvedPerson,
  { label, days }: TokenWish,
): Promise<NewToken | { readonly why: Message }> {
  if (!Number.isInteger(days) || days < 1 || days > tokenDaysMax)
    return { why: message('token.days', { count: tokenDaysMax }) };
  if (label.length > labelLengthMax || /[\p{C}\p{Zl}\p{Zp}]/u.test(label))
    return { why: message('label.form', { count: labelLengthMax }) };
  const token = `pdt_${randomBytes(secretBytes).toString('base64url')}`;
  const madeAtMs = computeMomentAfterRestore(nowMs, restoredAtMs);
  const expiresAtMs = madeAtMs + days * dayMs;
  const times = { madeAtMs, expiresAtMs, revokedAtMs: null, lastUsedAtMs: null };
  let made: PersonToken | undefined;
  await appendEdit(store, ({ people, tokens }) => {
    const { personId } = person;
    if (people.find((one) => one.personId === personId)?.isDisabled !== false) return undefined;
    const tokenId = 1 + Math.max(0, ...tokens.map((one) => one.tokenId));
    made = { tokenId, personId, label, ...times };
    const tokenHash = hashToken(token);
    const facts = { tokenId, expiresAtMs, madeAtMs, tokenDigest: digestSecret(tokenHash) };
    const event = { subject: personId, kind: 'token-made', atMs: nowMs, byPerson: personId, proof } as const;
    return {
      token: { ...made, tokenHash },
      events: [{ ...event, facts, cells: label === '' ? {} : { label } }],
    };
  });
  return made === undefined ? { why: message('right.disabled') } : { token, kept: made };
}

/** Ends a token: the owner their own, an admin any. @returns the reason for a refusal; undefined once ended */
export async function revokeToken(
  { store, nowMs }: PersonContext,
  { person, proof }: { readonly person: Person; readonly proof: Proof },
  tokenId: number,
): Promise<Message | undefined> {
  let refusal: Message | undefined;
  await appendEdit(store, ({ tokens }) => {
    const token = tokens.find((one) => one.tokenId === tokenId);
    const isOwn = token?.personId === person.personId;
    // The answer does not reveal whether another person has this token.
    refusal =
      token === undefined || (!isOwn && !can(person, 'people').allowed)
        ? message('token.none', { id: tokenId })
        : undefined;
    if (token === undefined || refusal !== undefined || token.revokedAtMs !== null) return undefined;
    const place = { subject: token.personId, byPerson: person.personId, proof };
    const event = { ...place, kind: 'token-revoked', atMs: nowMs, facts: { tokenId }, cells: {} } as const;
    return { revokes: { tokenId, atMs: nowMs }, events: [event] };
  });
  return refusal;
}

/** Ignores a failed note of a use: reading needs no writable journal, and a write reports the journal's fault. */
const ignore = (): undefined => undefined;

/** The least time between two recorded uses, so that not every use writes to the journal. */
const useNotedEveryMs = 300_000;

/** Identifies people by their tokens. @forTests */
export function makeTokenSource({ store, nowMs, restoredAtMs }: PersonContext): PersonSource<string> {
  const refuse = (why: Message): Identified => ({ ok: false, why });
  return {
    async identify(shown) {
      const text = shown.trim();
      if (!tokenForm.test(text)) return refuse(message('token.not-ours'));
      // A search by hash takes a time that reveals nothing of the tokens that exist.
      const token = await store.tokenByHash(hashToken(text));
      if (token === undefined) return refuse(message('token.unknown'));
      if (token.revokedAtMs !== null) return refuse(message('token.revoked'));
      if (nowMs >= token.expiresAtMs)
        return refuse(message('token.expired', { moment: formatBangkokMoment(token.expiresAtMs) }));
      const { people } = await store.persons();
      const person = people.find(({ personId }) => personId === token.personId);
      if (person === undefined || person.isDisabled) return refuse(message('token.of-disabled'));
      if (isBeforeRestore(person.standsSinceMs, restoredAtMs))
        return refuse(message('token.counts-no-more', { why: beforeRestore }));
      if (isBeforeRestore(token.madeAtMs, restoredAtMs)) return refuse(message('token.before-restore'));
      if (nowMs - (token.lastUsedAtMs ?? 0) >= useNotedEveryMs)
        await store.noteTokenUse(token.tokenId, nowMs).catch(ignore);
      return { ok: true, person, proof: 'token' };
    },
  };
}

/**
 * The person who types the command, by the personal token of the environment or the settings; a typed name proves nothing.
 * @returns undefined while there is no user at all: decisions are then unproved
 * @throws SettingsError (exit 2) without a token, or with one that is no longer valid
 */
export async function identifyPerson(
  loaded: LoadedSettings,
  journal: PersonJournal,
): Promise<ProvedPerson | undefined> {
  const { people, heads } = await journal.persons();
  if (people.length === 0 && !hasToldOfUsers(heads)) return undefined;
  const reading = loaded.personToken;
  if (reading === undefined)
    throw new SettingsError(
      'no personal token: set PAYDROP_TOKEN, PAYDROP_TOKEN_FILE or review.tokenFile; "paydrop user token NAME" makes one',
    );
  if (!reading.ok) throw new SettingsError(reading.message);
  const identified = await makeTokenSource(await makePersonContext(journal)).identify(reading.secret);
  if (!identified.ok) throw new SettingsError(`${reading.from}: ${inEnglish(identified.why)}`);
  return identified;
}

/**
 * Records who runs a file, where a token proves it: that person approves nothing of it. A file that is run without a token
 * has no runner who could approve.
 */
export async function noteRunner(
  loaded: LoadedSettings,
  store: PersonJournal & Pick<ApprovalStore, 'keepUpload'>,
  batchId: string,
): Promise<void> {
  const { personToken } = loaded;
  if (personToken?.ok !== true) return;
  const context = await makePersonContext(store);
  const identified = await makeTokenSource(context).identify(personToken.secret);
  if (identified.ok) await store.keepUpload(batchId, identified.person.personId, context.nowMs);
}

/** User who runs the program, for the record; a container may know its user by number alone. */
export function readUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.() ?? 'unknown'}`;
  }
}
