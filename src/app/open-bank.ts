/** The way to the bank that the settings name; the built-in sandbox is started where they ask for it. */
import { isIPv6 } from 'node:net';
import type { BankClientOptions, ExchangeRecord, LoginOutcome } from '../bank/client.ts';
import type { StatementBank } from '../bank/statement-request.ts';
import { wireNames } from '../bank/wire.ts';
import type { Bank, RegistrationBank } from '../core/bank-port.ts';
import type { Clock } from '../core/ports.ts';
import { systemClock } from '../platform/clock.ts';
import type { Logger } from '../platform/log.ts';
import type { Sandbox } from '../sandbox/server.ts';
import { requireCredentials } from '../settings/secrets.ts';
import { isBuiltInSandbox, type LoadedSettings } from '../settings/settings.ts';

export interface OpenedBank {
  readonly bank: Bank & StatementBank & RegistrationBank;
  /** Where the bank really listens: the built-in sandbox takes a free port. */
  readonly bankAddress: string;
}

export interface BankOpening {
  readonly clock?: Clock;
  readonly onExchange?: ((record: ExchangeRecord) => void) | undefined;
  /** Told of the `Date` header of every answer. */
  readonly onDate?: (bankDateMs: number | undefined) => void;
  /** Reserves the bank's turns from all machines together; left out where this process alone counts. */
  readonly reserveSlots?: BankClientOptions['reserveSlots'];
  /** Where all machines together keep an access token, should the settings say so; left out as above. */
  readonly tokenPlace?: BankClientOptions['tokenPlace'];
  /** Where a built-in sandbox keeps its ledger; nowhere when left out. */
  readonly stateFile?: string;
}

/** Opens the bank; whoever owns the stack closes it, and the sandbox after it. */
export async function openBank(
  loaded: LoadedSettings,
  log: Logger,
  stack: AsyncDisposableStack,
  { clock = systemClock, stateFile, onExchange, onDate, reserveSlots, tokenPlace }: BankOpening = {},
): Promise<OpenedBank> {
  const { makeBankClient } = await import('../bank/client.ts');
  const bankAddress = await startSandboxIfAsked(loaded, stack, clock, stateFile);
  const { channelId, termId, companyId, payerAccount, scheme, timeoutMs, requestsPerSecond, accessToken } =
    loaded.settings.bank;
  // A sandbox that is built in knows the tokens of its own process alone.
  const isShared = accessToken === 'shared' && !isBuiltInSandbox(loaded.settings);
  const bank = makeBankClient({
    ...requireCredentials(loaded.credentials),
    baseUrl: bankAddress,
    channelId,
    termId,
    companyId,
    payerAccount,
    scheme,
    timeoutMs,
    requestsPerSecond,
    reserveSlots,
    tokenPlace: isShared ? tokenPlace : undefined,
    clock,
    ...(onDate === undefined ? {} : { onDate }),
    onExchange: (record) => {
      log.debug(record, 'bank call');
      onExchange?.(record);
    },
  });
  stack.use(bank);
  return { bank, bankAddress };
}

/** The address of the bank, a built-in sandbox being started first where the settings ask for one. */
async function startSandboxIfAsked(
  loaded: LoadedSettings,
  stack: AsyncDisposableStack,
  clock: Clock,
  stateFile?: string,
): Promise<string> {
  if (!isBuiltInSandbox(loaded.settings)) return loaded.settings.bank.baseUrl;
  const sandbox = await startSandboxFor(loaded, {
    stateFile,
    calledBack: describeListener(loaded),
    now: () => clock.now(),
    sleep: (ms, signal) => clock.sleep(ms, signal),
  });
  stack.defer(() => sandbox.close());
  return sandbox.baseUrl;
}

/** Where these very settings listen for callbacks: what is built in calls there, whatever its table says. */
function describeListener({ settings, callbacks }: LoadedSettings): SandboxStart['calledBack'] {
  const { address, port, path } = settings.registration.callbacks;
  const [apiKey] = callbacks.keys.ok ? callbacks.keys.keys : [];
  if (port === 0 || apiKey === undefined) return undefined;
  const scheme = callbacks.tls === undefined ? 'http' : 'https';
  const host = isIPv6(address) ? '[::1]' : '127.0.0.1';
  return { callbackUrl: `${scheme}://${host}:${port}${path}`, apiKey };
}

export interface SandboxStart {
  /** 0 takes a free port. */
  readonly port?: number;
  readonly stateFile?: string | undefined;
  /** Instead of the table's. */
  readonly latencyMs?: number | undefined;
  /** True: no reply says that it is a sandbox. */
  readonly asBank?: boolean;
  /** Source of the bank's time, epoch milliseconds. */
  readonly now?: (() => number) | undefined;
  /** Waits by the same time. */
  readonly sleep?: Clock['sleep'] | undefined;
  /** Where outcomes of registrations are told, instead of the table's. */
  readonly calledBack?: { readonly callbackUrl: string; readonly apiKey: string } | undefined;
}

/** Starts a sandbox with the table of these settings: it knows the very payer that they have. */
export async function startSandboxFor(
  loaded: LoadedSettings,
  { port = 0, stateFile, latencyMs, asBank, now, sleep, calledBack }: SandboxStart,
): Promise<Sandbox> {
  const { startSandbox } = await import('../sandbox/server.ts');
  const { parseSandboxTable } = await import('../sandbox/table.ts');
  const { bank, sandbox } = loaded.settings;
  const table = parseSandboxTable(sandbox);
  return startSandbox({
    ...table,
    registration: { ...table.registration, ...calledBack },
    ...requireCredentials(loaded.credentials),
    port,
    scheme: bank.scheme,
    companyId: bank.companyId,
    payerAccounts: [bank.payerAccount],
    stateFile,
    asBank,
    now,
    sleep,
    ...(latencyMs === undefined ? {} : { latencyMs }),
  });
}

/** Where a sandbox that listens here hands out its access tokens. */
export const tokenUrlOf = (baseUrl: string): string => `${baseUrl}${wireNames('proxy').paths.token}`;

export interface ProvedLogin {
  readonly bankAddress: string;
  readonly clientId: string;
  readonly login: LoginOutcome;
}

/** Asks the bank whether it accepts the credentials, and the token that they bring. @throws SettingsError where there are none */
export async function proveCredentials(loaded: LoadedSettings): Promise<ProvedLogin> {
  const credentials = requireCredentials(loaded.credentials);
  const { proveLogin } = await import('../bank/client.ts');
  await using stack = new AsyncDisposableStack();
  const baseUrl = await startSandboxIfAsked(loaded, stack, systemClock);
  const login = await proveLogin({ ...loaded.settings.bank, ...credentials, baseUrl, clock: systemClock });
  return { bankAddress: baseUrl, clientId: credentials.clientId, login };
}
