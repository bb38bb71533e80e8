/**
 * What reconciliation must come to, said again in the simplest words there are, from the issue and the documentation
 * alone: nothing of `src` decides here. Days are YYYYMMDD, amounts satang.
 */
import type { AttemptStatus } from '../../../src/core/payout.ts';
import { bahtToSatang, type BankLine, otherCompany } from './bank.ts';
import type { JournalAttempt } from './journal.ts';
import type { Finding } from './plan.ts';

/** What we say of the money of an attempt. */
type Word = 'paid' | 'closed' | 'open';

const words: Readonly<Record<AttemptStatus, Word>> = {
  recorded: 'open',
  sent: 'open',
  unresolved: 'open',
  paid: 'paid',
  failed: 'closed',
  refused: 'closed',
};

export const wordOf = (status: AttemptStatus): Word => words[status];

interface Known {
  readonly made: JournalAttempt;
  word: Word;
  fee: bigint | null;
  acknowledged: boolean;
  referenceConflict: boolean;
  /** In doubt until a statement's line said that it failed. */
  isFailedByLine: boolean;
  /** A statement says that it failed, though we call it paid. */
  isDisputed: boolean;
  isAlarm: boolean;
  /** What the last inquiry has found, of those that were made when all days were over. */
  finding: Finding | undefined;
}

/** A key of one day. */
interface Place {
  readonly date: string;
  readonly key: string;
  readonly lines: readonly BankLine[];
  readonly known: Known | undefined;
  /** Lines of the same transfer in the present statements of other days. */
  readonly elsewhere: readonly { readonly date: string; readonly line: BankLine }[];
}

/** A line that cannot be read, with no reference of our making: it may be of any transfer. */
export const isUnplaced = ({ isUnread, reference }: BankLine): boolean =>
  isUnread && !reference.startsWith('PD');

export function keyOf(line: BankLine): string {
  if (isUnplaced(line)) return `line:${line.sysRefNo}`;
  return line.reference === '' ? `sys:${line.sysRefNo}` : line.reference;
}

/** The store names such a line by a digest. */
export const showKey = (key: string): string => key.replace(/^line:.*/, 'line:?');

/** Whose money went where: with any of these a line proves nothing. */
function identityKinds({ order }: JournalAttempt, line: BankLine): string[] {
  const found: string[] = [];
  if (line.proxyNo !== order.proxyNo || line.proxyType !== order.proxyType) found.push('payee-mismatch');
  if (line.amount !== bahtToSatang(order.amountText)) found.push('amount-mismatch');
  if (line.companyId !== order.companyId) found.push('other-company');
  if (line.payerAccount !== order.payerAccount) found.push('payer-mismatch');
  return found;
}

/** Complete, with our amount, payee, payer account and company. */
export const isProof = (made: JournalAttempt, line: BankLine): boolean =>
  line.status === 'complete' && !line.isUnread && identityKinds(made, line).length === 0;

function chargeKinds(line: BankLine, fee: bigint | null): string[] {
  if (line.status !== 'complete') return [];
  const { amount, net } = line;
  const nets = line.chargeType === 'Our' ? [amount, amount + line.fee] : [amount - line.fee];
  return [
    ...(fee === null || fee === line.fee ? [] : ['fee-mismatch']),
    ...(nets.includes(net) ? [] : ['net-mismatch']),
  ];
}

const dayKinds = ({ order }: JournalAttempt, line: BankLine, date: string): string[] =>
  [date, order.tranDate].includes(line.effectiveDate) ? [] : ['date-mismatch'];

/** A failure of another day than the transfer's, or with another reference than was sent, is another's. */
const isOfSend = ({ order }: JournalAttempt, { effectiveDate, reference1 }: BankLine): boolean =>
  effectiveDate === order.tranDate && (reference1 === '' || reference1 === (order.reference1 ?? ''));

function statusKinds(made: JournalAttempt, word: Word, line: BankLine): string[] {
  switch (line.status) {
    case 'complete':
      return word === 'closed' ? ['status-mismatch'] : [];
    case 'failed': {
      const isOthers = word === 'open' && !isOfSend(made, line);
      return word === 'paid' || isOthers ? ['status-mismatch'] : [];
    }
    case 'in-process':
      return ['pending-at-bank'];
    case 'contradiction':
      return ['status-contradiction!'];
    case 'other':
      return ['unknown-status-word'];
  }
}

const isUnsettled = (line: BankLine | undefined): boolean =>
  line?.status === 'in-process' || line?.status === 'contradiction';

const isSaidComplete = (lines: readonly BankLine[]): boolean =>
  lines.some(({ status }) => status === 'complete');

/** What a person must look at, and what our side is to record. */
export class Model {
  readonly #known: ReadonlyMap<string, Known>;
  /** The lines of the present version of each day. */
  readonly #present = new Map<string, readonly BankLine[]>();
  /** We had called it failed when this day's line said complete: it stays so, whatever we say by now. */
  readonly #denied = new Set<string>();
  /** Another attempt of its row was paid, too, when this day's line said complete. */
  readonly #second = new Set<string>();

  constructor(attempts: readonly JournalAttempt[]) {
    this.#known = new Map(
      attempts.map((made) => {
        const { ending, hasFee, isAcknowledged } = made.plan;
        const isPaid = ending === 'paid';
        return [
          made.order.transRefNo,
          {
            made,
            word: words[ending],
            fee: isPaid && hasFee ? 500n : null,
            acknowledged: isAcknowledged,
            referenceConflict: false,
            isFailedByLine: false,
            isDisputed: false,
            isAlarm: false,
            finding: undefined,
          },
        ];
      }),
    );
  }

  get attempts(): readonly Readonly<Known>[] {
    return [...this.#known.values()];
  }

  /** A statement of which no line is of its day says nothing about it. */
  isRefused(date: string, lines: readonly BankLine[]): boolean {
    return lines.length > 0 && lines.every(({ effectiveDate }) => effectiveDate !== date);
  }

  /** The statement of a day was accepted. */
  read(date: string, lines: readonly BankLine[]): void {
    this.#present.set(date, lines);
    this.#forget(date, lines);
    for (const place of this.#placesOf(date)) {
      const id = `${date} ${place.key}`;
      const isComplete = place.lines.some(({ status }) => status === 'complete');
      if (!isComplete) this.#denied.delete(id);
      else if (this.#kindsOf(place).includes('status-mismatch') && place.known?.word === 'closed')
        this.#denied.add(id);
      this.#settle(place);
    }
    this.#bringBack(date);
    for (const known of this.#known.values()) this.#reopen(known);
    for (const place of this.#placesOf(date)) {
      const id = `${date} ${place.key}`;
      if (this.#isSecond(place)) this.#second.add(id);
      else this.#second.delete(id);
    }
  }

  /** What was said of lines that the day has no more. */
  #forget(date: string, lines: readonly BankLine[]): void {
    const kept = new Set(lines.map((line) => `${date} ${keyOf(line)}`));
    for (const ids of [this.#denied, this.#second])
      for (const id of ids) if (id.startsWith(date) && !kept.has(id)) ids.delete(id);
  }

  /** Failed by nothing but a line that the bank has taken back: in doubt again. */
  #reopen(known: Known): void {
    const said = [...this.#present.values()]
      .flat()
      .filter((line) => keyOf(line) === known.made.order.transRefNo);
    const isSaid = said.some((line) => line.status === 'failed' && isOfSend(known.made, line));
    if (known.word !== 'closed' || !known.isFailedByLine || isSaid) return;
    Object.assign(known, { word: 'open', acknowledged: true, isAlarm: true, isFailedByLine: false });
  }

  #isSecond({ known, lines }: Place): boolean {
    return known !== undefined && isSaidComplete(lines) && this.isPaidTwice(known.made.order.transRefNo);
  }

  /** It is paid, and so is another attempt of its row. */
  isPaidTwice(reference: string): boolean {
    const known = this.#known.get(reference);
    if (known?.word !== 'paid') return false;
    const { made } = known;
    return this.attempts.some(
      (one) => one.made !== made && one.made.payoutSeq === made.payoutSeq && one.word === 'paid',
    );
  }

  /** For each payout that money went out for twice, its attempts: one of them at least must be named for it. */
  secondProofs(): readonly (readonly string[])[] {
    return [...this.#second].map((id) => {
      const seq = this.#known.get(id.split(' ')[1] ?? '')?.made.payoutSeq;
      const ofRow = this.attempts.filter(({ made }) => made.payoutSeq === seq);
      return ofRow.map(({ made }) => made.order.transRefNo);
    });
  }

  /** What a line of this day had finished is in process again where that line is gone. */
  #bringBack(date: string): void {
    for (const other of this.#present.keys()) {
      if (other === date) continue;
      for (const place of this.#placesOf(other)) {
        const isAlive = isUnsettled(place.lines[0]) && place.known?.word === 'closed';
        if (isAlive) this.#settle(place);
      }
    }
  }

  /** An inquiry about an attempt in doubt, or failed by a line, asked when all days are over. */
  inquire(reference: string, finding: Finding): void {
    const known = this.#known.get(reference);
    if (known === undefined) throw new Error('there is no such attempt');
    const isLate = known.word === 'closed';
    known.finding = finding;
    known.isAlarm ||= isLate;
    if (finding !== 'not-found') known.acknowledged = true;
    const isSettled = (finding === 'complete' || finding === 'failed') && !known.referenceConflict;
    if (isSettled) known.word = finding === 'complete' ? 'paid' : 'closed';
    else if (isLate) Object.assign(known, { word: 'open', isFailedByLine: false });
  }

  /** Every break that is open: day, key and kind; `!` marks the worst. */
  breaks(): string[] {
    return [...this.#present.keys()].flatMap((date) => this.breaksOf(date)).toSorted();
  }

  breaksOf(date: string): string[] {
    return this.#placesOf(date).flatMap((place) => {
      const denied = this.#denied.has(`${date} ${place.key}`) ? ['status-mismatch!'] : [];
      const kinds = this.#kindsOf(place).filter((kind) => kind !== 'status-mismatch' || denied.length === 0);
      return [...denied, ...kinds].map((kind) => `${date} ${showKey(place.key)} ${kind}`);
    });
  }

  #placesOf(date: string): Place[] {
    const lines = Map.groupBy(this.#present.get(date) ?? [], keyOf);
    const own = [...this.#known].filter(([, { made }]) => made.order.tranDate === date);
    const keys = new Set([...lines.keys(), ...own.map(([reference]) => reference)]);
    return [...keys].map((key) => ({
      date,
      key,
      lines: lines.get(key) ?? [],
      known: this.#known.get(key),
      elsewhere: [...this.#present].flatMap(([other, all]) =>
        other === date
          ? []
          : all.filter((line) => keyOf(line) === key).map((line) => ({ date: other, line })),
      ),
    }));
  }

  #kindsOf(place: Place): string[] {
    const { known, lines, date } = place;
    if (known === undefined) return strangerKinds(lines);
    const [held] = lines;
    if (held === undefined) return this.#absenceKinds(place, known);
    const { made, word, fee } = known;
    const isEarlier = place.elsewhere.some((one) => one.date < date && one.line.status === 'complete');
    const isTwice = lines.length > 1 || (held.status === 'complete' && isEarlier);
    return [
      ...(held.status === 'in-process' && this.#isOver(place) ? [] : statusKinds(made, word, held)),
      ...(held.isUnread ? ['line-unreadable'] : []),
      ...(held.isUnread ? [] : [...identityKinds(made, held), ...chargeKinds(held, fee)]),
      ...(held.isUnread ? [] : dayKinds(made, held, date)),
      ...(isTwice ? ['duplicate-line'] : []),
    ];
  }

  /** In process, or a contradiction, and a later day's statement, or an inquiry after the day's end, says what we say. */
  #isOver({ lines: [line], elsewhere, date, known }: Place): boolean {
    if (!isUnsettled(line) || known === undefined || known.word === 'open') return false;
    const says = known.word === 'paid' ? 'complete' : 'failed';
    const isSaid = elsewhere.some(
      (one) =>
        one.date > date &&
        one.line.status === says &&
        (says === 'complete' || isOfSend(known.made, one.line)),
    );
    return isSaid || known.finding === says;
  }

  #isUnread(date: string): boolean {
    const lines = this.#present.get(date) ?? [];
    return lines.some((line) => isUnplaced(line) && line.companyId !== otherCompany);
  }

  #absenceKinds({ date, elsewhere }: Place, known: Known): string[] {
    if (known.made.order.tranDate !== date) return [];
    if (known.word === 'closed') return [];
    if (elsewhere.length > 0) return [];
    if (known.word === 'paid') return [this.#isUnread(date) ? 'line-unreadable' : 'missing-at-bank'];
    const isNextRead = [...this.#present.keys()].some((other) => Number(other) === Number(date) + 1);
    const isUnread = this.#isUnread(date) || this.#isUnread(String(Number(date) + 1));
    const isTraceless =
      isNextRead &&
      !isUnread &&
      known.finding === 'not-found' &&
      !known.acknowledged &&
      !known.referenceConflict;
    return [isTraceless ? 'no-trace' : 'pending-not-in-statement'];
  }

  #settle(place: Place): void {
    const { known, lines } = place;
    const [line] = lines;
    if (known === undefined || line === undefined || this.#isOver(place)) return;
    const isOthers = !line.isUnread && identityKinds(known.made, line).length > 0;
    const isOurs = !line.isUnread && !isOthers;
    const isPaid = known.word === 'paid' && !known.isDisputed;
    if (line.status === 'complete' && isOurs && !isPaid) {
      known.isAlarm ||= known.word !== 'open';
      known.fee ??= line.fee;
      Object.assign(known, { word: 'paid', acknowledged: true, isDisputed: false });
    } else if (line.status === 'failed' && known.word === 'paid') {
      Object.assign(known, { isDisputed: true, isAlarm: true });
    } else if (line.status === 'failed' && isOurs && isOfSend(known.made, line) && known.word === 'open') {
      Object.assign(known, { word: 'closed', acknowledged: true, isFailedByLine: true });
    } else if (known.word === 'closed' && (isUnsettled(line) || line.status === 'complete')) {
      const referenceConflict = known.referenceConflict || isOthers;
      const alarm = { isAlarm: true, isFailedByLine: false };
      Object.assign(known, { ...alarm, word: 'open', acknowledged: true, referenceConflict });
    } else if (known.word === 'open') {
      known.isAlarm ||= isOthers;
      Object.assign(known, { acknowledged: true, referenceConflict: known.referenceConflict || isOthers });
    }
  }
}

/** Lines that nobody here has sent: other companies' own business is no break. */
function strangerKinds(lines: readonly BankLine[]): string[] {
  const [line] = lines;
  if (line === undefined) return [];
  if (line.companyId === otherCompany) return [];
  if (isUnplaced(line)) return ['line-unreadable'];
  const unread = line.isUnread ? ['line-unreadable'] : [];
  return ['unmatched-bank-line', ...unread, ...(lines.length > 1 ? ['duplicate-line'] : [])];
}
