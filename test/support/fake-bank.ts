import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { BankClientOptions } from '../../src/bank/client.ts';
import type { Certificate } from './self-signed.ts';
import { makeVirtualClock } from './virtual-clock.ts';

/** A request as it arrived. */
export interface Arrival {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly socket: Socket;
}

/** Answers by hand and returns true, or leaves it to the well-behaved default. */
export type Behaviour = (arrival: Arrival, response: ServerResponse) => boolean | void;

export interface FakeBank extends AsyncDisposable {
  readonly baseUrl: string;
  readonly arrivals: Arrival[];
  /** Connections ever made to it. */
  readonly connections: Socket[];
  /** Arrivals at the token endpoints, and at the others. */
  tokenPaths(): string[];
  business(): Arrival[];
  behave: Behaviour;
}

export const clientSecret = 'secret-that-nobody-may-see';
export const proxyNo = '0812345678';

const isTokenPath = (path: string) => path.includes('/oauth/');

/** A real HTTP server that answers as the interface says, unless a test tells it to misbehave. */
export async function startFakeBank(certificate?: Certificate): Promise<FakeBank> {
  const arrivals: Arrival[] = [];
  const connections: Socket[] = [];
  const server = certificate === undefined ? createServer() : createTlsServer(certificate);
  server.on(certificate === undefined ? 'connection' : 'secureConnection', (socket: Socket) => {
    connections.push(socket);
    socket.on('error', () => {});
  });
  server.on('request', (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      const arrival = { path: request.url ?? '', headers: request.headers, body, socket: request.socket };
      arrivals.push(arrival);
      if (bank.behave(arrival, response) !== true) answerWell(arrival, response, arrivals.length);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const bank: FakeBank = {
    baseUrl: `${certificate === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    arrivals,
    connections,
    tokenPaths: () => arrivals.map((one) => one.path).filter(isTokenPath),
    business: () => arrivals.filter((one) => !isTokenPath(one.path)),
    behave: () => false,
    async [Symbol.asyncDispose]() {
      for (const socket of connections) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return bank;
}

/** A body as JSON. */
export function answer(response: ServerResponse, body: unknown, httpStatus = 200): true {
  response.writeHead(httpStatus, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  return true;
}

export function tokenReply(accessToken: string, details: object = {}): object {
  return {
    code: '0000',
    message: 'Success',
    data: {
      token_type: 'BEARER',
      access_token: accessToken,
      expires_in: 900,
      refresh_token: `refresh-of-${accessToken}`,
      refresh_token_expires_in: 86_400,
      ...details,
    },
  };
}

function answerWell({ path, headers, body }: Arrival, response: ServerResponse, number: number): void {
  if (isTokenPath(path)) {
    answer(response, tokenReply(`token-${number}`));
    return;
  }
  const request = JSON.parse(body) as Record<string, string>;
  const { requestUID, transRefNo } = request;
  if (path.endsWith('/registerddr')) {
    const header = JSON.parse(String(headers['msg-hdr'])) as Record<string, string>;
    const seqId = { ddrOapiSeqId: 7 };
    answer(response, { statusCode: '0', statusDesc: 'Success', severity: 'INFO', ...header, ...seqId });
    return;
  }
  const common = { statusDesc: 'Success', severity: 'INFO', requestUID };
  if (path.endsWith('/inquirystatus')) {
    const names = { proxyName: 'SOMCHAI JAIDEE', displayProxyName: 'สมชาย ใจดี' };
    answer(response, { statusCode: 'IC001', ...common, ...names });
  } else if (path.endsWith('/fundtransfer')) {
    answer(response, { statusCode: 'IC000', ...common, transRefNo, sysRefNo: 'SYS1', transFee: '0.00' });
  } else {
    const item = { transRefNo, sysRefNo: 'SYS1', tranStatusCode: '010004', tranStatusDesc: 'COMPLETE' };
    answer(response, { statusCode: 'IC001', ...common, fundTfrInfoList: [item] });
  }
}

export function clientOptions(baseUrl: string, changes: Partial<BankClientOptions> = {}): BankClientOptions {
  return {
    baseUrl,
    clientId: 'my-app',
    clientSecret,
    channelId: 'PAYDROP',
    termId: 'TERM0001',
    companyId: 'COMP000001',
    payerAccount: '0000345924',
    scheme: 'proxy',
    timeoutMs: 5_000,
    requestsPerSecond: 0,
    clock: makeVirtualClock(),
    ...changes,
  };
}
