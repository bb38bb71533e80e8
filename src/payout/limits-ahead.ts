/** Forecasts which rows the limits over time would hold if all were sent now, one after another. Read-only. */
import { formatBangkokDate } from '../core/bangkok-time.ts';
import type { Batch } from '../core/ports.ts';
import type { LimitReader } from './ports.ts';
import {
  type LimitedPayout,
  type LimitFinding,
  LimitForecast,
  needsKnownPayee,
  noFacts,
  type TimeLimits,
} from './rules/limits.ts';

export interface LimitsAhead {
  /** Holds of the next row; a row without one counts from then on. */
  look(payout: LimitedPayout): Promise<readonly LimitFinding[]>;
}

/** @param journal undefined when there is none yet: nothing counts, and every payee is new */
export async function foreseeLimits(
  journal: LimitReader | undefined,
  limits: TimeLimits,
  { companyId, batchId }: Pick<Batch, 'companyId' | 'batchId'>,
  nowMs: number,
): Promise<LimitsAhead> {
  const date = formatBangkokDate(nowMs);
  const use = (await journal?.dayUse(companyId, date, batchId)) ?? noFacts.use;
  const forecast = new LimitForecast(limits, use, nowMs);
  const isOfPayee = limits.satangPerPayeePerDay !== null;
  return {
    look: async (payout) => {
      const { proxyNo } = payout.instruction;
      const counted = isOfPayee ? await journal?.payeeUse(companyId, date, proxyNo) : undefined;
      const isAsked = needsKnownPayee(limits, payout);
      const isPayeeKnown = !isAsked || (await journal?.isPayeeKnown(companyId, proxyNo)) === true;
      return forecast.add(payout, { payeeSatang: counted ?? noFacts.payeeSatang, isPayeeKnown });
    },
  };
}
