/** samples/registrations.csv: what the rules say of its rows, and that the sandbox bank can end the others as its table says. */
import { inEnglish } from '../../src/core/message.ts';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkRegistrations } from '../../src/check/check-registrations.ts';
import { makeRegistrationFileReader } from '../../src/intake/formats/registration-file.ts';
import { loadSettings } from '../../src/settings/settings.ts';
import { defaults, readWhole } from '../support/payout-file-kit.ts';
import { sampleEndings } from './registration-sample.ts';

const root = join(import.meta.dirname, '../..');
const path = join(root, 'samples/registrations.csv');
const { settings } = loadSettings({ configPath: 'config/sandbox.yaml', cwd: root, env: {} });
const { vendorId, companyId, columns } = settings.registration;
const reader = makeRegistrationFileReader({ ...defaults, columns, defaults: { vendorId, companyId } });

interface Account {
  readonly accountNo: string;
}
interface Table {
  readonly accounts: readonly Account[];
  readonly behaviours: readonly {
    readonly match: Account;
    readonly outcome?: string;
    readonly callbacks?: readonly { readonly outcome?: string; readonly key?: string }[];
  }[];
}
const { registration: table } = settings.sandbox as { registration: Table };

/** What its row of the table makes of a registration of this account. */
function foresee(accountNo: string): string {
  if (table.accounts.some((account) => account.accountNo === accountNo)) return 'failed';
  const found = table.behaviours.find(({ match }) => match.accountNo === accountNo);
  const { outcome = 'success', callbacks = [{}] } = found ?? {};
  const told = callbacks.filter(({ key }) => key !== 'wrong').map((call) => call.outcome ?? outcome);
  const isTold = (outcome === 'success' || outcome === 'reject') && told.length > 0;
  if (!isTold) return 'unanswered';
  if (new Set(told).size > 1) return 'contradicted';
  return told[0] === 'success' ? 'registered' : 'refused';
}

test('it has thirty rows, and the rules reject those of its table', async () => {
  const { rows, rejection } = await readWhole(reader, path);
  expect(rejection).toBeUndefined();
  expect(rows.map(({ rowNo, cells }) => [rowNo, cells.registrationId])).toEqual(
    sampleEndings.map(({ rowNo, registrationId }) => [rowNo, registrationId]),
  );
  expect(rows).toHaveLength(30);
  const rejected: string[] = [];
  const inspected = await reader.inspect(path);
  if (inspected.kind === 'rejected') throw new Error(inEnglish(inspected.rejection.message));
  const outcome = await checkRegistrations(reader, inspected.inspection, {
    companyId,
    journal: undefined,
    onIssues: (issues) => void rejected.push(...issues.map(({ rowNo, issue }) => `${rowNo} ${issue.code}`)),
  });
  expect(rejected).toEqual(['16 account-damaged', '26 same-as-another', '30 duplicate-repeat']);
  expect(outcome).toMatchObject({ totals: { all: 30, ready: 27, held: 0, rejected: 3 } });
  const ends = sampleEndings.flatMap(({ rowNo, status }) => (status === 'rejected' ? [rowNo] : []));
  expect(ends).toEqual([16, 26, 30]);
});

test('the docs have its table', () => {
  const page = readFileSync(join(root, 'docs/registration.md'), 'utf8');
  const listed = page.matchAll(/^\| (\d+) +\| `(DDR-\d+)` +\| `([a-z-]+)` +\| (.*?) +\|$/gm);
  expect(Array.from(listed, ([, rowNo, ...cells]) => [Number(rowNo), ...cells])).toEqual(
    sampleEndings.map(({ rowNo, registrationId, status, why }) => [rowNo, registrationId, status, why]),
  );
});

test('the table of the sandbox bank has the ends of the other rows', async () => {
  const { rows } = await readWhole(reader, path);
  const foreseen = rows.map(({ instruction }) => instruction && foresee(instruction.accountNo));
  const expected = sampleEndings.map(({ status }) => (status === 'rejected' ? null : status));
  expect(foreseen.with(25, null)).toEqual(expected);
});
