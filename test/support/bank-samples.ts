import type { PayeeCheck, RegistrationOrder, StatusInquiry } from '../../src/core/bank-port.ts';
import type { TransferOrder } from '../../src/core/payout.ts';
import { proxyNo } from './fake-bank.ts';

/** Records the requestUID of a repetition. */
export const keepRenewed = async (): Promise<boolean> => true;

export const order: TransferOrder = {
  transRefNo: 'PD0123456789ABCDEF01',
  channelId: 'ORDERCHAN',
  termId: 'ORDERTERM',
  companyId: 'ORDERCOMP',
  payerAccount: '0000345924',
  tranDate: '20261120',
  tranTime: '23:59:58',
  proxyType: 'MSISDN',
  proxyNo,
  proxyName: 'SOMCHAI JAIDEE',
  amountText: '1234.50',
  reference1: 'INV 1',
  reference2: null,
};
export const inquiry: StatusInquiry = {
  transRefNo: order.transRefNo,
  channelId: 'ORDERCHAN',
  termId: 'ORDERTERM',
  companyId: 'ORDERCOMP',
  tranDate: '20261120',
  tranTime: '23:59:58',
};
export const check: PayeeCheck = { proxyType: 'MSISDN', proxyNo, proxyName: null };
export const registrationOrder: RegistrationOrder = {
  customerId: '9100000000011',
  vendorId: 'VENDOR0001',
  companyId: 'COMP000001',
  accountNo: '9900000001',
  refs: ['INV 1', null, 'A', null],
  requestUid: '0b7e3a52-6a9c-4c65-9a55-5a1a1f0f4b11',
  ipAddress: '192.0.2.7',
};
