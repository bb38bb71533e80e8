/**
 * Notices over HTTP: JSON with a signature, by which a holder of the secret knows that a notice is paydrop's, whole and
 * fresh. The address may be a secret: of the answer, and of errors, only codes are reported.
 */
import { createHmac } from 'node:crypto';
import type { Clock } from '../core/ports.ts';
import { encodeJson, showText } from '../core/outgoing-text.ts';
import { findErrorCode, isTimeout, openHttpClient } from '../platform/http.ts';
import type { DueNotice, NoticeSender } from './rules/notice.ts';

interface WebhookOptions {
  /** http or https, with neither user nor password. */
  readonly url: string;
  readonly secret: string;
  /** Version of paydrop. */
  readonly version: string;
  readonly clock: Clock;
}

/** Limit for connection and answer together. */
const timeoutMs = 10_000;
const gone = 410;

type Verdict = Awaited<ReturnType<NoticeSender['send']>>;

/** Limit of an answer, which is not read. */
const bodyBytesMax = 65_536;

/** Posts each notice once; any 2xx delivers it. */
export function makeWebhook({ url, secret, version, clock }: WebhookOptions): NoticeSender {
  return {
    channel: 'webhook',
    async send(notice, stop) {
      const body = encodeJson(maskPaths(notice.body));
      const headers = {
        'content-type': 'application/json',
        'user-agent': `paydrop/${version}`,
        'x-paydrop-notice': idOf(notice),
        'x-paydrop-signature': signNotice(body, secret, Math.floor(clock.now() / 1_000)),
      };
      await using client = await openHttpClient({ bodyBytesMax, idleMs: timeoutMs });
      try {
        const { status } = await client.http.post(url, { body, headers, signal: stop, timeout: timeoutMs });
        return readStatus(status);
      } catch (error) {
        return { ok: false, why: stop.aborted ? 'interrupted' : explainNoAnswer(error) };
      }
    },
  };
}

/** Masks paths, which end in the name of a file: that may be a person's number, and stays on this machine. */
function maskPaths({ reports, ...body }: DueNotice['body']): DueNotice['body'] {
  return Array.isArray(reports) ? { ...body, reports: reports.map((path) => showText(String(path))) } : body;
}

/** The x-paydrop-signature header of a body: its time is signed, too, so that an old body is not accepted. @forTests */
export function signNotice(body: string, secret: string, unixSeconds: number): string {
  const signature = createHmac('sha256', secret).update(`${unixSeconds}.${body}`, 'utf8').digest('hex');
  return `t=${unixSeconds},v1=${signature}`;
}

function idOf({ body }: DueNotice): string {
  if (typeof body['id'] !== 'string') throw new Error('a notice without an id');
  return body['id'];
}

function readStatus(status: number): Verdict {
  if (status >= 200 && status < 300) return { ok: true };
  if (status === gone) return { ok: false, why: 'HTTP 410: no more notices are wanted there', isFinal: true };
  if (status >= 300 && status < 400)
    return { ok: false, why: `HTTP ${status}: a redirect, which is not followed` };
  return { ok: false, why: `HTTP ${status}` };
}

const explainNoAnswer = (error: unknown): string =>
  isTimeout(error) ? `no answer within ${timeoutMs / 1_000} s` : `no answer (${findErrorCode(error)})`;
