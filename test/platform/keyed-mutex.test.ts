import { describe, expect, test } from 'vitest';
import { KeyedMutex } from '../../src/platform/keyed-mutex.ts';

describe('turns', () => {
  test('are taken one by one, in the order in which they were asked for', async () => {
    const turns = new KeyedMutex();
    const seen: string[] = [];
    const work = (name: string) => async () => {
      seen.push(`${name} begins`);
      await new Promise((resolve) => setImmediate(resolve));
      seen.push(`${name} ends`);
      return name;
    };
    const names = await Promise.all(['a', 'b', 'c'].map((name) => turns.run('same', work(name))));
    expect(names).toEqual(['a', 'b', 'c']);
    expect(seen).toEqual(['a', 'b', 'c'].flatMap((name) => [`${name} begins`, `${name} ends`]));
  });

  test('of one key do not wait for those of another', async () => {
    const turns = new KeyedMutex();
    const first = Promise.withResolvers<void>();
    const waiting = turns.run('one', () => first.promise);
    expect(await turns.run('other', async () => 'done')).toBe('done');
    first.resolve();
    await waiting;
  });

  test('go on after one that failed', async () => {
    const turns = new KeyedMutex();
    const failing = turns.run('same', () => Promise.reject(new Error('no disk')));
    const next = turns.run('same', async () => 'done');
    await expect(failing).rejects.toThrow('no disk');
    expect(await next).toBe('done');
  });
});
