/** The signed addresses: serves statement files, whole or damaged on purpose. */
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { configure, ZipWriter } from '@zip.js/zip.js';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { SandboxBank } from '../bank.ts';
import { applyEdits, pickEdits } from './edits.ts';
import { readDayLines, writeStatement } from './lines.ts';
import type { IssuedFile } from './signed-statements.ts';

configure({ useWebWorkers: false });

const blockBytes = 1 << 20;
const hugeBytes = 10_000_000_000;
const page = '<!doctype html><html><body><h1>Please sign in</h1></body></html>';
const bytesType = { 'content-type': 'application/octet-stream' } as const;

/** The answer to send. */
interface Sending {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body: Readable;
  /** True: closes the connection after the body, whatever length was announced. */
  readonly thenClose?: boolean;
}

function say(status: number, text: string, headers: Sending['headers'] = {}): Sending {
  const length = { 'content-length': Buffer.byteLength(text) };
  return {
    status,
    headers: { 'content-type': 'text/plain', ...headers, ...length },
    body: Readable.from([text]),
  };
}

// ---------------------------------------------------------------- the file

/** Repeats a chunk up to a number of bytes. */
function* repeat(chunk: Buffer, bytes: number): Generator<Buffer> {
  for (let left = bytes; left > 0; left -= chunk.length)
    yield chunk.subarray(0, Math.min(left, chunk.length));
}

async function writeEntries(
  writer: ZipWriter<unknown>,
  { csvName, damage }: IssuedFile,
  source: Iterable<Buffer>,
): Promise<void> {
  const add = (name: string, content: Iterable<Buffer>) =>
    writer.add(name, ReadableStream.from<Uint8Array>(content));
  await add(`${damage === 'path' ? '../../' : ''}${csvName}`, source);
  if (damage === 'two-entries') await add(`copy-of-${csvName}`, [Buffer.from('NO\r\n')]);
  await writer.close();
}

function zip(file: IssuedFile, source: Iterable<Buffer>): Readable {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const password = file.damage === 'wrong-key' ? `not ${file.unZipKey}` : file.unZipKey;
  const writer = new ZipWriter(writable, { password, zipCrypto: file.table.form === 'zipcrypto' });
  // The reader learns of a failure through the stream; a client that has disconnected needs no error.
  writeEntries(writer, file, source).catch((cause: unknown) => {
    writable.abort(cause).catch(() => {});
  });
  return Readable.fromWeb(readable);
}

function gzip(source: Iterable<Buffer>): Readable {
  const packed = createGzip();
  // The reader learns of a failure through the stream.
  pipeline(source, packed).catch(() => {});
  return packed;
}

/** The file's bytes, generated as they are read. */
function packStatement(file: IssuedFile, lines: Iterable<Buffer>): Readable {
  const source = file.damage === 'bomb' ? repeat(Buffer.alloc(blockBytes), file.table.bombBytes) : lines;
  switch (file.table.form) {
    case 'plain':
      return Readable.from(source);
    case 'gzip':
      return gzip(source);
    case 'zipcrypto':
    case 'aes':
      return zip(file, source);
  }
}

/** The file: the book's lines of that moment, after the table's edits. */
function openFile(bank: SandboxBank, issue: IssuedFile): Readable {
  const { day, table, number, partnerId, companyIds } = issue;
  const { clients, findPayee } = bank;
  const [companyId = ''] = companyIds;
  const [payerAccount = ''] = clients.accountsOf(companyId);
  const { clientId } = clients.home;
  const terms = { table, partnerId, clientId, companyIds, payerAccount, findPayee };
  const lines = readDayLines(bank.book.transfers(issue.transferCount), day, terms);
  const edited = applyEdits(lines, pickEdits(table.edits, day, number), day.date, terms);
  return packStatement(issue, writeStatement(edited, bank.names.inCapitals, table));
}

async function openRepeated(bank: SandboxBank, issue: IssuedFile, bytes: number): Promise<Readable> {
  const whole = await buffer(openFile(bank, issue));
  const chunk = Buffer.concat([...repeat(whole, Math.max(whole.length, 1 << 16))]);
  return Readable.from(repeat(chunk, bytes));
}

const withLength = (length: number): Sending['headers'] => ({ ...bytesType, 'content-length': length });

/** The file or half of it; the announced length depends on the damage. */
async function openHalved(
  bank: SandboxBank,
  issue: IssuedFile,
  damage: 'truncated' | 'cut' | 'short-length',
): Promise<Sending> {
  const whole = await buffer(openFile(bank, issue));
  const half = whole.subarray(0, Math.floor(whole.length / 2));
  const headers = withLength(damage === 'cut' ? whole.length : half.length);
  const body = Readable.from([damage === 'short-length' ? whole : half]);
  return { status: 200, headers, body, thenClose: damage !== 'truncated' };
}

// ---------------------------------------------------------------- the answer

/** The answer to a request that may have the file. */
async function openSending(bank: SandboxBank, issue: IssuedFile, request: FastifyRequest): Promise<Sending> {
  const whole = (): Sending => ({ status: 200, headers: bytesType, body: openFile(bank, issue) });
  switch (issue.damage) {
    case 'html':
      return say(200, page, { 'content-type': 'text/html; charset=utf-8' });
    case 'redirect':
      return say(302, '', { location: issue.table.redirectTo });
    case 'moved':
      return 'moved' in (request.query as object)
        ? whole()
        : say(302, '', { location: `${request.url}&moved=1` });
    case 'truncated':
    case 'cut':
    case 'short-length':
      return openHalved(bank, issue, issue.damage);
    case 'endless':
      return { status: 200, headers: bytesType, body: await openRepeated(bank, issue, Infinity) };
    case 'huge': {
      const body = await openRepeated(bank, issue, hugeBytes);
      return { status: 200, headers: withLength(hugeBytes), body };
    }
    case undefined:
    case 'bomb':
    case 'path':
    case 'two-entries':
    case 'wrong-key':
      return whole();
  }
}

async function answer(bank: SandboxBank, request: FastifyRequest): Promise<Sending> {
  const { statements, clock } = bank;
  statements.downloads += 1;
  if (request.headers.authorization !== undefined) {
    statements.tokenSeen = true;
    return say(400, 'This address carries its own signature: an Authorization header must not be sent here.');
  }
  const address = { ...(request.query as object), ...(request.params as object) };
  const issue = statements.find(address, clock.now());
  if (issue === undefined) return say(403, 'The signature is not valid, or the address has expired.');
  return openSending(bank, issue, request);
}

async function send(response: ServerResponse, sending: Sending, date: string): Promise<void> {
  const { status, headers, body, thenClose = false } = sending;
  response.writeHead(status, { date, ...headers });
  await pipeline(body, response, { end: !thenClose });
  if (thenClose) response.socket?.end();
}

/** GET /signed/<id>/<file name> requires no token, and must not get one. */
export function addDownloadRoute(app: FastifyInstance, bank: SandboxBank): void {
  app.get('/signed/:id/:fileName', { exposeHeadRoute: false }, (request, reply) => {
    reply.hijack();
    const giveUp = (): void => void request.raw.socket.destroy();
    // A client that disconnects ends the file, too; no error is needed.
    if (bank.isOut) giveUp();
    else
      answer(bank, request)
        .then((sending) => send(reply.raw, sending, bank.clock.dateHeader()))
        .catch(giveUp);
  });
}
