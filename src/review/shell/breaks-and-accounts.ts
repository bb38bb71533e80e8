/** Decisions on breaks and payer accounts from the shell. */
import { inEnglish } from '../../core/message.ts';
import { paydropCommand } from '../../core/command-line.ts';
import { openPayer } from '../../payout/operator.ts';
import { showDate } from '../../payout/rules/lost-journal.ts';
import type { BreakKind } from '../../reconcile/rules/types.ts';
import { breakTargetOf } from '../queue-target.ts';
import { companyPayer, servicePayer } from '../../registration/rules/intent.ts';
import {
  directDebitOf,
  haltByOperator,
  payerKeyOf,
  versionOfPayer,
  describePayer,
} from '../rules/batch-decisions.ts';
import { figureWhole } from '../freeze.ts';
import { openDirectDebit } from '../registration-target.ts';
import { describeSent, type ProposalFigures } from '../rules/proposal-figures.ts';
import { SettingsError } from '../../settings/secrets.ts';
import { deciderOf } from '../verdict.ts';
import type { DecisionSession } from '../context.ts';
import { identifyPerson, readUser } from '../tokens.ts';
import { decideNamed, type Decided, requirePerson } from './decide.ts';

/** The breaks of a day that a command means. */
interface BreakWish {
  /** YYYYMMDD. */
  readonly date: string;
  /** Transfers whose breaks are meant; empty for all. */
  readonly names: readonly string[];
  readonly kind: BreakKind | undefined;
  readonly note: string;
}

/** Limit of breaks by day; more are accepted by kind or by transfer. */
const breaksMax = 10_000;

/**
 * Accepts open breaks of a day.
 * @throws SettingsError as `identifyPerson` does, and for breaks that are not open
 */
export async function decideOnBreaks(
  session: DecisionSession,
  { date, names, kind, note }: BreakWish,
): Promise<Decided> {
  const maker = deciderOf(await requirePerson(session, 'propose'));
  const open = (await session.journal.openBreaks(date, breaksMax)).filter(
    (record) => kind === undefined || record.kind === kind,
  );
  const records = names.length === 0 ? open : open.filter(({ key }) => names.includes(key));
  const missing = names.filter((name) => !open.some(({ key }) => key === name));
  const list = `"${paydropCommand(undefined, 'reconcile', '--date', showDate(date))}" shows those that are`;
  if (missing.length > 0) throw new SettingsError(`no such break is open: ${missing.join(', ')}; ${list}`);
  if (records.length === 0) throw new SettingsError(`no such break of ${showDate(date)} is open; ${list}`);
  const named = records.map((record) => ({
    where: `${record.kind}, ${record.key}`,
    target: { ...breakTargetOf(record), note: inEnglish(record.reason) },
  }));
  return decideNamed(session, [{ decision: 'accept-break', named, note, evidence: null }], maker);
}

/** Done at once and unproved, while there are no users. */
export interface PayerChanged {
  readonly kind: 'changed';
  readonly text: string;
  /** The effect of going on; null of a halt. */
  readonly figures: ProposalFigures | null;
}

/**
 * Account under which registrations are halted: all of them, or those of one company.
 * @param company as VENDOR/COMPANY @throws SettingsError for any other form
 */
export function directDebitAccount(company: string | undefined): string {
  const all = servicePayer('').payerAccount;
  if (company === undefined) return all;
  const [, vendorId, companyId] = /^([^/\s]+)\/(\S+)$/.exec(company) ?? [];
  if (vendorId === undefined || companyId === undefined)
    throw new SettingsError(`--company takes VENDOR/COMPANY as registrations name them, not ${company}`);
  return companyPayer('', { vendorId, companyId }).payerAccount;
}

/**
 * Halts a payer account, or ends its halt.
 * @param account that of the settings when left out
 * @throws SettingsError as `identifyPerson` does, and for an account without payouts
 */
export async function decideOnPayer(
  session: DecisionSession,
  decision: 'halt-payer' | 'resume-payer',
  account: string | undefined,
  note: string,
): Promise<Decided | PayerChanged> {
  const { journal, loaded, context } = session;
  const { companyId, payerAccount: present } = loaded.settings.bank;
  const payer = { companyId, payerAccount: account ?? present };
  const isKnown =
    payer.payerAccount === present ||
    directDebitOf(payer.payerAccount) !== undefined ||
    (await journal.batches()).some((batch) => batch.payerAccount === payer.payerAccount);
  const shown = inEnglish(describePayer(payer.payerAccount));
  if (!isKnown) throw new SettingsError(`nothing is paid from ${shown}`);
  const halt = await journal.payerHalt(companyId, payer.payerAccount);
  const pause = await journal.payerPause(companyId, payer.payerAccount);
  if ((await identifyPerson(loaded, journal)) === undefined) {
    const nowMs = context.clock.now();
    const isHalt = decision === 'halt-payer';
    if (isHalt && halt === undefined)
      await journal.recordPayerHalt({ ...payer, ...haltByOperator(readUser(), note), sinceMs: nowMs });
    const name = `${shown.slice(0, 1).toUpperCase()}${shown.slice(1)}`;
    if (isHalt) return { kind: 'changed', text: `${name} is halted.`, figures: null };
    const figures = await figureWhole(context, decision, { kind: 'payer', key: payerKeyOf(payer) });
    const isOfPayouts = directDebitOf(payer.payerAccount) === undefined;
    await (isOfPayouts ? openPayer : openDirectDebit)(journal, payer, nowMs);
    const sent = isOfPayouts ? `: ${inEnglish(describeSent(figures))}` : '';
    return { kind: 'changed', text: `${name} goes on${sent}.`, figures };
  }
  const maker = deciderOf(await requirePerson(session, 'propose'));
  const version = versionOfPayer(halt, pause);
  const target = { kind: 'payer', key: payerKeyOf(payer), version } as const;
  const named = [{ where: shown, target }];
  return decideNamed(session, [{ decision, named, note, evidence: null }], maker);
}
