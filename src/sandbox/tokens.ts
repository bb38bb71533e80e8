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

function sweep(tokens: Map<string, number>, nowMs: number): void {
  if (tokens.size < sweepAt) return;
  for (const [token, expiresAtMs] of tokens) if (expiresAtMs <= nowMs) tokens.delete(token);
}

/** Keeps the tokens in memory: a restart forgets them, and their bearers get 401. */
export function createTokenService(
  { clientId, clientSecret }: { readonly clientId: string; readonly clientSecret: string },
  { accessTokenSeconds, refreshTokenSeconds }: SandboxTable,
) {
  /** Token → when it expires, epoch milliseconds. */
  const accessTokens = new Map<string, number>();
  const refreshTokens = new Map<string, number>();

  const findCredentialFault = (form: URLSearchParams): string | undefined => {
    for (const name of ['client_id', 'client_secret']) if (!form.get(name)) return `${name} is required`;
    const isRight = form.get('client_id') === clientId && form.get('client_secret') === clientSecret;
    return isRight ? undefined : 'client_id or client_secret is wrong';
  };

  const grant = (nowMs: number): TokenAnswer => {
    sweep(accessTokens, nowMs);
    sweep(refreshTokens, nowMs);
    const accessToken = randomBytes(tokenBytes).toString('base64url');
    const refreshToken = randomBytes(tokenBytes).toString('base64url');
    accessTokens.set(accessToken, nowMs + accessTokenSeconds * 1_000);
    refreshTokens.set(refreshToken, nowMs + refreshTokenSeconds * 1_000);
    const data = {
      token_type: 'BEARER',
      access_token: accessToken,
      expires_in: accessTokenSeconds,
      refresh_token: refreshToken,
      refresh_token_expires_in: refreshTokenSeconds,
    };
    return { httpStatus: 200, body: { code: '0000', message: 'Success', data } };
  };

  const findRefreshFault = (form: URLSearchParams, nowMs: number): string | undefined => {
    if (form.get('grant_type') !== 'refresh_token') return 'grant_type must be refresh_token';
    const token = form.get('refresh_token');
    if (!token) return 'refresh_token is required';
    return (refreshTokens.get(token) ?? 0) > nowMs ? undefined : 'refresh_token is unknown or has expired';
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
      refreshTokens.delete(form.get('refresh_token') ?? '');
      return grant(nowMs);
    },
    /** True for an access token that is known and has not expired. */
    isValid: (token: string, nowMs: number) => (accessTokens.get(token) ?? 0) > nowMs,
    /** Forgets every token, as a bank does that starts anew. */
    revokeAll: () => {
      accessTokens.clear();
      refreshTokens.clear();
    },
  };
}
