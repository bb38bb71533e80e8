/** A bank that cannot be reached, or does not prove who it is: nothing leaves, and every row says so. */
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { startFakeBank } from '../support/fake-bank.ts';
import { makeRehearsal, type Rehearsed, rowsOf } from '../support/rehearsal.ts';
import { makeCertificate } from '../support/self-signed.ts';

async function runAgainst(baseUrl: string, verify: object): Promise<Rehearsed> {
  await using rehearsal = await makeRehearsal({ bank: { baseUrl }, verify });
  return await rehearsal.run(rowsOf(['7.00', '8.00', '9.00']), { waitMs: 700 });
}

function expectUnsent({ results, exceptions, exitCode }: Rehearsed): void {
  const last = new Map(results.map((result) => [result['payoutId'], result]));
  expect([...last.values()].map(({ status }) => status)).not.toContain('paid');
  expect([...last.values()].map(({ status }) => status)).not.toContain('failed');
  expect(exitCode === 4 || exitCode === 6).toBe(true);
  expect(exceptions.length).toBeGreaterThan(0);
}

const checks = [{ enabled: true }, { enabled: false }];

describe('nothing leaves', () => {
  test.each(checks)('when the name does not exist (payee check %o)', async (verify) => {
    expectUnsent(await runAgainst('https://bank.invalid', verify));
  });

  test.each(checks)('when the certificate proves nothing (payee check %o)', async (verify) => {
    await using bank = await startFakeBank(makeCertificate(Date.now()));
    expectUnsent(await runAgainst(bank.baseUrl, verify));
    expect(bank.arrivals).toEqual([]);
  });

  test.each(checks)('when the bank hangs up in the handshake (payee check %o)', async (verify) => {
    const received: Buffer[] = [];
    const server = createServer((socket: Socket) => {
      socket.on('error', () => {});
      socket.once('data', (bytes) => {
        received.push(bytes);
        socket.destroy();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      expectUnsent(await runAgainst(`https://127.0.0.1:${(server.address() as AddressInfo).port}`, verify));
    } finally {
      server.close();
    }
    expect(received.length).toBeGreaterThan(0);
    expect(Buffer.concat(received).toString('latin1')).not.toMatch(/POST|Bearer|test-secret/);
  });
});
