/** Endpoints 1 and 2: bearer tokens with lives by the bank's clock (§2.1, §5). */
import { randomBytes } from 'node:crypto';
import type { Client, Clients } from './clients.ts';
import type { Delivery } from './delivery.ts';
import type { SandboxTable } from './table.ts';

type TokenAnswer = Pick<Delivery, 'httpStatus' | 'body'>;

export type AnswerForm = (form: URLSearchParams, nowMs: number) => TokenAnswer;

const tokenBytes = 24;
/** Number of tokens above which expired ones are removed. */
const sweepAt = 1_000;

const refused = (detail: string): TokenAnswer => ({
  httpStatus: 401,
  body: { code: 'TK001', message: `Authentication failed, credential invalid: ${detail}` },
});

type TokenKind = 'access' | 'refresh';

/** Ends the access tokens of a client. */
function endTokens(issued: Map<string, { readonly client: Client }>, client: Client): void {
  for (const [token, holder] of issued)
    if (holder.client === client && token.startsWith('access ')) issued.delete(token);
}

/** Keeps the tokens in memory: after a restart, requests with them get 401. */
export function createTokenService(
  clients: Pick<Clients, 'find'>,
  { accessTokenSeconds, refreshTokenSeconds, newTokenEndsOld }: SandboxTable,
) {
  /** Client and expiry (epoch milliseconds) by kind and token. */
  const issued = new Map<string, { readonly client: Client; readonly expiresAtMs: number }>();

  const create = (kind: TokenKind, client: Client, seconds: number, nowMs: number): string => {
    const token = randomBytes(tokenBytes).toString('base64url');
    issued.set(`${kind} ${token}`, { client, expiresAtMs: nowMs + seconds * 1_000 });
    return token;
  };
  const findHolder = (kind: TokenKind, token: string, nowMs: number): Client | undefined => {
    const { client, expiresAtMs = 0 } = issued.get(`${kind} ${token}`) ?? {};
    return expiresAtMs > nowMs ? client : undefined;
  };

  /** The client of a form's credentials, or their fault. */
  const readClient = (form: URLSearchParams): Client | string => {
    for (const name of ['client_id', 'client_secret']) if (!form.get(name)) return `${name} is required`;
    const client = clients.find(form.get('client_id'), form.get('client_secret'));
    return client ?? 'client_id or client_secret is wrong';
  };

  const grant = (client: Client, nowMs: number): TokenAnswer => {
    if (issued.size >= sweepAt)
      for (const [token, { expiresAtMs }] of issued) if (expiresAtMs <= nowMs) issued.delete(token);
    if (newTokenEndsOld) endTokens(issued, client);
    const data = {
      token_type: 'BEARER',
      access_token: create('access', client, accessTokenSeconds, nowMs),
      expires_in: accessTokenSeconds,
      refresh_token: create('refresh', client, refreshTokenSeconds, nowMs),
      refresh_token_expires_in: refreshTokenSeconds,
    };
    return { httpStatus: 200, body: { code: '0000', message: 'Success', data } };
  };

  const findRefreshFault = (form: URLSearchParams, client: Client, nowMs: number): string | undefined => {
    if (form.get('grant_type') !== 'refresh_token') return 'grant_type must be refresh_token';
    const token = form.get('refresh_token');
    if (!token) return 'refresh_token is required';
    return findHolder('refresh', token, nowMs) === client
      ? undefined
      : 'refresh_token is unknown or has expired';
  };

  return {
    /** Endpoint 1: a form with client_id and client_secret. */
    issue: (form: URLSearchParams, nowMs: number): TokenAnswer => {
      const client = readClient(form);
      return typeof client === 'string' ? refused(client) : grant(client, nowMs);
    },
    /** Endpoint 2: the same with grant_type and refresh_token; a refresh token works once. */
    refresh: (form: URLSearchParams, nowMs: number): TokenAnswer => {
      const client = readClient(form);
      if (typeof client === 'string') return refused(client);
      const fault = findRefreshFault(form, client, nowMs);
      if (fault !== undefined) return refused(fault);
      issued.delete(`refresh ${form.get('refresh_token')}`);
      return grant(client, nowMs);
    },
    /** The client of an access token; undefined when it is unknown or has expired. */
    findClient: (token: string, nowMs: number) => findHolder('access', token, nowMs),
    /** Invalidates every token, as a restarted bank does. */
    revokeAll: () => issued.clear(),
  };
}
