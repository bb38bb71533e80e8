/** What a person reads where the journal, or what is kept beside it, cannot be had. */
import { describe, expect, test } from 'vitest';
import { describeUnreadableMark } from '../../../src/payout/rules/journal-place.ts';

describe('a high-water mark that cannot be read', () => {
  test.each(['EACCES', 'EPERM'])('is nobody’s loss where this user may not read it (%s)', (code) => {
    const words = describeUnreadableMark('/data/journal.mark', code);
    expect(words).toBe(
      '/data/journal.mark may not be read (permission is denied): run it as the user that paydrop runs as',
    );
  });

  test.each([undefined, 'EIO'])('stops everything otherwise, with the way out (%s)', (code) => {
    expect(describeUnreadableMark('/data/journal.mark', code)).toMatch(
      /so nothing is sent without it; put back the newest copy of the whole folder\. .*--journal-lost/,
    );
  });
});
