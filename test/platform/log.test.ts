import { describe, expect, test, vi } from 'vitest';
import { makeLogger, silentLogger } from '../../src/platform/log.ts';
import type { Logger } from '../../src/platform/log.ts';

type LogLevel = Parameters<typeof makeLogger>[0];

function record(act: (log: Logger) => void, level: LogLevel = 'trace'): string {
  let lines = '';
  const log = makeLogger(level, { write: (line) => (lines += line) });
  act(log);
  return lines;
}

describe('what is hidden', () => {
  test.each([
    ['clientSecret', 'hush-hush'],
    ['client_secret', 'hush-hush'],
    ['access_token', 'eyJhbGciOi'],
    ['refresh_token', 'eyJhbGciOi'],
    ['Authorization', 'Bearer eyJhbGciOi'],
    ['x-api-key', 'k1'],
    ['payeeName', 'Somchai Jaidee'],
    ['displayPromptpayName', 'สมชาย ใจดี'],
    ['proxyName', 'Somchai Jaidee'],
    ['cells', ['P1', '0812345678']],
  ])('%s', (name, value) => {
    const line = record((log) => log.info({ [name]: value, deep: [{ deeper: { [name]: value } }] }, 'x'));
    expect(line).not.toContain(Array.isArray(value) ? value[0] : value);
    expect(JSON.parse(line)).toMatchObject({ [name]: '****', deep: [{ deeper: { [name]: '****' } }] });
  });
});

describe('what is masked to its last four digits', () => {
  test.each([
    ['proxyNo', '0812345678', '******5678'],
    ['promptpayNo', '9100000000011', '*********0011'],
    ['payerAccount', '0000345924', '******5924'],
    ['accountNo', '345924', '**5924'],
    ['msisdn', '+66812345678', '********5678'],
    ['anything', 'call 0812345678 now', 'call ******5678 now'],
    ['why', 'no account 9-1000-00000-01-1', 'no account *************01-1'],
    ['why', 'card 4000123412341234', 'card ************1234'],
    ['why', '๐๘๑๒๓๔๕๖๗๘', '******๕๖๗๘'],
    ['why', '０８１ ２３４ ５６７８', '********５６７８'],
    ['fileName', '0812345678.csv', '******5678.csv'],
    ['proxyNo', '๐๘๑๒๓๔๕๖๗๘', '******๕๖๗๘'],
  ])('%s', (name, value, masked) => {
    expect(JSON.parse(record((log) => log.warn({ [name]: value })))).toMatchObject({ [name]: masked });
  });
});

test.each([
  ['transRefNo', 'PD0123456789ABCDEF01'],
  ['sysRefNo', '202611210000001'],
  ['rowNo', 12],
  ['earlierRowNo', 12],
  ['amountSatang', 123_456_789_012],
  ['elapsedMs', 1_795_234_567_890],
  ['batchId', '5XK2M9QH3C'],
])('%s stays as it is', (name, value) => {
  expect(JSON.parse(record((log) => log.info({ [name]: value })))).toMatchObject({ [name]: value });
});

test('a bigint is written as a number', () => {
  expect(record((log) => log.info({ amountSatang: 5_000n }))).toContain('"amountSatang":5000');
});

test('messages and their arguments are masked', () => {
  const line = record((log) => log.info('%s has 0812345678, Bearer eyJhbGciOi', '9100000000011'));
  expect(line).toContain('"*********0011 has ******5678, Bearer ****"');
});

test('what a child logger carries along is masked', () => {
  const line = record((log) => log.child({ clientSecret: 'hush-hush', proxyNo: '0812345678' }).info('x'));
  expect(JSON.parse(line)).toMatchObject({ clientSecret: '****', proxyNo: '******5678' });
});

test('an error shows its message, code, stack and causes, and nothing that hangs on it', () => {
  const cause = Object.assign(new Error('connect failed for 0812345678'), { code: 'ECONNREFUSED' });
  const error = Object.assign(new Error('no answer', { cause }), {
    request: { headers: { authorization: 'Bearer eyJhbGciOi' }, url: 'http://bank.example/?key=hush' },
  });
  const line = record((log) => log.error(error));
  expect(JSON.parse(line)).toMatchObject({
    msg: 'no answer',
    err: {
      type: 'Error',
      message: 'no answer',
      stack: expect.stringContaining('log.test.ts'),
      cause: { code: 'ECONNREFUSED', message: 'connect failed for ******5678' },
    },
  });
  expect(line).not.toMatch(/eyJ|hush/);
});

test('what turns in a circle is cut off', () => {
  const circle: Record<string, unknown> = {};
  circle['itself'] = circle;
  expect(JSON.parse(record((log) => log.info({ circle })))).toHaveProperty('circle.itself.itself');
});

test('a line bears no character that a terminal could obey, and says the same', () => {
  const why = 'a\u009b2Jb\u202ec\u2028d';
  const line = record((log) => log.info({ why }));
  expect(line.trimEnd()).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
  expect(JSON.parse(line)).toMatchObject({ why });
});

test('the level decides what is written', () => {
  const all = (log: Logger) => {
    log.warn('a');
    log.info('b');
  };
  expect(record(all, 'warn').trim().split('\n')).toHaveLength(1);
  expect(record(all, 'silent')).toBe('');
  expect(silentLogger.isLevelEnabled('error')).toBe(false);
});

describe('on a terminal', () => {
  const show = (act: (log: Logger) => void): string => {
    let lines = '';
    vi.stubEnv('NO_COLOR', '1');
    act(makeLogger('trace', { write: (line) => (lines += line) }, true));
    return lines;
  };
  const time = String.raw`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d`;

  test('a line is for a person', () => {
    const line = show((log) => log.warn({ batchId: '7B3KQ0M9ZX', rows: 3, deep: { a: [1] } }, 'it rests'));
    expect(line).toMatch(
      new RegExp(`^${time} WARN: it rests  batchId=7B3KQ0M9ZX  rows=3  deep="\\{\\\\"a\\\\":\\[1\\]\\}"\\n$`),
    );
  });

  test('what others wrote neither steers it, nor forges a line, nor shows a number', () => {
    const hostile = 'a\u001B[2J\n2026-11-22 10:00:00 INFO: forged\u202E';
    const line = show((log) =>
      log.child({ who: hostile }).info({ why: hostile, payeeNo: '0812345678' }, hostile),
    );
    for (const forbidden of ['\u001B', '\u202E']) expect(line).not.toContain(forbidden);
    expect(line.trimEnd()).not.toContain('\n');
    expect(line).toContain('payeeNo=******5678');
  });

  test('an error has its stack below, and its causes', () => {
    const error = new Error('for 0812345678', { cause: new Error('underneath\nforged') });
    const lines = show((log) => log.error({ err: error }, 'internal error')).split('\n');
    expect(lines[0]).toMatch(/ERROR: internal error$/);
    expect(lines[1]).toBe('Error: for ******5678');
    expect(lines[2]).toMatch(/^ {4}at /);
    expect(lines).toContain('caused by:');
    expect(lines).toContain('  forged');
  });
});
