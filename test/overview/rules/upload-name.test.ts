/** Names of uploaded files in the inbox. */
import { expect, test } from 'vitest';
import { makeUploadName } from '../../../src/overview/rules/upload-name.ts';

test.each([
  ['../../etc/cron.d/pay.csv', 'pay.csv'],
  ['C:\\files\\a|b.XLSX', 'a_b.XLSX'],
  ['x\u202Egpj.csv', 'x_gpj.csv'],
  ['a\nb\u0000.csv', 'a_b_.csv'],
  [' จ่าย น้ำ.csv', 'จ่าย น้ำ.csv'],
  [`${'ก'.repeat(200)}.csv`, `${'ก'.repeat(63)}.csv`],
  [' .hidden.csv', '_hidden.csv'],
  ...['pay.exe', 'pay.csv.part', '.hidden.csv', '~$open.xlsx', '.csv', '..', ''].map(
    (name) => [name, undefined] as const,
  ),
] as readonly (readonly [string, string | undefined])[])(
  'of the name %j the inbox takes %j',
  (name, safe) => {
    expect(makeUploadName(name)).toBe(safe);
  },
);
