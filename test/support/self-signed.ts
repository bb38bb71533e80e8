import { createPrivateKey, generateKeyPairSync, sign } from 'node:crypto';

/** A certificate made for one test run, so that no private key lies in the repository. */
export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

const sequence = (...parts: readonly Uint8Array[]) => der(0x30, ...parts);
const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'));
const time = (epochMs: number) =>
  der(0x17, Buffer.from(`${new Date(epochMs).toISOString().slice(2, 19).replaceAll(/[-:T]/g, '')}Z`));

const ecdsaWithSha256 = sequence(oid('2a8648ce3d040302'));
const dayMs = 86_400_000;

/** A self-signed certificate for "localhost", 127.0.0.1 and further names, valid for a day. */
export function makeCertificate(nowMs: number, ...names: readonly string[]): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const name = sequence(der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from('localhost')))));
  const altNames = sequence(
    ...['localhost', ...names].map((one) => der(0x82, Buffer.from(one))),
    der(0x87, Buffer.from([127, 0, 0, 1])),
  );
  const extensions = der(0xa3, sequence(sequence(oid('551d11'), der(0x04, altNames))));
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    ecdsaWithSha256,
    name,
    sequence(time(nowMs - dayMs), time(nowMs + dayMs)),
    name,
    publicKey,
    extensions,
  );
  const signature = sign('sha256', body, createPrivateKey(privateKey));
  const whole = sequence(body, ecdsaWithSha256, der(0x03, Buffer.from([0]), signature));
  const lines = whole.toString('base64').replaceAll(/.{64}/g, '$&\n');
  return { key: privateKey, cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n` };
}
