/** The registration status codes of §7.1, with their meaning for a registration. */

/**
 * `taken`: the bank works on it and will call back. `not-taken`: it never will, for this request. `unknown`: the bank may
 * have it, which only the callback shows. `scope`: what the code concerns.
 */
export interface RegistrationCode {
  readonly code: string;
  readonly outcome: 'taken' | 'not-taken' | 'unknown';
  readonly scope: 'registration' | 'company' | 'service';
  readonly remedy: string;
  /** The same, in Thai. */
  readonly remedyTh: string;
}

const rows = [
  ['0', 'taken', 'registration', 'Wait for the callback', 'รอการแจ้งผลจากธนาคาร'],
  [
    'AU00400',
    'not-taken',
    'service',
    'The bank could not read the request: check the settings of the registration with the bank',
    'ธนาคารอ่านคำขอไม่ได้ ตรวจสอบการตั้งค่าการลงทะเบียนกับธนาคาร',
  ],
  [
    'AU00401',
    'not-taken',
    'service',
    'Check the client ID and secret, and that the application may register direct debits',
    'ตรวจสอบ client ID และ secret และสิทธิ์ลงทะเบียนหักบัญชีของแอปพลิเคชัน',
  ],
  [
    'AU00003',
    'not-taken',
    'service',
    'A header is missing at the bank: check bank.clientId and what stands between here and the bank',
    'ธนาคารไม่ได้รับส่วนหัวของคำขอครบ ตรวจสอบ bank.clientId และระบบที่อยู่ระหว่างทาง',
  ],
  [
    'AU00004',
    'not-taken',
    'service',
    'The bank refuses the form of a header: ask the bank which form it wants',
    'ธนาคารไม่รับรูปแบบส่วนหัวของคำขอ สอบถามรูปแบบที่ถูกต้องจากธนาคาร',
  ],
  [
    'SYS001',
    'unknown',
    'service',
    'Wait for the callback; without one, ask the bank whether it has it',
    'รอการแจ้งผล หากไม่ได้รับ สอบถามธนาคารว่าได้รับคำขอหรือไม่',
  ],
  [
    'SYS002',
    'unknown',
    'service',
    'Wait for the callback; without one, ask the bank whether it has it',
    'รอการแจ้งผล หากไม่ได้รับ สอบถามธนาคารว่าได้รับคำขอหรือไม่',
  ],
  [
    'CMN001',
    'not-taken',
    'registration',
    'Give what the bank says is missing, and try again',
    'เพิ่มข้อมูลที่ธนาคารแจ้งว่าขาด แล้วส่งใหม่',
  ],
  [
    'CMN002',
    'not-taken',
    'registration',
    'Correct the field that the bank names, and try again',
    'แก้ไขข้อมูลที่ธนาคารระบุ แล้วส่งใหม่',
  ],
  [
    'CMN003',
    'not-taken',
    'registration',
    'Correct the field that the bank names, and try again',
    'แก้ไขข้อมูลที่ธนาคารระบุ แล้วส่งใหม่',
  ],
  [
    'CMN004',
    'not-taken',
    'registration',
    'Give the account number in digits alone, and try again',
    'กรอกเลขที่บัญชีเป็นตัวเลขเท่านั้น แล้วส่งใหม่',
  ],
  [
    'CMN005',
    'not-taken',
    'registration',
    'Shorten the field that the bank names, and try again',
    'ย่อข้อมูลที่ธนาคารระบุ แล้วส่งใหม่',
  ],
  [
    'BSN001',
    'not-taken',
    'company',
    'The bank does not know this company code: correct vendorId, or ask the bank',
    'ธนาคารไม่พบรหัสบริษัทนี้ แก้ไข vendorId หรือสอบถามธนาคาร',
  ],
  [
    'BSN002',
    'unknown',
    'registration',
    'The bank has such a registration already, ours or another: wait for the callback, else ask the bank',
    'ธนาคารมีการลงทะเบียนนี้อยู่แล้ว รอการแจ้งผล หากไม่ได้รับ สอบถามธนาคาร',
  ],
  [
    'BSN003',
    'unknown',
    'registration',
    'Wait for the callback; without one, ask the bank why it failed',
    'รอการแจ้งผล หากไม่ได้รับ สอบถามธนาคารถึงสาเหตุ',
  ],
  [
    'BSN004',
    'not-taken',
    'company',
    'The bank has no profile of this company: correct companyId, or ask the bank',
    'ธนาคารไม่พบข้อมูลบริษัทนี้ แก้ไข companyId หรือสอบถามธนาคาร',
  ],
  [
    'BSN005',
    'not-taken',
    'company',
    'Ask the bank which company ID belongs to which company code',
    'สอบถามธนาคารว่า companyId ใดเป็นของรหัสบริษัทใด',
  ],
  [
    'BSN006',
    'not-taken',
    'service',
    'The bank does not know the partner: check the application with the bank',
    'ธนาคารไม่พบคู่ค้านี้ ตรวจสอบแอปพลิเคชันกับธนาคาร',
  ],
  [
    'BSN007',
    'unknown',
    'registration',
    'The bank has seen this request before: wait for the callback, else ask the bank',
    'ธนาคารเคยได้รับคำขอนี้แล้ว รอการแจ้งผล หากไม่ได้รับ สอบถามธนาคาร',
  ],
  [
    'CBS001',
    'not-taken',
    'registration',
    'Ask the customer for the right account number',
    'ขอเลขที่บัญชีที่ถูกต้องจากลูกค้า',
  ],
  [
    'CBS002',
    'not-taken',
    'registration',
    'Ask the customer for a retail account that may be debited',
    'ขอบัญชีบุคคลธรรมดาที่หักบัญชีได้จากลูกค้า',
  ],
  [
    'CBS003',
    'not-taken',
    'registration',
    "The customer's account is not active: ask for another one",
    'บัญชีของลูกค้าไม่พร้อมใช้งาน ขอบัญชีอื่นจากลูกค้า',
  ],
  ['0429', 'not-taken', 'service', 'Goes on by itself an hour later', 'ระบบจะดำเนินการต่อเองในอีกหนึ่งชั่วโมง'],
] as const satisfies readonly (readonly [
  string,
  RegistrationCode['outcome'],
  RegistrationCode['scope'],
  string,
  string,
])[];

/** All codes of §7.1, in the interface's order. */
export const registrationCodes: readonly RegistrationCode[] = rows.map(
  ([code, outcome, scope, remedy, remedyTh]) => ({ code, outcome, scope, remedy, remedyTh }),
);

const byCode = new Map(registrationCodes.map((row) => [row.code, row]));

/** The meaning of a code, or undefined when §7.1 does not have it. */
export const findRegistrationCode = (code: string): RegistrationCode | undefined => byCode.get(code);

/** Exceeding the allowed usage (§8). */
export const usageExceededCode = '0429';

/** Time without registrations after `0429` (§8). */
export const usagePauseMs = 3_600_000;
