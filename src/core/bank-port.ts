/** What paying needs of the bank: the requests it makes, and every reply that can come back, before anybody reads it. */
import type { ProxyType, TransferOrder } from './payout.ts';

/** Facts of one exchange with the bank, kept with the attempt. */
export interface Exchange {
  readonly requestUid: string;
  readonly xRequestId: string;
  /** From its beginning until the whole answer was there, the machine's sleep included. */
  readonly elapsedMs: number;
}

/** What came back over the wire, before anybody decides what it means. */
export type BankReply<Fields> =
  /** The bank spoke. `fields` is undefined when the body is not what the interface says. */
  | ({
      readonly kind: 'answered';
      readonly httpStatus: number;
      readonly fields: Fields | undefined;
      /** The bank's `Date` header in epoch milliseconds. */
      readonly bankDateMs: number | undefined;
      readonly retryAfterMs: number | undefined;
      /** Set on a 401 after which nothing left once more: why not. */
      readonly unrepeated?: UnsentReply;
      /** Sent once more after a 401 that did not bear its requestUID, and so may have been processed all the same. */
      readonly followsBare401?: true;
    } & Exchange)
  /** Bytes may have left and no whole answer came back. */
  | ({ readonly kind: 'lost'; readonly why: string } & Exchange)
  | UnsentReply;

/** No byte of the request has left. */
export type UnsentReply =
  | { readonly kind: 'not-sent'; readonly why: string }
  /** `mayLeave` said no at the moment the bytes were about to leave, or the wait for a turn was ended. */
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
  /** Empty when the list is missing; undefined when it is there and cannot be read. */
  readonly items: readonly InquiryItem[] | undefined;
}

/** The answer to a registration (§2.2): its outcome comes by callback. */
export interface RegistrationFields extends BusinessFields {
  /** The bank's number of what it has taken. */
  readonly ddrOapiSeqId: string | undefined;
}

/** Endpoint 5 (§2.4); the bank adapter adds channel, terminal, company and payer from its settings. */
export interface PayeeCheck {
  readonly proxyType: ProxyType;
  readonly proxyNo: string;
  readonly proxyName: string | null;
}

/** Endpoint 7 (§2.6); `tranDate` is the attempt's own date, or today's. */
export type StatusInquiry = Pick<
  TransferOrder,
  'transRefNo' | 'channelId' | 'termId' | 'companyId' | 'tranDate' | 'tranTime'
>;

/** Endpoint 3 (§2.2), as its attempt has recorded it. */
export interface RegistrationOrder {
  /** Sent as the header `digital-id`. */
  readonly customerId: string;
  /** Company code. */
  readonly vendorId: string;
  readonly companyId: string;
  readonly accountNo: string;
  /** Reference 1 to 4; null for one that is not given. */
  readonly refs: readonly [string | null, string | null, string | null, string | null];
  /** Of its own, up to 36 characters: the bank refuses one that it has seen. */
  readonly requestUid: string;
  /** The caller's, as `msg-hdr` has it. */
  readonly ipAddress: string;
}

export interface RegistrationBank {
  /** Sends one registration. @param mayLeave as of a transfer @param stop as of a payee check */
  register(
    order: RegistrationOrder,
    mayLeave: () => boolean,
    stop?: AbortSignal,
  ): Promise<BankReply<RegistrationFields>>;
}

export interface Bank {
  /** @param stop ends the wait for a turn under the rate limit, for every call alike: it is `withheld` then */
  checkPayee(check: PayeeCheck, stop?: AbortSignal): Promise<BankReply<PayeeCheckFields>>;
  /**
   * Sends one transfer. `mayLeave` is asked again just before bytes leave, after every wait
   * (token, rate limit) and before the one repetition that a 401 allows.
   */
  transfer(
    order: TransferOrder,
    mayLeave: () => boolean,
    stop?: AbortSignal,
  ): Promise<BankReply<TransferFields>>;
  inquire(inquiry: StatusInquiry, stop?: AbortSignal): Promise<BankReply<InquiryFields>>;
}

// ---------------------------------------------------------------- one token for several machines

/** What is kept of a token that machines share. */
export interface SharedToken {
  /** How many there have been, it included. */
  readonly generation: number;
  /** Which only those can read who have the secret. */
  readonly sealed: string;
}

/** Where the machines that work one journal keep the access token that they share; times are of its own clock. */
export interface TokenPlace {
  /**
   * @param forMs for how long it is claimed: a claim that ends much later is not believed
   * @returns with how long ago it was asked for, and whether somebody is renewing it; undefined while there was none
   */
  read(
    name: string,
    forMs: number,
  ): Promise<(SharedToken & { readonly ageMs: number; readonly isClaimed: boolean }) | undefined>;
  /**
   * Takes it upon this machine to renew it.
   * @param generation the latest that it knows of; 0: none
   * @returns until when nobody else does; undefined where there is a later one by now, or another renews it
   */
  claim(name: string, generation: number, forMs: number): Promise<number | undefined>;
  /** Puts the next generation in the place of the one before; false where another has. */
  put(name: string, token: SharedToken & { readonly sinceMs: number }): Promise<boolean>;
  /** Leaves the renewal to whoever wants it. @param claimedUntilMs what `claim` has returned */
  release(name: string, claimedUntilMs: number): Promise<void>;
}
