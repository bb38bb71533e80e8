/** The decisions that a person is offered: those that may be proposed now, and the reasons against the rest. */
import {
  type Argument,
  encodeMessage,
  isMessage,
  type Message,
  type MessageCode,
} from '../../core/message.ts';
import { type Action, can, type Person } from './people.ts';
import { countDeciders, describeOpen } from './proposal.ts';
import { type Decision, decisionTerms } from './terms.ts';

/** A decision, and whether it is possible now. */
export interface Possible<Name extends Decision> {
  readonly decision: Name;
  /** Undefined when the decision is possible. */
  readonly whyNot: Message | undefined;
}

/** Each of the decisions, with the reason where it is impossible. @param decide the changes that it makes, or the reason */
export const weigh = <Name extends Decision>(
  decisions: readonly Name[],
  decide: (decision: Name) => readonly object[] | Message,
): readonly Possible<Name>[] =>
  decisions.map((decision) => {
    const decided = decide(decision);
    return { decision, whyNot: isMessage(decided) ? decided : undefined };
  });

export interface Offer<Name extends Decision = Decision> extends Possible<Name> {
  /** The decision needs another person's approval. */
  readonly needsSecond: boolean;
  readonly needsEvidence: boolean;
}

/** The terms of an offer. A decision is checked again when it is proposed, and once more when it is applied. */
interface OfferTerms {
  readonly person: Pick<Person, 'role' | 'isDisabled'>;
  /** `review.people` as agreed. */
  readonly people: 1 | 2;
  /** The number of an undecided proposal about the same target. */
  readonly openProposal?: number | undefined;
  /** The permission that deciding takes; left out: proposing. */
  readonly action?: Action;
}

/** Returns the offers in the order of the options. */
export function decideOffers<Name extends Decision>(
  options: readonly Possible<Name>[],
  { person, people, openProposal, action = 'propose' }: OfferTerms,
): readonly Offer<Name>[] {
  const permission = can(person, action);
  const whyNone = openProposal === undefined ? undefined : describeOpen(openProposal);
  return options.map(({ decision, whyNot }) => ({
    decision,
    whyNot: whyNot ?? whyNone ?? (permission.allowed ? undefined : permission.why),
    needsSecond: countDeciders(decision, people, true) === 2,
    needsEvidence: decisionTerms[decision].needsEvidence,
  }));
}

// ---------------------------------------------------------------- many rows at once

/** A reason, and the number of rows that it applies to. */
export type CountedWhy = readonly [why: Message, rows: number];

/** Arguments that tell one row from another. */
const namesOfRows: ReadonlySet<string> = new Set([
  'payoutId',
  'row',
  'row2',
  'batch2',
  'file',
  'ref',
  'moment',
]);

const nameless = '…';

/** `paydrop show INV-1` becomes `paydrop show …`. */
const withoutTarget = (command: string): string => `${command.split(' ', 2).join(' ')} ${nameless}`;

function withoutName(code: MessageCode, name: string, argument: Argument): Argument {
  const isOwn = namesOfRows.has(name) || (name === 'batch' && code === 'place.payout');
  if (isOwn) return nameless;
  if (name === 'command' && typeof argument === 'string') return withoutTarget(argument);
  return isMessage(argument) ? withoutNames(argument) : argument;
}

/** Replaces the names by which a reason identifies its row. */
const withoutNames = ({ code, args }: Message): Message => ({
  code,
  args: Object.fromEntries(
    Object.entries(args).map(([name, argument]) => [name, withoutName(code, name, argument)]),
  ),
});

/** Counts reasons, the most frequent first; the reason of a single row keeps its names. */
export function countWhys(whys: Iterable<Message>): readonly CountedWhy[] {
  const groups = new Map<string, { readonly first: Message; rows: number }>();
  for (const why of whys) {
    const key = encodeMessage(withoutNames(why));
    const known = groups.get(key);
    if (known === undefined) groups.set(key, { first: why, rows: 1 });
    else known.rows += 1;
  }
  return [...groups.values()]
    .map(({ first, rows }) => [rows === 1 ? first : withoutNames(first), rows] as const)
    .toSorted(([, one], [, other]) => other - one);
}
