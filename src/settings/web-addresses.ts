/** Web addresses in the settings: the page's own, and the target of notices. */
import { isIP } from 'node:net';
import { isLoopback } from '../core/network-address.ts';

/** Reason why the page cannot have this address; undefined when it can. */
export function complainAboutOrigin(text: string): string | undefined {
  if (text === '') return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'https:') return 'must begin with https://';
  if (url.origin !== text) return 'must be a name alone, such as https://review.example';
  return isIP(url.hostname.replaceAll(/[[\]]/g, '')) === 0 ? undefined : 'must be a name, not an IP address';
}

/** Reason why notices cannot be posted to it; undefined when they can. */
export function complainAboutWebhook(text: string): string | undefined {
  if (text === '') return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') return 'must be a web address: https://…';
  if (url.username !== '' || url.password !== '') return 'must not hold a user or password';
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    return `is plain http to ${url.hostname}, which is allowed to a loopback address only: use https`;
  return undefined;
}
