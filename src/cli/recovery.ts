/** `--journal-lost --since DATE`: a person lets a journal go on that was lost or restored from an older copy. */
import { formatBangkokTime } from '../core/bangkok-time.ts';
import { describeLoss, isInQuestion, parseSince } from '../payout/rules/lost-journal.ts';
import { SettingsError } from '../settings/secrets.ts';
import type { Recovery } from '../store/loss.ts';
import type { Sender } from './sender.ts';

interface RecoveryOptions {
  readonly journalLost: boolean;
  readonly since: string | undefined;
}

/** @throws SettingsError when one of the two options is given without the other, or the day is none that makes sense */
export function readRecovery({ journalLost, since }: RecoveryOptions, nowMs: number): Recovery | undefined {
  if (!journalLost && since === undefined) return undefined;
  if (since === undefined) {
    throw new SettingsError(
      '--journal-lost needs --since YYYY-MM-DD: the first day of which the journal may miss something',
    );
  }
  if (!journalLost) throw new SettingsError('--since is for --journal-lost: give both, or neither');
  const reading = parseSince(since, nowMs);
  if (reading.kind === 'refused') throw new SettingsError(`--since: ${reading.why}`);
  return { sinceDate: reading.sinceDate };
}

/** Every run says that payouts are looked up first, until a person says that nothing is in question any more. */
export function tellOfLoss({ loss, log, clock, loaded }: Sender, isRecovering: boolean): void {
  if (isInQuestion(loss)) {
    log.info({ ...loss }, 'the journal was lost or restored');
    const beginsAtMs = loss.recoveredAtMs + loaded.settings.settle.notFoundTrustMs;
    const wait = beginsAtMs > clock.now() ? ` It is asked from ${formatBangkokTime(beginsAtMs)} on.` : '';
    process.stderr.write(`${describeLoss(loss)}${wait}\n`);
  } else if (isRecovering) {
    process.stderr.write('No day is in question any more: payouts are sent without asking the bank first.\n');
  }
}
