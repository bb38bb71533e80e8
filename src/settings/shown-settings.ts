/** The settings as they are shown: without secrets and whole account numbers. */
import { maskDigits } from '../core/proxy-id.ts';
import { maskJournalUrl } from './journal-url.ts';
import { maskWebAddress } from './secrets.ts';
import type { LoadedSettings } from './settings.ts';

/**
 * The settings in effect, for operators and programs, with secrets and the account masked. The sandbox's table is left
 * out: it is not a setting of paydrop.
 */
export function describeSettings(loaded: LoadedSettings): Record<string, unknown> {
  const { credentials, settings, notices, callbacks, journalUrl } = loaded;
  const { webhookSecret } = notices;
  const { sandbox: _table, ...ours } = settings;
  return {
    settingsFile: loaded.path,
    isSandbox: loaded.isSandbox,
    secretFrom: credentials.ok ? credentials.secretFrom : credentials.message,
    ...(!(journalUrl.ok && journalUrl.secret === '') && {
      journalUrlFrom: journalUrl.ok ? journalUrl.from : journalUrl.message,
    }),
    ...(webhookSecret && {
      webhookSecretFrom: webhookSecret.ok ? webhookSecret.from : webhookSecret.message,
    }),
    ...((callbacks.keys.ok || settings.registration.callbacks.port > 0) && {
      callbackKeysFrom: callbacks.keys.ok ? callbacks.keys.from : callbacks.keys.message,
    }),
    settings: {
      ...ours,
      dataDir: loaded.dataDir,
      folders: loaded.folders,
      bank: {
        ...ours.bank,
        clientId: credentials.ok ? credentials.clientId : (ours.bank.clientId ?? ''),
        clientSecret: credentials.ok ? '****' : '',
        payerAccount: maskDigits(ours.bank.payerAccount),
      },
      journal: { ...ours.journal, url: journalUrl.ok ? maskJournalUrl(journalUrl.secret) : '' },
      notices: {
        ...ours.notices,
        webhookUrl: maskWebAddress(notices.webhookUrl),
        webhookSecret: webhookSecret?.ok === true || ours.notices.webhookSecret !== undefined ? '****' : '',
        command: notices.command.map(maskWebAddress),
      },
      registration: {
        ...ours.registration,
        callbacks: {
          ...ours.registration.callbacks,
          keys: (callbacks.keys.ok ? callbacks.keys.keys : ours.registration.callbacks.keys).map(
            () => '****',
          ),
        },
      },
    },
  };
}
