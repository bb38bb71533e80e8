import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { runPaydrop } from './run-paydrop.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'paydrop-config-command-'));
  writeFileSync(
    join(folder, 'paydrop.yaml'),
    `bank:
  baseUrl: https://bank.example
  clientId: my-app
  clientSecret: hush-hush
  channelId: PAYDROP
  termId: TERM0001
  companyId: COMP000001
  payerAccount: "0000345924"
`,
  );
});
afterAll(() => rmSync(folder, { recursive: true }));

const shown = {
  settingsFile: expect.stringMatching(/paydrop\.yaml$/),
  isSandbox: false,
  settings: {
    bank: { clientId: 'my-app', clientSecret: '****', payerAccount: '******5924' },
    settle: { resendsMax: 2 },
  },
};

test('prints what is in effect as YAML, secrets masked', async () => {
  const { code, stdout, stderr } = await runPaydrop(['config'], { cwd: folder });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(parse(stdout)).toMatchObject(shown);
  expect(stdout).not.toMatch(/hush|0000345924/);
});

test('and as JSON', async () => {
  const { code, stdout } = await runPaydrop(['config', '--json'], { cwd: folder });
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject(shown);
});

test('--config and --data-dir are followed', async () => {
  const args = ['config', '--json', '--config', join(folder, 'paydrop.yaml'), '--data-dir', 'elsewhere'];
  const { stdout } = await runPaydrop(args, { cwd: tmpdir() });
  expect(JSON.parse(stdout).settings.folders.outbox).toMatch(/\/elsewhere\/outbox$/);
});

test('without settings it ends with 2 and says what to do', async () => {
  const { code, stdout, stderr } = await runPaydrop(['config', '--data-dir', folder], { cwd: tmpdir() });
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/^paydrop: no settings: .*--config FILE/);
});

test('wrong settings end with 2 and name file, key and line', async () => {
  writeFileSync(join(folder, 'wrong.yaml'), 'bnak: {}\n');
  const { code, stderr } = await runPaydrop(['config', '--config', 'wrong.yaml'], { cwd: folder });
  expect(code).toBe(2);
  expect(stderr).toMatch(
    /wrong\.yaml: .*\n.*bank .*is missing.*\n.*bnak \(line 1\): unknown key: did you mean bank\?/,
  );
});

describe('--login', () => {
  const settings = (bank: object) =>
    stringify({
      bank: {
        channelId: 'PAYDROP',
        termId: 'TERM0001',
        companyId: 'COMP000001',
        payerAccount: '0000345924',
        ...bank,
      },
    });

  async function logIn(bank: object, ...more: string[]) {
    writeFileSync(join(folder, 'login.yaml'), settings(bank));
    return runPaydrop(['config', '--login', '--config', 'login.yaml', ...more], { cwd: folder });
  }

  test('against the built-in sandbox', async () => {
    const { code, stdout } = await logIn({ baseUrl: 'sandbox' });
    expect(stdout).toMatch(
      /^http:\/\/127\.0\.0\.1:\d+ \(the sandbox\): the credentials of sandbox-client are accepted\n$/,
    );
    expect(code).toBe(0);
  });

  test.each([
    [
      'accepted',
      { clientId: 'my-app', clientSecret: 'hush-hush' },
      0,
      /the credentials of my-app are accepted\n$/,
    ],
    [
      'refused',
      { clientId: 'my-app', clientSecret: 'guessed' },
      2,
      /are refused \(TK001\): correct clientId/,
    ],
  ])('%s by a bank over http', async (_, credentials, code, message) => {
    await using bank = await startTokenEndpoint('hush-hush');
    const ended = await logIn({ baseUrl: bank.baseUrl, ...credentials });
    expect(ended).toMatchObject({ code, stdout: expect.stringMatching(message) });
    expect(JSON.stringify(ended)).not.toMatch(/hush|guessed/);
    // Asked what it is, then for a token.
    expect(bank.paths).toEqual(['/sandbox', '/oauth/authentication/api/v2/token']);
  });

  test('a bank out of reach ends with 6', async () => {
    const { code, stdout } = await logIn(
      { baseUrl: 'http://127.0.0.1:9', clientId: 'a', clientSecret: 'b' },
      '--json',
    );
    expect(JSON.parse(stdout)).toMatchObject({ exitCode: 6, login: { kind: 'no-answer' } });
    expect(code).toBe(6);
  });

  test('without credentials it ends with 2 and asks nobody', async () => {
    const { code, stdout, stderr } = await logIn({ baseUrl: 'https://bank.example' });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^paydrop: no client ID: set /);
  });
});

/** Endpoint 1 and nothing else. */
async function startTokenEndpoint(secret: string) {
  const paths: string[] = [];
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    paths.push(request.url ?? '');
    const isRight = new URLSearchParams(await text(request)).get('client_secret') === secret;
    const details = { token_type: 'Bearer', access_token: 'a-token', expires_in: 900 };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(isRight ? { code: '0000', data: details } : { code: 'TK001' }));
  }
  const server = createServer((request, response) => void answer(request, response));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    paths,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}
