/** One request to the bank: its reply is read once, and whoever has to learn from it does. */
import type { BankReply } from '../core/bank-port.ts';
import type { AdaptiveLimits } from './adaptive-limit.ts';
import type { WorkerContext } from './context.ts';
import type { BreakerSignal, ReadReply } from './rules/read-reply.ts';

export type CallContext = Pick<WorkerContext, 'gate' | 'bankClock' | 'limitRequest'>;

export interface BankCall<Fields, Finding> {
  readonly kind: keyof AdaptiveLimits;
  readonly send: () => Promise<BankReply<Fields>>;
  readonly read: (reply: BankReply<Fields>) => ReadReply<Finding>;
}

/** Makes a request that has passed the gate, and leaves the gate with what the reply says to the breaker. */
export async function callBank<Fields, Finding>(
  { gate, bankClock, limitRequest }: CallContext,
  { kind, send, read }: BankCall<Fields, Finding>,
): Promise<ReadReply<Finding>> {
  let signal: BreakerSignal = { kind: 'nothing' };
  const ask = async (): Promise<ReadReply<Finding>> => read(await send());
  try {
    const said = await (limitRequest === undefined ? ask() : limitRequest(kind, ask));
    bankClock.see(said);
    signal = said.breaker;
    return said;
  } finally {
    gate.leave(signal);
  }
}
