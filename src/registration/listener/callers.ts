/** Permitted callers: the bank's addresses, seen directly or through trusted proxies that name them. */
import { BlockList, isIP } from 'node:net';
import { parseAddressRange } from '../../core/network-address.ts';

export interface CallerRanges {
  /** Addresses from which callbacks are taken; all addresses when empty. */
  readonly allowFrom: readonly string[];
  /** Proxies whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly string[];
}

/** An IPv4 address in IPv6 form, as a socket that listens for both has it. */
const mappedPattern = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;
const withPortPattern = /^(?:\[([^\]]+)\]|(\d+\.\d+\.\d+\.\d+))(?::\d{1,5})?$/;

/** An IP address in the form for comparison and display; undefined for any other text. */
function readAddress(text: string): string | undefined {
  const [, inBrackets, ipv4] = withPortPattern.exec(text) ?? [];
  const [bare = ''] = (inBrackets ?? ipv4 ?? text).split('%');
  const address = mappedPattern.exec(bare)?.[1] ?? bare;
  return isIP(address) === 0 ? undefined : address;
}

/** @throws Error for a text that is no range */
function listRanges(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const text of ranges) {
    const range = parseAddressRange(text);
    if (range === undefined) throw new Error('an address range cannot be read');
    list.addSubnet(range.address, range.prefixLength, range.family);
  }
  return list;
}

const has = (list: BlockList, address: string): boolean =>
  list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');

export class Callers {
  readonly #allowed: BlockList | undefined;
  readonly #proxies: BlockList;

  constructor({ allowFrom, trustedProxies }: CallerRanges) {
    this.#allowed = allowFrom.length === 0 ? undefined : listRanges(allowFrom);
    this.#proxies = listRanges(trustedProxies);
  }

  /** True for permitted callers, and for proxies that may speak for them. @param peer of the connection */
  mayConnect(peer: string | undefined): boolean {
    const address = readAddress(peer ?? '');
    return address !== undefined && (this.#isAllowed(address) || has(this.#proxies, address));
  }

  /** The address from which a request comes; undefined when it may not call. */
  find(peer: string | undefined, forwardedFor: string | undefined): string | undefined {
    const address = this.trace(peer, forwardedFor);
    return address !== undefined && this.#isAllowed(address) ? address : undefined;
  }

  /**
   * The same, permitted or not. `X-Forwarded-For` is read from its end, as far as trusted proxies wrote it: any caller may
   * have invented the rest.
   */
  trace(peer: string | undefined, forwardedFor: string | undefined): string | undefined {
    let address = readAddress(peer ?? '');
    const said = forwardedFor === undefined ? [] : forwardedFor.split(',');
    while (address !== undefined && said.length > 0 && has(this.#proxies, address))
      address = readAddress((said.pop() ?? '').trim());
    return address;
  }

  #isAllowed(address: string): boolean {
    return this.#allowed === undefined || has(this.#allowed, address);
  }
}
