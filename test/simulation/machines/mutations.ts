/** Deliberate bugs in what keeps several machines on one journal apart; each is found by play.ts. */
import type { Mutation } from '../mutations.ts';

const inMachines = (name: string, file: string, find: string, replace: string): Mutation => ({
  name,
  patches: [{ file, find, replace }],
  playedOn: 'machines',
});

/** Of whether a process may send now. */
const ofRight: readonly Mutation[] = [
  inMachines(
    'bytes leave whoever has the lease',
    'payout/lease.ts',
    'readonly mayTransmit = (): boolean => this.isHeld;',
    'readonly mayTransmit = (): boolean => this.#renewedAt !== null;',
  ),
  inMachines(
    'a renewal counts from its answer',
    'payout/lease.ts',
    'this.#renewedAt = isGranted ? beganAt : undefined;',
    'this.#renewedAt = isGranted ? readClocks(clock) : (beganAt && undefined);',
  ),
  inMachines(
    'bytes leave until the very end of the lease',
    'payout/rules/lease.ts',
    'const renewalAgeMaxMs = 5_000;',
    'const renewalAgeMaxMs = 12_000;',
  ),
  inMachines(
    'a machine that has slept through its lease goes on',
    'payout/rules/lease.ts',
    '  isRecent(renewedAt.wallMs, now.wallMs) &&\n',
    '',
  ),
  inMachines(
    'a clock that was set back makes a lease longer',
    'payout/rules/lease.ts',
    'isRecent(renewedAt.wallMs, now.wallMs) &&\n  isRecent(renewedAt.elapsedMs, now.elapsedMs);',
    'isRecent(renewedAt.wallMs, now.wallMs);',
  ),
];

/** Of who has which place, and which rows. */
const ofPlaces: readonly Mutation[] = [
  inMachines(
    'a lease never ends',
    'payout/rules/lease.ts',
    'mayRenew(lease) && nowMs < lease.leaseUntilMs;',
    'mayRenew(lease) && nowMs > 0;',
  ),
  inMachines(
    'whose place was taken has it still',
    'payout/rules/lease.ts',
    'endedAtMs === null && supersededAtMs === null;',
    'endedAtMs === null && supersededAtMs !== 0;',
  ),
  inMachines(
    'a process whose place was taken never takes another',
    'payout/lease.ts',
    '      this.#lost.abort();\n',
    '',
  ),
  inMachines(
    'a shard is handed out twice',
    'payout/rules/lease.ts',
    'if (toRow <= after) continue;',
    'if (toRow <= after || fromRow > 0) continue;',
  ),
];

/** Of what another process may have under way. */
const ofOthers: readonly Mutation[] = [
  inMachines(
    'a next attempt does not wait for what others have sent',
    'payout/rules/lease.ts',
    'return Math.max(0, ...waits);',
    'return waits.length * 0;',
  ),
  inMachines(
    'what another has under way is inquired about, and settled',
    'payout/share.ts',
    'if (share === undefined || !inDoubt.some(mayBeUnderWay)) return inDoubt;',
    'if (share === undefined || inDoubt.length >= 0) return inDoubt;',
  ),
  inMachines(
    'what a machine that may be renewed has recorded is settled',
    'payout/share.ts',
    'elsewhere.set(batchId, await share.mayBeSent(batchId));',
    'elsewhere.set(batchId, await share.elsewhere(batchId));',
  ),
  inMachines(
    'the reply to what another has given up is lost',
    'payout/rules/after-transfer.ts',
    "payout.status === 'unresolved' && finding.kind !== 'paid'",
    "payout.status === 'unresolved' && finding.kind === null",
  ),
];

const place = 'payout/rules/journal-place.ts';

/** Of a database that is put back to an older copy of itself. */
const ofPutBack: readonly Mutation[] = [
  inMachines(
    'the loss is not noticed after a snapshot',
    place,
    'if (counts.every((count) => present[count] >= mark[count])) return undefined;',
    'if (counts.some((count) => present[count] >= 0)) return undefined;',
  ),
  inMachines(
    'a machine without a mark asks nobody first',
    place,
    'if (found === undefined) return isWitnessed ? undefined : present;',
    'if (found === undefined || isWitnessed) return undefined;',
  ),
  inMachines(
    'the mark of a machine is not compared',
    place,
    'return isBeforeLoss && mark.journalId === present.journalId',
    "return typeof mark === 'object' && mark.journalId === present.journalId",
  ),
  inMachines(
    'a server that was promoted is taken for the one before',
    place,
    'if (!isToldApart(kept.timeline, present.timeline)) return undefined;',
    'if (!isToldApart(kept.oid, present.oid)) return undefined;',
  ),
  inMachines(
    'a mark from before the loss stands in the way for ever',
    place,
    "const isBeforeLoss = typeof mark === 'object' && mark.recoveredAtMs < present.recoveredAtMs;",
    "const isBeforeLoss = typeof mark === 'object' && mark.recoveredAtMs > present.recoveredAtMs;",
  ),
];

const inDatabase = (
  first: number,
  ...[name, file, find, replace]: Parameters<typeof inMachines>
): Mutation => ({
  ...inMachines(name, file, find, replace),
  playedOn: 'machines-postgres',
  first,
});

/** In the statements of the journal on PostgreSQL. */
const ofDatabase: readonly Mutation[] = [
  inDatabase(
    340,
    'an intent is recorded whoever has the lease',
    'store/payouts/apply.ts',
    '!changes.some(isSendOf) || (yield* guards.fence())',
    '!changes.some((one) => one.isRepetition === true) || (yield* guards.fence())',
  ),
  inDatabase(
    452,
    'a repetition is recorded whoever has the lease',
    'store/payouts/apply.ts',
    '!changes.some(isSendOf) || (yield* guards.fence())',
    '!changes.some((one) => one.isIntent === true) || (yield* guards.fence())',
  ),
  inDatabase(
    474,
    'a place that was taken is renewed',
    'store/postgres/workers.ts',
    'const renew = defineUpdate(sql`lease_until_ms = ${leaseEndMs}`, notEnded);',
    'const renew = defineUpdate(sql`lease_until_ms = ${leaseEndMs}`, sql`w.ended_at_ms is null`);',
  ),
  inDatabase(
    102,
    'a change that was taken for done is not required of the server',
    'store/postgres/drive.ts',
    "ofOneEach: shape === 'update' ? named(writeOneEach(sql)) : undefined,",
    "ofOneEach: shape === 'update' && writeOneEach !== undefined ? named(sql) : undefined,",
  ),
];

export const ofMachines: readonly Mutation[] = [
  ...ofRight,
  ...ofPlaces,
  ...ofOthers,
  ...ofPutBack,
  ...ofDatabase,
];
