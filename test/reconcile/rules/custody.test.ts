import { inEnglishIfAny } from '../../../src/core/message.ts';
import { expect, test } from 'vitest';
import { isIncomplete, refuseOtherName, refuseStatement } from '../../../src/reconcile/rules/custody.ts';

type StatementSeen = Parameters<typeof refuseStatement>[0];

const scope = { companyId: 'COMP000001', isOfAllCompanies: false, scheme: 'promptpay' };

test.each([
  ['P1_COMP000001_PROXY_20261120.csv', undefined],
  ['P1_comp000001_PROMPTPAY_20261120.csv.zip', undefined],
  ['P1_COMP000001_PROXY_20261120 (1).csv', undefined],
  ['A_B_COMP000001_PROXY_20261120.csv', undefined],
  ['P1_PROXY_20261120.csv', undefined],
  ['mine.csv', undefined],
  ['20261120.0123456789.original.csv', undefined],
  ['P1_COMP000002_PROXY_20261120.csv', 'COMP000002'],
  ['P1_COMP000002_PromptPay_20261120.csv', 'COMP000002'],
  ['P1_XCOMP000001_PROXY_20261120.csv', 'XCOMP000001'],
])('the name %s is that of company %s', (name, other) => {
  const refusal = refuseOtherName(name, scope);
  expect(refusal?.code).toBe(other === undefined ? undefined : 'other-company');
  if (other !== undefined)
    expect(inEnglishIfAny(refusal?.message)).toMatch(
      `company ${other}, and the settings are those of COMP000001`,
    );
  expect(refuseOtherName(name, { ...scope, isOfAllCompanies: true })).toBeUndefined();
});

const seen: StatementSeen = {
  date: '20261120',
  scope,
  isForced: false,
  owners: { own: 1, others: 0, otherCompanyId: undefined },
  paidCount: 1,
  lost: { count: 0, key: undefined },
};
const others = { own: 0, others: 2, otherCompanyId: 'COMP000002' };
const none = { own: 0, others: 0, otherCompanyId: undefined };
const ofAll = { ...scope, isOfAllCompanies: true };
const lost = { count: 2, key: 'PD1' };

test.each<[string, Partial<StatementSeen>, string | undefined, string | undefined]>([
  ['lines of ours', {}, undefined, undefined],
  ['lines of another company alone', { owners: others }, 'other-company', 'other-company'],
  ['the same of a day without payouts', { owners: others, paidCount: 0 }, 'other-company', 'other-company'],
  ['some lines of another', { owners: { ...others, own: 1 } }, undefined, undefined],
  [
    'others alone where all companies are asked for',
    { owners: others, scope: ofAll },
    'statement-incomplete',
    undefined,
  ],
  ['the same of a day without payouts', { owners: others, scope: ofAll, paidCount: 0 }, undefined, undefined],
  ['no line of a day with payouts', { owners: none }, 'statement-incomplete', undefined],
  ['no line of a day without', { owners: none, paidCount: 0 }, undefined, undefined],
  ['fewer lines than before', { lost }, 'statement-incomplete', undefined],
])('%s', (_, changes, code, forcedCode) => {
  const refusal = refuseStatement({ ...seen, ...changes });
  expect(refusal?.code).toBe(code);
  expect(refusal === undefined ? false : isIncomplete(refusal)).toBe(code === 'statement-incomplete');
  expect(refuseStatement({ ...seen, ...changes, isForced: true })?.code).toBe(forcedCode);
});

test('a refusal names both companies', () => {
  expect(inEnglishIfAny(refuseStatement({ ...seen, owners: others })?.message)).toMatch(
    /COMP000002 .* COMP000001/,
  );
});
