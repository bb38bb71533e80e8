/** Whether the state of a payout, beside its status, is what its chained history says; and who has its payoutId. */
import { holdReasons, type HoldReason } from '../../core/payout.ts';
import { type ChainedPayout, showBankNames } from '../../review/rules/payout-chain.ts';

/** A payout with what its history is held against besides. */
export interface KeptPayout extends ChainedPayout {
  readonly holds: readonly HoldReason[];
  readonly acceptedHolds: readonly HoldReason[];
  readonly bankPayeeName: string | null;
  readonly bankPayeeNameTh: string | null;
}

/** What the detail of an event says of the state that it leaves behind. */
interface Detail {
  readonly hold?: HoldReason;
  readonly lifted?: readonly HoldReason[];
  readonly holds?: readonly HoldReason[];
  readonly accepted?: readonly HoldReason[];
  readonly approvalGiven?: boolean;
  readonly asksFor?: string;
  readonly bankNames?: unknown;
}

/** Undefined is what an older program has not said. */
interface SaidState {
  readonly holds: ReadonlySet<HoldReason> | undefined;
  /** At most these: of some it is told for a whole batch that they may be. */
  readonly accepted: ReadonlySet<HoldReason> | undefined;
  readonly bankNames: unknown;
  /** When the row came to ask for something else; 0 before. */
  readonly askedAtMs: number;
}

const unsaid: SaidState = { holds: undefined, accepted: undefined, bankNames: undefined, askedAtMs: 0 };

type Event = ChainedPayout['events'][number];

function foldHolds(
  holds: SaidState['holds'],
  { cause, to }: Event,
  { hold, lifted = [], holds: said }: Detail,
): SaidState['holds'] {
  if (said !== undefined) return new Set(said);
  if (cause === 'sealed') return to === 'rejected' ? new Set() : undefined;
  if (holds === undefined) return undefined;
  if (to === 'cancelled') return new Set();
  const added = cause === 'hold-added' && hold !== undefined ? [hold] : [];
  return new Set([...holds, ...added].filter((one) => !lifted.includes(one)));
}

/** Lifted for a whole batch, these count as looked at for those rows of it that had them so. */
const acceptedByBatch: readonly HoldReason[] = ['approval', 'similar'];

function foldAccepted(
  accepted: SaidState['accepted'],
  { cause }: Event,
  detail: Detail,
  isKnown: boolean,
): SaidState['accepted'] {
  const { lifted = [], asksFor, approvalGiven, accepted: said, holds } = detail;
  if (cause === 'sealed') return isKnown ? new Set() : undefined;
  const kept = [...(accepted ?? [])].filter((hold) => hold !== 'approval' || asksFor === undefined);
  const given: readonly HoldReason[] = approvalGiven === true ? ['approval'] : [];
  const ofBatch = holds === undefined ? lifted.filter((hold) => acceptedByBatch.includes(hold)) : [];
  if (said !== undefined)
    return new Set([...kept.filter((hold) => hold === 'approval'), ...said, ...given, ...ofBatch]);
  return accepted === undefined ? undefined : new Set([...kept, ...given, ...ofBatch]);
}

function foldState(before: SaidState, event: Event): SaidState {
  const detail = JSON.parse(event.detail) as Detail;
  const holds = foldHolds(before.holds, event, detail);
  return {
    holds,
    accepted: foldAccepted(before.accepted, event, detail, holds !== undefined),
    bankNames: detail.bankNames === undefined ? before.bankNames : detail.bankNames,
    askedAtMs: detail.asksFor === undefined ? before.askedAtMs : event.atMs,
  };
}

const list = (holds: Iterable<HoldReason>): string => {
  const all = new Set(holds);
  const words = holdReasons.filter((hold) => all.has(hold)).join(', ');
  return words === '' ? 'nothing' : words;
};

/**
 * Why the state of a payout is not what its history says; undefined when it is.
 * @param approvedAtMs when its whole batch was last approved; undefined before
 */
export function findChangedState(payout: KeptPayout, approvedAtMs: number | undefined): string | undefined {
  let said = unsaid;
  for (const event of payout.events) said = foldState(said, event);
  const { holds, accepted, bankNames, askedAtMs } = said;
  if (holds !== undefined && list(holds) !== list(payout.holds))
    return `it is held for ${list(payout.holds)}, and its history says ${list(holds)}`;
  const isOfBatch = approvedAtMs !== undefined && approvedAtMs >= askedAtMs;
  const more = payout.acceptedHolds.filter(
    (hold) => accepted !== undefined && !accepted.has(hold) && !(hold === 'approval' && isOfBatch),
  );
  if (more.length > 0) return `${list(more)} counts as accepted, and nothing in its history says so`;
  // Once they were erased, their hash stands there.
  const isSaid = bankNames === null || typeof bankNames === 'string';
  return isSaid && bankNames !== showBankNames(payout)
    ? 'the name that the bank knows its payee by is not what its history says'
    : undefined;
}

/** Why a claim on a payoutId is not what its rows say. */
export const claimFaults = {
  gone: 'it is gone, and a row holds the payoutId',
  free: 'it counts as given back, and a row holds the payoutId',
  other: 'another row has it than the one that holds the payoutId',
  foreign: 'the row that has it is another payoutId’s, or has given it back',
  attempts: 'it has counted another number of attempts than there are',
} as const;
export type ClaimFault = keyof typeof claimFaults;

/** A claim that is not what the rows of its payoutId say. */
export interface ChangedClaim {
  readonly id: string;
  readonly fault: ClaimFault;
}
