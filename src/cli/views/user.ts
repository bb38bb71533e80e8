/** Output of `paydrop user`: users, changes that wait for a second admin, and secrets that are shown once. */
import type { ChangeOutcome } from '../../review/people.ts';
import type { PersonToken } from '../../review/ports.ts';
import type { UsersListed } from '../../review/shell/users.ts';
import { formatBangkokMoment } from '../../core/bangkok-time.ts';
import { inEnglish } from '../../core/message.ts';
import { listOf, recordOf, viewOf } from '../../core/view.ts';
import { printable, showText, toLines } from '../../core/outgoing-text.ts';
import type { PersonEvent } from '../../review/rules/chain.ts';
import type { Passkey } from '../../review/rules/passkey.ts';
import { isBeforeRestore, type Person } from '../../review/rules/people.ts';
import type { PersonProposal } from '../../review/rules/person-request.ts';
import { describePersonEvent, describeRequest, severityOf } from '../../review/rules/person-words.ts';
import { alignColumns, type Shown } from './shown.ts';

/** A user's public fields; the rest of the record stays here. */
const userView = viewOf<Person>()('user', {
  name: ['text', 'name to sign in with'],
  displayName: ['text', 'name beside decisions'],
  role: ['text', 'role'],
  disabled: ['flag', 'whether the user may do nothing', ({ isDisabled }) => isDisabled],
});

/** A change that waits for a second admin, by `user`. @forTests */
export const waitsView = viewOf<Extract<ChangeOutcome, { kind: 'waits' }>>()('waiting change', {
  waits: ['flag', 'true', () => true],
  proposalId: ['number', 'number of the proposal'],
  why: ['advice', 'why it waits'],
  firstHalf: ['text', 'first half of the one-time password, shown only now', ({ firstHalf }) => firstHalf],
});

/** A change that is done, by `user`. @forTests */
export const doneView = viewOf<Extract<ChangeOutcome, { kind: 'done' }>>()('done change', {
  done: ['flag', 'true', () => true],
  user: [recordOf(userView), 'the user', ({ person }) => person],
  oneTimePassword: [
    'text',
    'one-time password, shown only now',
    ({ oneTimePassword: made }) => (made?.isHalf === true ? null : made?.text),
  ],
  secondHalf: [
    'text',
    'second half of it, shown only now',
    ({ oneTimePassword: made }) => (made?.isHalf === true ? made.text : null),
  ],
});

/** Outcome of a request, and which secret to hand to which person. */
export function showOutcome(outcome: Exclude<ChangeOutcome, { kind: 'refused' }>): Shown {
  if (outcome.kind === 'waits') {
    const { proposalId, firstHalf } = outcome;
    const why = inEnglish(outcome.why);
    const half =
      firstHalf === undefined
        ? []
        : [
            `First half of the one-time password, shown only now: ${firstHalf}`,
            'Give it only to the user; the admin who confirms has the other half.',
          ];
    return {
      json: waitsView.json(outcome),
      text: toLines([
        `It waits for a second admin: ${why}.`,
        `Confirmed with: paydrop user confirm ${proposalId}`,
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
  return { json: doneView.json(outcome), text: toLines(['Done.', ...password]) };
}

/** A user's standing, in a word or two. */
function standingOf(person: Person, { nowMs, restoredAtMs }: UsersListed): string {
  if (person.isDisabled) return 'disabled';
  if (isBeforeRestore(person.standsSinceMs, restoredAtMs)) return 'to be enabled';
  return person.lockedUntilMs > nowMs ? 'locked' : 'active';
}

const momentOf = (atMs: number | null): string => (atMs === null ? 'never' : formatBangkokMoment(atMs));

export function showUsers(listed: UsersListed): Shown {
  const { shown, tokens, waiting, people, events, nowMs } = listed;
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
    ...showWaiting(waiting),
    ...(isOne ? ['', 'What happened'] : []),
    ...events.map(
      (event) => `${formatBangkokMoment(event.atMs)}  ${inEnglish(describePersonEvent(event, people))}`,
    ),
  ]);
  return { json: usersView.json({ listed, tokens: good }), text };
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

const showWaiting = (waiting: readonly PersonProposal[]): readonly string[] =>
  waiting.length === 0
    ? []
    : [
        '',
        'Waiting for a second admin (paydrop user confirm PROPOSAL)',
        ...alignColumns(
          waiting.map((proposal) => [
            String(proposal.proposalId),
            showText(inEnglish(describeRequest(proposal))),
            `proposed by ${proposal.maker}`,
            formatBangkokMoment(proposal.madeAtMs),
          ]),
        ),
      ];

const tokenView = viewOf<PersonToken>()('token', {
  tokenId: ['number', 'its number'],
  label: ['text', 'what it is for'],
  expiresAt: ['text', 'until when it is good', ({ expiresAtMs }) => momentOf(expiresAtMs)],
  lastUsedAt: ['text', 'when it was last used, or never', ({ lastUsedAtMs }) => momentOf(lastUsedAtMs)],
});

const passkeyView = viewOf<Passkey>()('passkey', {
  fingerprint: ['text', 'as approval.keys names it', ({ keyHash }) => keyHash],
  label: ['text', 'what it is called'],
  isConfirmed: ['flag', 'whether an admin has confirmed it', ({ confirmedAtMs }) => confirmedAtMs !== null],
});

/** The list, with the tokens that are good. */
interface ShownListing {
  readonly listed: UsersListed;
  readonly tokens: readonly PersonToken[];
}

interface ListedUser extends ShownListing {
  readonly person: Person;
}

const isOf =
  ({ personId }: Person) =>
  (one: { readonly personId: number }): boolean =>
    one.personId === personId;

const listedUserView = viewOf<ListedUser>()('listed user', {
  name: ['text', 'name to sign in with', ({ person }) => person.name],
  displayName: ['text', 'name beside decisions', ({ person }) => person.displayName],
  role: ['text', 'role', ({ person }) => person.role],
  disabled: ['flag', 'whether the user may do nothing', ({ person }) => person.isDisabled],
  standing: [
    'text',
    'active, locked, disabled or to be enabled',
    ({ person, listed }) => standingOf(person, listed),
  ],
  lastSignInAt: [
    'text',
    'when the password was last used, or never',
    ({ person }) => momentOf(person.lastSignInAtMs),
  ],
  tokens: [listOf(tokenView), 'tokens that are good', ({ person, tokens }) => tokens.filter(isOf(person))],
  passkeys: [
    listOf(passkeyView),
    'passkeys that were not revoked',
    ({ person, listed }) => passkeysOf(listed).filter(isOf(person)),
  ],
});

interface ShownEvent {
  readonly about: PersonEvent;
  readonly people: readonly Person[];
}

const changeView = viewOf<PersonProposal>()('change of a user', {
  proposalId: ['number', 'number of the proposal'],
  what: ['advice', 'what changes', describeRequest],
  proposedBy: ['text', 'who proposed it', ({ maker }) => maker],
  proposedAt: ['text', 'when it was proposed', ({ madeAtMs }) => momentOf(madeAtMs)],
});

const eventView = viewOf<ShownEvent>()('event of a user', {
  seq: ['number', 'its number', ({ about }) => about.seq],
  at: ['text', 'when it happened', ({ about }) => momentOf(about.atMs)],
  kind: ['text', 'kind of event', ({ about }) => about.kind],
  severity: ['text', 'severity', ({ about }) => severityOf(about)],
  what: ['advice', 'what happened', ({ about, people }) => describePersonEvent(about, people)],
});

/** Users, by `user list`. @forTests */
export const usersView = viewOf<ShownListing>()('users', {
  users: [
    listOf(listedUserView),
    'the users',
    (shown) => shown.listed.shown.map((person) => ({ ...shown, person })),
  ],
  waiting: [listOf(changeView), 'changes that wait for a second admin', ({ listed: { waiting } }) => waiting],
  events: [
    listOf(eventView),
    'what happened to the user, where one is asked for',
    ({ listed: { events, people } }) => events.map((about) => ({ about, people })),
  ],
});

/** A token, shown only now, by `user token`. @forTests */
export const madeTokenView = viewOf<PersonToken & { readonly token: string }>()('made token', {
  token: ['text', 'the token, shown only now'],
  tokenId: ['number', 'its number'],
  expiresAt: ['text', 'until when it is good', ({ expiresAtMs }) => momentOf(expiresAtMs)],
});

/** The token alone, for a file; notes about it go to stderr. */
export const showToken = (token: string, kept: PersonToken): Shown => ({
  json: madeTokenView.json({ ...kept, token }),
  text: printable(token),
});
