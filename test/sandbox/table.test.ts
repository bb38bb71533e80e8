import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { readProxyId } from '../../src/core/proxy-id.ts';
import { bankStatuses, findBankStatus } from '../../src/core/status-codes.ts';
import { createDirectory, generatePayeeName, normaliseName } from '../../src/sandbox/directory.ts';
import { describeStatus } from '../../src/sandbox/status-texts.ts';
import { parseBehaviours, parseSandboxTable } from '../../src/sandbox/table.ts';

describe('a table that cannot be used names the key and the cure', () => {
  const behaviour = (fields: object) => ({ behaviours: [{ match: {}, money: 'moves', ...fields }] });
  test.each<readonly [unknown, string]>([
    [[], 'sandbox: Invalid input'],
    [{ latency: 5 }, 'sandbox: Unrecognized key: "latency"'],
    [{ latencyMs: -1 }, 'sandbox.latencyMs: '],
    [{ amountLimitBaht: '1.005' }, 'sandbox.amountLimitBaht: '],
    [{ feeBaht: '' }, 'sandbox.feeBaht: must be an amount in baht'],
    [{ inquiryNotFound: 'EV036' }, 'sandbox.inquiryNotFound: '],
    [{ directory: [{ proxyNo: '08123' }] }, 'sandbox.directory[0].proxyNo: must be 10 to 16 digits'],
    [{ directory: [{ proxyNo: 812345678 }] }, 'sandbox.directory[0].proxyNo: must be a proxy ID in quotes'],
    [{ behaviours: [{ money: 'moves' }] }, 'sandbox.behaviours[0].match: '],
    [
      behaviour({ match: { amount: 1001.01 } }),
      'sandbox.behaviours[0].match.amount: must be an amount in quotes',
    ],
    [behaviour({ match: { payee: 'x' } }), 'sandbox.behaviours[0].match: Unrecognized key: "payee"'],
    [behaviour({ money: undefined }), 'sandbox.behaviours[0].money: say one of: moves, '],
    [behaviour({ endpoint: 'inquiry' }), 'sandbox.behaviours[0].money: only a transfer moves money'],
    [behaviour({ money: 'moves-later' }), 'sandbox.behaviours[0].afterMs: say after'],
    [behaviour({ afterMs: 5 }), 'sandbox.behaviours[0].afterMs: only for'],
    [behaviour({ money: 'fails' }), 'sandbox.behaviours[0].code: say with which'],
    [behaviour({ money: 'untouched' }), 'sandbox.behaviours[0].code: say which'],
    [behaviour({ money: 'untouched', reply: 'wrong-request' }), 'sandbox.behaviours[0].code: say which'],
    [behaviour({ code: 'em069' }), 'sandbox.behaviours[0].code: must be a status code'],
    [behaviour({ failCode: 'EM003' }), 'sandbox.behaviours[0].failCode: only for'],
    [behaviour({ tranStatusCode: '010003' }), 'sandbox.behaviours[0].tranStatusCode: only for'],
    [
      behaviour({ money: 'untouched', reply: 'lost', hiddenMs: 1 }),
      'sandbox.behaviours[0].hiddenMs: only for',
    ],
    [behaviour({ reply: 'http' }), 'sandbox.behaviours[0].httpStatus: say which'],
    [behaviour({ httpStatus: 500 }), 'sandbox.behaviours[0].httpStatus: only for'],
    [behaviour({ retryAfterSeconds: 1 }), 'sandbox.behaviours[0].retryAfterSeconds: only for'],
    [behaviour({ times: 0 }), 'sandbox.behaviours[0].times: '],
    [
      { behaviours: [{ match: { amount: '1' }, endpoint: 'payeeCheck', code: 'EV033' }] },
      'sandbox.behaviours[0].match: a payee check carries only',
    ],
    [
      { behaviours: [{ match: { proxyNo: '0812345678' }, endpoint: 'token', code: 'TK001' }] },
      'sandbox.behaviours[0].match: a token request carries nothing',
    ],
  ])('%j', (raw, message) => {
    expect(() => parseSandboxTable(raw)).toThrow(message);
    expect(() => parseSandboxTable(raw)).toThrow(expect.objectContaining({ name: 'SandboxError' }));
  });

  test('all of them at once', () => {
    expect(() => parseSandboxTable({ latencyMs: -1, feeBaht: 'x' })).toThrow(/latencyMs[^]*\n[^]*feeBaht/);
  });

  test('a list of behaviours alone', () => {
    expect(() => parseBehaviours([{ match: {} }])).toThrow('behaviours[0].money: say one of');
  });
});

test.each([undefined, null, {}])('%j is a bank without peculiarities', (raw) => {
  const table = parseSandboxTable(raw);
  expect(table).toMatchObject({
    latencyMs: 0,
    accessTokenSeconds: 900,
    refreshTokenSeconds: 86_400,
    behaviours: [],
  });
  expect(parseSandboxTable(table)).toEqual(table);
});

test('every code of §7.3 has a description', () => {
  for (const { code } of bankStatuses) expect(describeStatus(code)).not.toContain(code);
});

describe('the directory', () => {
  test('an unlisted payee always has the same names, English and Thai', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^0[689]\d{8}$/), (proxyNo) => {
        const { name, nameTh } = generatePayeeName(proxyNo);
        expect(generatePayeeName(proxyNo)).toEqual({ name, nameTh });
        expect(name).toMatch(/^[A-Z][a-z]+ [A-Z][a-z]+$/);
        expect(nameTh).toMatch(/^[\u0E00-\u0E7F]+ [\u0E00-\u0E7F]+$/);
        expect(createDirectory([], false)(proxyNo, '')).toEqual({ state: 'active', name, nameTh });
      }),
    );
  });

  test('a name in capitals, with other spaces or full-width letters is the same name', () => {
    for (const name of ['SOMCHAI JAIDEE', ' somchai   jaidee', 'Ｓｏｍｃｈａｉ Jaidee', 'SomchaiJaidee']) {
      expect(normaliseName(name)).toBe(normaliseName('Somchai Jaidee'));
    }
  });
});

describe('config/sandbox.yaml', () => {
  const text = readFileSync(join(import.meta.dirname, '../../config/sandbox.yaml'), 'utf8');
  const { sandbox } = parse(text) as { sandbox: unknown };
  const table = parseSandboxTable(sandbox);
  const listed = (pattern: RegExp) => [...text.matchAll(pattern)].map(([, first = '']) => first);

  test('its list of amounts is its table', () => {
    const amounts = table.behaviours.flatMap(({ match }) => match.amount ?? []);
    expect(listed(/^# {3}(\d+\.\d\d) {2,}/gm)).toEqual(amounts);
    expect(new Set(amounts).size).toBe(amounts.length);
  });

  test('its list of payees is its directory and the behaviours of payees', () => {
    const payees = [...table.directory, ...table.behaviours.map(({ match }) => match)].flatMap(
      ({ proxyNo }) => proxyNo ?? [],
    );
    expect(listed(/^# {3}(\d{10,13}) {2,}/gm).toSorted()).toEqual(payees.toSorted());
  });

  test('every proxy ID in it is one that the input rules accept', () => {
    for (const { proxyNo } of table.directory)
      expect(readProxyId(proxyNo, undefined)).toMatchObject({ ok: true });
  });

  test('its codes are of §7.3, but for the one that is unknown on purpose', () => {
    const codes = table.behaviours.flatMap(({ code, failCode }) => [code ?? [], failCode ?? []].flat());
    expect(codes.filter((code) => findBankStatus(code) === undefined)).toEqual(['XX999']);
  });
});
