/** Sends an answer, or a broken one. It writes to the raw response, because many behaviours break HTTP on purpose. */
import { STATUS_CODES, type ServerResponse } from 'node:http';
import type { Spoiling } from './spoiling.ts';

/** The answer to a request, and how it is spoilt. */
export interface Delivery {
  /** 200 when left out. */
  readonly httpStatus?: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly behaviour?: Spoiling | undefined;
  /** Promise to wait for: its content would then survive the bank's own end. */
  readonly recorded?: Promise<void> | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/** References that the sandbox never issues. */
const anothersTransRefNo = 'ANOTHERREFERENCE0001';
const anothersRequestUid = 'ANOTHERREQUESTUID001';

/** Target of a redirect, which counts visits and returns nothing useful. */
const redirectSuffix = '/moved';

const json = 'application/json; charset=utf-8';
const html = 'text/html; charset=utf-8';
const garbage = '{"statusCode":"IC0\u0000\uFFFD<<<';
const page =
  '<!doctype html><html><body><h1>Service is being improved</h1><p>Please come back.</p></body></html>';

/** The same answer about another transfer. */
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

/** The bytes of an answer. */
interface Form {
  /** 200 when left out. */
  readonly status?: number;
  readonly text: string;
  /** JSON when left out. */
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Share of the announced body that is sent; left out: all. */
  readonly share?: 'half' | 'nothing';
  /** True: closes the connection after that share. */
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

/** The bytes of an answer, by its behaviour. */
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
 * Sends an answer in the form of its behaviour.
 * @param common headers of every answer, above all the bank's Date
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
