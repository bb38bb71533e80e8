/** How an answer goes out, or fails to. It is written to the raw response, because many behaviours break HTTP on purpose. */
import { STATUS_CODES, type ServerResponse } from 'node:http';
import type { Behaviour } from './table.ts';

/** What a request is answered with, and how the answer is spoilt on the way. */
export interface Delivery {
  /** 200 when left out. */
  readonly httpStatus?: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly behaviour?: Behaviour | undefined;
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
type Form =
  | {
      readonly kind: 'whole';
      readonly status: number;
      readonly text: string;
      readonly type?: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** The whole is announced, and half of it comes. */
  | { readonly kind: 'half'; readonly text: string; readonly thenClose: boolean }
  | { readonly kind: 'nothing'; readonly thenClose: boolean };

function toPlainStatus({ behaviour, body }: Delivery): Form {
  const { httpStatus = 500, code, retryAfterSeconds } = behaviour ?? {};
  const plain = { message: STATUS_CODES[httpStatus] ?? 'Unknown' };
  return {
    kind: 'whole',
    status: httpStatus,
    text: JSON.stringify(code === undefined ? plain : body),
    headers: retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) },
  };
}

/** The form that an answer's behaviour gives it. */
function computeForm(delivery: Delivery, path: string): Form {
  const { body, httpStatus: status = 200 } = delivery;
  switch (delivery.behaviour?.reply) {
    case undefined:
    case 'normal':
      return { kind: 'whole', status, text: JSON.stringify(body) };
    case 'wrong-reference':
      return { kind: 'whole', status, text: JSON.stringify(bearAnothersReference(body)) };
    case 'wrong-request':
      return { kind: 'whole', status, text: JSON.stringify({ ...body, requestUID: anothersRequestUid }) };
    case 'http':
      return toPlainStatus(delivery);
    case 'garbage':
      return { kind: 'whole', status: 200, text: garbage };
    case 'html':
      return { kind: 'whole', status: 200, text: page, type: html };
    case 'empty':
      return { kind: 'whole', status: 200, text: '' };
    case 'redirect':
      return { kind: 'whole', status: 307, text: '', headers: { location: `${path}${redirectSuffix}` } };
    case 'cut':
    case 'stalled':
      return { kind: 'half', text: JSON.stringify(body), thenClose: delivery.behaviour.reply === 'cut' };
    case 'lost':
    case 'silent':
      return { kind: 'nothing', thenClose: delivery.behaviour.reply === 'lost' };
  }
}

/**
 * Sends an answer in the form that its behaviour gives it.
 * @param headers common to every answer: the bank's own Date above all
 */
export function deliver(response: ServerResponse, delivery: Delivery, headers: Record<string, string>): void {
  const form = computeForm(delivery, response.req.url ?? '');
  const close = (): void => void response.socket?.destroy();
  if (form.kind === 'nothing') {
    if (form.thenClose) close();
    return;
  }
  const length = { 'content-length': Buffer.byteLength(form.text) };
  if (form.kind === 'half') {
    response.writeHead(200, { ...headers, 'content-type': json, ...length });
    response.write(form.text.slice(0, form.text.length / 2), () => {
      if (form.thenClose) close();
    });
    return;
  }
  response.writeHead(form.status, {
    ...headers,
    ...form.headers,
    'content-type': form.type ?? json,
    ...length,
  });
  response.end(form.text);
}
