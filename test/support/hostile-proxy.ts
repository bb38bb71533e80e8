/** A proxy between paydrop and the sandbox bank that lets a test tamper with what passes, over real HTTP. */
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, request as httpRequest, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parse } from 'yaml';
import { makeRehearsal, type Rehearsal, type RehearsalSettings } from './rehearsal.ts';

export type Fields = Record<string, unknown>;

export interface ProxyReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Passing {
  readonly endpoint: 'token' | 'payeeCheck' | 'transfer' | 'inquiry';
  /** Counts the requests at this endpoint from 1. */
  readonly no: number;
  readonly fields: Fields;
  readonly socket: Socket;
  /** Hands the request on to the bank and returns its answer. */
  pass(): Promise<ProxyReply>;
}

/** What the client gets to see; undefined leaves it without an answer, on a closed connection. */
export type Tamper = (passing: Passing) => Promise<ProxyReply | undefined>;

const leaveAlone: Tamper = ({ pass }) => pass();

export interface Proxy extends AsyncDisposable {
  readonly baseUrl: string;
  readonly passed: readonly Passing[];
  tamper: Tamper;
}

function endpointOf(path: string): Passing['endpoint'] {
  if (path.includes('/oauth/')) return 'token';
  if (path.endsWith('/inquirystatus')) return 'payeeCheck';
  return path.endsWith('/fundtransfer') ? 'transfer' : 'inquiry';
}

/** The same reply with other fields. */
export function withFields(reply: ProxyReply, changes: Fields): ProxyReply {
  return { ...reply, body: JSON.stringify({ ...fieldsOf(reply), ...changes }) };
}

export function fieldsOf({ body }: ProxyReply): Fields {
  return JSON.parse(body) as Fields;
}

function handOn(bankUrl: string, incoming: IncomingMessage, body: string): Promise<ProxyReply> {
  const headers = { ...incoming.headers, connection: 'close' };
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(`${bankUrl}${incoming.url ?? ''}`, { method: 'POST', headers }, (answer) => {
      const plain = Object.entries(answer.headers).flatMap(([name, value]) =>
        typeof value === 'string' && /^(content-type|date|retry-after)$/.test(name) ? [[name, value]] : [],
      );
      text(answer).then(
        (said) =>
          resolve({
            status: answer.statusCode ?? 0,
            headers: Object.fromEntries(plain) as Record<string, string>,
            body: said,
          }),
        reject,
      );
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

async function openProxy(bankUrl: string): Promise<Proxy> {
  const passed: Passing[] = [];
  const sockets = new Set<Socket>();
  const answer = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(incoming);
    const endpoint = endpointOf(incoming.url ?? '');
    const no = passed.filter((one) => one.endpoint === endpoint).length + 1;
    const fields = endpoint === 'token' ? {} : (JSON.parse(body) as Fields);
    const { socket } = incoming;
    const passing = { endpoint, no, fields, socket, pass: () => handOn(bankUrl, incoming, body) };
    passed.push(passing);
    const reply = await proxy.tamper(passing);
    if (reply === undefined) socket.destroy();
    else response.writeHead(reply.status, { ...reply.headers }).end(reply.body);
  };
  const server = createServer(
    (incoming, response) => void answer(incoming, response).catch(() => response.destroy()),
  );
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const proxy: Proxy = {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    passed,
    tamper: leaveAlone,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return proxy;
}

export interface Ambush extends AsyncDisposable {
  readonly rehearsal: Rehearsal;
  readonly proxy: Proxy;
}

/** A rehearsal whose bank is reached through a hostile proxy only. */
export async function makeAmbush(tamper: Tamper, settings: RehearsalSettings = {}): Promise<Ambush> {
  const rehearsal = await makeRehearsal(settings);
  const written = parse(await readFile(join(rehearsal.dataDir, '../paydrop.yaml'), 'utf8')) as {
    readonly bank: { readonly baseUrl: string };
  };
  const proxy = await openProxy(written.bank.baseUrl);
  proxy.tamper = tamper;
  await rehearsal.correct({ ...settings, bank: { ...settings.bank, baseUrl: proxy.baseUrl } });
  return {
    rehearsal,
    proxy,
    async [Symbol.asyncDispose]() {
      await rehearsal[Symbol.asyncDispose]();
      await proxy[Symbol.asyncDispose]();
    },
  };
}
