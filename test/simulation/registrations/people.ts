/** What people do about registrations, beside whoever is sending: by the review, two of them where it takes two. */
import { moveRegistration } from '../../../src/registration/rules/change.ts';
import type { Registration } from '../../../src/registration/rules/registration.ts';
import type { ReviewContext } from '../../../src/review/context.ts';
import { cancelRegistrations, resumeRegistrations } from '../../../src/review/registration-target.ts';
import { check, decide as propose, sweepProposals } from '../../../src/review/review.ts';
import type { RegistrationDecision } from '../../../src/review/rules/terms.ts';
import type { RegistrationAuditor } from './auditor.ts';
import type { Act, RegistrationsPlan } from './plan.ts';
import type { OwnParts } from './process.ts';

export interface ActParts extends OwnParts {
  readonly plan: RegistrationsPlan;
  readonly auditor: RegistrationAuditor;
}

const contextOf = ({ store: journal, clock }: ActParts): ReviewContext => ({
  journal,
  clock,
  rules: { payoutSatangMax: null },
  payerAccount: '0000345924',
  people: 2,
  expireDays: 365,
});

const nameOf = (personId: number) => ({ personId, name: `person ${personId}` });

/** Any row of the journal that stands so; one that is unanswered before all others. */
async function drawRow(
  { store, world, plan }: ActParts,
  statuses: readonly Registration['status'][],
): Promise<Registration | undefined> {
  const rowsMax = plan.files.reduce((sum, { rows }) => sum + rows.length, 0);
  const found: Registration[] = [];
  for (let seq = 1; seq <= rowsMax; seq += 1) {
    const one = await store.registration(seq);
    if (one !== undefined && statuses.includes(one.status)) found.push(one);
  }
  const unanswered = found.filter(({ status }) => status === 'unanswered');
  const drawn = unanswered.length > 0 && world.dice.chance(0.6) ? unanswered : found;
  return drawn.length === 0 ? undefined : world.dice.pick(drawn);
}

/** One decision on one row, proposed and checked as the page does. */
async function decide(
  parts: ActParts,
  decision: RegistrationDecision,
  { seq, version }: Pick<Registration, 'seq' | 'version'>,
): Promise<void> {
  const context = contextOf(parts);
  const { clock, world, auditor } = parts;
  auditor.asks(seq, decision);
  const target = { kind: 'registration', key: String(seq), version: String(version) } as const;
  const wish = { decision, targets: [target], note: 'the bank wrote', evidence: 'letter 7' } as const;
  const proposed = await propose(context, nameOf(1), [wish]);
  const [end] = proposed.kind === 'refused' ? [] : proposed.ends;
  world.figures.count(`decision ${decision} ${end === undefined ? 'refused' : end.kind}`);
  if (end?.kind !== 'waiting') return;
  await clock.sleep(world.dice.wide(10, 3_600_000));
  await check(context, end.proposal.proposalId, 'approve', nameOf(2));
}

const anyOutcome = ['confirm-registered', 'confirm-refused', 'confirm-failed'] as const;

/** Without a look at the others, as when one like it comes in at the very moment of the decision. */
async function makeReady({ store, clock, auditor, plan }: ActParts, row: Registration): Promise<void> {
  const file = plan.files.find(({ batchId }) => batchId === row.batchId);
  const instruction = row.instruction ?? file?.rows[row.rowNo - 1]?.instruction ?? null;
  if (instruction === null) return;
  auditor.asks(row.seq, 'retry');
  const patch = {
    instruction,
    status: 'ready',
    settledAtMs: null,
    settledBy: null,
    awaitedUntilMs: null,
  } as const;
  const change = moveRegistration({
    registration: row,
    patch,
    cause: 'tried-again',
    nowMs: clock.now(),
  });
  await store.applyRegistrations([row.instruction === null ? { ...change, isCorrected: true } : change]);
}

async function actOnRow(parts: ActParts, act: Act): Promise<void> {
  const { world, store, clock } = parts;
  switch (act) {
    case 'retry': {
      const row = await drawRow(parts, ['failed', 'refused', 'unanswered', 'rejected']);
      if (row !== undefined) await decide(parts, 'retry', row);
      return;
    }
    case 'decide': {
      const row = await drawRow(parts, ['in-doubt', 'unanswered', 'contradicted', 'acknowledged']);
      if (row !== undefined) await decide(parts, world.dice.pick(anyOutcome), row);
      return;
    }
    case 'go-on': {
      const row = await drawRow(parts, ['held']);
      if (row !== undefined) await decide(parts, 'go-on', row);
      return;
    }
    case 'cancel': {
      const row = await drawRow(parts, ['held', 'ready', 'cancelled']);
      if (row !== undefined) await decide(parts, row.status === 'cancelled' ? 'release' : 'cancel', row);
      return;
    }
    case 'make-ready': {
      const row = await drawRow(parts, ['failed', 'unanswered', 'rejected', 'rejected']);
      if (row !== undefined && !row.isAlarm) await makeReady(parts, row);
      return;
    }
    case 'resume':
    case 'cancel-batch': {
      const batches = await store.registrationBatches();
      const batch = batches.length === 0 ? undefined : world.dice.pick(batches);
      if (batch === undefined || batch.sealedAtMs === null) return;
      if (act === 'cancel-batch') await cancelRegistrations(store, batch, clock.now());
      else await resumeRegistrations(store, batch, clock.now());
    }
  }
}

/** Nothing is held any more, whatever for, and what was approved is applied. */
async function letAllGoOn(parts: ActParts): Promise<void> {
  const { store, clock } = parts;
  await sweepProposals(contextOf(parts));
  for (const batch of await store.registrationBatches()) {
    if (batch.sealedAtMs === null) continue;
    await store.liftRegistrationHolds(batch.batchId, ['similar', 'called-back'], clock.now());
    await resumeRegistrations(store, batch, clock.now());
  }
}

export async function actOn(parts: ActParts, act: Act | 'let-all-go-on'): Promise<void> {
  const { world, auditor } = parts;
  world.figures.count(`person ${act}`);
  if (act === 'resume' || act === 'let-all-go-on') auditor.forgetPauses();
  await (act === 'let-all-go-on' ? letAllGoOn(parts) : actOnRow(parts, act));
}
