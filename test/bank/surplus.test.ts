/** A bank that answers once more than it was asked, on a connection that is kept alive. */
import { afterEach, describe, expect, test } from 'vitest';
import { makeBankClient } from '../../src/bank/client.ts';
import { readReply } from '../../src/payout/rules/read-reply.ts';
import { order } from '../support/bank-samples.ts';
import { type Arrival, clientOptions, startFakeBank } from '../support/fake-bank.ts';

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one[Symbol.asyncDispose]();
});

/** Bytes of a whole answer, written past the server. */
function write({ socket }: Pick<Arrival, 'socket'>, fields: object): void {
  const body = JSON.stringify(fields);
  const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}`;
  socket.write(`${head}\r\n\r\n${body}`);
}

const refusal = { statusCode: 'EV033', statusDesc: 'Payee account invalid' };

/** A bank with something to do when a transfer has arrived, before it answers that one well. */
async function start(before: (arrival: Arrival, no: number) => boolean | void) {
  const bank = await startFakeBank();
  const client = makeBankClient(clientOptions(bank.baseUrl));
  open.push(client, bank);
  let transfers = 0;
  bank.behave = (arrival) => {
    if (!arrival.path.endsWith('/fundtransfer')) return false;
    transfers += 1;
    return before(arrival, transfers);
  };
  const pay = async (): Promise<string> => {
    const reply = await client.transfer(order, () => true);
    const { finding } = readReply(reply, { order, sends: 1, refusals: 0 }, []);
    return 'reason' in finding ? `${finding.kind} ${finding.reason.code}` : finding.kind;
  };
  return { bank, pay };
}

const paid = 'paid IC000';

describe('a surplus answer', () => {
  test.each([
    ['at once', 0],
    ['after a while', 20],
  ])('that comes while the connection rests, read %s, closes it', async (_name, restMs) => {
    const { bank, pay } = await start(() => {});
    for (let no = 1; no <= 6; no += 1) {
      expect(await pay()).toBe(paid);
      write({ socket: bank.connections.at(-1)! }, refusal);
      if (restMs > 0) await new Promise((resolve) => setTimeout(resolve, restMs));
    }
    expect(bank.arrivals.filter(({ path }) => path.endsWith('/fundtransfer'))).toHaveLength(6);
  });

  test('that is another request’s puts one answer out of step, not all that follow', async () => {
    let last: object | undefined;
    const behind = new Set<Arrival['socket']>();
    const { pay } = await start((arrival, no) => {
      if (no === 2) behind.add(arrival.socket);
      const { requestUID, transRefNo } = JSON.parse(arrival.body) as Record<string, string>;
      const own = { statusCode: 'IC000', requestUID, transRefNo };
      // From the second transfer on this connection brings each answer when the next request has come.
      write(arrival, behind.has(arrival.socket) && last !== undefined ? last : own);
      last = own;
      return true;
    });
    expect(await pay()).toBe(paid);
    expect(await pay()).toBe('unknown foreign-reply');
    for (let no = 3; no <= 6; no += 1) expect(await pay()).toBe(paid);
  });

  test('that bears no requestUID is a refusal that says so', async () => {
    const { pay } = await start((arrival, no) => {
      if (no === 1) write(arrival, refusal);
    });
    expect(await pay()).toBe('failed EV033');
  });
});
