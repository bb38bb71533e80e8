import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { callPaydrop } from './call-paydrop.ts';

const folder = mkdtempSync(join(tmpdir(), 'paydrop-check-registrations-'));
afterAll(() => rmSync(folder, { recursive: true }));

const head = 'registrationId,customerId,accountNo,ref1\n';
const path = join(folder, 'registrations.csv');

function check(content: string, ...options: readonly string[]) {
  writeFileSync(path, head + content);
  const places = ['--config', 'config/sandbox.yaml', '--data-dir', join(folder, 'data')];
  return callPaydrop('check', path, ...places, ...options);
}

describe('check of a file of registrations', () => {
  test('tells every issue and what its rows would become', async () => {
    const { code, stdout, stderr } = await check('R1,C1,9900000001,a\nR2,9100000000011.0,123456789,a\n');
    expect({ code, stderr }).toEqual({ code: 3, stderr: '' });
    expect(stdout).toContain(
      [
        `${path}:3: customerId "***********11.0": a spreadsheet has given this number decimals: format the column as text and write it again [customer-id-damaged]`,
        `${path}:3: accountNo "*****6789": 9 digits: an account number has 10 or more; a leading zero is gone, as when a spreadsheet takes it for a number, or digits are missing: format the column as text and write it again [account-damaged]`,
        `${path}: 2 registrations, 2 issues`,
        '  to be sent  1 row',
        '  to be held  0 rows',
        '  rejected    1 row',
        'Nothing was sent.',
      ].join('\n'),
    );
  });

  test('asks nobody with --payees, says so, and ends with 0 when all would be sent', async () => {
    const { code, stdout, stderr } = await check('R1,C1,9900000001,a\n', '--payees', '--json');
    expect(code).toBe(0);
    expect(stderr).toContain(
      '--payees asks about payees of payouts; these are registrations, and the bank is not asked',
    );
    expect(JSON.parse(stdout.trim())).toMatchObject({
      kind: 'check',
      file: path,
      exitCode: 0,
      issues: 0,
      status: 'checked',
      of: 'registrations',
      all: { rows: 1 },
      ready: { rows: 1 },
      held: { rows: 0 },
      rejected: { rows: 0 },
    });
  });

  test('ends with 5 when it would be rejected as a whole', async () => {
    const { code, stdout } = await check('');
    expect(code).toBe(5);
    expect(stdout).toContain('the file has a header and no rows: have it written again [rows-missing]');
  });
});
