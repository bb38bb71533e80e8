/** Personal tokens, which prove the person in a shell and to a program. */
import { createHash, randomBytes } from 'node:crypto';
import { dayMs, formatBangkokMoment } from '../core/bangkok-time.ts';
import { type Message, message } from '../core/message.ts';
import { appendEdit } from './people.ts';
import type { PersonContext } from './people.ts';
import type { PersonToken } from './ports.ts';
import { digestSecret } from './rules/chain.ts';
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

/** Identifies people by their tokens. */
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
