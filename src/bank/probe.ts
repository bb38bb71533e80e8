/** Checks that the bank can be reached: makes a connection, checks its certificate, and sends no request. */
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { type BankAddress, readBankAddress } from '../core/network-address.ts';
import { distrustCodes, findErrorCode, type TrustedCertificates } from '../platform/http.ts';

/** `why` ends with the cure. */
type BankProbe = { readonly kind: 'reachable' } | { readonly kind: 'unreachable'; readonly why: string };

interface ProbeOptions {
  /** Certificates to trust besides the system's. */
  readonly ca?: TrustedCertificates;
  /** Ends the probe at once. */
  readonly stop?: AbortSignal;
}

/** The step that the connection has reached. */
type Step = 'name' | 'connection' | 'proof';

/**
 * Connects to the bank and hangs up. Costs the bank a connection and no request.
 * @param timeoutMs covers name, connection and certificate
 * @throws BankAddressError when the address cannot be used
 */
export function probeBank(
  baseUrl: string,
  timeoutMs: number,
  { ca, stop }: ProbeOptions = {},
): Promise<BankProbe> {
  const address = readBankAddress(baseUrl);
  return new Promise((resolve) => {
    let step: Step = isIP(address.host) === 0 ? 'name' : 'connection';
    const socket = connectTo(address, ca);
    const end = (probe: BankProbe): void => {
      clearTimeout(timer);
      stop?.removeEventListener('abort', giveUp);
      resolve(probe);
      socket.destroy();
    };
    const fail = (why: string): void => end({ kind: 'unreachable', why });
    const giveUp = (): void => fail('the check was stopped before the bank answered');
    const timer = setTimeout(() => fail(describeTimeout(address, step, timeoutMs)), timeoutMs);
    stop?.addEventListener('abort', giveUp, { once: true });
    if (stop?.aborted === true) giveUp();
    socket.on('lookup', (error) => {
      if (error === null) step = 'connection';
    });
    socket.on('connect', () => {
      step = 'proof';
      if (!address.isSecure) end({ kind: 'reachable' });
    });
    socket.on('secureConnect', () => end({ kind: 'reachable' }));
    socket.on('error', (error) => fail(describeFailure(address, step, findErrorCode(error))));
    socket.on('close', () => fail(describeFailure(address, step, 'closed')));
  });
}

function connectTo({ isSecure, host, port }: BankAddress, ca: TrustedCertificates | undefined): Socket {
  if (!isSecure) return connectTcp({ host, port });
  return connectTls({
    host,
    port,
    // Set explicitly, so that no environment variable can switch certificate checks off.
    rejectUnauthorized: true,
    ALPNProtocols: ['http/1.1'],
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(ca === undefined ? {} : { ca }),
  });
}

function describeTimeout({ host, origin }: BankAddress, step: Step, timeoutMs: number): string {
  switch (step) {
    case 'name':
      return `the name ${host} was not found within ${timeoutMs} ms: look at the name server of this machine`;
    case 'connection':
      return `no connection to ${origin} within ${timeoutMs} ms: look at the network and the firewall`;
    case 'proof':
      return `${origin} took the connection and did not prove who it is within ${timeoutMs} ms: ask the bank`;
  }
}

/** Causes and cures of connection errors, by the code of the operating system or of TLS. */
const connectionTroubles: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'it refuses connections: the service is down, or bank.baseUrl names another port',
  ECONNRESET: 'it closes connections: ask the bank whether this machine may connect',
  EHOSTUNREACH: 'no way leads there: look at the network and the firewall',
  ENETUNREACH: 'no way leads there: look at the network of this machine',
  ETIMEDOUT: 'it does not answer: look at the network and the firewall',
  EMFILE: 'this process has too many files open: raise the limit (ulimit -n)',
};

const certificateTroubles: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'its certificate has expired: ask the bank, and look at the clock of this machine',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet: look at the clock of this machine',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name: look at bank.baseUrl',
};

function describeFailure({ host, origin }: BankAddress, step: Step, code: string): string {
  switch (step) {
    case 'name':
      return `the name ${host} was not found (${code}): look at bank.baseUrl and the name server of this machine`;
    case 'connection':
      return `no connection to ${origin} (${code}): ${connectionTroubles[code] ?? 'look at the network'}`;
    case 'proof': {
      const trouble = distrustCodes.has(code)
        ? 'its certificate is not trusted by this machine: look at bank.baseUrl, and have the issuer trusted (NODE_EXTRA_CA_CERTS)'
        : (certificateTroubles[code] ?? 'it does not speak TLS as expected: look at bank.baseUrl');
      return `no proof that ${origin} is the bank (${code}): ${trouble}`;
    }
  }
}
