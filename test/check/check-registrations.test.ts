/** Checking a file of registrations: what clashes with what, in the file and with what a journal knows. */
import { inEnglish } from '../../src/core/message.ts';
import { describe, expect, test } from 'vitest';
import { checkRegistrations } from '../../src/check/check-registrations.ts';
import { computeBatchId } from '../../src/core/reference.ts';
import { makeRegistrationFileReader } from '../../src/intake/formats/registration-file.ts';
import type { KeptCallback } from '../../src/registration/ports.ts';
import { identityKey } from '../../src/registration/rules/callback.ts';
import type { Registration, RegistrationInstruction } from '../../src/registration/rules/registration.ts';
import { defaults, useFolder } from '../support/payout-file-kit.ts';

type RegistrationLookups = NonNullable<Parameters<typeof checkRegistrations>[2]['journal']>;

type RegistrationCheckOptions = Parameters<typeof checkRegistrations>[2];

const folder = useFolder();
const head = 'registrationId,customerId,accountNo,ref1';
const file = (...lines: readonly string[]): string => [head, ...lines].map((line) => `${line}\n`).join('');

const reader = makeRegistrationFileReader({
  ...defaults,
  columns: {},
  defaults: { vendorId: 'VENDOR0001', companyId: 'COMP000001' },
});

async function check(content: string, journal?: RegistrationLookups) {
  const found: string[] = [];
  const messages: string[] = [];
  const options: RegistrationCheckOptions = {
    companyId: 'COMP000001',
    journal,
    onIssues: (issues) => {
      for (const { rowNo, issue } of issues) {
        found.push(`${rowNo} ${issue.line} ${issue.column ?? '-'} ${issue.code} ${issue.value ?? '-'}`);
        messages.push(inEnglish(issue.message));
      }
    },
  };
  const inspected = await reader.inspect(await folder.write(content));
  if (inspected.kind === 'rejected') throw new Error(inEnglish(inspected.rejection.message));
  const outcome = await checkRegistrations(reader, inspected.inspection, options);
  const totals = outcome.kind === 'registrations' ? Object.values(outcome.totals) : outcome.rejection.code;
  return { totals, found, messages, batchId: computeBatchId(inspected.inspection.sha256) };
}

describe('in the file', () => {
  test('good rows are ready, and nothing is said of them', async () => {
    const { totals, found } = await check(
      file('R1,C1,9900000001,a', 'R2,C1,9900000001,b', 'R3,C2,9900000002,a'),
    );
    expect([totals, found]).toEqual([[3, 3, 0, 0], []]);
  });

  test.each<[string, string[], number[], string[]]>([
    ['a bad cell', ['R1,C1,12,a'], [1, 0, 0, 1], ['1 2 accountNo account-damaged **']],
    [
      'rows that a callback could not tell apart: the first is sent',
      ['R1,C1,9900000001,a', 'R2,C2,990-000-0001, a '],
      [2, 1, 0, 1],
      ['2 3 accountNo same-as-another -'],
    ],
    [
      'one that is like a rejected row',
      ['R1,C1,9900000001,ก', 'R2,C2,9900000001,'],
      [2, 1, 0, 1],
      ['1 2 ref1 reference-characters ก'],
    ],
    [
      'all but the same registrationId: all of them wait',
      ['R-1,C1,9900000001,a', 'r1,C2,9900000002,a', 'R 1,C3,9900000003,a'],
      [3, 0, 3, 0],
      ['2 3 registrationId similar r1', '3 4 registrationId similar R 1', '1 2 registrationId similar R-1'],
    ],
    [
      'a registrationId with two meanings: none is sent',
      ['R1,C1,9900000001,a', 'R1,C1,9900000002,a'],
      [2, 0, 0, 2],
      ['1 2 registrationId duplicate-differs R1', '2 3 registrationId duplicate-differs R1'],
    ],
    [
      'what is rejected for its registrationId clashes with nothing',
      ['R1,C1,9900000001,a', 'R1,C1,9900000002,a', 'R0,C0,9900000001,a'],
      [3, 1, 0, 2],
      ['1 2 registrationId duplicate-differs R1', '2 3 registrationId duplicate-differs R1'],
    ],
  ])('%s', async (_name, lines, totals, found) => {
    expect(await check(file(...lines))).toMatchObject({ totals, found });
  });

  test('a file that is rejected as a whole is', async () => {
    expect((await check('payoutId,proxyNo,amount\n')).totals).toBe('payout-file');
  });
});

// ---------------------------------------------------------------- a journal

const instruction: RegistrationInstruction = {
  registrationId: 'R1',
  customerId: 'C9',
  vendorId: 'VENDOR0001',
  companyId: 'COMP000001',
  accountNo: '9900000001',
  refs: ['a', null, null, null],
};

const registration = (changes: Partial<Registration>): Registration => ({
  seq: 4,
  batchId: '0123456789',
  rowNo: 12,
  instruction,
  version: 1,
  status: 'acknowledged',
  holds: [],
  acceptedHolds: [],
  reasonCode: null,
  reason: null,
  attemptNo: 1,
  submittedAtMs: 1,
  settledAtMs: null,
  settledBy: null,
  awaitedUntilMs: null,
  respCode: null,
  respDesc: null,
  applyDtm: null,
  isAlarm: false,
  isAcknowledged: false,
  ...changes,
});

/** A journal that knows this one, and callbacks that nobody is meant by. */
function journalWith(
  known: Registration,
  unknown: readonly RegistrationInstruction[] = [],
): RegistrationLookups {
  const asked = known.instruction ?? instruction;
  const isSimilar = (id: string): boolean => id.toLowerCase() === asked.registrationId.toLowerCase();
  return {
    registration: async () => known,
    registrationHolder: async (_companyId, id) =>
      id === asked.registrationId && known.status !== 'failed' ? known : undefined,
    similarRegistrationHolders: async (_companyId, id) =>
      isSimilar(id) && id !== asked.registrationId ? [known] : [],
    searchRegistrations: async ({ statuses, accountNo }) =>
      statuses?.includes(known.status) === true && accountNo === asked.accountNo
        ? [{ ...known, currentInstruction: asked } as never]
        : [],
    sentRegistrations: async (key) =>
      identityKey(asked) === key
        ? [
            {
              status: known.status,
              intentAtMs: 1,
              isLatest: true,
              isOnly: true,
              taken: null,
              bankOffsetMs: null,
              registration: known,
            },
          ]
        : [],
    unknownCallbacks: async () =>
      unknown.map((identity) => ({ callback: { identity, outcome: 'refused' } }) as unknown as KeptCallback),
  };
}

describe('with a journal', () => {
  const same = file('R1,C1,9900000001,b');
  const alike = file('R2,C1,9900000001,a');
  const similar = file('r1,C1,9900000001,b');

  test.each<[string, string, Registration, number[], string[]]>([
    [
      'a registrationId that is taken',
      same,
      registration({ status: 'registered' }),
      [1, 0, 0, 1],
      ['1 2 registrationId registration-id-claimed R1'],
    ],
    ['one that was given back', same, registration({ status: 'failed' }), [1, 1, 0, 0], []],
    [
      'one that is awaited and could not be told apart',
      alike,
      registration({}),
      [1, 0, 0, 1],
      ['1 2 accountNo same-as-another -'],
    ],
    ['one of other references', file('R2,C1,9900000001,z'), registration({}), [1, 1, 0, 0], []],
    [
      'one that the bank has registered',
      alike,
      registration({ status: 'registered' }),
      [1, 0, 1, 0],
      ['1 2 accountNo called-back -'],
    ],
    [
      'a registrationId that is all but taken',
      similar,
      registration({ status: 'registered' }),
      [1, 0, 1, 0],
      ['1 2 registrationId similar r1'],
    ],
  ])('%s', async (_name, content, known, totals, found) => {
    const checked = await check(content, journalWith(known));
    expect(checked).toMatchObject({ totals, found });
    for (const message of checked.messages) expect(message).toMatch(/row 12 of batch 0123456789/);
  });

  test.each([same, alike, similar])(
    'its own rows, taken in before, do not stand in the way of a file',
    async (content) => {
      const { batchId } = await check(content);
      expect(await check(content, journalWith(registration({ batchId })))).toMatchObject({ found: [] });
    },
  );

  test('a callback that came for nobody holds what it would mean', async () => {
    const known = registration({ instruction: { ...instruction, accountNo: '9900000002' } });
    const { found, messages } = await check(alike, journalWith(known, [instruction]));
    expect(found).toEqual(['1 2 accountNo called-back -']);
    expect(messages[0]).toMatch(
      /has called such a registration refused before, for no registration that is known here/,
    );
  });
});
