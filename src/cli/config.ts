/** `paydrop config`: the settings in effect, and whether the bank accepts the credentials. */
import type { CommandModule } from 'yargs';
import type { ProvedLogin } from '../app/open-bank.ts';
import type { LoadedSettings } from '../settings/settings.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { type GlobalOptions, loadCommandSettings } from './options.ts';

interface ConfigOptions extends GlobalOptions {
  readonly login: boolean;
}

export const configCommand: CommandModule<GlobalOptions, ConfigOptions> = {
  command: 'config',
  describe: 'print the effective settings, secrets masked',
  builder: (command) =>
    command
      .option('login', { type: 'boolean', default: false, describe: 'prove the credentials to the bank' })
      .example('$0 config', 'show what is in effect, defaults included')
      .example('$0 config --login', 'ask the bank whether it accepts the credentials'),
  handler: async (options) => {
    const loaded = await loadCommandSettings(options);
    if (options.login) process.exitCode = await proveLogin(loaded, options.json);
    else await printSettings(loaded, options.json);
  },
};

async function printSettings(loaded: LoadedSettings, json: boolean): Promise<void> {
  const { describeSettings } = await import('../settings/settings.ts');
  const { stringify } = await import('yaml');
  const shown = describeSettings(loaded);
  process.stdout.write(json ? `${JSON.stringify(shown, null, 2)}\n` : stringify(shown));
}

async function proveLogin(loaded: LoadedSettings, asJson: boolean): Promise<ExitCode> {
  const { proveCredentials } = await import('../app/open-bank.ts');
  const { print } = await import('./views/shown.ts');
  const { bankAddress, clientId, login } = await proveCredentials(loaded);
  const { exitCode, words } = explainLogin(login, clientId);
  const { isSandbox } = loaded;
  const text = `${bankAddress}${isSandbox ? ' (the sandbox)' : ''}: ${words}`;
  print({ json: { bankAddress, isSandbox, clientId, login, exitCode }, text }, asJson);
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
      const words = `the credentials of ${clientId} are refused (${login.code}): correct clientId and client secret`;
      return { exitCode: exitCodes.usage, words };
    }
    case 'no-answer':
      return { exitCode: exitCodes.stoppedShort, words: `nothing is proved: ${login.why}` };
  }
}
