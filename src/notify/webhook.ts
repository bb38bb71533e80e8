/**
 * Notices over HTTP: JSON with a signature. Whoever knows the secret can tell that a notice is ours, whole and fresh.
 * The address may itself be a secret: of the answer, and of what went wrong, only codes are told.
 */
import { createHmac } from 'node:crypto';
import ky from 'ky';
import type { Clock } from '../core/ports.ts';
import type { DueNotice, NoticeSender } from './rules/notice.ts';

export interface WebhookOptions {
  /** http or https, with neither user nor password. */
  readonly url: string;
  readonly secret: string;
  /** Of paydrop. */
  readonly version: string;
  readonly clock: Clock;
}

/** Covers connection and answer. */
const timeoutMs = 10_000;
const gone = 410;

type Verdict = Awaited<ReturnType<NoticeSender['send']>>;

/** ky as notices want it: tried again by us alone, no redirect followed, every status an answer. */
const http = ky.create({
  method: 'post',
  retry: 0,
  timeout: false,
  throwHttpErrors: false,
  redirect: 'manual',
});

/** Posts each notice once; any 2xx delivers it. */
export function makeWebhook({ url, secret, version, clock }: WebhookOptions): NoticeSender {
  return {
    channel: 'webhook',
    async send(notice, stop) {
      const body = JSON.stringify(notice.body);
      const headers = {
        'content-type': 'application/json',
        'user-agent': `paydrop/${version}`,
        'x-paydrop-notice': idOf(notice),
        'x-paydrop-signature': signNotice(body, secret, Math.floor(clock.now() / 1_000)),
      };
      return postWithin(clock, stop, async (signal) => {
        const response = await http(url, { body, headers, signal });
        // What it says is nothing to us, however long it is.
        await response.body?.cancel().catch(() => undefined);
        return judge(response.status);
      });
    },
  };
}

/** The x-paydrop-signature header of a body: its time is signed with it, so that an old one is no good. */
export function signNotice(body: string, secret: string, unixSeconds: number): string {
  const signature = createHmac('sha256', secret).update(`${unixSeconds}.${body}`, 'utf8').digest('hex');
  return `t=${unixSeconds},v1=${signature}`;
}

function idOf({ body }: DueNotice): string {
  if (typeof body['id'] !== 'string') throw new Error('a notice without an id');
  return body['id'];
}

async function postWithin(
  clock: Clock,
  stop: AbortSignal,
  post: (signal: AbortSignal) => Promise<Verdict>,
): Promise<Verdict> {
  const late = new AbortController();
  const over = new AbortController();
  void clock.sleep(timeoutMs, over.signal).then(() => late.abort());
  try {
    return await post(AbortSignal.any([stop, late.signal]));
  } catch (error) {
    if (stop.aborted) return { ok: false, why: 'interrupted' };
    if (late.signal.aborted) return { ok: false, why: `no answer within ${timeoutMs / 1_000} s` };
    return { ok: false, why: `no answer (${findCode(error)})` };
  } finally {
    over.abort();
  }
}

function judge(status: number): Verdict {
  if (status >= 200 && status < 300) return { ok: true };
  if (status === gone) return { ok: false, why: 'HTTP 410: no more notices are wanted there', isFinal: true };
  if (status >= 300 && status < 400)
    return { ok: false, why: `HTTP ${status}: a redirect, which is not followed` };
  return { ok: false, why: `HTTP ${status}` };
}

/** The code that the machine gives for a failure, from wherever it was wrapped; messages may quote the address. */
function findCode(error: unknown): string {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth += 1) {
    if ('code' in cause && typeof cause.code === 'string') return cause.code;
  }
  return error instanceof Error ? error.name : 'unknown reason';
}
