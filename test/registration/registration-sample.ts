/** How each row of samples/registrations.csv ends against the sandbox bank of config/sandbox.yaml. */
import type { RegistrationStatus } from '../../src/registration/rules/registration.ts';

export interface SampleEnding {
  readonly rowNo: number;
  readonly registrationId: string;
  readonly status: RegistrationStatus;
  readonly why: string;
}

const endings: readonly (readonly [registrationId: string, status: RegistrationStatus, why: string])[] = [
  ['DDR-0001', 'registered', 'called back as registered'],
  ['DDR-0002', 'refused', 'the bank rejects it'],
  ['DDR-0003', 'registered', 'another company, account in groups'],
  ['DDR-0004', 'registered', 'told twice, counts once'],
  ['DDR-0005', 'registered', 'told 5 s late'],
  ['DDR-0006', 'failed', 'CBS001: no such account'],
  ['DDR-0007', 'registered', 'told before the answer'],
  ['DDR-0008', 'registered', 'a wrong key, then the right one'],
  ['DDR-0009', 'contradicted', 'told rejected, then success'],
  ['DDR-0010', 'registered', 'a company of another code'],
  ['DDR-0011', 'contradicted', 'told success, then rejected'],
  ['DDR-0012', 'registered', 'a lost answer, then a callback'],
  ['DDR-0013', 'failed', 'CBS002: no retail account'],
  ['DDR-0014', 'refused', 'no answer in time, a callback'],
  ['DDR-0015', 'registered', 'HTTP 500, a callback'],
  ['DDR-0016', 'rejected', 'account damaged by a spreadsheet'],
  ['DDR-0017', 'registered', 'garbage, a callback'],
  ['DDR-0018', 'registered', 'SYS001, a callback'],
  ['DDR-0019', 'failed', 'CBS003: the account is not active'],
  ['DDR-0020', 'registered', 'another requestUID, a callback'],
  ['DDR-0021', 'registered', 'a callback, then a lost answer'],
  ['DDR-0022', 'unanswered', 'registered, no callback'],
  ['DDR-0023', 'unanswered', '503, no callback'],
  ['DDR-0024', 'unanswered', 'never decided'],
  ['DDR-0025', 'unanswered', 'lost before anything happened'],
  ['DDR-0026', 'rejected', 'clashes with row 1'],
  ['DDR-0027', 'unanswered', 'BSN003, no callback'],
  ['DDR-0028', 'unanswered', 'BSN002, no callback'],
  ['DDR-0029', 'unanswered', 'called back with a wrong key only'],
  ['DDR-0003', 'rejected', 'row 3 once more'],
];

export const sampleEndings: readonly SampleEnding[] = endings.map(([registrationId, status, why], place) => ({
  rowNo: place + 1,
  registrationId,
  status,
  why,
}));
