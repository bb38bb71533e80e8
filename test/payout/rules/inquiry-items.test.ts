import { describe, expect, test } from 'vitest';
import type { InquiryItem } from '../../../src/core/bank-port.ts';
import { type AskedSend, readItems } from '../../../src/payout/rules/inquiry-items.ts';
import { inquiryItem } from '../../support/core-fixtures.ts';

const transRefNo = 'PD000000000000000001';
const day = '20261121';
const first: AskedSend = { tranDate: day, tranTime: '10:00:00', reference1: 'INV-1' };
const second: AskedSend = { ...first, tranTime: '12:00:00' };

const item = (tranStatusCode: string, changes: Partial<InquiryItem> = {}): InquiryItem => ({
  ...inquiryItem(transRefNo, tranStatusCode),
  ...changes,
});
const read = (items: readonly InquiryItem[], sends: readonly AskedSend[] = [second]) =>
  readItems(items, { transRefNo, sends });

describe('an item whose codes contradict each other', () => {
  test.each(['IC000', 'IC001', 'ET001', 'EM066', 'EM073', 'EM001', 'EM059', 'EM067', 'XX999'])(
    'is not failed beside %s: the bank is asked again',
    (statusCode) => {
      for (const status of ['030002', '030003']) {
        const one = item(status, { statusCode });
        expect(read([one])).toMatchObject({ kind: 'in-process', reason: { code: 'contradictory-item' } });
        expect(read([item('030003'), one])).toMatchObject({ kind: 'in-process' });
        expect(read([one, item('030003', { statusCode: 'EV055' })])).toMatchObject({ kind: 'in-process' });
      }
    },
  );

  test.each(['EV055', 'EM053', 'TM001', 'EM003', 'ET001', 'EM073', 'EM001'])(
    'is not paid beside %s',
    (statusCode) => {
      const one = item('010004', { statusCode });
      expect(read([one])).toMatchObject({ kind: 'in-process', reason: { code: 'contradictory-item' } });
    },
  );

  test.each(['EV055', 'EM053', 'TM001', 'EM003', 'EM027', 'ED001', undefined])(
    'is none where a failure bears %s',
    (statusCode) => expect(read([item('030003', { statusCode })])).toMatchObject({ kind: 'failed' }),
  );

  test('takes nothing from another that proves it paid', () => {
    const items = [item('030003', { statusCode: 'IC000' }), item('010004', { statusCode: 'IC000' })];
    expect(read(items)).toMatchObject({ kind: 'complete', isTwice: false });
  });
});

describe('a failed item settles', () => {
  test.each<[string, Partial<InquiryItem>, readonly AskedSend[], boolean]>([
    ['the only send', {}, [second], true],
    ['it whatever its time, which may be the bank’s', { tranTime: '12:00:03' }, [second], true],
    ['it without a day', { tranDate: undefined, tranTime: undefined }, [second], true],
    ['nothing of a day on which nothing was sent', { tranDate: '20261120' }, [second], false],
    ['it with our reference 1', { reference1: 'INV-1 ' }, [second], true],
    ['nothing with another reference 1', { reference1: 'INV-2' }, [second], false],
    [
      'nothing with a reference 1 where none was sent',
      { reference1: 'X' },
      [{ ...second, reference1: null }],
      false,
    ],
    ['the last of two sends on a day by its time', { tranTime: '12:00:00' }, [first, second], true],
    ['nothing by the time of an earlier send', { tranTime: '10:00:00' }, [first, second], false],
    ['nothing without a time where a day has two', { tranTime: undefined }, [first, second], false],
    [
      'nothing without a day where there are two',
      { tranDate: undefined, tranTime: undefined },
      [first, second],
      false,
    ],
    ['the last send of another day', {}, [{ ...first, tranDate: '20261120' }, second], true],
    [
      'nothing of an earlier day',
      { tranDate: '20261120' },
      [{ ...first, tranDate: '20261120' }, second],
      false,
    ],
    ['anything where it is not known what was sent', { tranDate: '20250101', reference1: 'X' }, [], true],
  ])('%s', (_name, changes, sends, isSettled) => {
    const reading = read([item('030003', changes)], sends);
    expect(reading).toMatchObject({ kind: 'failed', isOfLast: isSettled });
  });

  test('also where an earlier send of the number has failed as well', () => {
    const items = [item('030003', { tranTime: '10:00:00' }), item('030003', { sysRefNo: 'SYS2' })];
    expect(read(items, [first, second])).toMatchObject({ kind: 'failed', sysRefNo: 'SYS2' });
    expect(read(items.toReversed(), [first, second])).toMatchObject({ kind: 'failed', sysRefNo: 'SYS2' });
  });
});

describe('a completed item', () => {
  test.each<[string, Partial<InquiryItem>, readonly AskedSend[], AskedSend | null]>([
    ['the only send', { tranTime: '12:00:09' }, [second], second],
    ['the send of its time', { tranTime: '10:00:00' }, [first, second], first],
    ['the last send of its time', { tranTime: '12:00:00' }, [first, second], second],
    ['none by a time that is no send’s', { tranTime: '11:00:00' }, [first, second], null],
    ['the send of its day', { tranTime: undefined }, [{ ...first, tranDate: '20261120' }, second], second],
    ['none of a day on which nothing was sent', { tranDate: '20261119' }, [second], null],
    ['none where no send is known', {}, [], null],
  ])('names %s', (_name, changes, sends, send) => {
    expect(read([item('010004', changes)], sends)).toMatchObject({ kind: 'complete', send });
  });

  test.each<[string, Partial<InquiryItem>, boolean]>([
    ['is once when listed twice', {}, false],
    ['is twice by another sysRefNo', { sysRefNo: 'SYS2' }, true],
    [
      'is twice by another time where one has no sysRefNo',
      { sysRefNo: undefined, tranTime: '13:00:00' },
      true,
    ],
    ['is once by the same time where one has no sysRefNo', { sysRefNo: undefined }, false],
  ])('%s', (_name, changes, isTwice) => {
    expect(read([item('010004'), item('010004', changes)])).toMatchObject({ kind: 'complete', isTwice });
  });
});

test('others’ items say nothing', () => {
  expect(read([item('010004', { transRefNo: 'PDOTHER' })])).toBeUndefined();
});
