/**
 * The head of a day: a few lines that cover every event up to the end of a Bangkok day, in the order of writing,
 * chained to the previous head. A copy outside shows whether the covered events were changed since; one event can be
 * proved to be covered without the others.
 */
import { hash } from 'node:crypto';
import { countOf, showCount } from '../../core/figures.ts';

/** The chains that a head covers. */
export const headChains = ['payouts', 'people', 'proposals'] as const;
export type HeadChain = (typeof headChains)[number];

/** Events of one chain by number: after `after`, up to and including `upTo`. */
export interface Stretch {
  readonly after: number;
  readonly upTo: number;
  readonly events: number;
  /** `EventTree.root` of their hashes; null without events. */
  readonly root: string | null;
}

interface DayHeadFacts {
  readonly journalId: string;
  /** Number, from 1, without a gap: a day without events has no head. */
  readonly number: number;
  /** YYYYMMDD in Bangkok. */
  readonly date: string;
  /** Hash of the previous head; null for the first. */
  readonly before: string | null;
  readonly stretches: Readonly<Record<HeadChain, Stretch>>;
}

/** A head as stored and handed out: the hash is the SHA-256 (hex) of the text. */
export interface HashedHead {
  readonly text: string;
  readonly hash: string;
}

export interface DayHead extends DayHeadFacts, HashedHead {}

const format = 'paydrop day head v1';

export function composeDayHead(facts: DayHeadFacts): DayHead {
  const stretches = headChains.map((chain) => {
    const { after, upTo, events, root } = facts.stretches[chain];
    return `${chain} ${after} ${upTo} ${events} ${root ?? '-'}`;
  });
  const place = [`journal ${facts.journalId}`, `number ${facts.number}`, `day ${facts.date}`];
  const lines = [format, ...place, `before ${facts.before ?? '-'}`, ...stretches];
  const text = `${lines.join('\n')}\n`;
  return { ...facts, text, hash: hash('sha256', text, 'hex') };
}

const headPattern =
  /^paydrop day head v1\njournal (\S+)\nnumber (\d+)\nday (\d{8})\nbefore (\S+)\n(payouts .+)\n(people .+)\n(proposals .+)\n$/v;

/** The content of a head; undefined for any other text. */
export function readDayHead({ text, hash: kept }: HashedHead): DayHead | undefined {
  const found = headPattern.exec(text);
  if (found === null) return undefined;
  const [, journalId = '', number, date = '', before, ...lines] = found;
  const [payouts, people, proposals] = lines.map(readStretch);
  if (payouts === undefined || people === undefined || proposals === undefined) return undefined;
  const place = { journalId, number: Number(number), date, before: before === '-' ? null : (before ?? null) };
  return { ...place, stretches: { payouts, people, proposals }, text, hash: kept };
}

function readStretch(line: string): Stretch {
  const [, after, upTo, events, root = '-'] = line.split(' ');
  return {
    after: Number(after),
    upTo: Number(upTo),
    events: Number(events),
    root: root === '-' ? null : root,
  };
}

/** A head as written into a file: without its last line, the file has the hash in that line. */
export const renderHead = ({ text, hash: kept }: HashedHead): string => `${text}head ${kept}\n`;

const handedOut = new RegExp(String.raw`(${format}\n(?:[a-z]+ .+\n)+?)head ([0-9a-f]{64})$`, 'gmv');

/** The heads in a file or a message, or in several, one after another. */
export const findHeads = (content: string): readonly HashedHead[] =>
  Array.from(content.replaceAll('\r\n', '\n').matchAll(handedOut), ([, text = '', kept = '']) => ({
    text,
    hash: kept,
  }));

/**
 * Name of the file of a day's head.
 * @param copy number from 2 on, when another file has the name
 */
export const headFileName = (date: string, copy = 1): string =>
  copy === 1 ? `heads-${date}.txt` : `heads-${date}-${copy}.txt`;

export const headFilePattern = /^heads-\d{8}(?:-\d+)?\.txt$/v;

// ---------------------------------------------------------------- the tree

/** One step from an event to the root: the neighbour's hash, and its side. */
export interface ProofStep {
  readonly side: 'left' | 'right';
  readonly hash: string;
}

const hashLeaf = (eventHash: string): string => hash('sha256', `leaf\n${eventHash}`, 'hex');
const hashNode = (left: string, right: string): string => hash('sha256', `node\n${left}\n${right}`, 'hex');

interface Subtree {
  readonly first: number;
  readonly leaves: number;
  readonly hash: string;
}

/**
 * One hash over the hashes of many events in order, as a tree (RFC 6962), so that one event is proved in few steps. It
 * holds as many subtrees as the count of events has binary digits.
 */
export class EventTree {
  readonly #subtrees: Subtree[] = [];
  readonly #proofs = new Map<number, ProofStep[]>();
  #events = 0;

  get events(): number {
    return this.#events;
  }

  /**
   * Adds an event.
   * @returns the steps to the root, complete after `root`; empty unless the event is to be proved
   */
  add(eventHash: string, isShown = false): readonly ProofStep[] {
    const steps: ProofStep[] = [];
    if (isShown) this.#proofs.set(this.#events, steps);
    let subtree: Subtree = { first: this.#events, leaves: 1, hash: hashLeaf(eventHash) };
    this.#events += 1;
    for (let left = this.#subtrees.at(-1); left?.leaves === subtree.leaves; left = this.#subtrees.at(-1)) {
      this.#subtrees.pop();
      subtree = this.#join(left, subtree);
    }
    this.#subtrees.push(subtree);
    return steps;
  }

  /** The root; null without events. Call it once, at the end. */
  root(): string | null {
    const [last, ...others] = this.#subtrees.toReversed();
    if (last === undefined) return null;
    let right = last;
    for (const left of others) right = this.#join(left, right);
    return right.hash;
  }

  #join(left: Subtree, right: Subtree): Subtree {
    for (const [place, steps] of this.#proofs) {
      if (place < left.first || place >= right.first + right.leaves) continue;
      if (place >= right.first) steps.push({ side: 'left', hash: left.hash });
      else steps.push({ side: 'right', hash: right.hash });
    }
    const leaves = left.leaves + right.leaves;
    return { first: left.first, leaves, hash: hashNode(left.hash, right.hash) };
  }
}

// ---------------------------------------------------------------- faults

/**
 * Reason why a stored head is not as made, before its events are checked.
 * @param before the previous head
 */
export function findBrokenHead(head: HashedHead, before: DayHead | undefined): string | undefined {
  if (hash('sha256', head.text, 'hex') !== head.hash) return 'its text is not the one that was hashed';
  const said = readDayHead(head);
  if (said === undefined) return 'it is written in another way';
  const follows = headChains.every(
    (chain) => said.stretches[chain].after === (before?.stretches[chain].upTo ?? 0),
  );
  const isNext = said.number === (before?.number ?? 0) + 1 && said.before === (before?.hash ?? null);
  return isNext && follows ? undefined : 'it does not follow the head before it';
}

/** Reason why the present events are not those that a head covers. */
export function findChangedStretch(said: Stretch, events: number, root: string | null): string | undefined {
  if (events !== said.events)
    return `it stands for ${countOf(said.events, 'event')}, and the journal has ${showCount(events)}`;
  return root === said.root ? undefined : 'an event that it stands for is another one than then';
}

/**
 * Reason why a head from outside differs from the journal's.
 * @param kept the journal's head of that day
 */
export function findOtherHead(outside: HashedHead, kept: HashedHead | undefined): string | undefined {
  if (hash('sha256', outside.text, 'hex') !== outside.hash)
    return 'it was changed itself: its hash is not that of its lines';
  if (kept === undefined) return 'the journal has no head of that day';
  return kept.hash === outside.hash
    ? undefined
    : 'the journal has another head of that day: it was written anew since';
}
