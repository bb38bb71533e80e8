/** The head of a day: what it stands for cannot be another without being noticed, and one event can be shown alone. */
import { hash } from 'node:crypto';
import { expect, test } from 'vitest';
import {
  composeDayHead,
  type DayHead,
  EventTree,
  findBrokenHead,
  findChangedStretch,
  findHeads,
  findOtherHead,
  type ProofStep,
  readDayHead,
  renderHead,
} from '../../../src/evidence/rules/day-head.ts';

type DayHeadFacts = Parameters<typeof composeDayHead>[0];

const nothing = { after: 0, upTo: 0, events: 0, root: null };

const makeHead = (changes: Partial<DayHeadFacts> = {}): DayHead =>
  composeDayHead({
    journalId: 'b3c1',
    number: 1,
    date: '20261121',
    before: null,
    stretches: { payouts: { after: 0, upTo: 3, events: 3, root: 'ab' }, people: nothing, proposals: nothing },
    ...changes,
  });

const next = (before: DayHead, changes: Partial<DayHeadFacts> = {}): DayHead => {
  const payouts = { after: 3, upTo: 3, events: 0, root: null };
  const stretches = { payouts, people: nothing, proposals: { ...nothing, upTo: 1, events: 1, root: 'cd' } };
  return makeHead({ number: 2, date: '20261122', before: before.hash, stretches, ...changes });
};

test('is lines that anybody can hash, and is read back from a file or a message', () => {
  const head = makeHead();
  expect(head.text).toBe(
    'paydrop day head v1\njournal b3c1\nnumber 1\nday 20261121\nbefore -\npayouts 0 3 3 ab\npeople 0 0 0 -\nproposals 0 0 0 -\n',
  );
  expect(head.hash).toBe(hash('sha256', head.text, 'hex'));
  const file = renderHead(head);
  const second = next(head);
  const message = `Dear Mali,\r\n${(file + renderHead(second)).replaceAll('\n', '\r\n')}Bye\r\n`;
  expect(findHeads(message).map((found) => readDayHead(found))).toEqual([head, second]);
  expect(findHeads('paydrop day head v1\nhead x\n')).toEqual([]);
  expect(readDayHead({ text: 'paydrop day head v2\n', hash: head.hash })).toBeUndefined();
});

/** The root that an event and its steps lead to. */
function climb(eventHash: string, steps: readonly ProofStep[]): string {
  const node = (left: string, right: string): string => hash('sha256', `node\n${left}\n${right}`, 'hex');
  return steps.reduce(
    (own, { side, hash: beside }) => (side === 'left' ? node(beside, own) : node(own, beside)),
    hash('sha256', `leaf\n${eventHash}`, 'hex'),
  );
}

test('a tree has the root that its leaves say, and each leaf climbs to it', () => {
  for (let events = 0; events <= 40; events += 1) {
    const tree = new EventTree();
    const shown = Array.from({ length: events }, (_, place): readonly [string, readonly ProofStep[]] => [
      `event ${place}`,
      tree.add(`event ${place}`, true),
    ]);
    const root = tree.root();
    expect(tree.events).toBe(events);
    expect(shown.filter(([event, steps]) => climb(event, steps) !== root)).toEqual([]);
    expect(Math.max(0, ...shown.map(([, steps]) => steps.length))).toBeLessThanOrEqual(6);
  }
  expect(new EventTree().root()).toBeNull();
});

/** What others compute years later: nodes over leaves, the left one as large a power of two as there is room for. */
test('the root of three events is written down', () => {
  const tree = new EventTree();
  for (const event of ['a', 'b', 'c']) tree.add(event);
  const sha256 = (text: string) => hash('sha256', text, 'hex');
  const [a, b, c] = ['a', 'b', 'c'].map((event) => sha256(`leaf\n${event}`));
  expect(tree.root()).toBe(sha256(`node\n${sha256(`node\n${a}\n${b}`)}\n${c}`));
});

test.each<readonly [string, (events: string[]) => string[]]>([
  ['one is another', (events) => events.with(2, 'x')],
  ['the last is gone', (events) => events.slice(0, -1)],
  ['two have changed places', ([one, other, ...rest]) => [other!, one!, ...rest]],
  ['one was put in', (events) => events.toSpliced(1, 0, 'x')],
  ['one is there twice', (events) => [...events, events.at(-1)!]],
])('another root: %s', (_, change) => {
  const rootOf = (events: readonly string[]) => {
    const tree = new EventTree();
    for (const event of events) tree.add(event);
    return [tree.events, tree.root()] as const;
  };
  const events = Array.from({ length: 5 }, (__, place) => `event ${place}`);
  const [count, root] = rootOf(events);
  const said = { after: 0, upTo: 5, events: count, root };
  expect(findChangedStretch(said, ...rootOf(events))).toBeUndefined();
  expect(findChangedStretch(said, ...rootOf(change(events)))).toBeDefined();
});

test('a chain of heads holds, and no head can be left out, changed or put elsewhere', () => {
  const first = makeHead();
  const second = next(first);
  expect(findBrokenHead(first, undefined)).toBeUndefined();
  expect(findBrokenHead(second, first)).toBeUndefined();
  expect(findBrokenHead(second, undefined)).toBe('it does not follow the head before it');
  expect(findBrokenHead(next(first, { number: 3 }), first)).toBe('it does not follow the head before it');
  expect(findBrokenHead(next(first, { before: 'ef' }), first)).toBe('it does not follow the head before it');
  expect(findBrokenHead(next(makeHead({ date: '20261120' })), first)).toBe(
    'it does not follow the head before it',
  );
  const text = first.text.replace('3 3 ab', '2 2 ab');
  expect(findBrokenHead({ ...first, text }, undefined)).toBe('its text is not the one that was hashed');
  const another = { text: 'x\n', hash: hash('sha256', 'x\n', 'hex') };
  expect(findBrokenHead(another, undefined)).toBe('it is written in another way');
});

test('a head from outside shows that the journal was written anew, however well', () => {
  const outside = makeHead();
  const rewritten = makeHead({ stretches: { ...outside.stretches, people: { ...nothing, upTo: 1 } } });
  expect(findBrokenHead(rewritten, undefined)).toBeUndefined();
  expect(findOtherHead(outside, outside)).toBeUndefined();
  expect(findOtherHead(outside, rewritten)).toContain('written anew');
  expect(findOtherHead(outside, undefined)).toContain('no head of that day');
  expect(findOtherHead({ ...outside, hash: rewritten.hash }, outside)).toContain('changed itself');
});
