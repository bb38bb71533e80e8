/** Deliberate bugs in what becomes of a journal that is lost, put back or copied; each is found by journals.ts. */
import type { Mutation } from './mutations.ts';

const inLost = (name: string, file: string, find: string, replace: string): Mutation => ({
  name,
  patches: [{ file, find, replace }],
  playedOn: 'lost',
});

export const ofLoss: readonly Mutation[] = [
  inLost(
    'the high-water marks ignored',
    'store/open.ts',
    'if (missing !== undefined && recovery === undefined) throw new JournalRefusedError(missing);',
    '',
  ),
  inLost(
    'marks in other folders ignored',
    'app/journal/mark-copies.ts',
    'of marks.entries()) {',
    'of [].entries()) {',
  ),
  inLost(
    'a journal bound to no file',
    'payout/rules/journal-place.ts',
    'if (kept.file === undefined || present.file === undefined || isSameFile(kept.file, present.file))',
    '',
  ),
  inLost(
    'a backup opens like the journal itself',
    'store/place.ts',
    "if ((yield* read('copiedAtMs')) === undefined) return;",
    "if (path !== '') return;",
  ),
  inLost(
    'a backup put back is no loss',
    'store/open.ts',
    'if (recovery !== undefined) transact(',
    'if (recovery !== undefined && !restores) transact(',
  ),
  inLost(
    'a journal that is missing makes itself',
    'store/opening.ts',
    "if (creation !== 'never' || recovery !== undefined) return;",
    'if (site.none) return;',
  ),
  inLost(
    'traces of another journal ignored by init',
    'app/traces.ts',
    '  const found: string[] = [];\n',
    '  const found: string[] = [];\n  if (inbox !== undefined) return found;\n',
  ),
  inLost(
    'the report of a file that the journal does not know ignored',
    'intake/ingest.ts',
    'if (trace !== undefined)',
    'if (trace === null)',
  ),
  inLost(
    'a refused send of an older journal has moved nothing',
    'payout/rules/after-inquiry.ts',
    'isHarmless(attempt) && !mayHaveGoneUnseen(attempt, policy);',
    'isHarmless(attempt);',
  ),
  inLost(
    'what moved on the day of a refused send is taken for that send',
    'payout/rules/lost-journal.ts',
    "case 'in-process':\n      return !areOf(reading.moments, knownOrders(known, transRefNo));",
    "case 'in-process':\n      return !knownOrders(known, transRefNo).some((one) => one.tranDate === reading.moments[0]?.tranDate);",
  ),
  inLost(
    'a new journal asks nobody first',
    'payout/lost-journal.ts',
    'mayMiss && (await context.asksFirst?.()) === true;',
    'false;',
  ),
  inLost(
    'an adopted journal is no new one',
    'store/place.ts',
    "if (isSaid) yield* writeMoment('newSinceMs', nowMs);",
    '',
  ),
  inLost(
    'an adopted journal asks about today and yesterday alone',
    'payout/rules/lost-journal.ts',
    'Math.min(missesSinceMs, (sealedAtMs ?? nowMs) - dayMs)',
    '(sealedAtMs ?? nowMs) - dayMs',
  ),
  inLost(
    'a lost journal asks about today alone',
    'payout/rules/lost-journal.ts',
    'return [...eachBangkokDate(loss.sinceDate, loss.untilDate)];',
    'return [loss.untilDate];',
  ),
  inLost(
    'the search asks under the terminal of today alone',
    'payout/lost-journal.ts',
    'return [...new Set([payer.termId, ...known.toReversed()])];',
    'return [payer.termId, ...known.slice(0, 0)];',
  ),
  inLost(
    'the terminals that a mark names are forgotten',
    'store/open.ts',
    ', ...readMarkedTerminals(opening), ...sentFrom];',
    ', ...sentFrom];',
  ),
  inLost(
    'a journal that is lost with its mark need not be told of its terminals',
    'payout/rules/journal-place.ts',
    'marked.length > 0 || said.length > 0 || known.includes(present);',
    'marked.length + said.length + known.length + present.length > 0;',
  ),
  inLost(
    'a lost journal asks about nothing',
    'payout/rules/lost-journal.ts',
    'return isInQuestion(loss) && attempts.every(',
    'return isInQuestion(loss) && attempts.length > 0 && attempts.every(',
  ),
];
