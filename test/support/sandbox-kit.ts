/** A sandbox bank of its own for each test, and a partner who speaks to it over HTTP. */
import { request } from 'node:http';
import { onTestFinished } from 'vitest';
import { wireNames } from '../../src/bank/wire.ts';
import type { SandboxOptions } from '../../src/sandbox/bank.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts';
import { makeVirtualClock, type VirtualClock } from './virtual-clock.ts';

export const clientId = 'partner-app';
export const clientSecret = 'partner-secret';
export const companyId = 'COMP000001';
export const payerAccount = '0000345924';

/** Noon in Bangkok on 21 November 2026. */
export const noonMs = Date.parse('2026-11-21T12:00:00+07:00');

export type Fields = Readonly<Record<string, unknown>>;

export interface Heard {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** What came back, or how it failed to: "closed", "cut" or "silence". */
export type Outcome = Heard | 'closed' | 'cut' | 'silence';

/** So long an answer may take on a busy machine. */
const patienceMs = 60_000;
/** For those that expect none. */
export const silenceMs = 250;

interface Message {
  readonly path: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly method?: string;
}

/** Speaks plain HTTP; a fault is an outcome like any other. Only where silence is expected does it take its time. */
export function speak(
  baseUrl: string,
  { path, body, headers, method = 'POST' }: Message,
  waitMs = patienceMs,
): Promise<Outcome> {
  return new Promise((resolve) => {
    const outgoing = request(`${baseUrl}${path}`, { method, headers: headers ?? {} }, (incoming) => {
      let text = '';
      incoming.setEncoding('utf8');
      incoming.on('data', (chunk: string) => {
        text += chunk;
      });
      incoming.on('end', () =>
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text }),
      );
      incoming.on('error', () => resolve('cut'));
    });
    outgoing.setTimeout(waitMs, () => {
      resolve('silence');
      outgoing.destroy();
    });
    outgoing.on('error', () => resolve('closed'));
    outgoing.end(body);
  });
}

export interface TestBank {
  readonly sandbox: Sandbox;
  readonly clock: VirtualClock;
  /** How long the partner waits for an answer. */
  waitMs: number;
  /** The bearer token in use; a test may replace it. */
  token: string;
  /** Gets a token that is valid now. */
  renew(): Promise<void>;
  send(endpoint: 'payeeCheck' | 'transfer' | 'inquiry', fields: Fields): Promise<Outcome>;
  /** As `send`, for answers that are whole: the body as an object. */
  ask(endpoint: 'payeeCheck' | 'transfer' | 'inquiry', fields: Fields): Promise<Record<string, unknown>>;
}

export const isHeard = (outcome: Outcome): outcome is Heard => typeof outcome === 'object';

/** The JSON body of a whole answer. */
export function readBody(outcome: Outcome): Record<string, unknown> {
  if (!isHeard(outcome)) throw new Error(`no answer: ${outcome}`);
  return JSON.parse(outcome.text) as Record<string, unknown>;
}

/** Asks for a token and gives the whole answer. */
export async function askForToken(
  baseUrl: string,
  form: Record<string, string>,
  path?: string,
): Promise<Outcome> {
  return speak(baseUrl, {
    path: path ?? wireNames('proxy').paths.token,
    body: new URLSearchParams(form).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
}

export function tokenOf(outcome: Outcome, name: 'access_token' | 'refresh_token' = 'access_token'): string {
  const { data } = readBody(outcome) as { data?: Record<string, string> };
  return data?.[name] ?? '';
}

/** What the ledger and the controls want to see. */
export const controlHeaders = ({ controlToken }: Pick<Sandbox, 'controlToken'>) => ({
  authorization: `Bearer ${controlToken}`,
});

/** Starts a bank whose clock stands at noon; it is closed when the test ends. */
export async function openBank(options: Partial<SandboxOptions> = {}): Promise<TestBank> {
  const clock = makeVirtualClock(noonMs);
  const sandbox = await startSandbox({
    clientId,
    clientSecret,
    companyId,
    payerAccounts: [payerAccount],
    now: clock.now,
    sleep: (ms, signal) => clock.sleep(ms, signal),
    ...options,
  });
  onTestFinished(() => sandbox.close());
  const { paths } = wireNames(options.scheme ?? 'proxy');
  const bank: TestBank = {
    sandbox,
    clock,
    waitMs: patienceMs,
    token: '',
    renew: async () => {
      const form = { client_id: clientId, client_secret: clientSecret };
      const granted = await askForToken(sandbox.baseUrl, form);
      bank.token = isHeard(granted) ? tokenOf(granted) : '';
    },
    send: (endpoint, fields) =>
      speak(
        sandbox.baseUrl,
        {
          path: paths[endpoint],
          body: JSON.stringify(fields),
          headers: { 'content-type': 'application/json', authorization: `Bearer ${bank.token}` },
        },
        bank.waitMs,
      ),
    ask: async (endpoint, fields) => readBody(await bank.send(endpoint, fields)),
  };
  await bank.renew();
  return bank;
}

const common = {
  channelID: 'PAYDROP',
  termID: 'TERM0001',
  tranDate: '20261121',
  tranTime: '12:00:00',
  compId: companyId,
  requestUID: 'REQUEST0000000000001',
};
const payer = { payerBankCode: '006', payerAccount };
const payee = { proxyType: 'MSISDN', proxyNo: '0812345678' };

/** A payee check that the bank has nothing against. */
export const goodCheck: Fields = { ...common, ...payer, ...payee };

/** A transfer that the bank has nothing against. */
export const goodTransfer: Fields = {
  ...common,
  ...payer,
  ...payee,
  transRefNo: 'PD000000000000000101',
  tranAmount: '100.25',
  resendFlag: 'N',
  reference1: 'INV-1',
};

/** An inquiry about `goodTransfer`. */
export const goodInquiry: Fields = { ...common, transRefNo: goodTransfer['transRefNo'] };

/** The transfer items of an inquiry's answer. */
export function itemsOf(body: Fields): Record<string, string>[] {
  return (body['fundTfrInfoList'] ?? []) as Record<string, string>[];
}
