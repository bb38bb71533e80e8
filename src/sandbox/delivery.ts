/** How an answer goes out, or fails to. It is written to the raw response, because many behaviours break HTTP on purpose. */
import { STATUS_CODES, type ServerResponse } from 'node:http';
import type { Spoiling } from './spoiling.ts';

/** What a request is answered with, and how the answer is spoilt on the way. */
export interface Delivery {
  /** 200 when left out. */
  readonly httpStatus?: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly behaviour?: Spoiling | undefined;
  /** The answer waits until what it says would survive the bank's own end. */
  readonly recorded?: Promise<void> | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/** References that nobody here has given out. */
const anothersTransRefNo = 'ANOTHERREFERENCE0001';
const anothersRequestUid = 'ANOTHERREQUESTUID001';

/** Where a redirect points: an address that counts a visit and answers nothing useful. */
const redirectSuffix = '/moved';

const json = 'application/json; charset=utf-8';
const html = 'text/html; charset=utf-8';
const garbage = '{"statusCode":"IC0\u0000\uFFFD<<<';
const page =
  '<!doctype html><html><body><h1>Service is being improved</h1><p>Please come back.</p></body></html>';

/** The same answer, about somebody else's transfer. */
function bearAnothersReference(body: Delivery['body']): Delivery['body'] {
  if (body['transRefNo'] !== undefined) return { ...body, transRefNo: anothersTransRefNo };
  const items: unknown[] = Array.isArray(body['fundTfrInfoList']) ? body['fundTfrInfoList'] : [];
  const complete = { tranStatusCode: '010004', tranStatusDesc: 'COMPLETE', statusCode: 'IC000' };
  const spoilt = (items.length > 0 ? items : [complete]).map((item) => ({
    ...(item as object),
    transRefNo: anothersTransRefNo,
  }));
  return { ...body, statusCode: 'IC001', fundTfrInfoList: spoilt };
}

/** What goes over the wire. */
interface Form {
  /** 200 when left out. */
  readonly status?: number;
  readonly text: string;
  /** JSON when left out. */
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The whole is announced, and so much of it comes; all of it when left out. */
  readonly share?: 'half' | 'nothing';
  /** The connection is closed after that share. */
  readonly thenClose?: boolean;
}

function toPlainStatus({ behaviour, body }: Delivery): Form {
  const { httpStatus: status = 500, code, retryAfterSeconds } = behaviour ?? {};
  const plain = { message: STATUS_CODES[status] ?? 'Unknown' };
  const text = JSON.stringify(code === undefined ? plain : body);
  return retryAfterSeconds === undefined
    ? { status, text }
    : { status, text, headers: { 'retry-after': String(retryAfterSeconds) } };
}

/** The form that an answer's behaviour gives it. */
function computeForm(delivery: Delivery, path: string): Form {
  const { body, httpStatus: status = 200 } = delivery;
  switch (delivery.behaviour?.reply) {
    case undefined:
    case 'normal':
      return { status, text: JSON.stringify(body) };
    case 'wrong-reference':
      return { status, text: JSON.stringify(bearAnothersReference(body)) };
    case 'wrong-request':
      return { status, text: JSON.stringify({ ...body, requestUID: anothersRequestUid }) };
    case 'http':
      return toPlainStatus(delivery);
    case 'garbage':
      return { text: garbage };
    case 'html':
      return { text: page, type: html };
    case 'empty':
      return { text: '' };
    case 'redirect':
      return { status: 307, text: '', headers: { location: `${path}${redirectSuffix}` } };
    case 'cut':
      return { text: JSON.stringify(body), share: 'half', thenClose: true };
    case 'stalled':
      return { text: JSON.stringify(body), share: 'half' };
    case 'lost':
      return { text: '', share: 'nothing', thenClose: true };
    case 'silent':
      return { text: '', share: 'nothing' };
  }
}

/**
 * Sends an answer in the form that its behaviour gives it.
 * @param common headers of every answer: the bank's own Date above all
 */
export function deliver(response: ServerResponse, delivery: Delivery, common: Record<string, string>): void {
  const form = computeForm(delivery, response.req.url ?? '');
  const { status = 200, text, type = json, headers, share, thenClose = false } = form;
  const endShare = (): void => {
    if (thenClose) response.socket?.destroy();
  };
  if (share === 'nothing') {
    endShare();
    return;
  }
  const length = Buffer.byteLength(text);
  response.writeHead(status, { ...common, ...headers, 'content-type': type, 'content-length': length });
  if (share === 'half') response.write(text.slice(0, text.length / 2), endShare);
  else response.end(text);
}
