/** The signed addresses: gives statement files to whoever has the address, in one piece or damaged on purpose. */
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { BusinessTerms } from '../business.ts';
import { writeStatement } from './csv.ts';
import { applyEdits, pickEdits } from './edits.ts';
import { packStatement } from './form.ts';
import { readDayLines } from './lines.ts';
import type { StatementCells } from './lines.ts';
import type { IssuedFile } from './signed-statements.ts';

const hugeBytes = 10_000_000_000;
const page = '<!doctype html><html><body><h1>Please sign in</h1></body></html>';
const bytesType = { 'content-type': 'application/octet-stream' } as const;

/** What goes over the wire. */
interface Sending {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body: Readable;
  /** The connection is closed after the body, whatever was announced. */
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

/** The file's lines: the book's of that moment, then the table's edits. */
function readLines(terms: BusinessTerms, issue: IssuedFile): Iterable<StatementCells> {
  const { day, table, number } = issue;
  const [payerAccount = ''] = terms.payerAccounts;
  const { clientId, companyId, findPayee } = terms;
  const common = { ...table, clientId, companyId, payerAccount, findPayee };
  const lines = readDayLines(terms.book.transfers(issue.transferCount), day, common);
  return applyEdits(lines, pickEdits(table.edits, day, number), day.date, common);
}

function openFile(terms: BusinessTerms, issue: IssuedFile): Readable {
  return packStatement(issue, writeStatement(readLines(terms, issue), terms.names.inCapitals, issue.table));
}

/** The first bytes again and again. */
function* repeat(chunk: Buffer, bytes: number): Generator<Buffer> {
  for (let left = bytes; left > 0; left -= chunk.length)
    yield chunk.subarray(0, Math.min(left, chunk.length));
}

async function openRepeated(terms: BusinessTerms, issue: IssuedFile, bytes: number): Promise<Readable> {
  const whole = await buffer(openFile(terms, issue));
  const chunk = Buffer.concat([...repeat(whole, Math.max(whole.length, 1 << 16))]);
  return Readable.from(repeat(chunk, bytes));
}

/** Half of the file; how long it is said to be follows from the damage. */
async function openHalf(terms: BusinessTerms, issue: IssuedFile): Promise<{ whole: Buffer; half: Buffer }> {
  const whole = await buffer(openFile(terms, issue));
  return { whole, half: whole.subarray(0, Math.floor(whole.length / 2)) };
}

const withLength = (length: number): Sending['headers'] => ({ ...bytesType, 'content-length': length });

async function openHalved(
  terms: BusinessTerms,
  issue: IssuedFile,
  damage: 'truncated' | 'cut' | 'short-length',
): Promise<Sending> {
  const { whole, half } = await openHalf(terms, issue);
  const announced = withLength(damage === 'cut' ? whole.length : half.length);
  const body = Readable.from([damage === 'short-length' ? whole : half]);
  return { status: 200, headers: announced, body, thenClose: damage !== 'truncated' };
}

/** The answer to a request that may have the file. */
async function openSending(
  terms: BusinessTerms,
  issue: IssuedFile,
  request: FastifyRequest,
): Promise<Sending> {
  const whole = (): Sending => ({ status: 200, headers: bytesType, body: openFile(terms, issue) });
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
      return openHalved(terms, issue, issue.damage);
    case 'endless':
      return { status: 200, headers: bytesType, body: await openRepeated(terms, issue, Infinity) };
    case 'huge': {
      const body = await openRepeated(terms, issue, hugeBytes);
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

function findIssue(terms: BusinessTerms, request: FastifyRequest, nowMs: number): IssuedFile | undefined {
  const { id = '', fileName = '' } = request.params as Record<string, string | undefined>;
  const { expires, signature } = request.query as Record<string, unknown>;
  return terms.statements.find(
    { id, fileName, expires: String(expires), signature: String(signature) },
    nowMs,
  );
}

async function answer(terms: BusinessTerms, request: FastifyRequest, nowMs: number): Promise<Sending> {
  const { statements } = terms;
  statements.downloads += 1;
  if (request.headers.authorization !== undefined) {
    statements.tokenSeen = true;
    return say(400, 'This address carries its own signature: an Authorization header must not be sent here.');
  }
  const issue = findIssue(terms, request, nowMs);
  if (issue === undefined) return say(403, 'The signature is not valid, or the address has expired.');
  return openSending(terms, issue, request);
}

async function send(response: ServerResponse, sending: Sending, date: string): Promise<void> {
  const { status, headers, body, thenClose = false } = sending;
  response.writeHead(status, { date, ...headers });
  await pipeline(body, response, { end: !thenClose });
  if (thenClose) response.socket?.end();
}

/** What a download needs to know of the running bank. */
interface DownloadContext {
  readonly terms: BusinessTerms;
  readonly clock: { now(): number; dateHeader(): string };
  readonly isOut: boolean;
}

/** GET /signed/<id>/<file name>: no token is wanted here, and none may come. */
export function addDownloadRoute(app: FastifyInstance, context: DownloadContext): void {
  app.get('/signed/:id/:fileName', { exposeHeadRoute: false }, (request, reply) => {
    reply.hijack();
    const giveUp = (): void => void request.raw.socket.destroy();
    if (context.isOut) {
      giveUp();
      return;
    }
    // A client that goes away in the middle ends the file too: it is not told, and nobody else needs to be.
    answer(context.terms, request, context.clock.now())
      .then((sending) => send(reply.raw, sending, context.clock.dateHeader()))
      .catch(giveUp);
  });
}
