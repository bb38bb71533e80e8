/** Moves many rows of a batch, a page in a commit, so that others get their turn: holds, goes on with, or cancels them. */
import { asMessage, message } from '../../core/message.ts';
import type { BatchReason } from '../../core/ports.ts';
import type { RegistrationStore } from '../../registration/ports.ts';
import { moveRegistration, type RegistrationChange } from '../../registration/rules/change.ts';
import type { Registration, RegistrationHold } from '../../registration/rules/registration.ts';
import type { Reader } from '../engine.ts';
import { define, query, select } from '../statements.ts';
import type { RegistrationApplier } from './apply.ts';
import { selectRegistrations, statusLiteral, toRegistration } from './rows.ts';

/** Rows that are changed in one commit. */
const pageRows = 500;

type Unsent = 'ready' | 'held';

const page = define((values: { batchId: string; status: Unsent; afterRowNo: number }) =>
  selectRegistrations()
    .where('p.batch_id', '=', values.batchId)
    .where('p.status', '=', values.status)
    .where('p.row_no', '>', values.afterRowNo)
    .orderBy('p.row_no')
    .limit(pageRows),
);

const batchesWithHeld = () =>
  query.selectFrom('registration').select('batch_id').distinct().where('status', '=', statusLiteral('held'));

/** Decides a change; undefined of a row that stays as it is. */
type Decide = (registration: Registration) => RegistrationChange | undefined;

function decideHold(
  registration: Registration,
  hold: RegistrationHold,
  why: BatchReason,
  nowMs: number,
): RegistrationChange {
  const holds = [...new Set([...registration.holds, hold])];
  const patch = { status: 'held', holds, reasonCode: why.code, reason: asMessage(why.reason) } as const;
  return moveRegistration({ registration, patch, cause: 'hold-added', nowMs, detail: { hold, ...why } });
}

function decideLift(
  registration: Registration,
  lifted: readonly RegistrationHold[],
  nowMs: number,
): RegistrationChange | undefined {
  const holds = registration.holds.filter((hold) => !lifted.includes(hold));
  if (holds.length === registration.holds.length) return undefined;
  const ready = { status: 'ready', holds, reasonCode: null, reason: null } as const;
  const patch = holds.length === 0 ? ready : { holds };
  return moveRegistration({ registration, patch, cause: 'hold-lifted', nowMs, detail: { lifted } });
}

const cancelled = {
  status: 'cancelled',
  holds: [],
  reasonCode: 'cancelled',
  reason: message('reason.cancelled'),
  settledBy: 'decision',
} as const;

const decideCancel = (registration: Registration, nowMs: number): RegistrationChange =>
  moveRegistration({ registration, patch: { ...cancelled, settledAtMs: nowMs }, cause: 'cancelled', nowMs });

type BulkStore = Pick<
  RegistrationStore,
  'holdReadyRegistrations' | 'liftRegistrationHolds' | 'cancelUnsentRegistrations'
>;

export function makeRegistrationBulk({ applyRegistrations }: RegistrationApplier, engine: Reader): BulkStore {
  const changeEach = async (batchId: string, status: Unsent, decide: Decide): Promise<number> => {
    let [changed, afterRowNo] = [0, 0];
    for (;;) {
      const asked = { batchId, status, afterRowNo };
      const rows = (await engine.read(() => page.all(asked))).map(toRegistration);
      const changes = rows.map(decide).filter((change) => change !== undefined);
      changed += (await applyRegistrations(changes)).filter(Boolean).length;
      afterRowNo = rows.at(-1)?.rowNo ?? afterRowNo;
      if (rows.length < pageRows) return changed;
    }
  };
  return {
    holdReadyRegistrations: async (batchId, hold, why, nowMs) =>
      changeEach(batchId, 'ready', (row) => decideHold(row, hold, why, nowMs)),
    liftRegistrationHolds: async (batchId, holds, nowMs) => {
      const held = batchId === null ? await engine.read(() => select(batchesWithHeld())) : [];
      const batchIds = batchId === null ? held.map((row) => row.batch_id) : [batchId];
      let changed = 0;
      for (const one of batchIds)
        changed += await changeEach(one, 'held', (row) => decideLift(row, holds, nowMs));
      return changed;
    },
    cancelUnsentRegistrations: async (batchId, nowMs) => {
      const cancel: Decide = (row) => decideCancel(row, nowMs);
      return (await changeEach(batchId, 'ready', cancel)) + (await changeEach(batchId, 'held', cancel));
    },
  };
}
