import { describe, expect, test } from 'vitest';
import { inWords } from '../../support/in-words.ts';
import { inEnglish, isMessage } from '../../../src/core/message.ts';
import {
  decideRegistration,
  instructionToSend,
  optionsForRegistration,
  type ReviewedRegistration,
} from '../../../src/registration/rules/decisions.ts';
import { afterRegistrationChange } from '../../../src/registration/rules/change.ts';
import {
  canMoveRegistration,
  type Registration,
  type RegistrationHold,
  registrationHolds,
  type RegistrationStatus,
  registrationStatuses,
} from '../../../src/registration/rules/registration.ts';
import { registrationDecisions } from '../../../src/review/rules/terms.ts';
import { noonMs } from '../../support/core-fixtures.ts';
import { instruction, makeRegistration } from '../../support/registration-fixtures.ts';

const { refs, ...named } = instruction;
const cells = { ...named, ref1: refs[0] ?? '', ref2: '', ref3: '', ref4: '' };

function factsOf(
  changes: Partial<Registration>,
  others: Partial<Omit<ReviewedRegistration, 'registration'>> = {},
): ReviewedRegistration {
  const registration = makeRegistration(changes);
  return {
    registration,
    row: { rowNo: 1, line: 2, cells, issues: [] },
    holder: registration,
    similar: [],
    openOthers: [],
    isCalledBack: false,
    defaults: { vendorId: '', companyId: '' },
    nowMs: noonMs,
    ...others,
  };
}

const decided = (decision: (typeof registrationDecisions)[number], facts: ReviewedRegistration) => {
  const changes = decideRegistration(decision, facts);
  if (isMessage(changes)) throw new Error(inEnglish(changes));
  return changes;
};

const possible = (facts: ReviewedRegistration): readonly string[] =>
  optionsForRegistration(facts).flatMap(({ decision, whyNot }) => (whyNot === undefined ? [decision] : []));

test.for([
  ['rejected', ['retry', 'retry-corrected', 'acknowledge']],
  ['ready', ['cancel']],
  ['held', ['go-on', 'cancel']],
  ['cancelled', ['release']],
  ['submitted', []],
  ['in-doubt', ['confirm-registered', 'confirm-refused', 'confirm-failed']],
  ['acknowledged', []],
  ['unanswered', ['retry', 'confirm-registered', 'confirm-refused', 'confirm-failed', 'acknowledge']],
  ['registered', []],
  ['refused', ['retry', 'retry-corrected', 'acknowledge']],
  ['failed', ['retry', 'retry-corrected', 'acknowledge']],
  ['contradicted', ['confirm-registered', 'confirm-refused', 'acknowledge']],
] as const)('what is possible of one that is %s', ([status, expected]) => {
  const holds: readonly RegistrationHold[] = status === 'held' ? ['similar'] : [];
  const own = status === 'rejected' ? { holder: undefined } : {};
  expect(possible(factsOf({ status, holds }, own))).toEqual(expected);
});

describe('the changes that follow', () => {
  const situations = registrationStatuses
    .filter((status) => status !== 'staged')
    .flatMap((status) =>
      [false, true].map((isAlarm) =>
        factsOf({ status, isAlarm, holds: status === 'held' ? [...registrationHolds] : [] }),
      ),
    );

  test('each is a move that the table has, one version after the other', () => {
    for (const facts of situations)
      for (const decision of registrationDecisions) {
        const changes = decideRegistration(decision, { ...facts, newAccountNo: '9900000002' });
        if (isMessage(changes)) continue;
        let before = facts.registration;
        for (const change of changes) {
          expect(change.before).toEqual(before);
          expect(canMoveRegistration(before.status, change.after.status, change.event.cause)).toBe(true);
          before = afterRegistrationChange(change);
        }
      }
  });

  test('none tells a whole account number', () => {
    const facts = factsOf({ status: 'failed' }, { newAccountNo: '9900000002' });
    const [change] = decided('retry-corrected', facts);
    expect(change?.after.instruction?.accountNo).toBe('9900000002');
    expect(change?.isCorrected).toBe(true);
    expect(JSON.stringify(change?.event.detail)).not.toMatch(/\d{8}/);
  });
});

describe('once more', () => {
  const other = makeRegistration({ seq: 9, batchId: 'ABCDEFGHJK', rowNo: 4 });

  test.for(['submitted', 'in-doubt', 'acknowledged'] as const)(
    'not while another of its identity is %s',
    (status) => {
      const facts = factsOf({ status: 'failed' }, { openOthers: [{ ...other, status }] });
      expect(inWords(decideRegistration('retry', facts))).toContain("awaits the bank's callback");
    },
  );

  test.for(['submitted', 'in-doubt', 'acknowledged'] as const)('not while it is %s itself', (status) => {
    expect(inWords(decideRegistration('retry', factsOf({ status })))).toContain('nothing is sent again');
  });

  test('not while another row has its registrationId', () => {
    const facts = factsOf({ status: 'failed' }, { holder: other });
    expect(inWords(decideRegistration('retry', facts))).toBe(
      'its registrationId is held by row 4 of batch ABCDEFGHJK',
    );
  });

  test('it is ready, with nothing left of how it ended', () => {
    const ended = { respCode: 'I0001', respDesc: 'Reject', applyDtm: '20261122 14:03:05' } as const;
    const facts = factsOf({ status: 'refused', settledBy: 'callback', settledAtMs: 1, ...ended });
    const [change, ...more] = decided('retry', facts);
    expect(more).toEqual([]);
    expect(change?.after).toMatchObject({
      status: 'ready',
      instruction,
      respCode: null,
      applyDtm: null,
      settledBy: null,
      settledAtMs: null,
    });
    expect(change?.isCorrected).toBeUndefined();
  });

  test('a rejected row is read anew, by the rules as they are now', () => {
    const facts = factsOf({ status: 'rejected', instruction: null }, { holder: undefined });
    expect(decided('retry', facts)[0]?.after).toMatchObject({ status: 'ready', instruction });
    const bad = { ...facts, row: { ...facts.row, cells: { ...cells, accountNo: 'X' } } };
    expect(inWords(decideRegistration('retry', bad))).toMatch(/^it is still wrong \(/);
  });

  test('one that is like another, or told of by the bank, is held at once', () => {
    const facts = factsOf({ status: 'failed' }, { similar: [other], isCalledBack: true });
    const changes = decided('retry', facts);
    expect(changes.map(({ event }) => event.cause)).toEqual(['tried-again', 'hold-added', 'hold-added']);
    expect(changes.at(-1)?.after).toMatchObject({ status: 'held', holds: ['similar', 'called-back'] });
    const looked = factsOf(
      { status: 'failed', acceptedHolds: ['similar', 'called-back'] },
      { similar: [other], isCalledBack: true },
    );
    expect(decided('retry', looked).at(-1)?.after.status).toBe('ready');
  });

  test('what is sent of a correction is the new account, in the row as it was', () => {
    expect(instructionToSend(factsOf({ status: 'failed' }, { newAccountNo: '9900000002' }))).toEqual({
      ...instruction,
      accountNo: '9900000002',
    });
  });

  test('a correction that changes nothing is none', () => {
    const facts = factsOf({ status: 'failed' }, { newAccountNo: instruction.accountNo });
    expect(inWords(decideRegistration('retry-corrected', facts))).toBe('the correction changes nothing');
  });
});

describe('ways out', () => {
  const waits = ({ status, isAlarm, isAcknowledged }: Registration): boolean =>
    isAlarm ||
    (['rejected', 'held', 'failed', 'refused', 'unanswered', 'contradicted', 'in-doubt'].includes(status) &&
      !isAcknowledged);
  const holdSets = [...registrationHolds.map((hold) => [hold]), [...registrationHolds]];
  const situations = [false, true].flatMap((isAlarm) => [
    ...registrationStatuses
      .filter((status) => !['staged', 'held'].includes(status))
      .map((status) => ({ status, isAlarm, holds: [] as readonly RegistrationHold[] })),
    ...holdSets.map((holds) => ({ status: 'held' as RegistrationStatus, isAlarm, holds })),
  ]);

  function findWayOut(facts: ReviewedRegistration, stepsMax = 2): boolean {
    if (!waits(facts.registration)) return true;
    return (
      stepsMax > 0 &&
      possible(facts).some((decision) => {
        const name = registrationDecisions.find((one) => one === decision) ?? 'acknowledge';
        const last = decided(name, { ...facts, newAccountNo: '9900000002' }).at(-1);
        return (
          last !== undefined &&
          findWayOut({ ...facts, registration: afterRegistrationChange(last) }, stepsMax - 1)
        );
      })
    );
  }

  test.for(situations.map((one) => [JSON.stringify(one), one] as const))(
    'people can end it: %s',
    ([, one]) => {
      expect(findWayOut(factsOf(one))).toBe(true);
    },
  );
});
