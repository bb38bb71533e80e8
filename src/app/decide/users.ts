/** Opens the journal for commands about users, and sends the notices of their changes. */
import { systemClock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/log.ts';
import { agreeSettings } from '../../review/policy.ts';
import { identifyPerson } from '../../review/tokens.ts';
import type { UserSession } from '../../review/shell/users.ts';
import type { LoadedSettings } from '../../settings/settings.ts';
import type { Store } from '../../store/store.ts';
import { findSenderOf } from '../machines/find-sender.ts';
import { openNotifier } from '../notices/notifier.ts';
import { PersonNotices } from '../notices/persons.ts';
import { requireJournal } from '../open-store.ts';

/**
 * Opens the journal; closing it sends notices of the changes.
 * @throws SettingsError without a journal
 */
export async function openUsers(loaded: LoadedSettings, logger: Logger): Promise<UserSession> {
  const journal = await requireJournal(loaded);
  return {
    journal,
    log: (level, message, facts) => logger[level](facts, message),
    asker: async () => (await identifyPerson(loaded, journal)) ?? null,
    [Symbol.asyncDispose]: async () => {
      await notifyOfPersons(loaded, journal, logger);
      await journal[Symbol.asyncDispose]();
    },
  };
}

/** Longest wait at the end of a command for the delivery of notices; the next sender tries the rest. */
const deliveryMs = 10_000;

/** Sends notices of changes of users; the next sender delivers what fails. */
export async function notifyOfPersons(loaded: LoadedSettings, journal: Store, log: Logger): Promise<void> {
  try {
    // Once there are two admins, the agreement begins with what the settings say now.
    await agreeSettings(loaded, journal);
    const notifier = await openNotifier({ loaded, journal, log, clock: systemClock });
    await new PersonNotices(journal, notifier).notify();
    // A running sender delivers what is kept.
    if ((await findSenderOf(loaded, journal)) === undefined)
      await notifier.deliverOnce(AbortSignal.timeout(deliveryMs));
  } catch (error) {
    log.error({ err: error }, 'the notices of changed users could not be made');
  }
}
