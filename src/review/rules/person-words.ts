/** Events of people, in words. */
import { formatBangkokMoment } from '../../core/bangkok-time.ts';
import { type Message, message } from '../../core/message.ts';
import { type PersonEvent, type PersonEventKind, readFacts } from './chain.ts';
import { showKey } from './passkey.ts';
import { nameRole, type Person, type Role } from './people.ts';
import type { PersonProposal } from './person-request.ts';
import { readAgreed, showPolicy } from './policy.ts';
import type { ReviewNote } from './queue.ts';

/** A list that is searched for a whole number. */
export type SearchedPlace = 'search' | 'queue' | 'payees' | 'payouts' | 'registrations';

/** The thing that was looked at, without names. */
export type Looked =
  | {
      readonly what: 'payee-number' | 'account' | 'evidence';
      readonly row: number;
      readonly batch: string;
    }
  | { readonly what: 'batch-file'; readonly file: string; readonly batch: string }
  | { readonly what: 'payee-numbers' | 'evidence-file'; readonly proposal: number }
  | { readonly what: 'search'; readonly place: SearchedPlace; readonly text: string };

/** The severity of a notice; null for events that are in order. */
const severities: Readonly<Partial<Record<PersonEventKind, 'critical' | 'high'>>> = {
  recovered: 'critical',
  'locked-out': 'high',
};

export const severityOf = ({ kind }: Pick<PersonEvent, 'kind'>): 'critical' | 'high' | null =>
  severities[kind] ?? null;

const nameOf = (people: readonly Person[], personId: number | null): string | Message =>
  people.find((person) => person.personId === personId)?.name ?? message('user.journal-owner');

/** A sentence such as `boon was added as a maker by mali`. */
export function describePersonEvent(event: PersonEvent, people: readonly Person[]): Message {
  const { confirmedBy } = readFacts(event);
  const name = event.subject === 0 ? '' : nameOf(people, event.subject);
  const isAnonymous = event.byPerson === null && event.proof === null;
  const what = describeKind(event, name);
  const done =
    isAnonymous || event.byPerson === event.subject
      ? what
      : message('history.by', { what, name: nameOf(people, event.byPerson) });
  const confirmed =
    typeof confirmedBy === 'number'
      ? message('history.confirmed', { what: done, name: nameOf(people, confirmedBy) })
      : done;
  const why = event.cells?.['why']?.value;
  return why === undefined ? confirmed : message('history.with-why', { what: confirmed, why });
}

function describeKind(event: PersonEvent, name: string | Message): Message {
  const { kind } = event;
  const facts = readFacts(event);
  const { tokenId, batchId, proposalId, what } = facts;
  switch (kind) {
    case 'made':
    case 'role-changed':
      return message(`history.${kind}`, { name, role: nameRole((facts['role'] ?? facts['to']) as Role) });
    case 'enabled':
      return message(facts['newPassword'] === true ? 'history.enabled' : 'history.let-try-again', { name });
    case 'password-changed':
      return message(facts['rehashed'] === true ? 'history.password-rehashed' : 'history.password-changed', {
        name,
      });
    case 'passkey-enrolled':
    case 'passkey-confirmed':
    case 'passkey-revoked':
      return message(`history.${kind}`, { name, key: keyOf(facts) });
    case 'approval-signed':
      return message('history.approval-signed', { name, id: String(proposalId), key: keyOf(facts) });
    case 'policy-changed':
      return message('history.policy-changed', { policy: showPolicy(readAgreed(event) ?? {}) });
    case 'token-made': {
      const moment = formatBangkokMoment(Number(facts['expiresAtMs']));
      return message('history.token-made', { name, id: String(tokenId), moment });
    }
    case 'token-revoked':
      return message('history.token-revoked', { id: String(tokenId), name });
    case 'locked-out':
      return describeLock(event, name);
    case 'signed-in':
    case 'sign-in-failed':
    case 'refused':
      return describeAccess(kind, name, event);
    case 'revealed':
      return message('history.revealed', { name, what: readLooked(facts) });
    case 'noted':
      return message('history.noted', {
        name,
        what: message(`noted-thing.${facts['kind'] as ReviewNote['kind']}`),
        done: message(`noted-done.${what as ReviewNote['what']}`),
      });
    case 'erased': {
      const row = message('place.row', { row: String(facts['row']), batch: String(facts['batch']) });
      return message('history.erased', { name, what: row });
    }
    case 'uploaded':
      return message('history.uploaded', { name, batch: String(batchId) });
    case 'batch-sealed':
    case 'payer-moved':
    case 'approval-taken-back':
    case 'reports-written':
      return message(`history.${kind}`, { batch: String(batchId) });
    case 'disabled':
    case 'password-reset':
    case 'recovered':
    case 'session-begun':
      return message(`history.${kind}`, { name });
  }
}

type Facts = ReturnType<typeof readFacts>;

const keyOf = (facts: Facts): string => showKey({ keyHash: String(facts['keyHash']) });

/** The thing that was looked at, by `Looked`. */
const readLooked = ({ what, place, ...args }: Facts): Message => ({
  code: `looked-at.${what as Looked['what']}`,
  args: {
    ...(args as Message['args']),
    ...(place === undefined ? {} : { place: message(`looked-in.${place as SearchedPlace}`) }),
  },
});

/** A lock at one address, or everywhere. */
function describeLock(event: PersonEvent, name: string | Message): Message {
  const { failedTries, isOfOneAddress } = readFacts(event);
  const count = String(failedTries);
  if (isOfOneAddress !== true) return message('history.locked-out', { name, count });
  const network = event.cells?.['network']?.value ?? message('history.unknown-network');
  return message('history.locked-out-at', { name, network, count });
}

/** `a sign-in as boon failed (wrong-password), from 203.0.113.0/24, 12 times since 2026-11-22 01:00:00`. */
function describeAccess(
  kind: 'signed-in' | 'sign-in-failed' | 'refused',
  name: string | Message,
  event: PersonEvent,
): Message {
  const { what: how, times, sinceMs } = readFacts(event);
  const network = event.cells?.['network']?.value;
  const access =
    name === '' && kind !== 'signed-in'
      ? message(`history.${kind}-unknown`, { how: String(how) })
      : message(`history.${kind}`, { name, how: String(how) });
  const from = network === undefined ? access : message('history.from', { what: access, network });
  if (!(Number(times) > 1)) return from;
  const moment = formatBangkokMoment(Number(sinceMs));
  return message('history.often', { what: from, count: String(times), moment });
}

/** A proposed change such as `add dao as a checker`. */
export function describeRequest({ figures: { request, name } }: Pick<PersonProposal, 'figures'>): Message {
  switch (request.kind) {
    case 'add':
    case 'role':
      return message(`wanted.${request.kind}`, { name, role: nameRole(request.role) });
    case 'enable':
    case 'disable':
    case 'reset-password':
    case 'confirm-passkey':
      return message(`wanted.${request.kind}`, { name });
    case 'policy':
      return message('wanted.agree', { policy: showPolicy(request.policy) });
  }
}
