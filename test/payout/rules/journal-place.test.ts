/** What a person reads where the journal, or what is kept beside it, cannot be had. */
import { describe, expect, test } from 'vitest';
import {
  areTerminalsKnown,
  type DatabaseIdentity,
  decideUnmarked,
  describeLost,
  describeMissing,
  describeMoved,
  describeOther,
  describeUnreadableMark,
  isBoundTo,
  type JournalPlace,
  siteOfDatabase,
} from '../../../src/payout/rules/journal-place.ts';

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

describe('a journal that a machine joins', () => {
  const present = { sinceMs: 9, missesSinceMs: 7, latestEventSeq: 40 };
  const found = { sinceMs: 5, missesSinceMs: 3, latestEventSeq: 20 };
  const both = { sinceMs: 9, missesSinceMs: 3, latestEventSeq: 20 };

  test.each<[string, Partial<Parameters<typeof decideUnmarked>[0]>, object | undefined]>([
    ['with a mark is not unmarked', { markedSeq: 40 }, undefined],
    ['without a mark is', {}, present],
    ['without a mark is not, beside one that knows', { isWitnessed: true }, undefined],
    ['without a mark after another without one is since both', { found }, both],
    ['is so even beside one that knew before', { found, isWitnessed: true }, both],
    ['with a mark is not any more', { found, markedSeq: 20 }, undefined],
    ['with a mark that has seen more than it had then is still', { found, markedSeq: 21 }, found],
  ])('%s', (_name, known, expected) => {
    const nothing = { found: undefined, markedSeq: undefined, isWitnessed: false, present };
    expect(decideUnmarked({ ...nothing, ...known })).toEqual(expected);
  });
});

describe('the terminals of a lost journal', () => {
  const known = { known: [], marked: [], said: [], present: 'TERM0001' };
  test.each([
    ['nothing names any', {}, false],
    ['the mark names some', { marked: ['TERM0009'] }, true],
    ['a person names some', { said: ['TERM0009'] }, true],
    ['an older copy knows the present one', { known: ['TERM0009', 'TERM0001'] }, true],
    ['an older copy knows another alone', { known: ['TERM0009'] }, false],
  ])('where %s: %j', (_name, changes, expected) => {
    expect(areTerminalsKnown({ ...known, ...changes })).toBe(expected);
  });
});

describe('a journal in a database', () => {
  const site = siteOfDatabase('/data', 'postgres://db.example/paydrop');
  const database = { systemId: '7642011472967116994', oid: '16400', timeline: '1' };
  const kept: JournalPlace = { termId: 'TERM0001', file: undefined, database };
  const at = (changes: Partial<DatabaseIdentity>): JournalPlace => ({
    ...kept,
    database: { ...database, ...changes },
  });

  test.each<[string, Partial<DatabaseIdentity>, RegExp | undefined]>([
    ['where it worked', {}, undefined],
    ['in a database made anew under its name', { oid: '16500' }, /is a copy: .* another database .*adopt"$/],
    ['on another server', { systemId: '7642011472967116995' }, /is a copy: .*restore --since/],
    ['on a promoted replica', { timeline: '2' }, /on timeline 2 and worked on timeline 1 .*restored or prom/],
    ['where the role may not ask', { systemId: null, timeline: null }, undefined],
  ])('%s', (_name, changes, told) => {
    const moved = describeMoved(site, kept, at(changes));
    if (told === undefined) expect(moved).toBeUndefined();
    else expect(moved).toMatch(told);
  });

  test('is bound to whatever is told that it is not bound to yet', () => {
    const unbound: JournalPlace = { termId: 'TERM0001', file: undefined };
    expect(describeMoved(site, unbound, kept)).toBeUndefined();
    expect(isBoundTo(unbound, kept)).toBe(false);
    expect(isBoundTo(kept, kept)).toBe(true);
    expect(isBoundTo(at({ timeline: null }), kept)).toBe(false);
    expect(isBoundTo(kept, at({ timeline: null }))).toBe(true);
  });

  test('is named by its address, and the mark by its folder', () => {
    const progress = { journalId: 'a', recoveredAtMs: 0, sealedBatches: 2, latestEventSeq: 9 };
    const mark = { ...progress, latestRegistrationEventSeq: 0, terminals: [], unmarkedSinceMs: 0 };
    expect(describeMissing(site, mark, { ...mark, latestEventSeq: 8 })).toMatch(
      /^the journal at postgres:\/\/db\.example\/paydrop is an older copy: .*Name in journal\.url the server/,
    );
    expect(describeLost(site)).toMatch(
      /worked with \/data is lost: .*postgres:\/\/db\.example\/paydrop holds/,
    );
    expect(site.none).toMatch(/correct journal\.url/);
    const owner = { bankAddress: 'https://bank.example', companyId: 'COMP000001', isSandbox: false };
    expect(describeOther(site, owner, { ...owner, companyId: 'COMP000002' })).toMatch(
      /Name another database in journal\.url, or correct the settings$/,
    );
  });
});
