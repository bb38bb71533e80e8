/**
 * A script: somebody in a shell who proposes, directly or by a file, and somebody who checks, one decision after the other
 * by the program's own code, on a journal that others work on. Says in the end what he was told of each proposal that was applied.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { giveVerdict, deciderOf } from '../../src/review/verdict.ts';
import { identifyPerson } from '../../src/review/tokens.ts';
import { openDecisions } from '../../src/app/decide/open.ts';
import { decide } from '../../src/review/review.ts';
import { decideByFile } from '../../src/review/shell/decide.ts';
import type { Correction, Target } from '../../src/review/rules/proposal.ts';
import type { PayoutDecision } from '../../src/review/rules/terms.ts';
import type { PayoutStatus } from '../../src/core/payout.ts';
import { loadSettings } from '../../src/settings/settings.ts';
import type { Store } from '../../src/store/store.ts';
import { Dice } from '../support/dice.ts';

export interface WorkerTask {
  readonly configPath: string;
  readonly cwd: string;
  /** Of who proposes, and of who checks. */
  readonly tokens: readonly [string, string];
  readonly seed: number;
  /** Decisions, one for each item, that are to be taken here. */
  readonly items: number;
  /** In the journal. */
  readonly rows: number;
}

/** What a shell was told. */
export interface Told {
  readonly proposalId: number;
  readonly applied: number;
  readonly refused: number;
}

export interface WorkerReport {
  readonly decided: number;
  /** Nothing was proposed: somebody else was about it, or it had changed. */
  readonly turnedAway: number;
  readonly told: readonly Told[];
  /** How long each word took. */
  readonly tookMs: readonly number[];
}

/** What is decided on a row in each status; the others are tried now and then, and refused. */
const wanted: Readonly<Partial<Record<PayoutStatus, readonly PayoutDecision[]>>> = {
  held: ['go-on', 'go-on', 'go-on', 'cancel', 'retry-corrected'],
  failed: ['retry', 'retry', 'acknowledge', 'retry-corrected'],
  cancelled: ['release'],
};

const itemsMax = 40;

function correct(dice: Dice): Correction {
  return { proxyNo: `08${dice.whole(30_000_000, 39_999_999)}`, amount: null };
}

interface Choice {
  readonly decision: PayoutDecision;
  readonly targets: readonly Target[];
}

/** Rows beside one another for which the same can be decided; some as they were before. */
async function choose(journal: Store, dice: Dice, rows: number): Promise<Choice | undefined> {
  const first = dice.whole(1, rows);
  const [decision, seqs] = await findAlike(journal, dice, first, Math.min(rows, first + itemsMax - 1));
  if (decision === undefined) return undefined;
  const targets: Target[] = [];
  for (const { seq, version } of seqs) {
    const known = dice.chance(0.002) ? version - 1 : version;
    const correction = decision === 'retry-corrected' ? { correction: correct(dice) } : {};
    targets.push({ kind: 'payout', key: String(seq), version: String(known), ...correction });
  }
  return { decision, targets };
}

interface Known {
  readonly seq: number;
  readonly version: number;
}

async function findAlike(
  journal: Store,
  dice: Dice,
  first: number,
  last: number,
): Promise<readonly [PayoutDecision | undefined, readonly Known[]]> {
  const open = new Set<string>();
  const keys = Array.from({ length: last - first + 1 }, (_, place) => String(first + place));
  for (const { key } of await journal.openItems('payout', keys)) open.add(key);
  const found = new Map<PayoutStatus, Known[]>();
  for (const key of keys) {
    const payout = await journal.payout(Number(key));
    if (payout === undefined || (open.has(key) && !dice.chance(0.02))) continue;
    const { seq, version, status } = payout;
    found.set(status, [...(found.get(status) ?? []), { seq, version }]);
  }
  const possible = [...found].filter(([status]) => wanted[status] !== undefined);
  if (possible.length === 0) return [undefined, []];
  const [status, seqs] = dice.pick(possible);
  return [dice.pick(wanted[status] ?? []), seqs.slice(0, dice.wide(1, itemsMax))];
}

/** The same decisions as an exceptions file that somebody has filled in. */
async function fileOf(journal: Store, { decision, targets }: Choice): Promise<string> {
  const lines = ['batchId,rowNo,version,payoutId,decision,newProxyNo,newAmount,note'];
  for (const { key, version, correction } of targets) {
    const history = await journal.history(Number(key));
    if (history === undefined) throw new Error(`there is no row ${key}`);
    const { row, batch } = history;
    const place = [batch.batchId, row.rowNo, version, row.cells.payoutId];
    lines.push([...place, decision, correction?.proxyNo ?? '', '', 'seen with the bank'].join(','));
  }
  return `${lines.join('\n')}\n`;
}

const openProposals = 20;
/** Rounds in which there was nothing to decide: all has come to its end. */
const idleMax = 100;

async function work(task: WorkerTask): Promise<WorkerReport> {
  const { configPath, cwd, tokens, seed, items, rows } = task;
  const dice = new Dice(seed);
  const loadedOf = (token: string) => loadSettings({ configPath, cwd, env: { PAYDROP_TOKEN: token } });
  await using session = await openDecisions(loadedOf(tokens[0]));
  const { journal, context } = session;
  const [maker, checker] = [
    await identifyPerson(loadedOf(tokens[0]), journal),
    await identifyPerson(loadedOf(tokens[1]), journal),
  ];
  if (maker === undefined || checker === undefined) throw new Error('nobody has proved who he is');
  const told: Told[] = [];
  const tookMs: number[] = [];
  const counts = { decided: 0, turnedAway: 0 };
  const file = join(cwd, `decisions-${seed}.csv`);
  const propose = async (): Promise<void> => {
    const choice = await choose(journal, dice, rows);
    if (choice === undefined) return;
    const wish = { ...choice, note: 'seen with the bank', evidence: 'letter, folder 7' };
    const isFiled = dice.chance(0.3);
    if (isFiled) await writeFile(file, await fileOf(journal, choice));
    const proposed = isFiled
      ? await decideByFile(session, file)
      : await decide(context, deciderOf(maker), [wish]);
    if (!('ends' in proposed)) counts.turnedAway += 1;
    else {
      for (const end of proposed.ends) if (end.kind === 'applied') note(end.proposal.proposalId, end.applied);
    }
  };
  const note = (
    proposalId: number,
    { applied, refused }: { readonly applied: number; readonly refused: readonly unknown[] },
  ): void => {
    told.push({ proposalId, applied, refused: refused.length });
    counts.decided += applied + refused.length;
  };
  const check = async (): Promise<void> => {
    const waiting = await journal.proposals(['proposed'], Number.MAX_SAFE_INTEGER, openProposals);
    if (waiting.length === 0) return;
    const { proposalId, digest, items: count } = dice.pick(waiting);
    const verdict = dice.chance(0.97) ? 'approve' : 'send-back';
    const terms = { note: 'seen', seen: digest };
    const checked = await giveVerdict(context, proposalId, verdict, checker, terms);
    if (checked.kind === 'applied') note(proposalId, checked.applied);
    if (checked.kind === 'sent-back') counts.decided += count;
  };
  let idle = 0;
  while (counts.decided < items && idle < idleMax) {
    const before = counts.decided + counts.turnedAway;
    const startedMs = performance.now();
    await (dice.chance(0.5) ? propose() : check());
    tookMs.push(performance.now() - startedMs);
    idle = counts.decided + counts.turnedAway === before ? idle + 1 : 0;
  }
  return { ...counts, told, tookMs };
}

if (process.argv[1] === import.meta.filename) {
  const report = await work(JSON.parse(process.argv[2] ?? '{}') as WorkerTask);
  console.log(JSON.stringify(report));
}
