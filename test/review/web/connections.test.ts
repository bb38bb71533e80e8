/** Connections of the page over a real port: whatever one person does with many, the others are answered. */
import { EventEmitter, once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ConnectionShares } from '../../../src/review/web/guards.ts';
import type { Browser } from '../../support/browser.ts';
import { type OpenTestPage, openTestPage } from '../../support/review-page.ts';

/** As many as the page has. */
const all = 128;

describe('the page', () => {
  let rig: OpenTestPage;
  let sockets: Socket[];
  beforeEach(async () => {
    sockets = [];
    rig = await openTestPage({}, { nok: 'maker', dao: 'checker' });
  });
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    await rig[Symbol.asyncDispose]();
  });

  async function dial(): Promise<Socket> {
    const { hostname, port } = new URL(rig.origin);
    const socket = connect(Number(port), hostname).on('error', () => {});
    sockets.push(socket);
    await once(socket, 'connect');
    return socket;
  }

  const headOf = (browser: Browser | undefined, line: string): string => {
    const cookie = [...(browser?.cookies ?? [])].map(([name, value]) => `${name}=${value}`).join('; ');
    const { host } = new URL(rig.origin);
    return `${line} HTTP/1.1\r\nhost: ${host}\r\norigin: ${rig.origin}\r\ncookie: ${cookie}\r\n`;
  };
  const formHead = 'content-type: application/x-www-form-urlencoded\r\ncontent-length: 500\r\n';

  test.each(['a session', 'nobody who has signed in'])(
    'of %s holds no more than a share of them',
    async (who) => {
      const [nok, dao] = [await rig.open('nok'), await rig.open('dao')];
      const held = who === 'a session' ? nok : undefined;
      for (let count = 0; count < all; count += 1) {
        const socket = await dial();
        // A body that never ends.
        socket.write(`${headOf(held, 'POST /search')}${formHead}\r\nsearch=`);
      }
      const refused = await Promise.all(sockets.slice(-64).map((socket) => text(socket)));
      expect(refused.every((answer) => answer.startsWith('HTTP/1.1 429 '))).toBe(true);
      expect((await dao.get('/today')).status).toBe(200);
      expect((await nok.get('/today')).status).toBe(who === 'a session' ? 429 : 200);
    },
  );

  test.each([
    ['that is not ours', 'origin: http', 'origin: http://evil.example\r\nx-was: http', 403],
    ['under another name', 'host: ', 'host: evil.example\r\nx-was: ', 421],
  ])(
    'keeps none of a form %s, whose body never ends',
    async (_, own, foreign, status) => {
      const nok = await rig.open('nok');
      const head = `${headOf(nok, 'POST /search')}${formHead}`.replace(own, foreign);
      const answers: string[] = [];
      for (let count = 0; count < 3; count += 1) {
        const socket = await dial();
        socket.write(`${head}\r\nsearch=`);
        answers.push(await text(socket));
      }
      for (const answer of answers) expect(answer).toContain(`HTTP/1.1 ${status} `);
    },
    20_000,
  );

  test('keeps no idle connection beyond a share', async () => {
    const [nok, dao] = [await rig.open('nok'), await rig.open('dao')];
    for (let count = 0; count < all; count += 1) {
      const socket = await dial();
      socket.write(`${headOf(nok, 'GET /favicon.ico')}\r\n`);
      await once(socket, 'data');
    }
    await Promise.all(
      sockets.slice(-64).map(async (socket) => socket.closed || once(socket.resume(), 'close')),
    );
    expect(sockets.filter(({ closed }) => !closed).length).toBeLessThan(64);
    expect((await dao.get('/today')).status).toBe(200);
    expect((await nok.get('/today')).status).toBe(200);
  });
});

describe('shares', () => {
  const open = (): Socket => new EventEmitter() as Socket;

  test('are of who asked last, and given back at the end', () => {
    const shares = new ConnectionShares(2);
    const [one, two, three] = [open(), open(), open()];
    const first = shares.begin('nok', one);
    const second = shares.begin('nok', two);
    expect([first.admission, second.admission, shares.begin('dao', three).admission]).toEqual([
      'keep',
      'keep',
      'keep',
    ]);
    const refused = shares.begin('nok', three);
    expect(refused.admission).toBe('refuse');
    refused.end();
    first.end();
    // Three connections, of which one is busy.
    expect(shares.begin('nok', one).admission).toBe('close');
    expect(shares.begin('dao', three).admission).toBe('keep');
    second.end();
    two.emit('close', false);
    expect(shares.begin('nok', one).admission).toBe('keep');
  });
});
