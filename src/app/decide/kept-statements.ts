/** Reads statements that people decide on, and reconciles with them, alongside the sender. */
import { type Message, message } from '../../core/message.ts';
import { StatementOvertakenError } from '../../reconcile/ports.ts';
import type { Provenance } from '../../reconcile/rules/custody.ts';
import type { DecidedStatements } from '../../review/context.ts';
import type { KeptStatement } from '../../review/rules/statement-decisions.ts';
import type { Asking } from '../cancel-questions.ts';

interface DeskParts extends Omit<Asking, 'session'> {
  readonly stop?: AbortSignal;
}

export const gone: Message = message('statement.bytes-gone');

export function makeDecidedStatements(parts: DeskParts): DecidedStatements {
  const { loaded, journal, stop = new AbortController().signal } = parts;
  const open = async ({ date, originalSha256 }: KeptStatement, provenance: Provenance) => {
    // Loaded on demand: hardly any command needs it.
    const { openJudge, openSourceContext } = await import('../reconciler.ts');
    const { makeSource } = await import('../../reconcile/fetch.ts');
    const context = await openSourceContext(loaded);
    const kept = await context.originals.findKept(date, originalSha256);
    if (kept === undefined) return undefined;
    const source = makeSource(context, date, kept, kept.key, provenance);
    return { source, judge: await openJudge(parts, context) };
  };
  return {
    inspect: async (kept) => {
      const opened = await open(kept, { from: kept.from, user: null, isForced: false });
      return opened === undefined ? gone : opened.judge.inspect(opened.source, stop);
    },
    reconcile: async (kept, provenance) => {
      const opened = await open(kept, provenance);
      if (opened === undefined) return { kind: 'refused', why: gone };
      try {
        const done = await opened.judge.reconcile(opened.source, stop);
        if (done.kind === 'refused') return { kind: 'refused', why: done.refusal.message };
      } catch (error) {
        if (error instanceof StatementOvertakenError) return { kind: 'overtaken' };
        throw error;
      }
      const { notifyAtEnd } = await import('../notices/attention.ts');
      await notifyAtEnd({ ...parts, journal }, false, stop);
      return { kind: 'taken' };
    },
  };
}
