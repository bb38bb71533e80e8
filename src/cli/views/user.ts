/** Output of `paydrop user`: users, changes that wait for a second admin, and secrets that are shown once. */
import type { ChangeOutcome } from '../../review/people.ts';
import type { PersonToken } from '../../review/ports.ts';
import type { UsersListed } from '../../review/shell/users.ts';
import { formatBangkokMoment } from '../../core/bangkok-time.ts';
import { inEnglish } from '../../core/message.ts';
import { printable, showText, toLines } from '../../core/outgoing-text.ts';
import type { Passkey } from '../../review/rules/passkey.ts';
import { isBeforeRestore, type Person } from '../../review/rules/people.ts';
import { isLapsed, type PersonChange } from '../../review/rules/person-request.ts';
import { describeChange, describePersonEvent, severityOf } from '../../review/rules/person-words.ts';
import { alignColumns, type Shown } from './shown.ts';

/** Outcome of a request, and which secret to hand to which person. */
export function showOutcome(outcome: Exclude<ChangeOutcome, { kind: 'refused' }>): Shown {
  if (outcome.kind === 'waits') {
    const { changeId, firstHalf } = outcome;
    const why = inEnglish(outcome.why);
    const half =
      firstHalf === undefined
        ? []
        : [
            `First half of the one-time password, shown only now: ${firstHalf}`,
            'Give it only to the user; the admin who confirms has the other half.',
          ];
    return {
      json: { waits: true, changeId, why, ...(firstHalf === undefined ? {} : { firstHalf }) },
      text: toLines([
        `It waits for a second admin: ${why}.`,
        `Confirmed with: paydrop user confirm ${changeId}`,
        ...half,
      ]),
    };
  }
  const { person, oneTimePassword } = outcome;
  const name = person?.name ?? '';
  const isHalf = oneTimePassword?.isHalf === true;
  const password =
    oneTimePassword === undefined
      ? []
      : [
          `${isHalf ? 'Second half of the one-time' : 'One-time'} password of ${name}, shown only now: ${oneTimePassword.text}`,
          isHalf
            ? `The admin who proposed it has the first half: both, with a hyphen between them, are good for seven days.`
            : `Give it only to ${name}; it is good for seven days.`,
          `${name} sets a password with it: paydrop user password ${name}`,
        ];
  const json = {
    done: true,
    ...(person && { user: describeUser(person) }),
    ...(oneTimePassword && { [isHalf ? 'secondHalf' : 'oneTimePassword']: oneTimePassword.text }),
  };
  return { json, text: toLines(['Done.', ...password]) };
}

/** A user's public fields; the rest of the record stays here. */
const describeUser = (person: Person): object => ({
  name: person.name,
  displayName: person.displayName,
  role: person.role,
  disabled: person.isDisabled,
});

/** A user's standing, in a word or two. */
function standingOf(person: Person, { nowMs, restoredAtMs }: UsersListed): string {
  if (person.isDisabled) return 'disabled';
  if (isBeforeRestore(person.standsSinceMs, restoredAtMs)) return 'to be enabled';
  return person.lockedUntilMs > nowMs ? 'locked' : 'active';
}

const momentOf = (atMs: number | null): string => (atMs === null ? 'never' : formatBangkokMoment(atMs));

export function showUsers(listed: UsersListed): Shown {
  const { shown, tokens, changes, people, events, nowMs } = listed;
  const waiting = changes.filter((change) => change.status === 'waiting' && !isLapsed(change, nowMs));
  const good = tokens.filter(({ revokedAtMs, expiresAtMs }) => revokedAtMs === null && expiresAtMs > nowMs);
  const rows = shown.map((person) => [
    person.name,
    person.role,
    standingOf(person, listed),
    momentOf(person.lastSignInAtMs),
    String(good.filter(({ personId }) => personId === person.personId).length),
    person.displayName,
  ]);
  const head = ['Name', 'Role', 'Standing', 'Last password', 'Tokens', 'Full name'];
  const isOne = shown.length === 1 && events.length > 0;
  const none = 'There is no user yet: make the first with "paydrop user add NAME --role admin".';
  const text = toLines([
    ...(rows.length === 0 ? [none] : alignColumns([head, ...rows], [4])),
    ...(isOne ? showTokens(good) : []),
    ...(isOne ? showPasskeys(listed) : []),
    ...showWaiting(waiting, people),
    ...(isOne ? ['', 'What happened'] : []),
    ...events.map(
      (event) => `${formatBangkokMoment(event.atMs)}  ${inEnglish(describePersonEvent(event, people))}`,
    ),
  ]);
  return { json: describeListed(listed, good, waiting), text };
}

const showTokens = (tokens: readonly PersonToken[]): readonly string[] =>
  tokens.length === 0
    ? []
    : [
        '',
        ...alignColumns([
          ['Token', 'Good until', 'Last used', 'Label'],
          ...tokens.map((one) => [
            String(one.tokenId),
            momentOf(one.expiresAtMs),
            momentOf(one.lastUsedAtMs),
            showText(one.label),
          ]),
        ]),
      ];

/** Passkeys of the shown users that were not revoked. */
const passkeysOf = ({ passkeys, shown }: UsersListed): readonly Passkey[] =>
  passkeys.filter(
    (key) => key.revokedAtMs === null && shown.some(({ personId }) => personId === key.personId),
  );

const showPasskeys = (listed: UsersListed): readonly string[] => {
  const keys = passkeysOf(listed);
  return keys.length === 0
    ? []
    : [
        '',
        ...alignColumns([
          ['Passkey, as approval.keys names it', 'Standing', 'Label'],
          ...keys.map((key) => [
            key.keyHash,
            key.confirmedAtMs === null ? 'waits for an admin' : 'confirmed',
            showText(key.label),
          ]),
        ]),
      ];
};

const showWaiting = (changes: readonly PersonChange[], people: readonly Person[]): readonly string[] =>
  changes.length === 0
    ? []
    : [
        '',
        'Waiting for a second admin (paydrop user confirm CHANGE)',
        ...alignColumns(
          changes.map((change) => [
            String(change.changeId),
            showText(inEnglish(describeChange(change, people))),
            `proposed by ${people.find(({ personId }) => personId === change.proposedBy)?.name ?? ''}`,
            formatBangkokMoment(change.proposedAtMs),
          ]),
        ),
      ];

const describeListed = (
  listed: UsersListed,
  tokens: readonly PersonToken[],
  waiting: readonly PersonChange[],
): object => ({
  users: listed.shown.map((person) => ({
    ...describeUser(person),
    standing: standingOf(person, listed),
    lastSignInAt: momentOf(person.lastSignInAtMs),
    tokens: tokens
      .filter(({ personId }) => personId === person.personId)
      .map(({ tokenId, label, expiresAtMs, lastUsedAtMs }) => ({
        tokenId,
        label,
        expiresAt: momentOf(expiresAtMs),
        lastUsedAt: momentOf(lastUsedAtMs),
      })),
    passkeys: passkeysOf(listed)
      .filter(({ personId }) => personId === person.personId)
      .map(({ keyHash, label, confirmedAtMs }) => ({
        fingerprint: keyHash,
        label,
        isConfirmed: confirmedAtMs !== null,
      })),
  })),
  waiting: waiting.map((change) => ({
    changeId: change.changeId,
    what: inEnglish(describeChange(change, listed.people)),
    proposedBy: listed.people.find(({ personId }) => personId === change.proposedBy)?.name ?? null,
    proposedAt: momentOf(change.proposedAtMs),
  })),
  events: listed.events.map((event) => ({
    seq: event.seq,
    at: momentOf(event.atMs),
    kind: event.kind,
    severity: severityOf(event),
    what: inEnglish(describePersonEvent(event, listed.people)),
  })),
});

/** The token alone, for a file; notes about it go to stderr. */
export const showToken = (token: string, { tokenId, expiresAtMs }: PersonToken): Shown => ({
  json: { token, tokenId, expiresAt: momentOf(expiresAtMs) },
  text: printable(token),
});
