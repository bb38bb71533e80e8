/** The user whom a trusted proxy names. Its word counts from its own address alone, which is checked before. */
import { can, isBeforeRestore, type Person } from './people.ts';
import { nameKeyOf } from './person-request.ts';

/** The reason why the header signs no user in. */
export type ProxyRefusal = 'unnamed' | 'doubled' | 'unknown' | 'disabled' | 'before-restore' | 'no-right';

type NamedByProxy =
  | { readonly ok: true; readonly person: Person }
  | {
      readonly ok: false;
      readonly refusal: ProxyRefusal;
      /** The masked name; empty unless there is exactly one name. */
      readonly masked: string;
    };

/** All values of a header in a request; repeated headers are not joined. @param rawHeaders names and values in turn */
export function readHeaderValues(rawHeaders: readonly string[], header: string): readonly string[] {
  const wanted = header.toLowerCase();
  return rawHeaders.filter(
    (_text, place) => place % 2 === 1 && rawHeaders[place - 1]?.toLowerCase() === wanted,
  );
}

const ipv4Form = /^(?:::ffff:)?(\d{1,3}(?:\.\d{1,3}){3})(?::\d+)?$/i;

/** The part of an address that counts as one source: IPv4 without port, 64 bits of IPv6, the start of other texts. */
export function toSource(address: string): string {
  const ipv4 = ipv4Form.exec(address)?.[1];
  if (ipv4 !== undefined) return ipv4;
  const url = `http://[${address.replace(/^\[([^\]]*)\].*$/, '$1')}]`;
  if (!URL.canParse(url)) return address.slice(0, 64);
  const [head = '', tail = ''] = new URL(url).hostname.slice(1, -1).split('::');
  const [first, last] = [head, tail].map((part) => (part === '' ? [] : part.split(':')));
  const zeros = Array.from({ length: 8 - (first?.length ?? 0) - (last?.length ?? 0) }, () => '0');
  return `${[...(first ?? []), ...zeros, ...(last ?? [])].slice(0, 4).join(':')}::/64`;
}

/** The part of a source that may be kept: a network of 256 addresses, or of 48 bits; undefined for other texts. */
export function toNetwork(source: string): string | undefined {
  const ipv4 = ipv4Form.exec(source)?.[1];
  if (ipv4 !== undefined) return `${ipv4.split('.').slice(0, 3).join('.')}.0/24`;
  return source.endsWith('::/64') ? `${source.split(':').slice(0, 3).join(':')}::/48` : undefined;
}

/** The characters of user names. A name with others matches no user, so a normalised stranger looks like none. */
const nameSigns = /^[\x21-\x7E]+$/;

/** At most a third of the name and two characters, enough for the keeper of the proxy to recognise it. */
const maskName = (name: string): string =>
  `${name.replaceAll(/[^A-Za-z.@_-]/g, '*').slice(0, Math.min(2, Math.floor(name.length / 3)))}***`;

/** Finds the user whom the header names, if valid now. @param values the values of the proxy's header in one request */
export function findNamed(
  values: readonly string[],
  people: readonly Person[],
  restoredAtMs: number | undefined,
): NamedByProxy {
  const [name = ''] = values;
  if (values.length > 1) return { ok: false, refusal: 'doubled', masked: '' };
  if (name.trim() === '') return { ok: false, refusal: 'unnamed', masked: '' };
  const refuse = (refusal: ProxyRefusal): NamedByProxy => ({ ok: false, refusal, masked: maskName(name) });
  const person = nameSigns.test(name)
    ? people.find((one) => nameKeyOf(one.name) === nameKeyOf(name))
    : undefined;
  if (person === undefined) return refuse('unknown');
  if (person.isDisabled) return refuse('disabled');
  if (isBeforeRestore(person.standsSinceMs, restoredAtMs)) return refuse('before-restore');
  return can(person, 'see').allowed ? { ok: true, person } : refuse('no-right');
}
