/** Endpoints 1 and 2: bearer tokens that live by the bank's clock (§2.1, §5). */
import { randomBytes } from 'node:crypto';
import type { Delivery } from './delivery.ts';
import type { SandboxTable } from './table.ts';

type TokenAnswer = Pick<Delivery, 'httpStatus' | 'body'>;

export type AnswerForm = (form: URLSearchParams, nowMs: number) => TokenAnswer;

const tokenBytes = 24;
/** Beyond so many live tokens the expired ones are swept out. */
const sweepAt = 1_000;

const refused = (detail: string): TokenAnswer => ({
  httpStatus: 401,
  body: { code: 'TK001', message: `Authentication failed, credential invalid: ${detail}` },
});

type TokenKind = 'access' | 'refresh';

/** Keeps the tokens in memory: a restart forgets them, and their bearers get 401. */
export function createTokenService(
  { clientId, clientSecret }: { readonly clientId: string; readonly clientSecret: string },
  { accessTokenSeconds, refreshTokenSeconds }: SandboxTable,
) {
  /** Kind and token → when it expires, epoch milliseconds. */
  const expiries = new Map<string, number>();

  const create = (kind: TokenKind, seconds: number, nowMs: number): string => {
    const token = randomBytes(tokenBytes).toString('base64url');
    expiries.set(`${kind} ${token}`, nowMs + seconds * 1_000);
    return token;
  };
  const isLive = (kind: TokenKind, token: string, nowMs: number): boolean =>
    (expiries.get(`${kind} ${token}`) ?? 0) > nowMs;

  const findCredentialFault = (form: URLSearchParams): string | undefined => {
    for (const name of ['client_id', 'client_secret']) if (!form.get(name)) return `${name} is required`;
    const isRight = form.get('client_id') === clientId && form.get('client_secret') === clientSecret;
    return isRight ? undefined : 'client_id or client_secret is wrong';
  };

  const grant = (nowMs: number): TokenAnswer => {
    if (expiries.size >= sweepAt)
      for (const [token, expiresAtMs] of expiries) if (expiresAtMs <= nowMs) expiries.delete(token);
    const data = {
      token_type: 'BEARER',
      access_token: create('access', accessTokenSeconds, nowMs),
      expires_in: accessTokenSeconds,
      refresh_token: create('refresh', refreshTokenSeconds, nowMs),
      refresh_token_expires_in: refreshTokenSeconds,
    };
    return { httpStatus: 200, body: { code: '0000', message: 'Success', data } };
  };

  const findRefreshFault = (form: URLSearchParams, nowMs: number): string | undefined => {
    if (form.get('grant_type') !== 'refresh_token') return 'grant_type must be refresh_token';
    const token = form.get('refresh_token');
    if (!token) return 'refresh_token is required';
    return isLive('refresh', token, nowMs) ? undefined : 'refresh_token is unknown or has expired';
  };

  return {
    /** Endpoint 1: a form with client_id and client_secret. */
    issue: (form: URLSearchParams, nowMs: number): TokenAnswer => {
      const fault = findCredentialFault(form);
      return fault === undefined ? grant(nowMs) : refused(fault);
    },
    /** Endpoint 2: the same with grant_type and refresh_token; a refresh token serves once. */
    refresh: (form: URLSearchParams, nowMs: number): TokenAnswer => {
      const fault = findCredentialFault(form) ?? findRefreshFault(form, nowMs);
      if (fault !== undefined) return refused(fault);
      expiries.delete(`refresh ${form.get('refresh_token')}`);
      return grant(nowMs);
    },
    /** True for an access token that is known and has not expired. */
    isValid: (token: string, nowMs: number) => isLive('access', token, nowMs),
    /** Forgets every token, as a bank does that starts anew. */
    revokeAll: () => expiries.clear(),
  };
}
