/** Proves the credentials to the token endpoint (§5) and asks the bank for nothing else. */
import { readBankAddress } from '../core/network-address.ts';
import { postForm } from './calls.ts';
import type { BankClientOptions } from './client.ts';
import { makeTokenKeeper } from './token.ts';
import { makeTransport } from './transport.ts';
import { wireNames } from './wire.ts';

/** What the token endpoint says about the credentials. */
export type LoginOutcome =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'refused'; readonly code: string }
  | { readonly kind: 'no-answer'; readonly why: string };

export type LoginOptions = Pick<
  BankClientOptions,
  'baseUrl' | 'clientId' | 'clientSecret' | 'scheme' | 'timeoutMs' | 'clock'
>;

/**
 * Asks once for an access token and forgets it.
 * @throws BankAddressError for a baseUrl that cannot or must not be used
 */
export async function proveLogin(options: LoginOptions): Promise<LoginOutcome> {
  const { clientId, clientSecret, clock, scheme } = options;
  using transport = makeTransport(readBankAddress(options.baseUrl), options.timeoutMs);
  const desk = { transport, names: wireNames(scheme), clock, onExchange: undefined };
  const tokens = makeTokenKeeper({
    clientId,
    clientSecret,
    clock,
    postForm: (endpoint, form) => postForm(desk, endpoint, form),
  });
  const reading = await tokens.current();
  switch (reading.kind) {
    case 'token':
      return { kind: 'accepted' };
    case 'credentials-refused':
      return { kind: 'refused', code: reading.code };
    case 'not-sent':
      return { kind: 'no-answer', why: reading.why };
  }
}
