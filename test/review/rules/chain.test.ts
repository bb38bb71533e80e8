/** The chain of events: whatever is changed of it is found, and what names somebody can be erased. */
import { expect, test } from 'vitest';
import {
  chainEvent,
  findBrokenLink,
  type PersonEvent,
  type PersonEventDraft,
  readFacts,
} from '../../../src/review/rules/chain.ts';

function makeChain(): PersonEvent[] {
  const drafts: readonly Partial<PersonEventDraft>[] = [
    { subject: 1, kind: 'made', facts: { role: 'admin' }, cells: { name: 'mali', displayName: 'มะลิ' } },
    { subject: 2, kind: 'made', facts: { role: 'maker' }, cells: { displayName: 'Anan', name: 'anan' } },
    { subject: 1, kind: 'token-made', facts: { tokenId: 1 } },
    { subject: 2, kind: 'disabled', byPerson: 1 },
  ];
  const heads = new Map<number, string>();
  let salts = 0;
  return drafts.map((draft, place) => {
    const whole = {
      subject: 1,
      kind: 'made',
      atMs: 5 + place,
      byPerson: null,
      proof: 'owner',
      facts: {},
      cells: {},
    } as const;
    const { subject } = { ...whole, ...draft };
    const event = chainEvent(
      { ...whole, ...draft },
      place + 1,
      heads.get(subject) ?? null,
      () => `salt${(salts += 1)}`,
    );
    heads.set(subject, event.hash);
    return event;
  });
}

test('holds, and bears no name in what is hashed', () => {
  const chain = makeChain();
  expect(findBrokenLink(chain)).toBeUndefined();
  expect(chain.map(({ text }) => text).join()).not.toMatch(/mali|anan|มะลิ/i);
  expect(readFacts(chain[0]!)).toEqual({ role: 'admin' });
  expect(chain.map(({ previousHash }) => previousHash)).toEqual([null, null, chain[0]!.hash, chain[1]!.hash]);
  // What others check years later.
  expect(chain[3]!.text).toBe(
    `{"format":"paydrop person event v1","seq":4,"subject":2,"previousHash":"${chain[1]!.hash}","kind":"disabled",` +
      '"atMs":8,"byPerson":1,"proof":"owner","facts":{},"cells":{}}',
  );
});

test('holds after names were erased', () => {
  expect(findBrokenLink(makeChain().map((event) => ({ ...event, cells: null })))).toBeUndefined();
});

const change = (place: number, changes: Partial<PersonEvent>) => (chain: PersonEvent[]) =>
  chain.map((event, at) => (at === place ? { ...event, ...changes } : event));

test.each<readonly [string, (chain: PersonEvent[]) => PersonEvent[], number]>([
  ['an event that is gone', (chain) => chain.toSpliced(1, 1), 2],
  ['the first one gone', (chain) => chain.slice(1), 1],
  ['an event twice', (chain) => [chain[0]!, chain[0]!, ...chain.slice(1)], 2],
  ['another kind', change(3, { kind: 'enabled' }), 4],
  ['another hand', change(3, { byPerson: 2 }), 4],
  ['another time', change(0, { atMs: 6 }), 1],
  [
    'another name',
    change(1, {
      cells: { displayName: { salt: 'salt3', value: 'Boon' }, name: { salt: 'salt4', value: 'anan' } },
    }),
    2,
  ],
  ['another text', (chain) => change(0, { text: chain[0]!.text.replace('admin', 'maker') })(chain), 1],
  [
    'another text with its hash',
    (chain) => {
      const first = chainEvent(
        {
          subject: 1,
          kind: 'made',
          atMs: 5,
          byPerson: null,
          proof: 'owner',
          facts: { role: 'maker' },
          cells: {},
        },
        1,
        null,
        () => '',
      );
      return [first, ...chain.slice(1)];
    },
    3,
  ],
])('%s is found', (_, tamper, seq) => {
  expect(findBrokenLink(tamper(makeChain()))).toMatchObject({ seq });
});
