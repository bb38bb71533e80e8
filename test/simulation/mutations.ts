/**
 * Deliberate bugs: each must be found by the seeds, or the simulation proves nothing. They are patches of the source
 * text, applied while a child process loads it (mutate-on-load.ts); nothing of them is in the program.
 */

import { ofApprovals } from './approval-mutations.ts';
import { ofDecisions } from './decisions/mutations.ts';
import { ofLoss } from './loss-mutations.ts';
import { ofMachines } from './machines/mutations.ts';
import { ofReading, ofStates } from './reading-mutations.ts';
import { ofRegistrations } from './registrations/mutations.ts';
import { ofStatements } from './statement-mutations.ts';

export interface Patch {
  /** Under src/. */
  readonly file: string;
  /** Must occur exactly once. */
  readonly find: string;
  readonly replace: string;
}

export interface Mutation {
  readonly name: string;
  readonly patches: readonly Patch[];
  /** A seed that has found it once, where each takes its time. */
  readonly first?: number;
  /**
   * The bug is in the real journal, so the seeds run on it; `lost`: in what becomes of one that is lost or copied;
   * `outage`: in what becomes of transfers that hang; `edited`: of a journal in which somebody has changed an amount;
   * `clocks`: of a machine that sleeps and clocks that are set; `statements`: of statements that are read meanwhile;
   * `archives`: of batches that leave the journal and come back; `limits`: of limits over time; `decisions`: of people who
   * propose and check; `decided-in-journal`: of what the real journal does of it; `approvals`: of files that
   * wait for approval; `registrations`: of direct debits that are registered; `machines`: of several machines on one journal, in memory or
   * on PostgreSQL.
   */
  readonly playedOn?:
    | 'sqlite'
    | 'lost'
    | 'outage'
    | 'edited'
    | 'clocks'
    | 'statements'
    | 'archives'
    | 'limits'
    | 'decisions'
    | 'decided-in-journal'
    | 'approvals'
    | 'registrations'
    | 'machines'
    | 'machines-postgres';
}

const inOne = (name: string, file: string, find: string, replace: string): Mutation => ({
  name,
  patches: [{ file, find, replace }],
});

const inJournal = (name: string, file: string, find: string, replace: string): Mutation => ({
  ...inOne(name, file, find, replace),
  playedOn: 'sqlite',
});

const inClocks = (name: string, file: string, find: string, replace: string): Mutation => ({
  ...inOne(name, file, find, replace),
  playedOn: 'clocks',
});

const inArchives = (name: string, file: string, find: string, replace: string): Mutation => ({
  ...inOne(name, file, find, replace),
  playedOn: 'archives',
});

const inLimits = (name: string, file: string, find: string, replace: string): Mutation => ({
  ...inOne(name, file, find, replace),
  playedOn: 'limits',
});

const ofSending: readonly Mutation[] = [
  inOne(
    'sent before the intent is durable',
    'payout/submit.ts',
    '[isRecorded = false] = await context.journal.apply([change]);',
    'void context.journal.apply([change]); isRecorded = true;',
  ),
  inOne(
    'sent although the intent was refused',
    'payout/submit.ts',
    "if (!isRecorded) return 'refused';",
    "if (context === null) return 'refused';",
  ),
  inOne(
    'a first send leaves on another day than its own',
    'payout/rules/resend.ts',
    'return isDaySure && isFresh(attempt, policy, nowMs);',
    'return true;',
  ),
  {
    name: 'sent first though the bank’s day is another',
    patches: [
      {
        file: 'payout/rules/resend.ts',
        find: 'return isDaySure && isFresh(attempt, policy, nowMs);',
        replace: 'return isAttemptsDay(attempt, nowMs) && isFresh(attempt, policy, nowMs);',
      },
      {
        file: 'payout/rules/clock-skew.ts',
        find: 'if (isSameBangkokDay(nowMs, bankNowMs)) return undefined;',
        replace: 'if (nowMs > 0) return undefined;',
      },
    ],
  },
  inClocks(
    'a reply that slept with the machine tells the time',
    'payout/rules/clock-skew.ts',
    'elapsedMs <= exchangeMaxMs',
    'elapsedMs >= 0',
  ),
  inClocks(
    'the bank’s time jumps with our clock',
    'payout/bank-clock.ts',
    'bankNowMs: bankDateMs + sinceMs',
    'bankNowMs: nowMs + (this.#offsetMs ?? sinceMs)',
  ),
  inOne(
    'sent again on another day',
    'payout/rules/resend.ts',
    '(timeMs) => isAttemptsDay(attempt, timeMs) && msFromBangkokMidnight(timeMs) >= midnightMarginMs',
    '(timeMs) => timeMs > 0',
  ),
  inClocks(
    'sent again though the bank’s day was unknown when it left',
    'payout/rules/resend.ts',
    '(lastSentBankMs !== null && isAttemptsDay(attempt, lastSentBankMs))',
    '(lastSentBankMs === null || isAttemptsDay(attempt, lastSentBankMs))',
  ),
  inOne(
    'a number is burnt by each refusal',
    'core/attempt-numbers.ts',
    "return { kind: 'free', number: highest };",
    "return { kind: 'free', number: Math.min(highest + 1, attemptsMax) };",
  ),
  {
    ...inOne(
      'sent again after EM001',
      'payout/rules/read-reply.ts',
      'const acknowledged = acknowledgingCodes.has(code);',
      "const acknowledged = code !== 'EM001' && acknowledgingCodes.has(code);",
    ),
    first: 784,
  },
  inOne(
    'a refused reference goes again as something else without our requestUID',
    'core/attempt-numbers.ts',
    'return isProvenUnsent(send) || (isRefused && isDuplicateFor(send.order, next));',
    'return isProvenUnsent(send) || isRefused;',
  ),
  inOne('sent again although acknowledged', 'payout/rules/resend.ts', '    !attempt.acknowledged &&\n', ''),
  inOne(
    'sent again and again',
    'payout/rules/resend.ts',
    'countRepetitionsLeft(attempt, policy) > 0',
    'policy.resendsMax < 99',
  ),
  {
    name: 'sent again before a not-found can be trusted',
    patches: [
      {
        file: 'payout/rules/resend.ts',
        find: 'const isTrusted = clock.nowMs >= computeTrustAtMs(attempt, policy, clock);',
        replace: 'const isTrusted = true;',
      },
      {
        file: 'payout/rules/after-inquiry.ts',
        find: "if (payout.status === 'unresolved' || nowMs < trustAtMs)",
        replace: "if (payout.status === 'unresolved')",
      },
    ],
  },
  inOne(
    'simply sent again after a restart',
    'payout/settle.ts',
    'const inquired = await inquireAbout(context, attempt, sameReference);',
    "const inquired = attempt.inquiries > 0 ? await inquireAbout(context, attempt, sameReference) : ({ finding: { kind: 'not-found', reason: { code: 'EV034', text: '' } }, facts: {}, sameReference } as never as Awaited<ReturnType<typeof inquireAbout>>);",
  ),
  inOne(
    'a new attempt without inquiring about the earlier ones',
    'payout/pre-send-checks.ts',
    'await clearSuperseded(context, payout, batch.companyId);',
    "{ kind: 'clear', cleared: [] };",
  ),
  inOne(
    'a transRefNo of chance',
    'core/reference.ts',
    "encodeUnambiguously(['paydrop/1', companyId, payoutId, String(number)])",
    "encodeUnambiguously(['paydrop/1', companyId, payoutId, String(number), String(Math.random())])",
  ),
  inOne(
    'zeros behind the point of a payoutId make another one',
    'payout/rules/similar.ts',
    "return bare.replace(zeroDecimals, '$1$2');",
    'return bare;',
  ),
  inOne(
    'a batch-wide word lifts the hold of a row',
    'payout/rules/operator.ts',
    "['paused', 'unavailable', 'halted']",
    "['paused', 'unavailable', 'halted', 'name', 'limit', 'similar']",
  ),
];

/** What an outage of the transfers has met before: transfers hang, inquiries are answered. */
const ofOutages: readonly Mutation[] = [
  {
    name: 'trouble of transfers silences questions',
    playedOn: 'outage',
    patches: [
      {
        file: 'payout/rules/circuit-breaker.ts',
        find: '      return { ...state, [kind]: after(kind) };',
        replace:
          "      return kind === 'questions' ? { ...state, [kind]: after(kind) } : { transfers: after('transfers'), questions: after('transfers') };",
      },
      {
        file: 'payout/circuit-breaker.ts',
        find: 'if (isProbing[kind] || this.#nowMs < pausedUntilMs) return undefined;',
        replace:
          'if (isProbing.transfers || isProbing.questions || this.#nowMs < pausedUntilMs) return undefined;',
      },
    ],
  },
  {
    name: 'settling waits at the gate of the transfers',
    playedOn: 'outage',
    patches: [
      {
        file: 'payout/settle.ts',
        find: 'isToGoAgain && gate.mayRepeat(repetitionOf(attempt, settle))',
        replace: 'isToGoAgain',
      },
      {
        file: 'payout/settle.ts',
        find: 'repetitions.begin(() => sendAgain(context, one, inquired));',
        replace: 'await sendAgain(context, one, inquired);',
      },
      {
        file: 'payout/settle.ts',
        find: 'const pass = await gate.tryRepeat(repetitionOf(one.attempt, settle));',
        replace: "const entry = await gate.enter(); const pass = entry.kind === 'go' ? entry : undefined;",
      },
    ],
  },
  {
    ...inOne(
      'a transfer tries again before what got no answer is asked about',
      'payout/circuit-breaker.ts',
      "    if (kind === 'transfers' && this.#isAnyUnasked(pausedUntilMs)) return undefined;\n",
      '',
    ),
    playedOn: 'outage',
  },
  {
    ...inOne(
      'a repetition that only tries counts for the limit',
      'payout/submit.ts',
      'isTrial ? withUnansweredTrial(timed) : timed',
      'isTrial ? timed : timed',
    ),
    playedOn: 'outage',
  },
];

const ofJournal: readonly Mutation[] = [
  inJournal(
    'an event is written without its hash',
    'store/payouts/chain.ts',
    'values({ ...row, hash: nextHashOf(row.payout_seq, text) })',
    'values({ ...row, hash: sql<string>`${null && text}` })',
  ),
  inJournal(
    'the version guard ignored',
    'store/payouts/apply.ts',
    "    .where('version', '=', values.versionBefore)\n    .where('status', '=', values.statusBefore);",
    ';',
  ),
  inJournal(
    'the claim guard ignored',
    'store/payouts/claims.ts',
    "takesItBack ? 'not-held-by-another' : 'none'",
    "'none'",
  ),
  inJournal(
    'a stop of the line ignored',
    'store/payouts/apply.ts',
    'if (!gate.isOpen || !hasRight) return false;',
    'if (!hasRight) return false;',
  ),
  inJournal(
    'a claim taken from whoever holds it',
    'store/payouts/claims.ts',
    "        .doUpdateSet((eb) => ({ payout_seq: eb.ref('excluded.payout_seq') }))\n        .where('claim.payout_seq', 'is', null),",
    "        .doUpdateSet((eb) => ({ payout_seq: eb.ref('excluded.payout_seq') })),",
  ),
];

/** Of batches that are moved into archives, and back. */
const ofArchives: readonly Mutation[] = [
  inArchives(
    'claims go with the rows that are archived',
    'store/archive/move.ts',
    '  deleteRows(db, batchId);\n  drive(db, endMoving(batchId));',
    "  db.prepare('update claim set payout_seq = null where payout_seq in (select seq from payout where batch_id = ?)').run(batchId);\n  deleteRows(db, batchId);\n  drive(db, endMoving(batchId));",
  ),
  inArchives(
    'rows come back from an archive without their attempts',
    'store/archive/move.ts',
    '       where ${seq} in (select seq from archive.payout where batch_id = ?) order by ${key}`,',
    "       where ${seq} in (select seq from archive.payout where batch_id = ? and '${name}' <> 'attempt') order by ${key}`,",
  ),
  inArchives(
    'a payoutId’s archived attempts are not looked for',
    'store/archive/archive-store.ts',
    "      await recall('payoutId', [payoutId]);\n",
    '',
  ),
];

const ofSeal: readonly Mutation[] = [
  {
    name: 'what was sealed and what is paid are not compared',
    patches: [
      {
        file: 'payout/rules/seal.ts',
        find: 'if (digest === computeInstructionDigest(',
        replace: "if (digest !== '' || digest === computeInstructionDigest(",
      },
      {
        file: 'payout/rules/seal.ts',
        find: 'if (differences.length === 0) return undefined;',
        replace: 'if (differences.length >= 0) return undefined;',
      },
    ],
    playedOn: 'edited',
  },
];

/** Of limits over time. */
const ofLimits: readonly Mutation[] = [
  inLimits(
    'a limit of the day looked at before the intent alone',
    'payout/submit.ts',
    'const terms = { cleared, number, payer, limits, likeness:',
    'const terms = { cleared, number, payer, limits: limits && undefined, likeness:',
  ),
  inLimits(
    'what is in flight does not count for a limit of the day',
    'payout/rules/limits.ts',
    'submittedAtMs === null || !mayBePaidStatuses.includes(status)',
    "submittedAtMs === null || status !== 'paid'",
  ),
  inLimits(
    'a row that was let go on for something else is past the limits of the day',
    'payout/rules/limits.ts',
    "if (limits === undefined || acceptedHolds.includes('day-limit')) return undefined;",
    'if (limits === undefined || acceptedHolds.length > 0) return undefined;',
  ),
];

export const mutations: readonly Mutation[] = [
  ...ofSending,
  ...ofReading,
  ...ofStates,
  ...ofOutages,
  ...ofJournal,
  ...ofLoss,
  ...ofStatements,
  ...ofArchives,
  ...ofSeal,
  ...ofLimits,
  ...ofDecisions,
  ...ofApprovals,
  ...ofRegistrations,
  ...ofMachines,
];
