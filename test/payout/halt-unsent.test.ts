/** A batch that may not begin, such as one whose file has grown, is halted by several writes: none of them alone lets it begin. */
import { verbatim } from '../../src/core/message.ts';
import { expect, test } from 'vitest';
import { haltUnsent } from '../../src/payout/conclude.ts';
import { stage } from '../support/theatre.ts';

const why = { code: 'file-grown', reason: verbatim('its file has grown'), remedy: verbatim('look') };

test.each([0, 1, 2])('killed after %i of its writes, the next run sends nothing of it', async (writes) => {
  await using opened = await stage(2, () => ({}));
  const { theatre, batchId } = opened;
  let left = writes;
  const dying = new Proxy(theatre.journal, {
    get: (target, key) => {
      if (left === 0) throw new Error('killed');
      left -= 1;
      return Reflect.get(target, key) as unknown;
    },
  });
  const halting = haltUnsent(dying, await theatre.batch(batchId), why, theatre.now());
  if (writes < 2) await expect(halting).rejects.toThrow('killed');
  await halting.catch(() => undefined);
  // What is still to begin is asked about again first.
  if ((await theatre.batch(batchId)).status === 'sealed')
    await haltUnsent(theatre.journal, await theatre.batch(batchId), why, theatre.now());
  await theatre.run(batchId);
  expect(theatre.sent).toEqual([]);
  await theatre.resume(batchId);
  await theatre.run(batchId);
  expect(theatre.sent).toHaveLength(2);
});
