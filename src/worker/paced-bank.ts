/** The bank as a run uses it: every reply tells the pace, and no transfer leaves while the service is closed. */
import { readPaceSignal } from '../core/pace.ts';
import type { Bank, BankReply, BusinessFields } from '../core/ports.ts';
import type { WorkerContext } from './context.ts';
import type { Pace, Paces } from './pace.ts';

/** Sends at the pace; transfers have passed a lane of theirs before, so that none waits once it may leave. */
export function paceBank({ bank, gate, log }: WorkerContext, paces: Paces): Bank {
  const checks = paces.checks.openLane();
  const inquiries = paces.inquiries.openLane();
  async function listen<Fields extends BusinessFields>(
    kind: keyof Paces,
    send: () => Promise<BankReply<Fields>>,
  ): Promise<BankReply<Fields>> {
    const pace: Pace = paces[kind];
    const { round } = pace.state;
    const reply = await send();
    const before = pace.state.limit;
    pace.hear(readPaceSignal(reply), round);
    const { limit, why } = pace.state;
    if (limit < before) log('info', 'slower', { kind, limit, why });
    return reply;
  }
  return {
    checkPayee: (check) => checks(() => listen('checks', () => bank.checkPayee(check))),
    transfer: (order, mayLeave) =>
      listen('transfers', () => bank.transfer(order, () => gate.isServiceOpen && mayLeave())),
    inquire: (inquiry) => inquiries(() => listen('inquiries', () => bank.inquire(inquiry))),
  };
}
