/** `paydrop sandbox`: the sandbox bank as a server of its own. */
import { toLines } from '../core/outgoing-text.ts';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { requireCredentials, SettingsError } from '../settings/secrets.ts';
import type { LoadedSettings } from '../settings/settings.ts';
import { listenForInterrupt } from './interrupt.ts';
import {
  flagOption,
  type GlobalOptions,
  readCommandSettings,
  makeCommand,
  numberOption,
  textOption,
} from './options.ts';

const portMax = 65_535;
const ownSettingsFile = 'paydrop.yaml';

export const sandboxCommand = makeCommand({
  command: 'sandbox',
  describe: 'run the sandbox bank as a server of its own, until it is stopped',
  exits: { 0: 'stopped, as it was asked to' },
  builder: (command) =>
    command
      .option('port', numberOption(0, 'port to listen on; 0: a free one'))
      .option('state', textOption('file that keeps transfers and ledger across restarts'))
      .option('latency-ms', {
        type: 'number',
        requiresArg: true,
        describe: 'time that every answer takes, instead of latencyMs in the settings',
      })
      .option(
        'as-bank',
        flagOption('do not tell clients that it is a sandbox: they treat it as they would a real bank'),
      )
      .example('$0 sandbox --port 8080 --state bank.jsonl', 'a bank that remembers what it paid')
      .example('$0 sandbox --as-bank --state bank.jsonl', 'to rehearse all that is asked of a real bank')
      .example('$0 sandbox --config my-bank.yaml', 'with the payees and behaviours of your own settings')
      .epilogue('Settings: --config, else paydrop.yaml in this folder, else those that come with paydrop.\n'),
  run: async ({ port, state: stateFile, latencyMs, asBank, json, ...options }) => {
    checkNumbers(port, latencyMs);
    const loaded = await loadServedSettings(options);
    refuseRealBank(loaded);
    const { startSandboxFor, tokenUrlOf } = await import('../app/open-bank.ts');
    const { print } = await import('./views/shown.ts');
    using interrupt = listenForInterrupt(() => {});
    await using sandbox = await startSandboxFor(loaded, { port, stateFile, latencyMs, asBank });
    const facts = describeSandbox(loaded, sandbox, stateFile);
    const text = toLines(renderSandbox(facts, tokenUrlOf(sandbox.baseUrl)).split('\n'));
    print({ json: facts, text }, json);
    if (!interrupt.signal.aborted) await once(interrupt.signal, 'abort');
  },
});

function checkNumbers(port: number, latencyMs = 0): void {
  if (!Number.isInteger(port) || port < 0 || port > portMax) {
    throw new SettingsError(`--port takes a whole number from 0 to ${portMax}`);
  }
  if (!Number.isInteger(latencyMs) || latencyMs < 0) {
    throw new SettingsError('--latency-ms takes a whole number of milliseconds, 0 or more');
  }
}

/** The path fits src/ and dist/ alike. */
const packagedSettingsPath = fileURLToPath(new URL('../../config/sandbox.yaml', import.meta.url));

/**
 * The settings to serve. Settings without a sandbox section, such as those of a client of this very bank, get the payees
 * and behaviours that come with paydrop.
 */
async function loadServedSettings(
  options: Pick<GlobalOptions, 'config' | 'dataDir'>,
): Promise<LoadedSettings> {
  const packaged = { ...options, config: packagedSettingsPath };
  if (options.config === undefined && !existsSync(ownSettingsFile)) return readCommandSettings(packaged);
  const loaded = await readCommandSettings(options);
  if (loaded.settings.sandbox !== undefined) return loaded;
  const { settings } = await readCommandSettings(packaged);
  return { ...loaded, settings: { ...loaded.settings, sandbox: settings.sandbox } };
}

/** Refuses a real bank's settings: their credentials must never become those of a server that prints them. */
function refuseRealBank({ path, isSandbox, settings }: LoadedSettings): void {
  if (isSandbox || settings.bank.baseUrl.startsWith('http://')) return;
  throw new SettingsError(
    `${path} is about a real bank: give --config a file whose bank.baseUrl is sandbox or an address on this machine`,
  );
}

function describeSandbox(
  { settings: { bank }, credentials, isSandbox, path }: LoadedSettings,
  {
    baseUrl,
    controlToken,
    callbackUrl,
  }: Readonly<Record<'baseUrl' | 'controlToken' | 'callbackUrl', string>>,
  stateFile: string | undefined,
) {
  const { channelId, termId, companyId, payerAccount } = bank;
  const { clientId, clientSecret } = requireCredentials(credentials);
  const secretFrom = credentials.ok ? credentials.secretFrom : 'nowhere';
  // Hides a secret that the settings do not hold in plain text: it may have value.
  const isOpen = isSandbox || bank.clientSecret === clientSecret;
  return {
    baseUrl,
    controlToken,
    clientId,
    clientSecret: isOpen ? clientSecret : `(from ${secretFrom})`,
    channelId,
    termId,
    companyId,
    payerAccount,
    callbackUrl: callbackUrl === '' ? null : callbackUrl,
    settingsFile: path,
    stateFile: stateFile ?? null,
  };
}

/** Facts that an operator needs to use the bank. */
function renderSandbox(facts: ReturnType<typeof describeSandbox>, tokenUrl: string): string {
  const { baseUrl, clientId, clientSecret } = facts;
  return `The sandbox bank is open. It is a rehearsal: no money moves anywhere.

  address        ${baseUrl}
  client ID      ${clientId}
  client secret  ${clientSecret}
  company        ${facts.companyId}
  payer account  ${facts.payerAccount}
  control token  ${facts.controlToken}
  calls back     ${facts.callbackUrl ?? 'nowhere (sandbox.registration.callbackUrl)'}
  settings       ${facts.settingsFile}
  remembers      ${facts.stateFile ?? 'nothing after it stops (--state FILE)'}

Settings for paydrop (paydrop.yaml):

  bank:
    baseUrl: ${baseUrl}
    clientId: ${clientId}
    clientSecret: ${clientSecret}
    channelId: ${facts.channelId}
    termId: ${facts.termId}
    companyId: ${facts.companyId}
    payerAccount: '${facts.payerAccount}'

An access token, and what really moved so far:

  curl -s ${tokenUrl} -d client_id=${clientId} -d client_secret=${clientSecret}
  curl -s ${baseUrl}/ledger -H 'authorization: Bearer ${facts.controlToken}'

Ctrl-C stops it.`;
}
