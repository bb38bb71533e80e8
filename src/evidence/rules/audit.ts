/** What an audit finds: the first thing of each part of the journal that is not as it was written, in words. */
import { formatBangkokMoment } from '../../core/bangkok-time.ts';
import { formatBaht, type Satang } from '../../core/money.ts';
import { maskDigits } from '../../core/proxy-id.ts';
import type { Instruction, TransferOrder } from '../../core/payout.ts';
import { computeInstructionDigest, computeOrderHash, isReferenceOf } from '../../core/reference.ts';
import { restoreBackup, restoreDatabase } from '../../payout/rules/journal-place.ts';
import { type Link, readFacts } from '../../review/rules/chain.ts';
import { type ChainedPayout, commitTo, findBrokenEvent } from '../../review/rules/payout-chain.ts';
import type { KeptRegistrationState } from './registration-audit.ts';
import { findChangedState, type KeptPayout } from './state-audit.ts';

/** In the order in which they are looked at. */
export const auditParts = [
  'payouts',
  'instructions',
  'attempts',
  'batches',
  'archives',
  'people',
  'proposals',
  'notes',
  'limits',
  'registrations',
  'days',
  'outside',
] as const;
export type AuditPart = (typeof auditParts)[number];

/** Something that is not as it was written. */
export interface Finding {
  readonly part: AuditPart;
  /** Which payout, event, batch, person or day. */
  readonly place: string;
  readonly why: string;
  /** What the broken event says now; null where there is no such event. */
  readonly says: string | null;
  readonly remedy: string;
}

/** Of many that are broken so many are told; the first is where to look. */
export const findingsMax = 10;

const describeRestoring = (keeping: string, restoring: string): string =>
  `Stop every paydrop process and ${keeping}. Find out who or what has written to it. ` +
  `Then ${restoring}, and run the audit again: where that one is not whole either, take an older one`;

const keepAndRestore = describeRestoring(
  'keep a copy of journal.db with its -wal as they are',
  restoreBackup,
);

const keepDatabase = describeRestoring('keep a dump of the database as it is', restoreDatabase);

/** What is to be done about a backup that is not whole: the journal itself was not looked at. */
export const backupRemedy =
  'Do not restore this backup: keep it as it is, find out who or what has written to it, and audit an older one. The ' +
  'journal was not looked at: "paydrop audit" without --file does that';

const remedies: Readonly<Record<AuditPart, string>> = {
  payouts: keepAndRestore,
  instructions: keepAndRestore,
  attempts: keepAndRestore,
  batches: keepAndRestore,
  archives: 'Put the archive back from a backup, beside journal.db; then run the audit again',
  people: keepAndRestore,
  proposals: keepAndRestore,
  notes: keepAndRestore,
  limits: keepAndRestore,
  registrations: keepAndRestore,
  days: keepAndRestore,
  outside: `The head from outside is right if nobody could change it there. ${keepAndRestore}`,
};

export const makeFinding = (
  part: AuditPart,
  place: string,
  why: string,
  says: string | null = null,
): Finding => ({ part, place, why, says, remedy: remedies[part] });

/** A finding in a journal that is in a database. */
export const ofDatabase = (finding: Finding): Finding => ({
  ...finding,
  remedy: finding.remedy.replace(keepAndRestore, keepDatabase),
});

/** A row as it is named for people. */
export interface RowPlace {
  readonly batchId: string;
  readonly rowNo: number;
  readonly payoutId: string | null;
}

const nameRow = ({ batchId, rowNo, payoutId }: RowPlace): string =>
  `payout ${payoutId ?? '(without a payoutId)'}, row ${rowNo} of batch ${batchId}`;

/** What opens the commitment that a payout's chain begins with; null once that was erased, as the digest is then. */
export interface Opening {
  readonly digest: string | null;
  readonly salt: string | null;
}

/** A registration whose history is checked: chained as that of a payout. */
export interface KeptRegistration extends KeptRegistrationState, Omit<RowPlace, 'payoutId'> {
  readonly registrationId: string | null;
}

/**
 * The first event of a payout that is not as it was written, or what of its state is not what its events say.
 * @param approvedAtMs when its whole batch was last approved; undefined before
 */
export function auditChain(
  payout: KeptPayout & RowPlace,
  approvedAtMs: number | undefined,
): Finding | undefined {
  const broken = auditEvents('payouts', payout, nameRow(payout));
  if (broken !== undefined) return broken;
  const why = findChangedState(payout, approvedAtMs);
  return why === undefined ? undefined : makeFinding('payouts', nameRow(payout), why);
}

export const nameRegistration = ({ registrationId, rowNo, batchId }: KeptRegistration): string =>
  `registration ${registrationId ?? '(without a registrationId)'}, row ${rowNo} of batch ${batchId}`;

/** The first event of a registration that is not as it was written. */
export const auditRegistration = (kept: KeptRegistration): Finding | undefined =>
  auditEvents('registrations', kept, nameRegistration(kept));

function auditEvents(part: AuditPart, chained: ChainedPayout, name: string): Finding | undefined {
  const broken = findBrokenEvent(chained);
  if (broken === undefined) return undefined;
  const event = chained.events.find(({ seq }) => seq === broken.seq);
  const says =
    event &&
    `${event.from} → ${event.to} (${event.cause}), ${formatBangkokMoment(event.atMs)}, attempt ${event.attemptNo}: ${event.detail}`;
  return makeFinding(part, `${name}: event ${broken.seq}`, broken.why, says ?? null);
}

/** A version of what a row asks for, beside what was sealed. */
export interface KeptVersion {
  /** Of one that was erased what was committed to. */
  readonly digest: string;
  readonly salt: string | null;
  /** JSON, of a correction. */
  readonly instruction: string | null;
  readonly replaced: string | null;
}

/** A row as it stands, with all that it ever asked for. */
export interface KeptRow extends RowPlace {
  readonly seq: number;
  readonly companyId: string;
  /** Null while the row asks for nothing that can be read. */
  readonly instruction: Instruction | null;
  /** Of what its file asks for. */
  readonly digest: string | null;
  /** Its personal cells were erased, and the digest with them. */
  readonly isErased: boolean;
  /** Null of a row that an older program has read in, and of one that was erased. */
  readonly salt: string | null;
  /** The oldest first. */
  readonly versions: readonly KeptVersion[];
  /** What its history says that it was made to ask for, in their order: `commitTo` each version. */
  readonly told: readonly string[];
}

function readInstruction(json: string | null): Instruction | null {
  if (json === null) return null;
  const read = JSON.parse(json) as Omit<Instruction, 'amountSatang'> & { readonly amountSatang: string };
  return { ...read, amountSatang: BigInt(read.amountSatang) as Satang };
}

const filledAgain = 'what names its payee was erased, and something stands there again';

const isEmpty = ({ instruction, digest, versions }: KeptRow): boolean =>
  instruction === null &&
  digest === null &&
  versions.every((version) => version.instruction === null && version.replaced === null);

/** Each version is one that the history tells of; an older program has told of none, and its versions have no salts. */
function areTold({ isErased, salt, versions, told }: KeptRow): boolean {
  if (isErased) return told.every((one) => versions.some(({ digest }) => digest === one));
  const chained = salt === null ? versions.filter((version) => version.salt !== null) : versions;
  return (
    chained.length === told.length &&
    chained.every((version, at) => commitTo(version.digest, version.salt) === told[at])
  );
}

/**
 * What a row asks for is what was sealed, or what its latest version says; each has its digest.
 * @param saidErased rows that somebody is recorded to have erased
 */
export function auditRow(row: KeptRow, saidErased: ReadonlySet<unknown>): Finding | undefined {
  const digestOf = (instruction: Instruction | null): string | null =>
    instruction && computeInstructionDigest(row, instruction);
  const [first] = row.versions;
  const latest = row.versions.at(-1);
  const broken = (why: string): Finding => makeFinding('instructions', nameRow(row), why);
  if (row.isErased && !saidErased.has(row.seq))
    return broken('what names its payee is gone, and nobody is recorded to have erased it');
  if (row.isErased && !isEmpty(row)) return broken(filledAgain);
  if (!areTold(row)) return broken('its history tells of other versions of what it asks for');
  if (row.isErased) return undefined;
  if (digestOf(row.instruction) !== (latest?.digest ?? row.digest))
    return broken(
      latest === undefined
        ? 'what it asks for is not what was sealed'
        : 'what it asks for is no version of it',
    );
  const replaced = readInstruction(first?.replaced ?? null);
  if (replaced !== null && digestOf(replaced) !== row.digest)
    return broken('what it asked for before it was corrected is not what was sealed');
  const changed = row.versions.findIndex(
    ({ digest, instruction }) => instruction !== null && digestOf(readInstruction(instruction)) !== digest,
  );
  return changed === -1 ? undefined : broken(`version ${changed + 1} of what it asks for was changed`);
}

export interface KeptAttempt {
  readonly row: KeptRow;
  readonly attemptNo: number;
  readonly order: TransferOrder;
  readonly orderHash: string;
  /** What the event of its intent says that it sends; null of one that was found after a loss. */
  readonly saidHash: string | null;
  /** `showAttempt`, as it is; and as its latest event says it, null where an older program has written that. */
  readonly shows: string;
  readonly saidShows: string | null;
}

/** Its history tells of an attempt that is not there. */
export const describeLostAttempt = ({ row, attemptNo }: Pick<KeptAttempt, 'row' | 'attemptNo'>): Finding =>
  makeFinding('attempts', `${nameRow(row)}: attempt ${attemptNo}`, 'it is gone; its history is there');

/** What an attempt sends has its hash and its reference, and is what its row asks for, or has asked for. */
export function auditAttempt({
  row,
  attemptNo,
  order,
  orderHash,
  saidHash,
  shows,
  saidShows,
}: KeptAttempt): Finding | undefined {
  const broken = (why: string): Finding =>
    makeFinding('attempts', `${nameRow(row)}: attempt ${attemptNo} (${order.transRefNo})`, why);
  if (!row.isErased && computeOrderHash(order) !== orderHash) return broken('what it sends was changed');
  if (saidHash !== null && saidHash !== orderHash)
    return broken('its history says that something else was sent');
  if (saidShows !== null && saidShows !== shows)
    return broken('how it ended, or what the bank said of it, is not what its history says');
  if (!isReferenceOf(order.transRefNo, row.companyId, row.payoutId ?? ''))
    return broken('its reference is another payout’s');
  if (row.isErased) return order.proxyNo === '' ? undefined : broken(filledAgain);
  const asked = [
    row.instruction,
    ...row.versions.flatMap(({ instruction, replaced }) => [instruction, replaced].map(readInstruction)),
  ];
  const isAsked = asked.some(
    (one) =>
      one !== null && one.proxyNo === order.proxyNo && formatBaht(one.amountSatang) === order.amountText,
  );
  return isAsked
    ? undefined
    : broken('it pays somebody else, or another amount, than its row ever asked for');
}

/** Rows whose personal cells somebody has erased, by the history of users. */
export const readErased = (events: Iterable<Link<string>>): ReadonlySet<unknown> =>
  new Set(
    Array.from(events)
      .filter(({ kind }) => kind === 'erased')
      .map((event) => readFacts(event)['payout']),
  );

/** Sums of one payee, file or the whole of a day. */
interface DaySum {
  readonly kind: 'day' | 'payee' | 'file';
  readonly key: string;
  readonly rows: number;
  readonly high: number;
  readonly low: number;
}

/** What the limits over time have counted of a day, and what its rows add up to. */
export interface CountedDay {
  /** YYYYMMDD. */
  readonly date: string;
  readonly kept: readonly DaySum[];
  readonly present: readonly DaySum[];
}

/** Each sum that is not what its rows add up to, by what it is of; numbers masked. */
export function listChangedSums({ kept, present }: CountedDay): readonly string[] {
  const nameOf = ({ kind, key }: DaySum): string => `${kind} ${key}`;
  const isSame = (one: DaySum, other: DaySum | undefined): boolean =>
    one.rows === (other?.rows ?? 0) && one.high === (other?.high ?? 0) && one.low === (other?.low ?? 0);
  const before = new Map(kept.map((sum) => [nameOf(sum), sum]));
  const now = new Map(present.map((sum) => [nameOf(sum), sum]));
  const changed = [...kept, ...present].filter((sum) => {
    const name = nameOf(sum);
    return !isSame(sum, sum === before.get(name) ? now.get(name) : before.get(name));
  });
  const shown = changed.map(({ kind, key }) =>
    kind === 'payee' ? `payee ${maskDigits(key)}` : `${kind} ${key}`,
  );
  return [...new Set(shown.map((name) => name.trim()))];
}

/** What became of one part. */
export interface AuditedPart {
  readonly part: AuditPart;
  /** How many were looked at, by what they are. */
  readonly looked: Readonly<Record<string, number>>;
  /** All that are broken; `findings` has the first of them. */
  readonly broken: number;
  readonly findings: readonly Finding[];
}

/** What one audit has found. */
export interface Audited {
  readonly isWhole: boolean;
  readonly parts: readonly AuditedPart[];
  /** What is no fault, and should be known. */
  readonly notes: readonly string[];
}
