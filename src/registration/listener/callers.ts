/** Who may call: the bank's addresses, seen directly or through proxies of ours that say for whom they speak. */
import { BlockList, isIP } from 'node:net';
import { parseAddressRange } from '../../core/network-address.ts';

export interface CallerRanges {
  /** From where callbacks are taken; from everywhere when empty. */
  readonly allowFrom: readonly string[];
  /** From where `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly string[];
}

/** IPv4 in IPv6, as a socket that listens for both has it. */
const mappedPattern = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;
const withPortPattern = /^(?:\[([^\]]+)\]|(\d+\.\d+\.\d+\.\d+))(?::\d{1,5})?$/;

/** An IP address as it is compared and shown; undefined for what is none. */
function readAddress(text: string): string | undefined {
  const [, inBrackets, ipv4] = withPortPattern.exec(text) ?? [];
  const [bare = ''] = (inBrackets ?? ipv4 ?? text).split('%');
  const address = mappedPattern.exec(bare)?.[1] ?? bare;
  return isIP(address) === 0 ? undefined : address;
}

/** @throws Error for what is no range */
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

  /** True for who may call, and for proxies that may speak for him. @param peer of the connection */
  mayConnect(peer: string | undefined): boolean {
    const address = readAddress(peer ?? '');
    return address !== undefined && (this.#isAllowed(address) || has(this.#proxies, address));
  }

  /** The address from which a request comes; undefined when it may not call from there. */
  find(peer: string | undefined, forwardedFor: string | undefined): string | undefined {
    const address = this.trace(peer, forwardedFor);
    return address !== undefined && this.#isAllowed(address) ? address : undefined;
  }

  /**
   * The same, whether or not it may. `X-Forwarded-For` is read from its end, as far as trusted proxies wrote it: what
   * stands before may be anybody's invention.
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
