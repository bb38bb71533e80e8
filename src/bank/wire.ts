/**
 * The bank's paths and field names (§2, §4). The scheme's word is part of many of them and differs between deployments;
 * client and sandbox both take the names from here.
 */

/** Fixed value of payerBankCode (§2.4, §4 rule 3). */
export const payerBankCode = '006';

/** resendFlag of a normal transaction (§2.5); other values are not shown (§4 rule 9). */
export const resendFlagNormal = 'N';

/** grant_type of a refresh (§2.1). */
export const grantTypeRefresh = 'refresh_token';

/** Result codes of the token endpoints (§5 item 7). */
export const tokenCodes = { success: '0000', credentialsRefused: 'TK001', unknownException: '9999' } as const;

/** Header of every reply of a paydrop sandbox, with the value 1; no bank sends it. */
export const sandboxHeader = 'x-paydrop-sandbox';

export type WireNames = ReturnType<typeof wireNames>;

/** The bank's endpoints, by the name that a log shows. */
export type Endpoint = keyof WireNames['paths'];

/**
 * Names that contain the scheme's word.
 * @param scheme in lower case ("proxy")
 */
export function wireNames(scheme: string) {
  const capitalised = scheme.charAt(0).toUpperCase() + scheme.slice(1);
  const directCredit = `/directcredit/v1/open-api/${scheme}`;
  return {
    /** "proxyNo" */
    proxyNo: `${scheme}No`,
    /** "proxyName" */
    proxyName: `${scheme}Name`,
    /** "proxyType" */
    proxyType: `${scheme}Type`,
    /** "displayProxyName" */
    displayProxyName: `display${capitalised}Name`,
    /** "PROXY", as in statement columns and statement file names (§2.7). */
    inCapitals: scheme.toUpperCase(),
    /** Endpoints 1, 2, 5, 6, 7, 8 and 3. */
    paths: {
      token: '/oauth/authentication/api/v2/token',
      tokenRefresh: '/oauth/authentication/api/v2/token/refresh',
      payeeCheck: `${directCredit}/account/inquirystatus`,
      transfer: `${directCredit}/fundtransfer`,
      inquiry: `${directCredit}/fundtransfer/inquiry`,
      statement: `${directCredit}/signed-url-reconcile-file`,
      registration: '/directdebit/v1/open-api/registerddr',
    },
  };
}

/** Maximum length of each request field (§2.4–2.6), by its name without the scheme's word. */
export const fieldLengths = {
  channelID: 10,
  termID: 20,
  tranDate: 8,
  tranTime: 8,
  compId: 10,
  requestUID: 20,
  payerBankCode: 3,
  payerAccount: 15,
  /** The payee check allows 16. */
  transferNo: 13,
  checkNo: 16,
  transferName: 300,
  checkName: 160,
  type: 10,
  transRefNo: 20,
  tranAmount: 17,
  resendFlag: 1,
  reference1: 20,
  reference2: 20,
  transferType: 10,
  /** Length in a statement request, whose type says only "string" (§2.7); the registration has 15 (§2.2). */
  companyID: 15,
} as const;

/** Headers of a registration (§2.2) and of its callback (§2.3); a message header is a JSON object. */
export const registrationHeaders = { message: 'msg-hdr', digitalId: 'digital-id' } as const;

/** Maximum length of each field of a registration (§2.2), including the requestUID of its message header. */
export const registrationLengths = {
  vendorID: 10,
  companyID: 15,
  accountNo: 13,
  ref1: 20,
  ref2: 20,
  ref3: 20,
  ref4: 20,
  requestUID: 36,
} as const;
