/** Who may do what, and what one admin does not do alone. */
import { describe, expect, test } from 'vitest';
import { zeroSatang } from '../../../src/core/money.ts';
import {
  actions,
  can,
  findCheckObstacle,
  findHandObstacle,
  findMakerObstacle,
  findTwoAdminsSince,
  type Person,
  type Role,
  roles,
} from '../../../src/review/rules/people.ts';
import {
  decideConfirmation,
  decideRequest,
  decideSendingBack,
  type PersonProposal,
  type PersonRequest,
  versionOf,
} from '../../../src/review/rules/person-request.ts';
import { noonMs } from '../../support/core-fixtures.ts';
import { makePasskey, makePerson } from '../../support/persons.ts';
import { inWords } from '../../support/in-words.ts';

describe('a role', () => {
  const table: readonly (readonly [Role, string])[] = [
    ['viewer', 'see'],
    ['maker', 'see reveal take propose'],
    ['checker', 'see reveal take check'],
    ['admin', 'see reveal take propose check people settings'],
  ];
  test.each(table)('%s may %s, and nothing else', (role, may) => {
    const person = makePerson({ role });
    expect(actions.filter((action) => can(person, action).allowed).join(' ')).toBe(may);
    const disabled = { ...person, isDisabled: true };
    expect(actions.filter((action) => can(disabled, action).allowed)).toEqual([]);
    expect(inWords(can(disabled, 'see'))).toEqual({ allowed: false, why: 'this user is disabled' });
  });

  test('all are in the table, and each refusal says what it takes', () => {
    expect(table.map(([role]) => role)).toEqual(roles);
    expect(inWords(can(makePerson({ role: 'maker' }), 'check'))).toEqual({
      allowed: false,
      why: 'a maker may not check what others propose: that takes a checker or an admin',
    });
    expect(inWords(can(null, 'propose'))).toMatchObject({
      why: expect.stringContaining('proved their identity'),
    });
  });
});

// The first two admins, the first of whom made the second.
const [first, second] = [
  makePerson(),
  makePerson({ personId: 2, name: 'anan', madeBy: 1, handedBy: 1, adminSinceMs: noonMs + 1 }),
];
const later = noonMs + 10;
const third = makePerson({
  personId: 3,
  name: 'boon',
  madeBy: 2,
  handedBy: 2,
  confirmedBy: 1,
  adminSinceMs: later,
});
const maker = makePerson({
  personId: 4,
  name: 'kwan',
  role: 'maker',
  madeBy: 1,
  handedBy: 1,
  handedAtMs: later,
  adminSinceMs: null,
});
const checker = makePerson({
  personId: 5,
  name: 'dao',
  role: 'checker',
  madeBy: 1,
  handedBy: 1,
  confirmedBy: 2,
  handedAtMs: later,
  adminSinceMs: null,
});
const everybody = [first, second, third, maker, checker];
const known = (people: readonly Person[] = everybody, restoredAtMs?: number) => ({
  people,
  restoredAtMs,
  passkeys: [makePasskey({ personId: 5, enrolledAtMs: later })],
});

describe('maker and checker', () => {
  const obstacle = (by: Person, proposer: Person, people = everybody) =>
    findCheckObstacle(by, proposer, people);

  test('are never the same, admins included', () => {
    for (const person of [first, maker])
      expect(inWords(obstacle(person, person))).toBe('you proposed this and cannot approve it');
    expect(obstacle(checker, maker)).toBeUndefined();
    expect(obstacle(second, first)).toBeUndefined();
    expect(inWords(obstacle(maker, first))).toContain('a maker may not check');
  });

  test('nor is a maker, or a checker, or both, whom an admin could be, whenever they were made', () => {
    const early = { ...maker, handedAtMs: noonMs };
    const earlyChecker = { ...checker, handedAtMs: noonMs, confirmedBy: null };
    expect(inWords(obstacle(first, early))).toContain('you alone gave kwan');
    expect(inWords(obstacle(earlyChecker, first))).toContain('mali alone gave you');
    expect(inWords(obstacle(earlyChecker, early))).toContain('the same admin alone');
    expect(obstacle(earlyChecker, second)).toBeUndefined();
    expect(obstacle(checker, early)).toBeUndefined();
    // The second admin is believed to be somebody else: nobody else could have made that user.
    expect(obstacle(first, second)).toBeUndefined();
    expect(obstacle(earlyChecker, early, [first, early, earlyChecker])).toBeUndefined();
  });

  test('nor does anybody approve what he may have had a part in himself', () => {
    const hand = (by: Person, involved: readonly number[]) => findHandObstacle(by, involved, everybody);
    expect(inWords(hand(first, [maker.personId]))).toContain(
      'kwan uploaded the file, or corrected a row in it: you alone',
    );
    expect(hand(second, [maker.personId])).toBeUndefined();
    expect(inWords(hand({ ...checker, handedBy: maker.personId, confirmedBy: null }, [4]))).toContain(
      'kwan alone gave',
    );
    expect(inWords(hand({ ...checker, confirmedBy: null }, [4]))).toContain('the same admin alone');
    // That he had a part in it himself is said in words of its own.
    expect(hand(checker, [checker.personId])).toBeUndefined();
  });

  test('nor are they the same behind an account that the checker alone could sign in to', () => {
    expect(inWords(obstacle(first, maker))).toContain('you alone gave kwan the first password');
    expect(obstacle(second, maker)).toBeUndefined();
    // Two had a part in it, or nobody else was there to have one.
    expect(obstacle(first, { ...maker, confirmedBy: 2 })).toBeUndefined();
    expect(obstacle(first, maker, [first, maker])).toBeUndefined();
  });
});

describe('what a maker proposed', () => {
  const obstacle = (person: Person, restoredAtMs?: number) =>
    findMakerObstacle(person, 'propose', noonMs, restoredAtMs);

  test('is approved by nobody once he may propose it no more, or it is not known whether he may', () => {
    expect(obstacle(maker)).toBeUndefined();
    expect(inWords(obstacle({ ...maker, isDisabled: true }))).toContain('kwan, who proposed it, is disabled');
    expect(inWords(obstacle(checker))).toContain('a checker may not propose decisions');
    expect(inWords(obstacle(maker, maker.standsSinceMs))).toContain('since the journal was restored');
    expect(obstacle(maker, maker.standsSinceMs - 1)).toBeUndefined();
    // One who approves alone need not be one who proposes.
    expect(findMakerObstacle(checker, 'check', noonMs, undefined)).toBeUndefined();
  });
});

describe('a request of one admin', () => {
  const add = (role: Role): PersonRequest => ({ kind: 'add', name: 'new.one', displayName: 'New One', role });
  const policy: PersonRequest = { kind: 'policy', policy: { people: 1 } };
  const passkey: PersonRequest = { kind: 'confirm-passkey', personId: 5, credentialId: 'ab12' };
  const role = (personId: number, to: Role): PersonRequest => ({ kind: 'role', personId, role: to });
  const of = (kind: 'disable' | 'enable' | 'reset-password', personId: number) => ({ kind, personId });
  const disabledMaker = { ...maker, personId: 6, name: 'off.maker', isDisabled: true };
  const disabledChecker = { ...checker, personId: 7, name: 'off.checker', isDisabled: true };
  const lockedChecker = { ...checker, personId: 8, name: 'locked', lockedUntilMs: noonMs };
  const all = [...everybody, disabledMaker, disabledChecker, lockedChecker];

  test.each<readonly [string, PersonRequest]>([
    ['making a maker', add('maker')],
    ['making a viewer', add('viewer')],
    ['a viewer of a checker', role(5, 'viewer')],
    ['a checker of an admin, who may do less', role(2, 'checker')],
    ['disabling an admin', of('disable', 2)],
    ['enabling a maker', of('enable', 6)],
    ['unlocking a checker', of('enable', 8)],
    ['a new password for a maker', of('reset-password', 4)],
  ])('%s is done at once', (_, request) => {
    expect(decideRequest(request, first, known(all))).toEqual({ kind: 'applies' });
  });

  test.each<readonly [string, PersonRequest]>([
    ['making an admin', add('admin')],
    ['making a checker', add('checker')],
    ['a checker of a maker', role(4, 'checker')],
    ['an admin of a checker', role(5, 'admin')],
    ['enabling a checker', of('enable', 7)],
    ['a new password for a checker', of('reset-password', 5)],
    ['a new password for an admin', of('reset-password', 2)],
    ['a passkey', passkey],
    ['the policy', policy],
  ])('%s takes a second, once there have been two, and for ever', (_, request) => {
    expect(decideRequest(request, first, known(all))).toMatchObject({ kind: 'waits' });
    // To disable the other admin is no way around.
    const alone = all.map((one) =>
      one.adminSinceMs !== null && one !== first ? { ...one, isDisabled: true } : one,
    );
    expect(decideRequest(request, first, known(alone)).kind).not.toBe('applies');
    // Where there never was a second, the first does it.
    const never = all.filter((one) => one === first || one.adminSinceMs === null);
    const isAboutSecond = 'personId' in request && request.personId === second.personId;
    if (!isAboutSecond) expect(decideRequest(request, first, known(never))).toEqual({ kind: 'applies' });
  });

  test.each<readonly [string, PersonRequest, Person | null, string]>([
    ['a maker asks', add('viewer'), maker, 'a maker may not change users'],
    ['a disabled admin asks', add('viewer'), { ...first, isDisabled: true }, 'disabled'],
    ['the owner of the journal asks', add('admin'), null, 'only an admin'],
    ['the name is taken', { ...add('viewer'), name: 'MALI' } as PersonRequest, first, 'there is a user mali'],
    [
      'the name is none',
      { ...add('viewer'), name: '0812345678' } as PersonRequest,
      first,
      'begins with a letter',
    ],
    [
      'the full name steers',
      { ...add('viewer'), displayName: 'a\u001Bb' } as PersonRequest,
      first,
      'full name',
    ],
    ['nobody is meant', of('disable', 99), first, 'no such user'],
    ['nothing changes', role(4, 'maker'), first, 'is a maker already'],
    ['it is disabled', of('disable', 6), first, 'disabled already'],
    ['it is not', of('enable', 4), first, 'not disabled'],
    ['it is oneself', of('reset-password', 1), first, 'this is you'],
  ])('is refused when %s', (_, request, by, why) => {
    expect(inWords(decideRequest(request, by, known(all)))).toMatchObject({
      kind: 'refused',
      why: expect.stringContaining(why),
    });
  });

  test('leaves an admin, whoever asks', () => {
    const alone = [first, { ...second, isDisabled: true }, maker];
    for (const request of [of('disable', 1), role(1, 'viewer')])
      expect(inWords(decideRequest(request, first, known(alone)))).toMatchObject({
        why: expect.stringContaining('no user would be left'),
      });
  });

  test('is the first admin’s own, where there is nobody', () => {
    expect(decideRequest(add('admin'), null, known([]))).toEqual({ kind: 'applies' });
    expect(decideRequest(add('maker'), null, known([]))).toMatchObject({ kind: 'refused' });
    expect(findTwoAdminsSince([first, maker])).toBeUndefined();
    expect(findTwoAdminsSince(everybody)).toBe(noonMs + 1);
  });

  test('of whom a restored journal knew before counts no more', () => {
    expect(inWords(decideRequest(add('viewer'), first, known(all, later)))).toMatchObject({
      kind: 'refused',
      why: expect.stringContaining('paydrop user recover'),
    });
    const recovered = { ...first, standsSinceMs: later + 1 };
    const people = [recovered, ...all.slice(1)];
    expect(decideRequest(of('enable', 4), recovered, known(people, later))).toEqual({ kind: 'applies' });
    expect(decideRequest(of('enable', 5), recovered, known(people, later))).toMatchObject({ kind: 'waits' });
    expect(decideRequest(of('reset-password', 4), recovered, known(people, later))).toMatchObject({
      kind: 'refused',
    });
    expect(decideRequest(of('disable', 1), recovered, known(people, later))).toMatchObject({
      kind: 'refused',
    });
  });
});

describe('a second admin', () => {
  const request = { kind: 'role', personId: 4, role: 'checker' } as const;
  const figuresOf = (asked: PersonRequest) => ({ of: 'person', request: asked, name: '' }) as const;
  const change = (changes: Partial<PersonProposal> = {}): PersonProposal => ({
    proposalId: 1,
    decision: 'change-person',
    note: '',
    evidence: null,
    maker: first.name,
    people: 2,
    checker: null,
    checkedAtMs: null,
    checkNote: null,
    items: 1,
    totalSatang: zeroSatang,
    figures: figuresOf(request),
    digest: '0'.repeat(64),
    status: 'proposed',
    makerId: 1,
    madeAtMs: later,
    expiresAtMs: later + 7 * 86_400_000,
    seen: versionOf(maker),
    checkerId: null,
    endedAtMs: null,
    why: null,
    ...changes,
  });
  const confirm = (by: Person, one = change(), people = everybody, nowMs = later) =>
    decideConfirmation(one, by, known(people), nowMs);
  const day = 86_400_000;

  test('confirms what another has proposed', () => {
    expect(confirm(third)).toEqual({ kind: 'applies' });
    expect(confirm(third, change(), everybody, later + 7 * day - 1)).toEqual({ kind: 'applies' });
    // There is nobody else who could.
    expect(confirm(second, change(), [first, second, maker])).toEqual({ kind: 'applies' });
  });

  test.each<readonly [string, Person, Partial<PersonProposal>, string]>([
    ['the one who proposed it', first, {}, 'you proposed this'],
    ['whom it is about', third, { figures: figuresOf({ ...request, personId: 3 }) }, 'this is about you'],
    ['no admin', checker, {}, 'a checker may not'],
    ['an account that the proposer made alone, while others can', second, {}, 'boon can confirm it'],
    ['too late', third, { expiresAtMs: later }, 'has lapsed'],
    ['after its end', third, { status: 'withdrawn' }, 'was withdrawn'],
  ])('does not confirm as %s', (_, by, changes, why) => {
    expect(inWords(confirm(by, change(changes)))).toMatchObject({
      kind: 'refused',
      why: expect.stringContaining(why),
    });
  });

  test.each<readonly [string, readonly Person[], string]>([
    [
      'whoever proposed it is disabled',
      [{ ...first, isDisabled: true }, second, third, maker],
      'no longer an admin',
    ],
    ['the user changed meanwhile', [first, second, third, { ...maker, role: 'viewer' }], 'has changed since'],
    [
      'the user was given another password',
      [first, second, third, { ...maker, handedAtMs: later + 1 }],
      'has changed since',
    ],
  ])('finds it stale when %s', (_, people, why) => {
    expect(inWords(confirm(third, change(), [...people]))).toMatchObject({
      kind: 'stale',
      why: expect.stringContaining(why),
    });
  });

  test('finds it stale when the name was taken meanwhile', () => {
    const adding = change({
      figures: figuresOf({ kind: 'add', name: 'KWAN', displayName: 'K', role: 'admin' }),
      seen: '',
    });
    expect(inWords(confirm(third, adding))).toMatchObject({
      kind: 'stale',
      why: expect.stringContaining('already'),
    });
  });

  test('sends it back, and whoever proposed it withdraws it', () => {
    expect(decideSendingBack(change(), third, known(), later)).toEqual({ kind: 'sent-back' });
    expect(decideSendingBack(change(), first, known(), later)).toEqual({ kind: 'withdrawn' });
    expect(decideSendingBack(change({ status: 'applied' }), first, known(), later)).toMatchObject({
      kind: 'refused',
    });
    expect(decideSendingBack(change(), checker, known(), later)).toMatchObject({ kind: 'refused' });
    expect(decideSendingBack(change(), first, known(), later + 7 * day)).toMatchObject({ kind: 'refused' });
  });
});
