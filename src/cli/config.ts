/** `paydrop config`: the settings in effect, and whether the bank accepts the credentials. */
import { inEnglishIfAny } from '../core/message.ts';
import type { ProvedLogin } from '../app/open-bank.ts';
import { showText, toLines } from '../core/outgoing-text.ts';
import { findBankStatus } from '../core/status-codes.ts';
import type { LoadedSettings } from '../settings/settings.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { printText, say, sayFailure } from './output.ts';
import { flagOption, loadCommandSettings, makeCommand } from './options.ts';

export const configCommand = makeCommand({
  command: 'config',
  describe: 'print the effective settings, secrets masked',
  exits: {
    0: 'shown, and complete; with --login: the bank accepts the credentials',
    2: 'the settings are wrong, or a secret is missing or cannot be read; with --login: the bank refuses the credentials',
    6: 'with --login: the bank is out of reach',
  },
  builder: (command) =>
    command
      .option('login', flagOption('prove the credentials to the bank, and the token that they bring'))
      .example('$0 config', 'show what is in effect, defaults included')
      .example('$0 config --login', 'ask the bank whether it accepts the credentials'),
  run: async ({ login, json, ...options }) => {
    const loaded = await loadCommandSettings(options);
    if (login) return await proveLogin(loaded, json);
    const { describeSettings } = await import('../settings/shown-settings.ts');
    const { encodeResult } = await import('./views/shown.ts');
    const { stringify } = await import('yaml');
    const shown = describeSettings(loaded);
    printText(json ? encodeResult(shown, 2) : toLines(stringify(shown).trimEnd().split('\n')));
    for (const { text } of loaded.notes) say(`paydrop: note: ${text}`);
    let exitCode: ExitCode = exitCodes.ok;
    for (const reading of [loaded.credentials, loaded.journalUrl]) {
      if (reading.ok) continue;
      sayFailure(`paydrop: ${reading.message}`);
      exitCode = exitCodes.usage;
    }
    return exitCode;
  },
});

async function proveLogin(loaded: LoadedSettings, asJson: boolean): Promise<ExitCode> {
  const { proveCredentials } = await import('../app/open-bank.ts');
  const { print } = await import('./views/shown.ts');
  const { bankAddress, clientId, login } = await proveCredentials(loaded);
  const { exitCode, words } = explainLogin(login, clientId);
  const { isSandbox } = loaded;
  const text = `${bankAddress}${isSandbox ? ' (the sandbox)' : ''}: ${words}`;
  print({ json: { bankAddress, isSandbox, clientId, login, exitCode }, text: showText(text) }, asJson);
  return exitCode;
}

function explainLogin(
  login: ProvedLogin['login'],
  clientId: string,
): { readonly exitCode: ExitCode; readonly words: string } {
  switch (login.kind) {
    case 'accepted':
      return { exitCode: exitCodes.ok, words: `the credentials of ${clientId} are accepted` };
    case 'refused': {
      const words = login.isToken
        ? `the credentials of ${clientId} are accepted, and the service refuses us (${login.code}): ${serviceRemedy(login.code)}`
        : `the credentials of ${clientId} are refused (${login.code}): correct clientId and client secret`;
      return { exitCode: exitCodes.usage, words };
    }
    case 'no-answer':
      return { exitCode: exitCodes.stoppedShort, words: `nothing is proved: ${login.why}` };
  }
}

const serviceRemedy = (code: string): string =>
  inEnglishIfAny(findBankStatus(code)?.remedy) || 'ask the bank whether they are subscribed to the service';
