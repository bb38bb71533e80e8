/** The built-in sandbox bank for settings that name it: it knows the very payer that the settings have. */
import { wireNames } from '../bank/wire.ts';
import { type Sandbox, startSandbox } from '../sandbox/server.ts';
import { parseSandboxTable } from '../sandbox/table.ts';
import { requireCredentials } from '../settings/secrets.ts';
import type { LoadedSettings } from '../settings/settings.ts';

export interface SandboxStart {
  /** 0 takes a free port. */
  readonly port?: number;
  readonly stateFile?: string | undefined;
  /** Instead of the table's. */
  readonly latencyMs?: number | undefined;
  /** Source of the bank's time, epoch milliseconds. */
  readonly now?: (() => number) | undefined;
}

/** Starts a sandbox with the table and the payer of these settings. */
export async function startSandboxFor(
  loaded: LoadedSettings,
  { port = 0, stateFile, latencyMs, now }: SandboxStart,
): Promise<Sandbox> {
  const { bank, sandbox } = loaded.settings;
  return startSandbox({
    ...parseSandboxTable(sandbox),
    ...requireCredentials(loaded.credentials),
    port,
    scheme: bank.scheme,
    companyId: bank.companyId,
    payerAccounts: [bank.payerAccount],
    stateFile,
    now,
    ...(latencyMs === undefined ? {} : { latencyMs }),
  });
}

/** Where a sandbox that listens here hands out its access tokens. */
export const tokenUrlOf = (baseUrl: string): string => `${baseUrl}${wireNames('proxy').paths.token}`;
