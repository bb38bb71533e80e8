/** Statements that people force or hand in, as decisions from the shell. */
import { inEnglish, isMessage } from '../../core/message.ts';
import { showDate } from '../../payout/rules/lost-journal.ts';
import { systemClock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/log.ts';
import { takeFile } from '../../reconcile/fetch.ts';
import { describeTotals, type StatementSource } from '../../reconcile/inspect.ts';
import { type KeptStatement, statementTargetOf } from '../../review/rules/statement-decisions.ts';
import { SettingsError } from '../../settings/secrets.ts';
import { openBank } from '../open-bank.ts';
import { findDay, findNoFile, type NotFetched } from '../reconcile.ts';
import { openReconciler, openSourceContext } from '../reconciler.ts';
import { sandboxStateFileIn } from '../session.ts';
import { deciderOf } from '../../review/verdict.ts';
import { decideNamed, type Decided, requirePerson } from '../../review/shell/decide.ts';
import type { OpenDecisions } from './open.ts';
import { gone } from './kept-statements.ts';

/** The statement of a day that a command means. */
interface StatementWish {
  /** YYYYMMDD. */
  readonly date: string;
  /** Undefined: the statement as the bank has it now. */
  readonly file: string | undefined;
  /** Key of an encrypted ZIP. */
  readonly key: string | null;
  /** Takes it although it lacks lines, is empty, or was superseded; always true for the bank's own. */
  readonly isForced: boolean;
  readonly note: string;
}

/** There is no statement to decide on. */
interface NoStatementToDecide {
  readonly kind: 'no-statement';
  readonly date: string;
  readonly file: string | undefined;
  readonly fetched: NotFetched;
}

/**
 * Keeps the statement's bytes, and proposes to reconcile the day with exactly these.
 * @throws SettingsError as `identifyPerson` does, and for a file of another day
 */
export async function decideOnStatement(
  session: OpenDecisions,
  { date, file, key, isForced, note }: StatementWish,
  log: Logger,
  stop: AbortSignal,
): Promise<Decided | NoStatementToDecide> {
  const maker = deciderOf(await requirePerson(session, 'propose'));
  const kept =
    file === undefined ? await fetchKept(session, date, log, stop) : await keepFile(session, date, file, key);
  if ('fetched' in kept) return { kind: 'no-statement', date, file, fetched: kept.fetched };
  const from = file === undefined ? 'bank' : 'file';
  const present = (await session.journal.statement(date))?.version ?? 0;
  const statement: KeptStatement = { date, from, present, originalSha256: kept.originalSha256 };
  const inspected = await session.context.statements?.inspect(statement);
  if (inspected === undefined || isMessage(inspected)) throw new SettingsError(inEnglish(inspected ?? gone));
  const { totals, refusal } = inspected;
  const [lacks] = refusal === undefined ? [] : inEnglish(refusal.message).split(';');
  const has = totals === undefined ? [] : [describeTotals(totals)];
  const facts = [...has, ...(lacks === undefined ? [] : [lacks]), `kept as ${kept.originalPath}`];
  const target = statementTargetOf(statement, facts.join('; '));
  const decision = file === undefined || isForced ? 'accept-statement' : 'adopt-statement';
  const named = [{ where: `statement of ${showDate(date)}`, target }];
  return decideNamed(session, [{ decision, named, note, evidence: null }], maker);
}

type Kept = Pick<StatementSource, 'originalSha256' | 'originalPath'> | { readonly fetched: NotFetched };

/** Fetches and keeps the statement as the bank has it now. */
async function fetchKept(
  { loaded, journal }: OpenDecisions,
  date: string,
  log: Logger,
  stop: AbortSignal,
): Promise<Kept> {
  await using stack = new AsyncDisposableStack();
  const stateFile = sandboxStateFileIn(loaded.dataDir);
  const { bank } = await openBank(loaded, log, stack, { stateFile, tokenPlace: journal.tokenPlace });
  const reconciler = await openReconciler({ loaded, journal, bank, clock: systemClock, log });
  const fetched = await reconciler.fetch(date, stop);
  if (fetched.kind !== 'fetched') return { fetched };
  return await keepKey(reconciler.context, fetched.source, fetched.key);
}

async function keepFile(
  { loaded }: OpenDecisions,
  date: string,
  file: string,
  key: string | null,
): Promise<Kept> {
  const missing = await findNoFile(file);
  if (missing !== undefined) return { fetched: { kind: 'unusable', refusal: missing } };
  const context = await openSourceContext(loaded);
  const found = await findDay(context, file, date, key);
  if (typeof found !== 'string') return { fetched: { kind: 'unusable', refusal: found } };
  const fetched = await takeFile(context, found, file, { user: null, isForced: false, key });
  if (fetched.kind !== 'fetched') return { fetched };
  return await keepKey(context, fetched.source, key);
}

/** Keeps the ZIP's key: the process that applies the decision has no other. */
async function keepKey(
  { originals }: Awaited<ReturnType<typeof openSourceContext>>,
  { originalSha256, originalPath }: StatementSource,
  key: string | null,
): Promise<Kept> {
  if (key !== null) await originals.keepKey({ path: originalPath, sha256: originalSha256 }, key);
  return { originalSha256, originalPath };
}
