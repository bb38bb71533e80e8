/** The sandbox's descriptions of the codes of §7.3 and the states of §3.2. */

const descriptions: ReadonlyMap<string, string> = new Map([
  ['PT001', 'Invalid Message Format'],
  ['TM001', 'After Hours: service closed'],
  ['IC000', 'Fund transfer executed successfully'],
  ['IC001', 'Inquiry successful'],
  ['ED001', 'System Error'],
  ['EA001', 'Other error from backend system'],
  ['EA002', 'Exception while processing'],
  ['EA003', 'Adapter general error'],
  ['EA004', 'Exception while processing'],
  ['EM000', 'Exception while processing'],
  ['EM001', 'Duplicate transRefNo'],
  ['EM002', 'Company not subscribed to the service'],
  ['EM003', 'Fund transfer executed, failed'],
  ['EM004', 'Payer account not in company account list'],
  ['EM005', 'Payer account is not allowed'],
  ['EM006', 'Direct credit registration service not allowed'],
  ['EM009', 'Payer account is not allowed'],
  ['EM013', 'Customer account does not exist'],
  ['EM026', 'Bank code not found'],
  ['EM027', 'Bank account temporarily unavailable'],
  ['EM053', 'Insufficient funds'],
  ['EM058', 'Request cannot be completed now, try later'],
  ['EM059', 'Resend transaction invalid information'],
  ['EM063', 'Invalid service'],
  ['EM066', 'Transaction is in processing state'],
  ['EM067', 'Resend transaction invalid information'],
  ['EM068', 'This company cannot transfer to another bank'],
  ['EM069', 'Transaction amount over limit'],
  ['EM070', 'Transfer fee is outside the conditions'],
  ['EM073', 'Transaction is in processing state'],
  ['EV001', 'User has no permission'],
  ['EV006', 'Payee account not found'],
  ['EV007', 'Invalid available balance rule'],
  ['EV011', 'Payee account status not active'],
  ['EV012', 'Invalid parameter type'],
  ['EV013', 'Bank code not 006'],
  ['EV032', 'Customer account invalid'],
  ['EV033', 'Payee account invalid'],
  ['EV034', 'Cannot find transaction'],
  ['EV035', 'Transaction not found'],
  ['EV036', 'Payer account status not allowed'],
  ['EV037', 'Payee account status not allowed'],
  ['EV038', 'Payee account not on the direct credit registration system'],
  ['EV039', 'Reference does not match payee account'],
  ['EV040', 'Citizen ID does not match payee account'],
  ['EV042', 'Payee account type not allowed'],
  ['EV043', 'Payee account type not allowed'],
  ['EV051', 'Payee name invalid'],
  ['EV052', 'Service transfer (same bank) not allowed'],
  ['EV053', 'Service transfer (other bank) not allowed'],
  ['EV054', 'Service transfer (proxy) not allowed'],
  ['EV055', 'Proxy No invalid'],
  ['EV056', 'Proxy Type invalid'],
  ['EV058', 'Communication and other errors'],
  ['ET001', 'Timeout connecting to internal server'],
  ['ET002', 'Communication error'],
  ['ET004', 'Service unavailable'],
]);

/** The description of a code of §7.3; any other code gets a generic one. */
export function describeStatus(code: string): string {
  return descriptions.get(code) ?? `Status ${code}`;
}

/** A code and its description, as an answer carries them. */
export interface BusinessStatus {
  readonly code: string;
  readonly text: string;
}

/** A code with its own description. */
export function statusOf(code: string): BusinessStatus {
  return { code, text: describeStatus(code) };
}

const stateNames: ReadonlyMap<string, string> = new Map([
  ['010001', 'RECEIVE'],
  ['010002', 'VALIDATE'],
  ['010003', 'TRANSFER'],
  ['010004', 'COMPLETE'],
  ['030002', 'VALIDATE FAILED'],
  ['030003', 'TRANSFER_FAILED'],
  ['030004', 'PROCESSING'],
]);

/** The name of a tranStatusCode (§3.2). */
export function describeState(tranStatusCode: string): string {
  return stateNames.get(tranStatusCode) ?? `State ${tranStatusCode}`;
}
