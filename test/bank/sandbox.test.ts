import { describe, expect, test } from 'vitest';
import { makeBankClient } from '../../src/bank/client.ts';
import { formatBangkokDate, formatBangkokTime } from '../../src/core/bangkok-time.ts';
import { startSandbox } from '../../src/sandbox/server.ts';
import { check, order } from '../support/bank-samples.ts';
import { clientOptions, clientSecret } from '../support/fake-bank.ts';
import { makeVirtualClock } from '../support/virtual-clock.ts';

describe('against the sandbox bank', () => {
  test.each(['proxy', 'promptpay'])(
    'a payee is checked, paid and inquired in the scheme %s',
    async (scheme) => {
      const clock = makeVirtualClock();
      await using sandbox = await startSandbox({
        clientId: 'my-app',
        clientSecret,
        companyId: 'COMP000001',
        payerAccounts: ['0000345924'],
        scheme,
        now: clock.now,
      });
      await using client = makeBankClient(clientOptions(sandbox.baseUrl, { scheme, clock }));
      const today = { tranDate: formatBangkokDate(clock.now()), tranTime: formatBangkokTime(clock.now()) };
      const mine = { ...order, companyId: 'COMP000001', proxyName: null, ...today };

      expect(await client.checkPayee(check)).toMatchObject({
        fields: { statusCode: 'IC001', payeeName: expect.any(String), payeeNameTh: expect.any(String) },
      });
      const reply = await client.transfer(mine, () => true);
      expect(reply).toMatchObject({ fields: { statusCode: 'IC000', transRefNo: mine.transRefNo } });
      expect(reply.kind === 'answered' && reply.fields?.requestUid === reply.requestUid).toBe(true);
      const items = [{ transRefNo: mine.transRefNo, tranStatusCode: '010004' }];
      expect(await client.inquire(mine)).toMatchObject({ fields: { statusCode: 'IC001', items } });
    },
  );

  test('that has forgotten our token gives another, and wrong credentials are told', async () => {
    const options = {
      clientId: 'my-app',
      clientSecret,
      companyId: 'COMP000001',
      payerAccounts: ['0000345924'],
    };
    const clock = makeVirtualClock();
    let bankAheadMs = 0;
    await using sandbox = await startSandbox({ ...options, now: () => clock.now() + bankAheadMs });
    await using client = makeBankClient(clientOptions(sandbox.baseUrl, { clock }));
    await using stranger = makeBankClient(clientOptions(sandbox.baseUrl, { clock, clientSecret: 'wrong' }));

    expect(await client.checkPayee(check)).toMatchObject({ httpStatus: 200 });
    bankAheadMs = 3_600_000;
    expect(await client.checkPayee(check)).toMatchObject({ httpStatus: 200 });
    expect(await stranger.checkPayee(check)).toEqual({ kind: 'credentials-refused', code: 'TK001' });
  });
});
