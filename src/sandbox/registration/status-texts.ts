/** The sandbox's descriptions of the codes of §7.1. */
import type { BusinessStatus } from '../status-texts.ts';

const descriptions: ReadonlyMap<string, string> = new Map([
  ['0', 'Success'],
  ['AU00400', 'Bad Request'],
  ['AU00401', 'Unauthorized'],
  ['AU00003', '{0} is required'],
  ['AU00004', 'Invalid format, {0}'],
  ['SYS001', 'System Error'],
  ['SYS002', 'Adapter General Error'],
  ['CMN001', '{0} is required'],
  ['CMN002', 'Invalid format {0}'],
  ['CMN003', 'Invalid {0}'],
  ['CMN004', '{0} must be numeric'],
  ['CMN005', '{0} is over max length {1}'],
  ['BSN001', 'Vendor Id Not Found'],
  ['BSN002', 'Duplicate Transaction'],
  ['BSN003', 'Transaction Failed'],
  ['BSN004', 'Company Profile Not Found'],
  ['BSN005', 'Company Id and Company Code already used'],
  ['BSN006', 'Partner Id Not Found'],
  ['BSN007', 'Duplicate Request UID'],
  ['CBS001', 'Invalid Account No'],
  ['CBS002', 'Invalid Product Group'],
  ['CBS003', 'Invalid Account Status'],
  ['0429', 'Exceed the request limit, try again after 1 hour'],
]);

/** A code with its description; a code outside §7.1 gets a generic one. */
export function registrationStatus(code: string, field = 'a field', lengthMax = 0): BusinessStatus {
  const text = descriptions.get(code) ?? `Status ${code}`;
  return { code, text: text.replace('{0}', () => field).replace('{1}', String(lengthMax)) };
}
