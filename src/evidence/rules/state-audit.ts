/** Checks the state of a payout, besides its status, against its chained history; and the holder of its payoutId. */
import { holdReasons, type HoldReason } from '../../core/payout.ts';
import { type ChainedPayout, showBankNames } from '../../review/rules/payout-chain.ts';

/** A payout with the other parts to compare with its history. */
export interface KeptPayout extends ChainedPayout {
  readonly holds: readonly HoldReason[];
  readonly acceptedHolds: readonly HoldReason[];
  readonly bankPayeeName: string | null;
  readonly bankPayeeNameTh: string | null;
}

/** The facts of an event's detail about the resulting state. */
interface Detail {
  readonly hold?: HoldReason;
  readonly lifted?: readonly HoldReason[];
  readonly holds?: readonly HoldReason[];
  readonly accepted?: readonly HoldReason[];
  readonly approvalGiven?: boolean;
  readonly asksFor?: string;
  readonly bankNames?: unknown;
}

/** Undefined for facts that no event has recorded. */
interface SaidState {
  readonly holds: ReadonlySet<HoldReason> | undefined;
  /** Most that can be accepted: for some, the history records it for a whole batch. */
  readonly accepted: ReadonlySet<HoldReason> | undefined;
  readonly bankNames: unknown;
  /** Time at which the row's instruction last changed; 0 before. */
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

/** Holds that, lifted for a whole batch, count as reviewed for its rows that had them. */
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
 * Reason why the state of a payout contradicts its history; undefined when it does not.
 * @param approvedAtMs time of the last approval of its whole batch; undefined before
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
  // After an erasure, their hash is stored instead.
  const isSaid = bankNames === null || typeof bankNames === 'string';
  return isSaid && bankNames !== showBankNames(payout)
    ? 'the name that the bank knows its payee by is not what its history says'
    : undefined;
}

/** Reasons why a claim on a payoutId contradicts its rows. */
export const claimFaults = {
  gone: 'it is gone, and a row holds the payoutId',
  free: 'it counts as given back, and a row holds the payoutId',
  other: 'another row has it than the one that holds the payoutId',
  foreign: 'the row that has it is another payoutId’s, or has given it back',
  attempts: 'it has counted another number of attempts than there are',
} as const;
type ClaimFault = keyof typeof claimFaults;

/** A claim that contradicts the rows of its payoutId. */
export interface ChangedClaim {
  readonly id: string;
  readonly fault: ClaimFault;
}
