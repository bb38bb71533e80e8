/** The decisions that a person is offered: those that may be proposed now, and the reasons against the rest. */
import { type Action, can, type Person } from './people.ts';
import { countDeciders } from './proposal.ts';
import { type Decision, decisionTerms } from './terms.ts';

/** A decision, and whether it is possible now. */
interface Possible<Name extends Decision> {
  readonly decision: Name;
  /** Undefined when the decision is possible. */
  readonly whyNot: string | undefined;
}

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
  const whyNone =
    openProposal === undefined ? undefined : `proposal ${openProposal} is about it, and is not decided yet`;
  return options.map(({ decision, whyNot }) => ({
    decision,
    whyNot: whyNot ?? whyNone ?? (permission.allowed ? undefined : permission.why),
    needsSecond: countDeciders(decision, people, true) === 2,
    needsEvidence: decisionTerms[decision].needsEvidence,
  }));
}

// ---------------------------------------------------------------- many rows at once

/** A reason, and the number of rows that it applies to. */
export type CountedWhy = readonly [why: string, rows: number];

/** Replaces the names by which a reason identifies its row. */
const withoutNames = (why: string): string =>
  why
    .replaceAll(/\bpayout \S+ \(row \d+ of batch \w+\)/g, 'payout … (row … of batch …)')
    .replaceAll(/\brow \d+\b/g, 'row …');

/** Counts reasons, the most frequent first; the reason of a single row keeps its names. */
export function countWhys(whys: Iterable<string>): readonly CountedWhy[] {
  const groups = new Map<string, { readonly first: string; rows: number }>();
  for (const why of whys) {
    const known = groups.get(withoutNames(why));
    if (known === undefined) groups.set(withoutNames(why), { first: why, rows: 1 });
    else known.rows += 1;
  }
  return [...groups]
    .map(([general, { first, rows }]) => [rows === 1 ? first : general, rows] as const)
    .toSorted(([, one], [, other]) => other - one);
}
