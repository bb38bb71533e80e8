/** Deliberate bugs in what registers direct debits; each is found by play.ts. */
import type { Mutation } from '../mutations.ts';

const inRegistrations = (name: string, file: string, find: string, replace: string): Mutation => ({
  name,
  patches: [{ file, find, replace }],
  playedOn: 'registrations',
});

const ofIntents: readonly Mutation[] = [
  inRegistrations(
    'a registration is sent before its intent is durable',
    'registration/submit.ts',
    '[isRecorded = false] = await journal.applyRegistrations([change]);',
    'void journal.applyRegistrations([change]);\n    isRecorded = true;',
  ),
  inRegistrations(
    'the pause after too many registrations is not taken up by the next run',
    'registration/run-batch.ts',
    '  await restoreBreaker({ ...context, gate: service }, payer);\n',
    '',
  ),
  inRegistrations(
    'too many registrations pause them for a minute',
    'core/direct-debit-codes.ts',
    'export const usagePauseMs = 3_600_000;',
    'export const usagePauseMs = 60_000;',
  ),
  inRegistrations(
    'a registration is sent while another of its identity is awaited',
    'store/registration/apply.ts',
    'if (after.instruction === null) return true;',
    'if (after.seq > 0 || after.instruction === null) return true;',
  ),
  inRegistrations(
    'registrations that cannot be told apart are let in',
    'store/registration/seal.ts',
    '  yield* settleEach(sealing, indistinctRows, rejectIndistinct);\n',
    '',
  ),
  inRegistrations(
    'a registrationId that another row has is let in',
    'store/registration/seal.ts',
    '  yield* settleEach(sealing, claimedRows, rejectClaimed);\n',
    '',
  ),
  inRegistrations(
    'a registration changes though it has changed meanwhile',
    'store/registration/apply.ts',
    "      .where('version', '=', versionBefore)\n      .where('status', '=', statusBefore),",
    "      .where('version', '>=', 0),",
  ),
];

const ofAnswers: readonly Mutation[] = [
  inRegistrations(
    'a registration without an answer is called failed',
    'registration/rules/after-answer.ts',
    "      const patch = { ...registrationReason(finding.reason), status: 'in-doubt' } as const;\n      return moveOn(answered, patch, 'outcome-in-doubt', { code: finding.reason.code });",
    "      const patch = { ...ended(finding.reason, nowMs), status: 'failed' } as const;\n      return moveOn(answered, patch, 'turned-down', { code: finding.reason.code });",
  ),
  inRegistrations(
    'a system error counts as not taken',
    'core/direct-debit-codes.ts',
    "['SYS001', 'unknown',",
    "['SYS001', 'not-taken',",
  ),
  inRegistrations(
    'a duplicate counts as not taken',
    'core/direct-debit-codes.ts',
    "['BSN002', 'unknown',",
    "['BSN002', 'not-taken',",
  ),
  inRegistrations(
    'a success without our requestUID is believed',
    'registration/rules/read-answer.ts',
    'if (fields.requestUid === requestUid)',
    'if (fields.requestUid === requestUid || requestUid !== undefined)',
  ),
  {
    name: 'what is awaited is called unanswered before its time',
    patches: [
      {
        file: 'registration/rules/after-answer.ts',
        find: 'if (awaitedUntilMs === null || awaitedUntilMs > nowMs) return undefined;',
        replace: 'if (awaitedUntilMs === null) return undefined;',
      },
      {
        file: 'store/registration/reads.ts',
        find: ".where('p.awaited_until_ms', '<=', values.nowMs)",
        replace: ".where('p.awaited_until_ms', '>=', 0)",
      },
    ],
    playedOn: 'registrations',
  },
  inRegistrations(
    'what the last process has left with the bank is forgotten',
    'registration/sweep.ts',
    'abandoned.map((registration) => decideAbandoned(registration, nowMs)),',
    '[],',
  ),
];

const ofCallbacks: readonly Mutation[] = [
  inRegistrations(
    'a callback is known by the latest attempt alone',
    'store/registration/callbacks.ts',
    ".where('t.identity_key', '=', values.identity)",
    ".where('t.identity_key', '=', values.identity).whereRef('t.attempt_no', '=', 'p.attempt_no')",
  ),
  inRegistrations(
    'a callback is answered before it is durable',
    'registration/take-callback.ts',
    '    const [isApplied] = await journal.applyRegistrations([change]);',
    '    void journal.applyRegistrations([change]);\n    const isApplied = true;',
  ),
  inRegistrations(
    'a callback of nobody is not kept',
    'registration/take-callback.ts',
    'const isNew = await journal.keepCallback(record, null);',
    'const isNew = record !== null;',
  ),
  inRegistrations(
    'a callback told again counts again',
    'registration/rules/callback.ts',
    'JSON.stringify([identityKey(identity), respCode, appliedAtMs]);',
    'JSON.stringify([identityKey(identity), respCode, appliedAtMs, Math.random()]);',
  ),
  inRegistrations(
    'a callback that was kept is never bound',
    'registration/take-callback.ts',
    'const kept = await context.journal.unboundCallbacks(limit);',
    'const kept = (await context.journal.unboundCallbacks(limit)).slice(0, 0);',
  ),
  inRegistrations(
    'the contrary of what was told changes nothing',
    'registration/rules/callback.ts',
    "return { to: 'contradicted', cause: 'contradicted', isAlarm: true };",
    'return undefined;',
  ),
  inRegistrations(
    'a callback is taken for the last registration of its identity, whenever that was sent',
    'registration/rules/callback.ts',
    'bankOffsetMs === null ? clockToleranceMs : offsetToleranceMs;',
    'bankOffsetMs === null ? 1e12 : 1e12;',
  ),
];

export const ofRegistrations: readonly Mutation[] = [...ofIntents, ...ofAnswers, ...ofCallbacks];
