/** Events of people, in words. */
import { formatBangkokMoment } from '../../core/bangkok-time.ts';
import { type PersonEvent, type PersonEventKind, readFacts } from './chain.ts';
import { showKey } from './passkey.ts';
import { nameRole, type Person, type Role } from './people.ts';
import type { PersonChange, PersonRequest } from './person-request.ts';
import { readAgreed, showPolicy } from './policy.ts';

/** The severity of a notice; null for events that are in order. */
const severities: Readonly<Partial<Record<PersonEventKind, 'critical' | 'high'>>> = {
  recovered: 'critical',
  'locked-out': 'high',
};

export const severityOf = ({ kind }: Pick<PersonEvent, 'kind'>): 'critical' | 'high' | null =>
  severities[kind] ?? null;

const nameOf = (people: readonly Person[], personId: number | null): string =>
  people.find((person) => person.personId === personId)?.name ?? 'the owner of the journal';

/** Returns a sentence such as `boon was added as a maker by mali`. */
export function describePersonEvent(event: PersonEvent, people: readonly Person[]): string {
  const facts = readFacts(event);
  const subject = event.subject === 0 ? '' : nameOf(people, event.subject);
  const by = event.byPerson === null && event.proof === null ? '' : ` by ${nameOf(people, event.byPerson)}`;
  const isOwn = event.byPerson === event.subject;
  const confirmed =
    typeof facts['confirmedBy'] === 'number' ? `, confirmed by ${nameOf(people, facts['confirmedBy'])}` : '';
  const why = event.cells?.['why']?.value;
  const what = describeKind(event, subject, facts);
  return `${what}${isOwn ? '' : by}${confirmed}${why === undefined ? '' : `: ${why}`}`;
}

function describeKind(event: PersonEvent, subject: string, facts: Facts): string {
  const { kind, cells } = event;
  const role = nameRole((facts['role'] ?? facts['to'] ?? 'viewer') as Role);
  const token = `token ${String(facts['tokenId'])}`;
  const change = `change ${String(facts['changeId'])} (${nameWanted(String(facts['wanted']), subject || (cells?.['name']?.value ?? ''), role)})`;
  const key = showKey({ keyHash: String(facts['keyHash']) });
  switch (kind) {
    case 'made':
      return `${subject} was added as ${role}`;
    case 'role-changed':
      return `${subject} has become ${role}`;
    case 'disabled':
      return `${subject} was disabled`;
    case 'enabled':
      return `${subject} was ${facts['newPassword'] === true ? 'enabled' : 'let try again'}`;
    case 'password-reset':
      return `${subject} was given a new one-time password`;
    case 'password-changed':
      return facts['rehashed'] === true
        ? `the password of ${subject} was hashed anew`
        : `${subject} has set a password`;
    case 'passkey-enrolled':
      return `${subject} has enrolled passkey ${key}, which waits for an admin`;
    case 'passkey-confirmed':
      return `passkey ${key} of ${subject} was confirmed`;
    case 'passkey-revoked':
      return `passkey ${key} of ${subject} was revoked`;
    case 'approval-signed':
      return `${subject} has signed the approval of proposal ${String(facts['proposalId'])} with passkey ${key}`;
    case 'policy-changed':
      return `it was agreed on: ${showPolicy(readAgreed(event) ?? {})}`;
    case 'token-made':
      return `${subject} has made ${token}, good until ${formatBangkokMoment(Number(facts['expiresAtMs']))}`;
    case 'token-revoked':
      return `${token} of ${subject} was revoked`;
    case 'change-proposed':
      return `${change} was proposed`;
    case 'change-sent-back':
      return `${change} was sent back`;
    case 'change-withdrawn':
      return `${change} was withdrawn`;
    case 'change-stale':
      return `${change} is stale`;
    case 'locked-out':
      return `${subject} is locked out${whereLocked(event)} after ${String(facts['failedTries'])} wrong passwords`;
    case 'signed-in':
    case 'sign-in-failed':
    case 'refused':
      return describeAccess(kind, subject, event);
    case 'recovered':
      return `ALARM: ${subject} was made an admin without an admin`;
    case 'revealed':
      return `${subject} has looked at ${String(facts['what'])}`;
    case 'noted':
      return `${subject}: a ${String(facts['kind'])} that waits was ${String(facts['what'])}`;
    case 'erased':
      return `${subject} has erased what names the payee of ${String(facts['what'])}`;
    case 'session-begun':
      return `${subject} has signed in on the page`;
    case 'uploaded':
      return `${subject} has uploaded the file of batch ${String(facts['batchId'])}`;
    case 'batch-sealed':
    case 'payer-moved':
    case 'approval-taken-back':
    case 'reports-written':
      return batchWords[kind](String(facts['batchId']));
  }
}

type Facts = ReturnType<typeof readFacts>;

const batchWords = {
  'batch-sealed': (batchId: string) => `batch ${batchId} was sealed`,
  'payer-moved': (batchId: string) => `batch ${batchId} is paid from another account`,
  'approval-taken-back': (batchId: string) =>
    `the approval of batch ${batchId} was taken back: no signature proves it`,
  'reports-written': (batchId: string) => `reports of batch ${batchId} were written`,
} as const;

/** The address of a lock in words; empty for a lock that holds everywhere. */
function whereLocked(event: PersonEvent): string {
  if (readFacts(event)['isOfOneAddress'] !== true) return '';
  return ` at an address of ${event.cells?.['network']?.value ?? 'an unknown network'}`;
}

const accessWords = {
  'signed-in': (name: string) => `${name} has signed in`,
  'sign-in-failed': (name: string) =>
    `a sign-in ${name === '' ? 'under an unknown name' : `as ${name}`} failed`,
  refused: (name: string) => `${name === '' ? 'an unknown visitor' : name} was refused`,
};

/**
 * Returns text such as `a sign-in as boon failed (wrong-password), from 203.0.113.0/24, 12 times since 2026-11-22
 * 01:00:00`.
 */
function describeAccess(kind: keyof typeof accessWords, subject: string, event: PersonEvent): string {
  const { what, times, sinceMs } = readFacts(event);
  const network = event.cells?.['network']?.value;
  const from = network === undefined ? '' : `, from ${network}`;
  const often =
    Number(times) > 1 ? `, ${String(times)} times since ${formatBangkokMoment(Number(sinceMs))}` : '';
  return `${accessWords[kind](subject)} (${String(what)})${from}${often}`;
}

function nameWanted(wanted: string, name: string, role: string): string {
  switch (wanted as PersonRequest['kind']) {
    case 'add':
      return `add ${name} as ${role}`;
    case 'role':
      return `make ${name} ${role}`;
    case 'enable':
      return `enable ${name}`;
    case 'disable':
      return `disable ${name}`;
    case 'reset-password':
      return `a new password for ${name}`;
    case 'confirm-passkey':
      return `a passkey of ${name}`;
    case 'policy':
      return 'how many people a decision takes';
  }
}

/** Returns text such as `add dao as a checker`. */
export function describeChange({ request }: PersonChange, people: readonly Person[]): string {
  if (request.kind === 'policy') return `agree on ${showPolicy(request.policy)}`;
  const name = request.kind === 'add' ? request.name : '';
  const role = nameRole('role' in request ? request.role : 'viewer');
  return nameWanted(
    request.kind,
    name || ('personId' in request ? nameOf(people, request.personId) : ''),
    role,
  );
}
