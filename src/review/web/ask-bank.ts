/** Asks the bank about one payout whose outcome is unknown, from any page that shows it. */
import { message } from '../../core/message.ts';
import { sayAge, sayMoment } from '../../core/moments.ts';
import type { HistoryReader, PayoutHistory } from '../../payout/ports.ts';
import { isInDoubt } from '../../payout/rules/case.ts';
import { can } from '../rules/people.ts';
import { html, type Part } from './html.ts';
import { postButton } from './layout.ts';
import { momentOf } from './parts.ts';
import type { ProvedVisit, View } from './view.ts';

/** Asks the bank about one payout, once; sends nothing. */
export type AskBank = (seq: number) => Promise<void>;

/** The least time between two questions about one payout. */
const askAgainMs = 30_000;

/**
 * The latest answer of the bank, and the button that asks once more, while it is unknown if money moved.
 * @param back the place of the button, to which its answer returns
 */
export function askPart(
  visit: ProvedVisit,
  history: PayoutHistory,
  { canAsk, back }: { readonly canAsk: boolean; readonly back: string },
): Part {
  const { say, language, nowMs, person } = visit;
  const { row, attempts } = history;
  const attempt = attempts.findLast(({ payoutSeq }) => payoutSeq === row.seq);
  if (!isInDoubt(row) || attempt === undefined) return undefined;
  const { lastInquiryAtMs, lastFinding, nextInquiryAtMs } = attempt;
  const moment = (ms: number): string => sayMoment(language, ms);
  const isNew = lastInquiryAtMs !== null && nowMs - lastInquiryAtMs < askAgainMs;
  const mayAsk = canAsk && can(person, 'take').allowed;
  const next =
    nextInquiryAtMs === null || nextInquiryAtMs <= nowMs
      ? say(row.status === 'unresolved' ? 'payout.asks-no-more' : 'payout.asks-by-itself')
      : say(message('payout.asks-next', { moment: moment(nextInquiryAtMs) }));
  const answer = message(`inquiry-says.${lastFinding ?? 'nothing-said'}`);
  return html`<div class="asking" data-live="asking-${row.seq}">
    <p>
      <b>${say(message('payout.unknown-since', { age: sayAge(language, nowMs - attempt.intentAtMs) }))}</b>
      <small>${momentOf(visit, attempt.intentAtMs)}</small>
    </p>
    <p>
      ${
        lastInquiryAtMs === null
          ? say('payout.not-asked-yet')
          : say(message('payout.asked-at', { moment: moment(lastInquiryAtMs), answer }))
      }
    </p>
    <p><small>${next}</small></p>
    ${
      mayAsk &&
      (isNew
        ? html`<p><small>${say('payout.asked-just-now')}</small></p>`
        : postButton(visit, `/payout/${row.seq}/ask`, say('payout.ask-now'), { back }, 'b sm'))
    }
  </div>`;
}

/** Places to which the answer returns: a payout, or a break in its day. */
const backTo = /^\/(?:payout\/\d{1,15}|reconciliation\/\d{8}#[\w-]{1,40})$/;

/** Asks the bank about one payout, at most once in 30 seconds over all people. */
export function makeAskView(store: Pick<HistoryReader, 'history'>, askBank: AskBank): View {
  const askedAtMs = new Map<number, number>();
  return {
    method: 'POST',
    path: '/payout/:seq/ask',
    action: 'take',
    answer: async ({ nowMs }, { seq: text = '', back = '' }) => {
      const seq = /^\d{1,15}$/.test(text) ? Number(text) : 0;
      for (const [old, atMs] of askedAtMs) if (nowMs - atMs >= askAgainMs) askedAtMs.delete(old);
      const history = askedAtMs.has(seq) ? undefined : await store.history(seq);
      if (history !== undefined && isInDoubt(history.row)) {
        askedAtMs.set(seq, nowMs);
        await askBank(seq);
      }
      return { goTo: backTo.test(back) ? back : `/payout/${seq}` };
    },
  };
}
