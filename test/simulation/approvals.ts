/**
 * Files that wait for approval, on a real journal: people approve, correct, cancel and try again at random moments, between
 * and in the midst of runs, and somebody makes rows ready behind the program. A record of its own says what was approved, by
 * whom, as it was: each transfer is held against that.
 */
import { verbatim } from '../../src/core/message.ts';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { formatBaht, toSatang } from '../../src/core/money.ts';
import type { StagedRow } from '../../src/core/payout-file.ts';
import type { BankReply, TransferFields } from '../../src/core/bank-port.ts';
import type { TransferOrder } from '../../src/core/payout.ts';
import { retryBatch } from '../../src/payout/operator.ts';
import type { ReviewContext } from '../../src/review/context.ts';
import { check, decide, withdraw } from '../../src/review/review.ts';
import { decideApproval } from '../../src/review/rules/approval.ts';
import type { Target } from '../../src/review/rules/proposal.ts';
import type { PayoutDecision } from '../../src/review/rules/terms.ts';
import { payer } from '../support/core-fixtures.ts';
import { Dice } from '../support/dice.ts';
import { ingest, makeRow } from '../support/journal-fixtures.ts';
import { openTheatre, type StoreTheatre } from '../support/theatre.ts';

const people = [1, 2, 3, 4] as const;
const accounts = [payer.payerAccount, '0000999999'] as const;
const nameOf = (personId: number) => ({ personId, name: `person ${personId}` });
const rules = { payoutSatangMax: null };
const tooMuch = {
  line: 3,
  column: 'amount',
  code: 'amount-too-large',
  value: null,
  message: verbatim('too much'),
};

/** A row as somebody has looked at it. */
interface Seen {
  readonly seq: number;
  readonly rowNo: number;
  readonly proxyNo: string;
  readonly amountText: string;
  readonly payerAccount: string;
}

interface PlayedFile {
  readonly batchId: string;
  /** How many people it takes; undefined where nobody need approve it, or not yet. */
  needed: 1 | 2 | undefined;
  /** Satang that may be sent of it while nobody need approve it. */
  readonly bound: bigint | undefined;
  /** Amounts that were sent, did not fail, and were approved by nobody, by row. */
  readonly unapproved: Map<number, bigint>;
  /** Whoever had a part in it. */
  readonly hands: Set<number>;
  /** Some of it was approved before. */
  isApproved: boolean;
}

/** What waits for a second person. */
interface Waiting {
  readonly proposalId: number;
  readonly maker: number;
  readonly file: PlayedFile;
  /** Of an approval, all that it was about; of another decision, what the row would ask for. */
  readonly seen: readonly Seen[];
  readonly kind: 'approval' | 'correction' | 'validation' | 'other';
}

const keyOf = ({ seq, proxyNo, amountText, payerAccount }: Seen): string =>
  `${seq} ${proxyNo} ${amountText} ${payerAccount}`;

class Play {
  readonly dice: Dice;
  readonly theatre: StoreTheatre;
  readonly files: PlayedFile[] = [];
  readonly #db: DatabaseSync;
  readonly #granted = new Set<string>();
  readonly #waiting: Waiting[] = [];
  readonly figures: Record<string, number> = {};
  broken: string | undefined;

  constructor(seed: number, theatre: StoreTheatre) {
    this.dice = new Dice(seed);
    this.theatre = theatre;
    this.#db = new DatabaseSync(join(theatre.folder, 'journal.db'));
    this.#db.exec('pragma busy_timeout = 5000');
    theatre.script = { transfer: (order) => this.#transfer(order) };
  }

  close(): void {
    this.#db.close();
  }

  #count(what: string): void {
    this.figures[what] = (this.figures[what] ?? 0) + 1;
  }

  async takeIn(place: number): Promise<void> {
    const { dice } = this;
    const batchId = `000000000${place}`;
    const approval = {
      when: dice.pick(['always', 'always', 'always', 'above', 'above', 'never'] as const),
      aboveSatang: toSatang(30_000n),
      people: dice.pick([1, 2] as const),
    };
    const rows = Array.from({ length: dice.whole(3, 6) }, (_, at): StagedRow => {
      const row = makeRow(at + 1, { payoutId: `F${place}-${at + 1}` });
      return dice.chance(0.3) ? { ...row, instruction: null, issues: [tooMuch] } : row;
    });
    const good = rows.flatMap(({ instruction }) => instruction?.amountSatang ?? []);
    const amountSatang = toSatang(good.reduce((sum, one) => sum + one, 0n));
    const needed = decideApproval(approval, { amountSatang });
    const bound = approval.when === 'above' ? approval.aboveSatang : undefined;
    const unapproved = new Map<number, bigint>();
    const file: PlayedFile = { batchId, needed, bound, unapproved, hands: new Set(), isApproved: false };
    if (dice.chance(0.3)) {
      const uploader = dice.pick(people);
      file.hands.add(uploader);
      await this.theatre.journal.keepUpload(batchId, uploader, this.theatre.now());
    }
    await ingest(this.theatre.journal, rows, { batchId, approval, sealedAtMs: this.theatre.now() });
    this.files.push(file);
  }

  #context(needed: 1 | 2): ReviewContext {
    const { journal, time: clock } = this.theatre;
    return { journal, clock, rules, payerAccount: payer.payerAccount, people: needed, expireDays: 7 };
  }

  #read(batchId: string, statuses: string): readonly Seen[] {
    const rows = this.#db.prepare(
      `select p.seq, p.row_no rowNo, r.proxy_no proxyNo, cast(p.amount_satang as text) amount,
         b.payer_account payerAccount
       from payout p join payout_row r on r.seq = p.seq join batch b on b.batch_id = p.batch_id
       where p.batch_id = ? and p.status in (${statuses}) order by p.row_no`,
    );
    return rows.all(batchId).map((row) => ({
      seq: Number(row['seq']),
      rowNo: Number(row['rowNo']),
      // One that asks for nothing yet will ask for what its cells say.
      proxyNo: String(row['proxyNo'] ?? makeRow(Number(row['rowNo'])).cells.proxyNo),
      amountText: formatBaht(toSatang(BigInt(String(row['amount'])))),
      payerAccount: String(row['payerAccount']),
    }));
  }

  /** Every transfer is held against what was approved. */
  async #transfer(order: TransferOrder): Promise<BankReply<TransferFields> | undefined> {
    const attempt = this.#db
      .prepare(
        `select a.payout_seq seq, p.batch_id batchId, p.row_no rowNo from attempt a
         join payout p on p.seq = a.payout_seq where a.trans_ref_no = ?`,
      )
      .get(order.transRefNo);
    const file = this.files.find(({ batchId }) => batchId === attempt?.['batchId']);
    const { proxyNo, amountText, payerAccount } = order;
    const sent = { seq: Number(attempt?.['seq']), rowNo: 0, proxyNo, amountText, payerAccount };
    this.#count('sent');
    if (file !== undefined) this.#refresh(file);
    const isGranted = this.#granted.has(keyOf(sent));
    if (file?.bound !== undefined && !isGranted) this.#addUp(file, sent);
    if (file?.needed !== undefined && !isGranted)
      this.broken ??= `row ${String(attempt?.['rowNo'])} of ${file.batchId} is paid, and was not approved as it is`;
    if (file !== undefined && this.dice.chance(0.7)) {
      // What becomes ready while its own batch is being paid is seen by nobody but the intent.
      const disturb = [() => this.#retryAll(file), () => this.#makeReady(file), () => this.act(file)];
      await this.dice.pick(disturb)();
    }
    if (!this.dice.chance(0.35)) return undefined;
    file?.unapproved.delete(sent.seq);
    return this.theatre.code('EV042', { transRefNo: order.transRefNo });
  }

  /** It has come to need an approval since; what was under way by then goes out. */
  #refresh(file: PlayedFile): void {
    if (file.needed !== undefined || file.bound === undefined) return;
    const row = this.#db
      .prepare('select approval_people people from batch where batch_id = ?')
      .get(file.batchId);
    const needed = row?.['people'];
    if (needed !== 1 && needed !== 2) return;
    this.#count('came-above');
    file.needed = needed;
    for (const one of this.#read(file.batchId, "'submitted'")) this.#granted.add(keyOf(one));
  }

  /** However it came about: more than the bound is never sent without an approval. */
  #addUp({ batchId, bound = 0n, unapproved }: PlayedFile, { seq, amountText }: Seen): void {
    unapproved.set(seq, BigInt(amountText.replace('.', '')));
    const sum = [...unapproved.values()].reduce((one, other) => one + other, 0n);
    if (sum > bound) this.broken ??= `${batchId} has paid ${sum} of ${bound} satang that nobody approved`;
  }

  /** Somebody does something. */
  async act(file = this.dice.pick(this.files)): Promise<void> {
    const { dice } = this;
    const acts = [
      ...([() => this.#propose(file), () => this.#propose(file), () => this.#checkOne()] as const),
      ...([() => this.#checkOne(), () => this.#checkOne(), () => this.#correct(file)] as const),
      ...([() => this.#correct(file), () => this.#decide(file, 'retry')] as const),
      ...([() => this.#decide(file, 'cancel'), () => this.#decide(file, 'retry')] as const),
      ...([() => this.#retryAll(file), () => this.#makeReady(file), () => this.#movePayer(file)] as const),
      ...([() => this.theatre.resume(file.batchId), () => this.#approve(file)] as const),
      ...([() => this.#approve(file), () => this.#approve(file)] as const),
    ];
    await dice.pick(acts)();
  }

  #grant({ file, seen, kind }: Pick<Waiting, 'file' | 'seen' | 'kind'>, deciders: readonly number[]): void {
    this.#refresh(file);
    const { needed } = file;
    if (needed === undefined || kind === 'other') return;
    this.#count(kind);
    const isEnough = new Set(deciders).size >= needed;
    if (kind === 'approval' && (!isEnough || file.hands.has(deciders.at(-1) ?? 0)))
      this.broken ??= `${file.batchId} was approved by ${deciders.join(' and ')}, of ${needed}, hands: ${[...file.hands].join()}`;
    // Counts as an approval of this row where the batch has had one, and whoever was last had no part in it.
    const isClean = !file.hands.has(deciders.at(-1) ?? 0) && (kind !== 'correction' || deciders.length === 2);
    if (kind !== 'approval' && !(isEnough && isClean && file.isApproved)) return;
    if (kind === 'approval') file.isApproved = true;
    for (const one of seen) this.#granted.add(keyOf(one));
  }

  async #ask(
    wish: { readonly decision: 'approve-batch' | PayoutDecision; readonly target: Target },
    { file, seen, kind }: Pick<Waiting, 'file' | 'seen' | 'kind'>,
    maker: number = this.dice.pick(people),
  ): Promise<void> {
    const context = this.#context(this.dice.pick([1, 2]));
    const { decision, target } = wish;
    const asked = { decision, targets: [target], note: 'seen', evidence: null };
    const proposed = await decide(context, nameOf(maker), [asked]);
    if (proposed.kind === 'refused') return;
    const [end] = proposed.ends;
    if (end?.kind === 'waiting')
      this.#waiting.push({ proposalId: end.proposal.proposalId, maker, file, seen, kind });
    else if (end?.applied.applied === 1) this.#applied({ file, seen, kind }, [maker]);
  }

  #applied(what: Pick<Waiting, 'file' | 'seen' | 'kind'>, deciders: readonly number[]): void {
    this.#grant(what, deciders);
    if (what.kind === 'correction') what.file.hands.add(deciders[0] ?? 0);
  }

  /** By people who may, one after the other. */
  async #approve(file: PlayedFile): Promise<void> {
    const [maker = 0, checker = 0] = this.dice.shuffle(people.filter((one) => !file.hands.has(one)));
    await this.#propose(file, maker);
    const waiting = this.#waiting.find((one) => one.file === file && one.kind === 'approval');
    if (waiting !== undefined) await this.#checkOne(waiting, waiting.maker === checker ? maker : checker);
  }

  async #propose(file: PlayedFile, maker: number = this.dice.pick(people)): Promise<void> {
    const waiting = await this.theatre.journal.approvalOf(file.batchId);
    if (waiting === undefined) return;
    const seen = this.#read(file.batchId, "'ready', 'held'");
    const target = { kind: 'batch', key: file.batchId, version: waiting.version } as const;
    await this.#ask({ decision: 'approve-batch', target }, { file, seen, kind: 'approval' }, maker);
  }

  async #checkOne(
    waiting = this.#waiting[this.dice.whole(0, this.#waiting.length)],
    checker: number = this.dice.pick(people),
  ): Promise<void> {
    if (waiting === undefined) return;
    const verdict = this.dice.chance(0.85) ? 'approve' : 'send-back';
    const terms = { note: 'looked at' };
    const checked = await check(this.#context(2), waiting.proposalId, verdict, nameOf(checker), terms);
    if (checked.kind === 'refused') return;
    this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
    if (checked.kind === 'applied' && checked.applied.applied === 1)
      this.#applied(waiting, [waiting.maker, checker]);
  }

  async #targetOf(seq: number): Promise<Target | undefined> {
    const history = await this.theatre.journal.history(seq);
    return history && { kind: 'payout', key: String(seq), version: String(history.row.version) };
  }

  async #correct(file: PlayedFile): Promise<void> {
    const [row] = this.dice.shuffle(this.#read(file.batchId, "'held', 'unpayable', 'failed'"));
    const target = row && (await this.#targetOf(row.seq));
    if (row === undefined || target === undefined) return;
    const amount = formatBaht(toSatang(BigInt(this.dice.whole(5_000, 15_000))));
    const corrected = { ...target, correction: { proxyNo: null, amount } };
    const seen = [{ ...row, amountText: amount }];
    await this.#ask({ decision: 'retry-corrected', target: corrected }, { file, seen, kind: 'correction' });
  }

  async #decide(file: PlayedFile, decision: 'cancel' | 'retry'): Promise<void> {
    const [row] = this.dice.shuffle(this.#read(file.batchId, "'held', 'failed', 'rejected'"));
    const target = row && (await this.#targetOf(row.seq));
    if (target === undefined || (decision === 'cancel' && !this.dice.chance(0.3))) return;
    const isRejected = this.#read(file.batchId, "'rejected'").some(({ seq }) => seq === row?.seq);
    const kind = decision === 'retry' && isRejected ? 'validation' : 'other';
    await this.#ask({ decision, target }, { file, seen: row === undefined ? [] : [row], kind });
  }

  async #retryAll(file: PlayedFile): Promise<void> {
    const batch = await this.theatre.batch(file.batchId);
    await retryBatch(this.theatre.journal, batch, rules, this.theatre.now());
  }

  /** Behind the program. */
  #makeReady({ batchId }: PlayedFile): Promise<void> {
    this.#count('made-ready');
    this.#db
      .prepare(`update payout set status = 'ready', holds = 0 where batch_id = ? and status = 'held'`)
      .run(batchId);
    return Promise.resolve();
  }

  async #movePayer({ batchId }: PlayedFile): Promise<void> {
    if (this.dice.chance(0.3))
      await this.theatre.journal.movePayer(batchId, this.dice.pick(accounts), this.theatre.now());
  }

  async run(file: PlayedFile): Promise<void> {
    await this.theatre.run(file.batchId, { transferConcurrency: 1 });
  }

  /** Somebody who had no part in it approves what waits: it must not be stuck. */
  async end(): Promise<void> {
    for (const { proposalId, maker } of this.#waiting)
      await withdraw(this.#context(2), proposalId, nameOf(maker));
    for (const file of this.files) {
      const seen = this.#read(file.batchId, "'ready', 'held'");
      const waiting = await this.theatre.journal.approvalOf(file.batchId);
      if (waiting !== undefined && waiting.rows > 0) {
        const target = { kind: 'batch', key: file.batchId, version: waiting.version } as const;
        const wish = {
          decision: 'approve-batch',
          targets: [target],
          note: 'the end',
          evidence: null,
        } as const;
        const proposed = await decide(this.#context(2), nameOf(8), [wish]);
        const [end] = proposed.kind === 'refused' ? [] : proposed.ends;
        if (end?.kind === 'waiting')
          await check(this.#context(2), end.proposal.proposalId, 'approve', nameOf(9));
        for (const one of seen) this.#granted.add(keyOf(one));
      }
      this.theatre.script = { transfer: () => undefined };
      await this.theatre.resume(file.batchId);
      await this.run(file);
      const [stuck] = this.#read(file.batchId, "'ready', 'held'");
      if (stuck !== undefined) this.broken ??= `row ${stuck.rowNo} of ${file.batchId} is never paid`;
    }
  }
}

const stepsOfPlay = 24;

export interface ApprovalsOutcome {
  readonly seed: number;
  readonly broken: string | undefined;
  readonly figures: Readonly<Record<string, number>>;
}

export async function playApprovals(seed: number): Promise<ApprovalsOutcome> {
  await using theatre = await openTheatre();
  const play = new Play(seed, theatre);
  try {
    for (const place of [1, 2]) await play.takeIn(place);
    for (let step = 0; step < stepsOfPlay && play.broken === undefined; step += 1)
      await (play.dice.chance(0.3) ? play.run(play.dice.pick(play.files)) : play.act());
    if (play.broken === undefined) await play.end();
  } finally {
    play.close();
  }
  return { seed, broken: play.broken, figures: play.figures };
}
