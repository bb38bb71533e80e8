/** A proxy between paydrop and the sandbox bank that lets a test tamper with what passes, over real HTTP. */
import { readFile } from 'node:fs/promises';
import { request as httpRequest, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parse } from 'yaml';
import { type Arrival, startFakeBank } from '../support/fake-bank.ts';
import { makeRehearsal, type Rehearsal, type RehearsalSettings } from '../support/rehearsal.ts';

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

interface Proxy extends AsyncDisposable {
  readonly baseUrl: string;
  readonly passed: readonly Passing[];
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

function handOn(bankUrl: string, { path, headers, body }: Arrival): Promise<ProxyReply> {
  const options = { method: 'POST', headers: { ...headers, connection: 'close' } };
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(`${bankUrl}${path}`, options, (answer) => {
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

async function openProxy(bankUrl: string, tamper: Tamper): Promise<Proxy> {
  const door = await startFakeBank();
  const passed: Passing[] = [];
  const answer = async (arrival: Arrival, response: ServerResponse): Promise<void> => {
    const { path, body, socket } = arrival;
    const endpoint = endpointOf(path);
    const no = passed.filter((one) => one.endpoint === endpoint).length + 1;
    const fields = endpoint === 'token' ? {} : (JSON.parse(body) as Fields);
    const passing = { endpoint, no, fields, socket, pass: () => handOn(bankUrl, arrival) };
    passed.push(passing);
    const reply = await tamper(passing);
    if (reply === undefined) socket.destroy();
    else response.writeHead(reply.status, { ...reply.headers }).end(reply.body);
  };
  door.behave = (arrival, response) => {
    answer(arrival, response).catch(() => response.destroy());
    return true;
  };
  const { baseUrl } = door;
  return { baseUrl, passed, [Symbol.asyncDispose]: () => door[Symbol.asyncDispose]() };
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
  const proxy = await openProxy(written.bank.baseUrl, tamper);
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
