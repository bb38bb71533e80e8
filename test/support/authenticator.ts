/** An authenticator of software: keys and signatures as a browser hands them on, right or spoilt. */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import type { findSignatureFault } from '../../src/review/rules/signature.ts';

type Assertion = Parameters<typeof findSignatureFault>[0];

const sha256 = (data: string | Buffer): Buffer => createHash('sha256').update(data).digest();
const base64url = (bytes: Buffer | string): string => Buffer.from(bytes).toString('base64url');

/** CBOR of what stands in an attestation: small maps of numbers, texts and bytes. */
function cbor(value: unknown): Buffer {
  const head = (major: number, size: number): Buffer => {
    if (size < 24) return Buffer.from([(major << 5) | size]);
    if (size < 256) return Buffer.from([(major << 5) | 24, size]);
    return Buffer.from([(major << 5) | 25, size >> 8, size & 255]);
  };
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === 'string')
    return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  if (!(value instanceof Map)) throw new Error('no such thing in an attestation');
  return Buffer.concat([head(5, value.size), ...[...value].flat().map(cbor)]);
}

/** What may be spoilt. */
export interface AuthenticatorFault {
  readonly origin?: string;
  readonly rpId?: string;
  /** In the place of "present and verified": 0x05. */
  readonly flags?: number;
  readonly type?: string;
  readonly crossOrigin?: boolean;
}

const presentAndVerified = 0x05;
const hasKey = 0x40;

/** One key, bound to one name. */
export class Authenticator {
  readonly origin: string;
  readonly rpId: string;
  readonly credentialId = base64url(randomBytes(32));
  readonly #private: KeyObject;
  readonly #public: KeyObject;

  constructor(origin = 'http://localhost:8484', rpId = 'localhost') {
    this.origin = origin;
    this.rpId = rpId;
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    this.#private = privateKey;
    this.#public = publicKey;
  }

  get publicKey(): string {
    return this.#public.export({ type: 'spki', format: 'der' }).toString('base64url');
  }

  #authenticatorData(
    { rpId = this.rpId, flags = presentAndVerified }: AuthenticatorFault,
    rest: Buffer,
  ): Buffer {
    return Buffer.concat([sha256(rpId), Buffer.from([flags]), Buffer.alloc(4), rest]);
  }

  #clientData(
    challenge: string,
    usual: string,
    { type = usual, origin = this.origin, crossOrigin = false }: AuthenticatorFault,
  ): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin }));
  }

  /** Answers `navigator.credentials.create`. */
  create(challenge: string, fault: AuthenticatorFault = {}): RegistrationResponseJSON {
    const { x = '', y = '' } = this.#public.export({ format: 'jwk' });
    const key = new Map<number, unknown>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, Buffer.from(x, 'base64url')],
      [-3, Buffer.from(y, 'base64url')],
    ]);
    const id = Buffer.from(this.credentialId, 'base64url');
    const credential = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, cbor(key)]);
    const flags = (fault.flags ?? presentAndVerified) | hasKey;
    const authData = this.#authenticatorData({ ...fault, flags }, credential);
    const attestation = new Map<string, unknown>([
      ['fmt', 'none'],
      ['attStmt', new Map()],
      ['authData', authData],
    ]);
    return {
      id: this.credentialId,
      rawId: this.credentialId,
      type: 'public-key',
      clientExtensionResults: {},
      response: {
        clientDataJSON: base64url(this.#clientData(challenge, 'webauthn.create', fault)),
        attestationObject: base64url(cbor(attestation)),
        transports: ['internal'],
      },
    };
  }

  /** Answers `navigator.credentials.get`. */
  get(challenge: string, fault: AuthenticatorFault = {}): AuthenticationResponseJSON {
    const authenticatorData = this.#authenticatorData(fault, Buffer.alloc(0));
    const clientData = this.#clientData(challenge, 'webauthn.get', fault);
    const signature = sign('sha256', Buffer.concat([authenticatorData, sha256(clientData)]), this.#private);
    return {
      id: this.credentialId,
      rawId: this.credentialId,
      type: 'public-key',
      clientExtensionResults: {},
      response: {
        clientDataJSON: base64url(clientData),
        authenticatorData: base64url(authenticatorData),
        signature: base64url(signature),
      },
    };
  }

  /** As it is kept. */
  sign(text: string, fault: AuthenticatorFault = {}): Assertion {
    const { response } = this.get(sha256(text).toString('base64url'), fault);
    return {
      text,
      credentialId: this.credentialId,
      publicKey: this.publicKey,
      authenticatorData: response.authenticatorData,
      clientDataJson: response.clientDataJSON,
      signature: response.signature,
      rpId: this.rpId,
      origin: this.origin,
    };
  }
}
