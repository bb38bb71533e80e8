/** A bank that does what a test says, behind the port: nothing goes over HTTP, and time is what the test makes it. */
import type {
  Bank,
  BankReply,
  InquiryFields,
  PayeeCheck,
  PayeeCheckFields,
  StatusInquiry,
  TransferFields,
} from '../../src/core/bank-port.ts';
import type { TransferOrder } from '../../src/core/payout.ts';
import { type Answer, answered, inquiryFields, inquiryItem, transferFields } from './core-fixtures.ts';
import { makeVirtualClock, type VirtualClock } from './virtual-clock.ts';

type Said<Fields> = BankReply<Fields> | undefined | Promise<BankReply<Fields> | undefined>;

/** What the bank does. What is left out, or said by nobody, goes well, or is not found. `no` counts the transfers from 1. */
export interface Script {
  check?: (check: PayeeCheck) => Said<PayeeCheckFields>;
  transfer?: (order: TransferOrder, no: number) => Said<TransferFields>;
  inquire?: (inquiry: StatusInquiry) => Said<InquiryFields>;
}

/** A transfer whose bytes have left. */
interface Sent {
  readonly transRefNo: string;
  /** Its reference1: files of the tests give it the payoutId. */
  readonly payoutId: string;
  readonly atMs: number;
}

/** The bank, its clock, and what it may say. */
export class ScriptedBank {
  readonly time: VirtualClock;
  script: Script = {};
  /** In the order in which their bytes left. */
  readonly sent: Sent[] = [];

  constructor(startMs: number, isInMemory = false) {
    this.time = makeVirtualClock(startMs, isInMemory);
  }

  /** As the code under test sees it. */
  readonly bank: Bank = {
    checkPayee: async (check) => (await this.script.check?.(check)) ?? this.checked('IC001'),
    transfer: async (order, mayTransmit) => {
      if (!mayTransmit()) return { kind: 'withheld' };
      const { transRefNo, reference1 } = order;
      this.sent.push({ transRefNo, payoutId: reference1 ?? '', atMs: this.now() });
      return (await this.script.transfer?.(order, this.sent.length)) ?? this.paid(order);
    },
    inquire: async (inquiry) => (await this.script.inquire?.(inquiry)) ?? this.found(inquiry, undefined),
  };

  now(): number {
    return this.time.now();
  }

  answer<Fields>(fields: Fields | undefined, changes: Answer<Fields> = {}): BankReply<Fields> {
    return answered(fields, { bankDateMs: this.now(), ...changes });
  }

  /** To a transfer. */
  code(code: string, fields: Partial<TransferFields> = {}): BankReply<TransferFields> {
    return this.answer(transferFields(code, fields));
  }

  paid({ transRefNo }: TransferOrder): BankReply<TransferFields> {
    return this.code('IC000', { transRefNo });
  }

  checked(code: string): BankReply<PayeeCheckFields> {
    return this.answer({ ...transferFields(code), payeeName: 'Somchai', payeeNameTh: undefined });
  }

  /** `010004` is complete, `010003` in process, undefined not found. */
  found({ transRefNo }: StatusInquiry, tranStatusCode: string | undefined): BankReply<InquiryFields> {
    if (tranStatusCode === undefined) return this.answer(inquiryFields([], 'EV034'));
    return this.answer(inquiryFields([inquiryItem(transRefNo, tranStatusCode)]));
  }
}
