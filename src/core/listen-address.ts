/** Where a server of ours listens. */
export interface ListenAddress {
  /** Host name or IP address, without the brackets of IPv6. */
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
}

const pattern = /^(?:\[([0-9a-f:.]+)\]|([^\s:[\]/]+)):(\d{1,5})$/i;
const portMax = 65_535;

/** Reads `host:port` or `[ipv6]:port`; undefined for anything else. */
export function parseListenAddress(text: string): ListenAddress | undefined {
  const [, ipv6, name, port] = pattern.exec(text) ?? [];
  const host = ipv6 ?? name;
  if (host === undefined || port === undefined || Number(port) > portMax) return undefined;
  return { host, port: Number(port) };
}
