/** Requests of the page are under way as its process is asked to stop: the journal stays open until they have ended. */
import { expect, test } from 'vitest';
import { PageRequests } from '../../src/app/settle.ts';

test('requests are ended, and waited for, before what stands below them is closed', async () => {
  const told: string[] = [];
  const answers: Promise<unknown>[] = [];
  {
    await using stack = new AsyncDisposableStack();
    stack.defer(() => void told.push('journal closed'));
    const requests = stack.use(new PageRequests());
    for (const name of ['statement', 'question'])
      answers.push(
        requests.make(async (end) => {
          await new Promise<void>((resolve) => end.addEventListener('abort', () => resolve()));
          // The last writes of a request that has ended.
          await new Promise((resolve) => setImmediate(resolve));
          told.push(name);
        }),
      );
    const failed = requests.make(async () => Promise.reject(new Error('the bank is away')));
    await expect(failed).rejects.toThrow('the bank is away');
  }
  await Promise.all(answers);
  expect(told).toEqual(['statement', 'question', 'journal closed']);
});
