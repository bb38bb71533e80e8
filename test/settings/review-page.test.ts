/** Where the review page listens, and under which name it is asked for. */
import { describe, expect, test } from 'vitest';
import { settingsSchema } from '../../src/settings/schema.ts';

const messagesOf = (review: object): readonly string[] => {
  const bank = { baseUrl: 'sandbox' };
  const read = settingsSchema.safeParse({ bank, review });
  return read.success
    ? []
    : read.error.issues
        .filter(({ path }) => path[0] === 'review')
        .map(({ path, message }) => `${path.join('.')} ${message}`);
};

describe('the review page', () => {
  test.each([
    [{ origin: 'https://review.example' }, []],
    [{ origin: 'https://review.example:8443', trustedProxy: ['127.0.0.1', '::1'] }, []],
    [{ listen: '127.0.0.1:8484' }, []],
    [{ origin: 'http://review.example' }, ['review.origin must begin with https://']],
    [{ origin: 'https://192.0.2.1' }, ['review.origin must be a name, not an IP address']],
    [{ origin: 'https://[2001:db8::1]' }, ['review.origin must be a name, not an IP address']],
    [
      { origin: 'https://review.example/pay' },
      ['review.origin must be a name alone, such as https://review.example'],
    ],
    [
      { origin: 'https://user@review.example' },
      ['review.origin must be a name alone, such as https://review.example'],
    ],
    [{ trustedProxy: ['proxy.example'] }, ['review.trustedProxy.0 must be an IP address']],
    [{ origin: 'https://review.example', trustedProxy: ['127.0.0.1'], userHeader: 'X-Forwarded-User' }, []],
    [{ userHeader: '' }, []],
    [
      { origin: 'https://review.example', userHeader: 'X-Forwarded-User' },
      ['review.userHeader needs review.origin and review.trustedProxy'],
    ],
    [
      { trustedProxy: ['127.0.0.1'], userHeader: 'X-Forwarded-User' },
      ['review.userHeader needs review.origin and review.trustedProxy'],
    ],
    ...['X-Forwarded-For', 'x-live', 'Sec-Fetch-Mode', 'Accept-Language', 'Host', 'X User', 'X-'].map(
      (userHeader): [object, string[]] => [
        { origin: 'https://review.example', trustedProxy: ['127.0.0.1'], userHeader },
        ['review.userHeader must be a header such as X-Forwarded-User'],
      ],
    ),
    [{ listen: '8484' }, ['review.listen must be host:port, such as 127.0.0.1:8484, or empty']],
  ])('%o: %o', (review, messages) => {
    expect(messagesOf(review)).toEqual(messages);
  });
});
