/** `paydrop config`: the settings in effect, and whether the bank accepts the credentials. */
import type { CommandModule } from 'yargs';
import type { LoginOutcome } from '../bank/client.ts';
import type { LoadedSettings } from '../settings/settings.ts';
import { exitCodes } from './exit-codes.ts';
import type { ExitCode } from './exit-codes.ts';
import { loadCommandSettings } from './load-settings.ts';
import type { GlobalOptions } from './options.ts';

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
    if (options.login) process.exitCode = await proveCredentials(loaded, options.json);
    else await printSettings(loaded, options.json);
  },
};

async function printSettings(loaded: LoadedSettings, json: boolean): Promise<void> {
  const { describeSettings } = await import('../settings/settings.ts');
  const { stringify } = await import('yaml');
  const shown = describeSettings(loaded);
  process.stdout.write(json ? `${JSON.stringify(shown, null, 2)}\n` : stringify(shown));
}

async function proveCredentials(loaded: LoadedSettings, json: boolean): Promise<ExitCode> {
  const { requireCredentials } = await import('../settings/credentials.ts');
  const { startSandboxIfAsked } = await import('./bank.ts');
  const { proveLogin } = await import('../bank/client.ts');
  const { systemClock } = await import('../platform/clock.ts');
  const credentials = requireCredentials(loaded.credentials);
  await using stack = new AsyncDisposableStack();
  const baseUrl = await startSandboxIfAsked(loaded, stack, systemClock);
  const { scheme, timeoutMs } = loaded.settings.bank;
  const login = await proveLogin({ ...credentials, baseUrl, scheme, timeoutMs, clock: systemClock });
  const exitCode = exitCodeOf(login);
  const { clientId } = credentials;
  const { isSandbox } = loaded;
  process.stdout.write(
    json
      ? `${JSON.stringify({ bankAddress: baseUrl, isSandbox, clientId, login, exitCode })}\n`
      : `${baseUrl}${isSandbox ? ' (the sandbox)' : ''}: ${describeLogin(login, clientId)}\n`,
  );
  return exitCode;
}

function exitCodeOf(outcome: LoginOutcome): ExitCode {
  switch (outcome.kind) {
    case 'accepted':
      return exitCodes.ok;
    case 'refused':
      return exitCodes.usage;
    case 'no-answer':
      return exitCodes.stoppedShort;
  }
}

function describeLogin(outcome: LoginOutcome, clientId: string): string {
  switch (outcome.kind) {
    case 'accepted':
      return `the credentials of ${clientId} are accepted`;
    case 'refused':
      return `the credentials of ${clientId} are refused (${outcome.code}): correct clientId and client secret`;
    case 'no-answer':
      return `nothing is proved: ${outcome.why}`;
  }
}
