/** Findings of an audit: the first change in each part of the journal, in words. */
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

/** Parts in the order of their check. */
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

/** A change against what was written. */
export interface Finding {
  readonly part: AuditPart;
  /** Name of the payout, event, batch, person or day. */
  readonly place: string;
  readonly why: string;
  /** Present content of the broken event; null without an event. */
  readonly says: string | null;
  readonly remedy: string;
}

/** Most findings reported of a part; the first is the place to look. */
export const findingsMax = 10;

const describeRestoring = (keeping: string, restoring: string): string =>
  `Stop every paydrop process and ${keeping}. Find out who or what has written to it. ` +
  `Then ${restoring}, and run the audit again: where that one is not whole either, take an older one`;

const keepAndRestore = describeRestoring(
  'keep a copy of journal.db with its -wal as they are',
  restoreBackup,
);

const keepDatabase = describeRestoring('keep a dump of the database as it is', restoreDatabase);

/** Remedy for a damaged backup; the journal itself was not checked. */
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
  outside: `The head from outside is right unless it could be changed there. ${keepAndRestore}`,
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

/** The place of a row, for people. */
export interface RowName {
  readonly batchId: string;
  readonly rowNo: number;
  readonly payoutId: string | null;
}

const nameRow = ({ batchId, rowNo, payoutId }: RowName): string =>
  `payout ${payoutId ?? '(without a payoutId)'}, row ${rowNo} of batch ${batchId}`;

/** The opening of the commitment at the start of a payout's chain; null after an erasure, like the digest. */
export interface Opening {
  readonly digest: string | null;
  readonly salt: string | null;
}

/** A registration to check; its history is chained like that of a payout. */
export interface KeptRegistration extends KeptRegistrationState, Omit<RowName, 'payoutId'> {
  readonly registrationId: string | null;
}

/**
 * The first changed event of a payout, or a state that contradicts its events.
 * @param approvedAtMs time of the last approval of its whole batch; undefined before
 */
export function auditChain(
  payout: KeptPayout & RowName,
  approvedAtMs: number | undefined,
): Finding | undefined {
  const broken = auditEvents('payouts', payout, nameRow(payout));
  if (broken !== undefined) return broken;
  const why = findChangedState(payout, approvedAtMs);
  return why === undefined ? undefined : makeFinding('payouts', nameRow(payout), why);
}

export const nameRegistration = ({ registrationId, rowNo, batchId }: KeptRegistration): string =>
  `registration ${registrationId ?? '(without a registrationId)'}, row ${rowNo} of batch ${batchId}`;

/** The first changed event of a registration. */
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

/** A version of a row's instruction after the sealed one. */
export interface KeptVersion {
  /** Digest; for an erased one, the commitment. */
  readonly digest: string;
  readonly salt: string | null;
  /** JSON of a correction. */
  readonly instruction: string | null;
  readonly replaced: string | null;
}

/** A row with all versions of its instruction. */
export interface KeptRow extends RowName {
  readonly seq: number;
  readonly companyId: string;
  /** Null while the row has no readable instruction. */
  readonly instruction: Instruction | null;
  /** Digest of the file's instruction. */
  readonly digest: string | null;
  /** True when its personal cells were erased, with the digest. */
  readonly isErased: boolean;
  /** Null for a row without a digest. */
  readonly salt: string | null;
  /** Versions, oldest first. */
  readonly versions: readonly KeptVersion[];
  /** Versions in its history, in order: `commitTo` of each. */
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

/** True when the history has each version. */
function areTold({ isErased, versions, told }: KeptRow): boolean {
  if (isErased) return told.every((one) => versions.some(({ digest }) => digest === one));
  return (
    versions.length === told.length &&
    versions.every((version, at) => commitTo(version.digest, version.salt) === told[at])
  );
}

/**
 * Checks that a row's instruction is the sealed one, or its latest version, and that each has its digest.
 * @param saidErased rows with a recorded erasure
 */
export function auditRow(row: KeptRow, saidErased: ReadonlySet<unknown>): Finding | undefined {
  const digestOf = (instruction: Instruction | null): string | null =>
    instruction && computeInstructionDigest(row, instruction);
  const [first] = row.versions;
  const latest = row.versions.at(-1);
  const broken = (why: string): Finding => makeFinding('instructions', nameRow(row), why);
  if (row.isErased && !saidErased.has(row.seq))
    return broken('the cells that name its payee are gone, and no erasure is recorded');
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
  /** Hash that the event of its intent records; null for an attempt found after a loss. */
  readonly saidHash: string | null;
  /** `showAttempt` of the present attempt, and of its latest event; the latter is null without one. */
  readonly shows: string;
  readonly saidShows: string | null;
}

/** A finding for an attempt in the history that is missing. */
export const describeLostAttempt = ({ row, attemptNo }: Pick<KeptAttempt, 'row' | 'attemptNo'>): Finding =>
  makeFinding('attempts', `${nameRow(row)}: attempt ${attemptNo}`, 'it is gone; its history is there');

/** Checks that an attempt's content has its hash and its reference, and is what its row asks for, now or earlier. */
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
  return isAsked ? undefined : broken('it pays another payee or amount than its row ever asked for');
}

/** Rows with a recorded erasure, by the history of users. */
export const readErased = (events: Iterable<Link<string>>): ReadonlySet<unknown> =>
  new Set(
    Array.from(events)
      .filter(({ kind }) => kind === 'erased')
      .map((event) => readFacts(event)['payout']),
  );

/** Sums of one payee, one file, or a whole day. */
interface DaySum {
  readonly kind: 'day' | 'payee' | 'file';
  readonly key: string;
  readonly rows: number;
  readonly high: number;
  readonly low: number;
}

/** The counts of the limits over time for a day, and the sums of its rows. */
export interface CountedDay {
  /** YYYYMMDD. */
  readonly date: string;
  readonly kept: readonly DaySum[];
  readonly present: readonly DaySum[];
}

/** Sums that differ from those of their rows, by name; numbers masked. */
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

/** The result of one part. */
export interface AuditedPart {
  readonly part: AuditPart;
  /** Numbers of checked items, by kind. */
  readonly looked: Readonly<Record<string, number>>;
  /** Number of broken items; `findings` has the first of them. */
  readonly broken: number;
  readonly findings: readonly Finding[];
}

/** The result of an audit. */
export interface Audited {
  readonly isWhole: boolean;
  readonly parts: readonly AuditedPart[];
  /** Remarks that are not faults. */
  readonly notes: readonly string[];
}
