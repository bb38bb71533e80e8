/** A sandbox says what it is to a client on this machine that asks, unless it plays a real bank. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { askServerKind, isSandboxServer } from '../../src/bank/sandbox-server.ts';
import { wireNames } from '../../src/bank/wire.ts';
import { goodCheck, goodTransfer, isHeard, openBank, speak } from '../support/sandbox-kit.ts';

const header = 'x-paydrop-sandbox';
const { paths } = wireNames('proxy');

const inquiries = [
  [paths.token, 'POST', {}, 'x'],
  [paths.transfer, 'POST', {}, 'x'],
  [paths.statement, 'POST', {}, '{}'],
  ['/no-such-address', 'POST', {}, ''],
  ['/ledger', 'GET', {}, ''],
  ['/signed/1/file.csv', 'GET', {}, ''],
  ['/sandbox/control', 'POST', {}, 'not JSON'],
  [paths.token, 'POST', {}, 'x'.repeat(100_000)],
] as const;

test('every reply bears the header, and none of one that plays a bank', async () => {
  for (const asBank of [false, true]) {
    const bank = await openBank({ asBank, control: true });
    const { baseUrl } = bank.sandbox;
    for (const [path, method, headers, body] of inquiries) {
      const heard = await speak(baseUrl, { path, method, headers, body });
      if (!isHeard(heard)) throw new Error(`${path}: ${heard}`);
      expect([path, heard.headers[header]]).toEqual([path, asBank ? undefined : '1']);
    }
    for (const heard of [await bank.send('transfer', goodTransfer), await bank.send('payeeCheck', goodCheck)])
      expect(isHeard(heard) && heard.headers[header]).toBe(asBank ? undefined : '1');
  }
});

test('a client learns it without a request to the bank', async () => {
  const bank = await openBank();
  const { other } = bank.sandbox.ledger().requests;
  expect(await askServerKind(bank.sandbox.baseUrl)).toBe('sandbox');
  expect(await isSandboxServer(`${bank.sandbox.baseUrl}/gateway`)).toBe(true);
  expect(bank.sandbox.ledger().requests.other).toBe(other);
  bank.sandbox.control({ outage: true });
  expect(await askServerKind(bank.sandbox.baseUrl)).toBe('unknown');
});

test('one that plays a bank is taken for one', async () => {
  const { sandbox } = await openBank({ asBank: true });
  expect(await askServerKind(sandbox.baseUrl)).toBe('bank');
  expect(await isSandboxServer(sandbox.baseUrl)).toBe(false);
});

test.each([
  ['https://bank.example'],
  ['http://bank.example'],
  ['https://127.0.0.1:1'],
  ['sandbox'],
  ['http://127.0.0.1.bank.example'],
])('%s is a bank, and is not asked', async (baseUrl) => {
  expect(await askServerKind(baseUrl)).toBe('bank');
});

test('a server that is silent, or is not there, is neither', async () => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  onTestFinished(() => void silent.close());
  const { port } = silent.address() as AddressInfo;
  expect(await askServerKind(`http://127.0.0.1:${port}`, 50)).toBe('unknown');
  expect(await askServerKind('http://127.0.0.1:1')).toBe('unknown');
  expect(await isSandboxServer('http://127.0.0.1:1')).toBe(false);
});
