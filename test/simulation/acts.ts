/** Commands of people, beside whoever sends. */
import { verbatim } from '../../src/core/message.ts';
import {
  type AskBeforeCancel,
  cancelBatch,
  cancelPayouts,
  resumeBatch,
  resumePayouts,
  retryBatch,
  retryPayouts,
} from '../../src/payout/operator.ts';
import type { Auditor } from './auditor.ts';
import type { SimulatedJournal } from './disk.ts';
import type { Act, Plan } from './plan.ts';
import { company } from './process.ts';
import type { World } from './world.ts';

const retryRules = { payoutSatangMax: null };

interface Acting {
  readonly world: World;
  readonly plan: Plan;
  readonly auditor: Auditor;
  readonly journal: SimulatedJournal;
  /** Asks the bank about what is to be cancelled. */
  readonly ask: AskBeforeCancel;
  /** What is meant may be in an archive: it is brought back first, as the command does before it looks. */
  readonly recalls: boolean;
}

/** On a batch, or a payout, that chance picks. */
export async function actOn(
  act: Act,
  { world, plan, auditor, journal, ask, recalls }: Acting,
): Promise<void> {
  const { dice, ourMs } = world;
  const batches = await journal.batches();
  const [batch] = dice.shuffle(batches);
  if (batch === undefined || batch.sealedAtMs === null) return;
  world.figures.count(act);
  if (recalls) await journal.recall('batch', [batch.batchId], ourMs);
  if (act === 'stop-line') {
    const why = { code: 'EM053', reason: verbatim('met by another process'), remedy: verbatim('resume') };
    return journal.recordPayerHalt({ ...company, ...why, sinceMs: ourMs });
  }
  if (act === 'resume-batch') return void (await resumeBatch(journal, batch, ourMs));
  if (act === 'cancel-batch') return void (await cancelBatch(journal, batch, ourMs, ask));
  if (act === 'retry-batch') return void (await retryBatch(journal, batch, retryRules, ourMs));
  const ids = plan.files.flatMap(({ rows }) => rows.map(({ cells }) => cells.payoutId));
  const payoutId = dice.pick(ids);
  if (recalls) await journal.recall('payoutId', [payoutId], ourMs);
  const found = await journal.findPayouts(payoutId);
  const seqs = found.map(({ row }) => row.seq);
  if (act === 'retry-payout') return void (await retryPayouts(journal, found, retryRules, ourMs));
  if (act === 'cancel-payout') return void (await cancelPayouts(journal, seqs, ourMs, ask));
  for (const seq of seqs) auditor.approve(seq);
  await resumePayouts(journal, seqs, ourMs);
}

/** Everything that waits for people goes on. */
export async function letAllGoOn({
  world,
  plan,
  auditor,
  journal,
}: Omit<Acting, 'recalls' | 'ask'>): Promise<void> {
  for (const batch of await journal.batches()) {
    // What a limit holds is let go on by name, or the day on which it is run would hold it again.
    if (plan.limits === undefined) await resumeBatch(journal, batch, world.ourMs);
    await using snapshot = await journal.snapshot();
    const rows = (await Array.fromAsync(snapshot.resultRows(batch.batchId))).flat();
    const seqs = rows.filter(({ status }) => status === 'held').map(({ seq }) => seq);
    for (const seq of seqs) auditor.approve(seq);
    if (seqs.length > 0) await resumePayouts(journal, seqs, world.ourMs);
    if (plan.limits !== undefined) await resumeBatch(journal, batch, world.ourMs);
  }
}
