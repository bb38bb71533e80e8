/** What a signature under an approval proves, and what spoils it; no journal and no library has a part in it. */
import { generateKeyPairSync, sign } from 'node:crypto';
import { expect, describe, test } from 'vitest';
import { toSatang } from '../../../src/core/money.ts';
import { findSignatureFault } from '../../../src/review/rules/signature.ts';
import {
  computeChallenge,
  makeSignedText,
  readSignedValue,
  type SignedMatter,
} from '../../../src/review/rules/signed-text.ts';
import { Authenticator, type AuthenticatorFault } from '../../support/authenticator.ts';
import { noonMs } from '../../support/core-fixtures.ts';

type Assertion = Parameters<typeof findSignatureFault>[0];

const matter: SignedMatter = {
  isSandbox: true,
  companyId: 'COMP000001',
  journalId: 'journal-1',
  proposalId: 12,
  decision: 'approve-batch',
  batches: [{ batchId: 'ABCDEFGH12', version: '1'.repeat(64), fileSha256: '2'.repeat(64) }],
  rows: 3,
  totalSatang: toSatang(1_250_000n),
  digest: '3'.repeat(64),
};
const nok = { personId: 3, person: 'nok' };
const text = makeSignedText(matter, { ...nok, nonce: 'bm9uY2U', atMs: noonMs });
const key = new Authenticator();

test('the text says what is approved, in lines that people can read', () => {
  expect(text.split('\n')).toEqual([
    'paydrop approval v1',
    'purpose: pay these rows',
    'money: sandbox, no real money',
    'company: COMP000001',
    'journal: journal-1',
    'proposal: 12',
    'decision: approve-batch',
    'batch: ABCDEFGH12',
    `digest of its rows: ${'1'.repeat(64)}`,
    `sha-256 of its file: ${'2'.repeat(64)}`,
    'rows: 3',
    'total: 12500.00 baht',
    `digest: ${'3'.repeat(64)}`,
    'person: 3 nok',
    'nonce: bm9uY2U',
    'time: 2026-11-21T12:00:00+07:00',
  ]);
});

test('no name adds a line of its own', () => {
  const forged = makeSignedText(
    { ...matter, companyId: 'X\ntotal: 1.00 baht' },
    { ...nok, nonce: '', atMs: 0 },
  );
  expect(forged.split('\n')).toHaveLength(text.split('\n').length);
});

/** The names of the lines in which a text differs from the expected one. */
function findTextDifferences(signed: string, about: SignedMatter, person: typeof nok): readonly string[] {
  const atMs = Date.parse(readSignedValue(signed, 'time'));
  if (Number.isNaN(atMs)) return ['time'];
  const nonce = readSignedValue(signed, 'nonce');
  const should = makeSignedText(about, { ...person, nonce, atMs }).split('\n');
  const is = signed.split('\n');
  const differing = should.flatMap((one, place) => (one === is[place] ? [] : [one.split(':')[0] ?? one]));
  return is.length > should.length ? [...differing, 'a line more'] : differing;
}

describe('a text is about one approval', () => {
  test('which it says', () => expect(findTextDifferences(text, matter, nok)).toEqual([]));

  test.each<readonly [string, Partial<SignedMatter>]>([
    ['total', { totalSatang: toSatang(1_250_001n) }],
    ['rows', { rows: 4 }],
    ['digest', { digest: '4'.repeat(64) }],
    ['proposal', { proposalId: 13 }],
    ['company', { companyId: 'COMP000002' }],
    ['journal', { journalId: 'journal-2' }],
    ['money', { isSandbox: false }],
    ['digest of its rows', { batches: [{ ...matter.batches[0]!, version: '5'.repeat(64) }] }],
  ])('not about another %s', (line, changes) => {
    expect(findTextDifferences(text, { ...matter, ...changes }, nok)).toEqual([line]);
  });

  test('not of another person, nor with more or less than it should say', () => {
    expect(findTextDifferences(text, matter, { personId: 4, person: 'ann' })).toEqual(['person']);
    expect(findTextDifferences(`${text}\nand: more`, matter, nok)).toEqual(['a line more']);
    expect(findTextDifferences(text.replace('rows: 3\n', ''), matter, nok)).not.toEqual([]);
    expect(findTextDifferences('', matter, nok)).toEqual(['time']);
  });
});

describe('a signature', () => {
  const signed = key.sign(text);

  test('holds, with nothing but node:crypto', () => expect(findSignatureFault(signed)).toBeUndefined());

  test('of an Ed25519 key holds, too', () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const data = Buffer.from(signed.authenticatorData, 'base64url');
    const clientData = Buffer.from(signed.clientDataJson, 'base64url');
    const hashed = Buffer.from(computeChallenge(clientData.toString()), 'base64url');
    const own = {
      ...signed,
      publicKey: publicKey.export({ type: 'spki', format: 'der' }).toString('base64url'),
      signature: sign(null, Buffer.concat([data, hashed]), privateKey).toString('base64url'),
    };
    expect(findSignatureFault(own)).toBeUndefined();
    expect(findSignatureFault({ ...own, signature: signed.signature })).toBe(
      'the signature is not of this key',
    );
  });

  test.each<readonly [string, AuthenticatorFault, string]>([
    ['on another page', { origin: 'http://localhost:8485' }, 'it was signed on another page'],
    ['for another name', { rpId: 'evil.example' }, 'it was signed for another name'],
    ['without anybody there', { flags: 0x04 }, 'no person was present at the authenticator'],
    ['without making sure who', { flags: 0x01 }, 'the authenticator did not make sure who was there'],
    ['as another thing', { type: 'webauthn.create' }, 'it is no signature of a sign-in or an approval'],
    ['inside another page', { crossOrigin: true }, 'it was signed inside another page'],
  ])('made %s proves nothing', (_name, fault, why) => {
    expect(findSignatureFault(key.sign(text, fault))).toBe(why);
  });

  const other = new Authenticator();
  test.each<readonly [string, Partial<Assertion>, string]>([
    ['a changed amount', { text: text.replace('12500.00', '92500.00') }, 'another text was signed'],
    ['another digest', { text: text.replace('3333', '4333') }, 'another text was signed'],
    ['a blank more', { text: `${text} ` }, 'another text was signed'],
    ['another key', { publicKey: other.publicKey }, 'the signature is not of this key'],
    [
      'a signature of another text',
      { signature: key.sign('another').signature },
      'the signature is not of this key',
    ],
    [
      'a page that may not use the key',
      {
        origin: 'https://evil.example',
        clientDataJson: key.sign(text, { origin: 'https://evil.example' }).clientDataJson,
      },
      'its page may not use this key',
    ],
    ['no client data', { clientDataJson: 'bm8' }, 'it is no signature of a sign-in or an approval'],
    [
      'flags cut off',
      { authenticatorData: signed.authenticatorData.slice(0, 30) },
      'what the authenticator said is cut off',
    ],
    ['a key that is none', { publicKey: 'AAAA' }, 'its key cannot be read'],
  ])('with %s proves nothing', (_name, changes, why) => {
    expect(findSignatureFault({ ...signed, ...changes })).toBe(why);
  });

  test('with a flag changed afterwards proves nothing', () => {
    const bytes = Buffer.from(signed.authenticatorData, 'base64url');
    bytes[32] = 0x1d;
    const changed = { ...signed, authenticatorData: bytes.toString('base64url') };
    expect(findSignatureFault(changed)).toBe('the signature is not of this key');
  });
});
