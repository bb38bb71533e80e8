/** The channels of notices in the settings: a webhook, a program, or both. */
import type { Clock } from '../../core/ports.ts';
import { describeJournalRefused, type NoticeScene } from '../../notify/rules/notice-body.ts';
import type { NoticeSender } from '../../notify/rules/notice.ts';
import type { Logger } from '../../platform/log.ts';
import { requireWebhook } from '../../settings/secrets.ts';
import type { LoadedSettings } from '../../settings/settings.ts';
import { nameJournal } from '../journal/place.ts';
import { nameMachine } from '../machines/machine-place.ts';
import { readVersion } from '../version.ts';

/** @throws SettingsError when the settings ask for a webhook and there is no secret for it */
export async function makeSenders(
  { notices }: LoadedSettings,
  log: Logger,
  clock: Clock,
): Promise<readonly NoticeSender[]> {
  const senders: NoticeSender[] = [];
  const webhook = requireWebhook(notices.webhookUrl, notices.webhookSecret);
  if (webhook !== undefined) {
    const { makeWebhook } = await import('../../notify/webhook.ts');
    senders.push(makeWebhook({ ...webhook, version: readVersion(), clock }));
  }
  if (notices.command.length > 0) {
    const { makeCommand } = await import('../../notify/command.ts');
    const onEnd = (facts: object): void => log.debug(facts, 'the command for notices has ended');
    senders.push(makeCommand({ command: notices.command, env: process.env, clock, onEnd }));
  }
  return senders;
}

/** Origin of a notice, and how its commands find the same journal. */
export function makeScene(loaded: LoadedSettings, journalId: string, clock: Clock): NoticeScene {
  const { settings, isSandbox, path: settingsPath, dataDir, dataDirOption } = loaded;
  const { language } = settings.notices;
  const machine = nameMachine(settings.journal.machine);
  const place = { settingsPath, dataDir: dataDirOption };
  return { journalId, isSandbox, nowMs: clock.now(), machine, dataDir, place, language };
}

/** Longest wait of a failing command for the delivery of its notice. */
const atOnceMs = 10_000;

/** Reports a journal that may not be used. No journal can keep the notice: it is tried once. */
export async function notifyOfRefusal(
  loaded: LoadedSettings,
  why: string,
  log: Logger,
  clock: Clock,
): Promise<void> {
  try {
    const journal = nameJournal(loaded);
    // The journal's place stands for its id, which is unknown.
    const draft = describeJournalRefused(makeScene(loaded, journal, clock), journal, why);
    const senders = await makeSenders(loaded, log, clock);
    const stop = AbortSignal.timeout(atOnceMs);
    for (const { channel, send } of senders) {
      const sent = await send({ ...draft, seq: 0, channel, tries: 0 }, stop);
      if (!sent.ok)
        log.error({ channel, why: sent.why }, 'the notice of a refused journal was not delivered');
    }
  } catch (error) {
    log.error({ err: error }, 'the notice of a refused journal could not be made');
  }
}
