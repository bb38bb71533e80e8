/** The pause of a payer account in the journal, shared by all machines, and the turn to probe whether it is over. */
import type { Clock } from '../core/ports.ts';
import type { PayerBreakerReader, PayerKey } from './ports.ts';
import type { BreakerState } from './rules/circuit-breaker.ts';
import { followPause, type KnownPause, openAgain, type SharedPauseFacts } from './rules/shared-pause.ts';
import type { Share } from './share.ts';

/** Interval in ms at which a machine reads what others have recorded. */
export const sharedPollMs = 1_000;

/** The part of an account's breaker in this process that is shared with other machines. */
interface OwnBreaker {
  readonly state: BreakerState;
  recordedPause: KnownPause | undefined;
  probeAgainAtMs: number;
  become(transfers: BreakerState): void;
}

/** The shared pause of one payer account. */
export class SharedPause {
  readonly #journal: Pick<PayerBreakerReader, 'payerPause'>;
  readonly #share: Pick<Share, 'takeProbe' | 'endProbe' | 'wasAnswered'>;
  readonly #payer: PayerKey;
  readonly #clock: Clock;

  constructor(
    { journal, share, clock }: { journal: PayerBreakerReader; share: Share; clock: Clock },
    payer: PayerKey,
  ) {
    this.#journal = journal;
    this.#share = share;
    this.#clock = clock;
    this.#payer = payer;
  }

  async #read(known: KnownPause | undefined): Promise<SharedPauseFacts> {
    const pause = await this.#journal.payerPause(this.#payer.companyId, this.#payer.payerAccount);
    const isAsked = pause === undefined && known !== undefined;
    return { pause, isAnswered: isAsked && (await this.#share.wasAnswered(this.#payer)) };
  }

  /** Applies what the others have recorded. */
  async follow(own: OwnBreaker): Promise<void> {
    const before = own.recordedPause;
    const facts = await this.#read(before);
    // Another run of this process recorded a pause meanwhile: the reading is out of date.
    if (own.recordedPause !== before) return;
    const { state, known } = followPause(own.state, before, facts, this.#clock.now());
    own.recordedPause = known;
    own.become(state);
  }

  /** Takes the turn to probe; false when another machine probes now, or no probe is needed any more. */
  async takeProbe(own: OwnBreaker): Promise<boolean> {
    const turn = await this.#share.takeProbe(this.#payer);
    switch (turn) {
      case 'held':
        own.probeAgainAtMs = this.#clock.elapsedMs() + sharedPollMs;
        return false;
      case 'answered':
        own.recordedPause = undefined;
        own.become(openAgain(own.state));
        return false;
      case 'taken':
        // News of the previous turn was recorded before the turn was returned.
        await this.follow(own);
        if (own.state.status === 'paused' && own.state.pausedUntilMs <= this.#clock.now()) return true;
        await this.tell(false);
        return false;
    }
  }

  /**
   * Returns the turn, if this machine has it, and tells the others whether the bank answers again. A turn that cannot
   * be returned expires by itself.
   */
  async tell(isAnswered: boolean): Promise<void> {
    await this.#share.endProbe(this.#payer, isAnswered).catch(() => {});
  }
}
