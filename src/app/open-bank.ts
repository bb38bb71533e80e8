/** Opens the bank that the settings name; starts the built-in sandbox where they ask for it. */
import { isIPv6 } from 'node:net';
import type { BankClientOptions, ExchangeRecord, LoginOutcome } from '../bank/client.ts';
import type { ReserveSlots } from '../bank/rate.ts';
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
  /** The bank's actual address: the built-in sandbox takes a free port. */
  readonly bankAddress: string;
}

interface BankOpening {
  readonly clock?: Clock;
  readonly onExchange?: ((record: ExchangeRecord) => void) | undefined;
  /** Called with the `Date` header of every answer. */
  readonly onDate?: (bankDateMs: number | undefined) => void;
  /** Reserves requests from the rate of all machines together; left out where this process alone counts. */
  readonly reserveSlots?: ReserveSlots | undefined;
  /** Access token shared by all machines, if the settings say so; left out where this process is alone. */
  readonly tokenPlace?: BankClientOptions['tokenPlace'];
  /** Ledger file of a built-in sandbox; no ledger when left out. */
  readonly stateFile?: string;
}

/** Opens the bank; the stack's owner closes it, and the sandbox after it. */
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
  // A built-in sandbox knows only the tokens of its own process.
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

/** Address of the bank; starts a built-in sandbox first where the settings ask for one. */
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

/** Callback address of these settings, which a built-in sandbox uses in place of its table's. */
function describeListener({ settings, callbacks }: LoadedSettings): SandboxStart['calledBack'] {
  const { address, port, path } = settings.registration.callbacks;
  const [apiKey] = callbacks.keys.ok ? callbacks.keys.keys : [];
  if (port === 0 || apiKey === undefined) return undefined;
  const scheme = callbacks.tls === undefined ? 'http' : 'https';
  const host = isIPv6(address) ? '[::1]' : '127.0.0.1';
  return { callbackUrl: `${scheme}://${host}:${port}${path}`, apiKey };
}

interface SandboxStart {
  /** 0 takes a free port. */
  readonly port?: number;
  readonly stateFile?: string | undefined;
  /** Replaces the table's. */
  readonly latencyMs?: number | undefined;
  /** True: no reply says that it is a sandbox. */
  readonly asBank?: boolean;
  /** Source of the bank's time, epoch milliseconds. */
  readonly now?: (() => number) | undefined;
  /** Waits by the same time. */
  readonly sleep?: Clock['sleep'] | undefined;
  /** Address for the outcomes of registrations, in place of the table's. */
  readonly calledBack?: { readonly callbackUrl: string; readonly apiKey: string } | undefined;
}

/** Starts a sandbox with these settings' table and payer. */
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

/** Token address of a sandbox that listens on this machine. */
export const tokenUrlOf = (baseUrl: string): string => `${baseUrl}${wireNames('proxy').paths.token}`;

export interface ProvedLogin {
  readonly bankAddress: string;
  readonly clientId: string;
  readonly login: LoginOutcome;
}

/** Asks the bank whether it accepts the credentials, and the token they yield. @throws SettingsError without credentials */
export async function proveCredentials(loaded: LoadedSettings): Promise<ProvedLogin> {
  const credentials = requireCredentials(loaded.credentials);
  const { proveLogin } = await import('../bank/client.ts');
  await using stack = new AsyncDisposableStack();
  const baseUrl = await startSandboxIfAsked(loaded, stack, systemClock);
  const login = await proveLogin({ ...loaded.settings.bank, ...credentials, baseUrl, clock: systemClock });
  return { bankAddress: baseUrl, clientId: credentials.clientId, login };
}
