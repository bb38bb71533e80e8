/** The bank as paying needs it: the requests, and every reply that can come back, before it is interpreted. */
import type { ProxyType, TransferOrder } from './payout.ts';

/** Facts of one exchange with the bank, kept with the attempt. */
export interface Exchange {
  readonly requestUid: string;
  readonly xRequestId: string;
  /** Time until the whole answer was there, including sleep of the machine. */
  readonly elapsedMs: number;
}

/** The reply to a request, before it is interpreted. */
export type BankReply<Fields> =
  /** The bank answered. `fields` is undefined when the body does not follow the interface. */
  | ({
      readonly kind: 'answered';
      readonly httpStatus: number;
      readonly fields: Fields | undefined;
      /** The bank's `Date` header in epoch milliseconds. */
      readonly bankDateMs: number | undefined;
      readonly retryAfterMs: number | undefined;
      /** Set for a body that cannot be read: encoded, binary, or broken JSON. It may say anything. */
      readonly isGarbled?: true;
      /** Set on a 401 that was not followed by a second request: the reason. */
      readonly unrepeated?: UnsentReply;
      /** The second request after a 401 without its requestUID: the bank may have processed the first one. */
      readonly followsBare401?: true;
    } & Exchange)
  /** Bytes may have left, and no whole answer came back. */
  | ({ readonly kind: 'lost'; readonly why: string } & Exchange)
  | UnsentReply;

/** No byte of the request has left. */
export type UnsentReply =
  | { readonly kind: 'not-sent'; readonly why: string }
  /** `mayTransmit` returned false just before the bytes would have left, or the wait for a turn was ended. */
  | { readonly kind: 'withheld' }
  /** The token endpoint refused our credentials (TK001, §5). */
  | { readonly kind: 'credentials-refused'; readonly code: string };

/** The fields of every business answer (§2.4–2.6); all but the code may be missing. */
export interface BusinessFields {
  readonly statusCode: string;
  readonly statusDesc: string | undefined;
  readonly severity: string | undefined;
  readonly requestUid: string | undefined;
}

export interface PayeeCheckFields extends BusinessFields {
  readonly payeeName: string | undefined;
  readonly payeeNameTh: string | undefined;
}

export interface TransferFields extends BusinessFields {
  readonly transRefNo: string | undefined;
  readonly sysRefNo: string | undefined;
  readonly transFee: string | undefined;
}

/** One item of fundTfrInfoList (§2.6). */
export interface InquiryItem {
  readonly transRefNo: string | undefined;
  readonly sysRefNo: string | undefined;
  readonly tranDate: string | undefined;
  readonly tranTime: string | undefined;
  readonly reference1: string | undefined;
  readonly tranStatusCode: string | undefined;
  readonly tranStatusDesc: string | undefined;
  readonly statusCode: string | undefined;
  readonly statusDesc: string | undefined;
}

export interface InquiryFields extends BusinessFields {
  /** Items of the list; empty when it is missing, undefined when it is unreadable. */
  readonly items: readonly InquiryItem[] | undefined;
}

/** The answer to a registration (§2.2); the outcome comes by callback. */
export interface RegistrationFields extends BusinessFields {
  /** The bank's number of the accepted registration. */
  readonly ddrOapiSeqId: string | undefined;
}

/** Request of endpoint 5 (§2.4); the bank adapter adds channel, terminal, company and payer from its settings. */
export interface PayeeCheck {
  readonly proxyType: ProxyType;
  readonly proxyNo: string;
  readonly proxyName: string | null;
}

/** Request of endpoint 7 (§2.6); `tranDate` is the attempt's own date, or today's. */
export type StatusInquiry = Pick<
  TransferOrder,
  'transRefNo' | 'channelId' | 'termId' | 'companyId' | 'tranDate' | 'tranTime'
>;

/** Request of endpoint 3 (§2.2), as recorded by its attempt. */
export interface RegistrationOrder {
  /** Sent as the header `digital-id`. */
  readonly customerId: string;
  /** Company code. */
  readonly vendorId: string;
  readonly companyId: string;
  readonly accountNo: string;
  /** References 1 to 4; null for one that is not given. */
  readonly refs: readonly [string | null, string | null, string | null, string | null];
  /** New for every request, up to 36 characters: the bank refuses one that it has seen. */
  readonly requestUid: string;
  /** IP address of the caller, as in `msg-hdr`. */
  readonly ipAddress: string;
}

export interface RegistrationBank {
  /**
   * Sends one registration.
   * @param mayTransmit as for a transfer
   * @param keepRenewed records the requestUID of the one repetition that a 401 allows; false: it is not sent
   * @param stop as for a payee check
   */
  register(
    order: RegistrationOrder,
    mayTransmit: () => boolean,
    keepRenewed: (requestUid: string) => Promise<boolean>,
    stop?: AbortSignal,
  ): Promise<BankReply<RegistrationFields>>;
}

export interface Bank {
  /**
   * @param stop ends the wait for a turn under the rate limit; the reply is then `withheld`. The same for every call.
   */
  checkPayee(check: PayeeCheck, stop?: AbortSignal): Promise<BankReply<PayeeCheckFields>>;
  /**
   * Sends one transfer. `mayTransmit` is asked just before bytes leave, after every wait (token, rate limit), and again
   * before the one repetition that a 401 allows.
   */
  transfer(
    order: TransferOrder,
    mayTransmit: () => boolean,
    stop?: AbortSignal,
  ): Promise<BankReply<TransferFields>>;
  inquire(inquiry: StatusInquiry, stop?: AbortSignal): Promise<BankReply<InquiryFields>>;
}

// ---------------------------------------------------------------- one token for several machines

/** A token that machines share, as stored. */
export interface SharedToken {
  /** Number of this token, counted from 1. */
  readonly generation: number;
  /** Token, readable only with the client secret. */
  readonly sealed: string;
}

/** Stores the access token that the machines of one journal share; times are by the store's own clock. */
export interface TokenPlace {
  /**
   * Reads the stored token.
   * @param forMs length of a claim: a claim that ends much later is ignored
   * @returns with its age since the request, and whether a machine is renewing it; undefined before the first
   */
  read(
    name: string,
    forMs: number,
  ): Promise<(SharedToken & { readonly ageMs: number; readonly isClaimed: boolean }) | undefined>;
  /**
   * Claims the renewal for this machine.
   * @param generation the latest that it knows; 0: none
   * @returns the end of the claim; undefined when there is a later generation or another machine's claim
   */
  claim(name: string, generation: number, forMs: number): Promise<number | undefined>;
  /** Replaces the previous generation by the next; false when another machine has done so. */
  put(name: string, token: SharedToken & { readonly sinceMs: number }): Promise<boolean>;
  /**
   * Releases the claim on the renewal.
   * @param claimedUntilMs the result of `claim`
   */
  release(name: string, claimedUntilMs: number): Promise<void>;
}
