/** The decisions that a person is offered about something: what may be proposed now, and why the rest may not. */
import { type Action, can, type Person } from './people.ts';
import { countDeciders } from './proposal.ts';
import { type Decision, decisionTerms } from './terms.ts';

/** A decision that is possible now, or is not. */
interface Possible<Name extends Decision> {
  readonly decision: Name;
  /** Undefined when it is possible. */
  readonly whyNot: string | undefined;
}

export interface Offer<Name extends Decision = Decision> extends Possible<Name> {
  /** Another person has to approve it. */
  readonly needsSecond: boolean;
  readonly needsEvidence: boolean;
}

/** What is offered is asked again when it is proposed, and once more when it is applied. */
export interface OfferTerms {
  readonly person: Pick<Person, 'role' | 'isDisabled'>;
  /** `review.people` as agreed. */
  readonly people: 1 | 2;
  /** Of a proposal about the same thing that is not decided yet. */
  readonly openProposal?: number | undefined;
  /** What deciding takes of a person; proposing when it is left out. */
  readonly action?: Action;
}

/** In the order of the options. */
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

/** A reason, and of how many rows it is one. */
export type CountedWhy = readonly [why: string, rows: number];

/** Without the names by which a reason says which row it means. */
const withoutNames = (why: string): string =>
  why
    .replaceAll(/\bpayout \S+ \(row \d+ of batch \w+\)/g, 'payout … (row … of batch …)')
    .replaceAll(/\brow \d+\b/g, 'row …');

/** The most frequent first; one that is of a single row stays as it is. */
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
