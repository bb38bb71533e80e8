/** Searches in the shell. Once there are users, only those who may see a whole number find it, by a recorded search. */
import { inEnglish } from '../../core/message.ts';
import { unmaskedLength } from '../../core/proxy-id.ts';
import {
  isBeyondMask,
  isMaskedReference,
  maskPayee,
  type PayeeWanted,
  type PayoutFilter,
  type SearchReach,
} from '../../payout/rules/search.ts';
import { systemClock } from '../../platform/clock.ts';
import type { RegistrationFilter, RegistrationStore } from '../../registration/ports.ts';
import { recordSearch } from '../reveal.ts';
import { can } from '../rules/people.ts';
import { SettingsError } from '../../settings/secrets.ts';
import type { LoadedSettings } from '../../settings/settings.ts';
import type { PersonJournal } from '../people.ts';
import { identifyPerson } from '../tokens.ts';

/** The journal as searches of people read and record it. */
type SearchJournal = PersonJournal & Pick<RegistrationStore, 'countFoundRegistrations'>;

/** The search, limited to what the asking person may see. */
interface LimitedSearch<Filter> {
  readonly filter: Filter;
  /** True when references were compared only in the form that screens show. */
  readonly isNarrowed: boolean;
}

interface Searched {
  readonly place: 'payouts' | 'registrations';
  readonly text: string;
}

/**
 * Records a search for a whole number. Without users there is no person to record, and nothing is recorded.
 * @throws SettingsError with the search to type instead
 */
async function requireReach(
  loaded: LoadedSettings,
  journal: SearchJournal,
  { option, instead, ...searched }: Searched & { readonly option: string; readonly instead: string },
): Promise<void> {
  const asked = `${option} with more than screens show of a number`;
  const by = await identifyPerson(loaded, journal).catch((error: unknown) => {
    if (!(error instanceof SettingsError)) throw error;
    throw new SettingsError(`${asked}: ${error.message}; or ${instead}`, { cause: error });
  });
  if (by === undefined) return;
  const permission = can(by.person, 'reveal');
  if (!permission.allowed) throw new SettingsError(`${asked}: ${inEnglish(permission.why)}; ${instead}`);
  await recordSearch(journal, systemClock, by, searched);
}

/** Extent to which references are compared: without a token no further than screens show them. */
async function reachOfReference(
  loaded: LoadedSettings,
  journal: SearchJournal,
  searched: Searched,
): Promise<SearchReach> {
  const { people, latestSeq } = await journal.persons();
  if (people.length === 0 && latestSeq === 0) return 'whole';
  if (loaded.personToken === undefined) return 'shown';
  const by = await identifyPerson(loaded, journal);
  return by === undefined ? 'whole' : recordSearch(journal, systemClock, by, searched);
}

function describeInstead(payee: PayeeWanted): string {
  const masked = maskPayee(payee);
  return masked?.kind === 'number-end'
    ? `give the last four digits, --payee ${masked.end}`
    : 'give a part of the name without digits';
}

/** @throws SettingsError for a search by more of the payee than the asking person may see */
export async function limitPayoutSearch(
  loaded: LoadedSettings,
  journal: SearchJournal,
  filter: PayoutFilter,
): Promise<LimitedSearch<PayoutFilter>> {
  const { payee, reference, ...others } = filter;
  const place = 'payouts';
  if (payee !== undefined && isBeyondMask(payee)) {
    const text = payee.kind === 'name' ? payee.part : payee.end;
    await requireReach(loaded, journal, { option: '--payee', place, text, instead: describeInstead(payee) });
  }
  if (reference === undefined || !isMaskedReference(reference)) return { filter, isNarrowed: false };
  const reach = await reachOfReference(loaded, journal, { place, text: reference });
  return reach === 'whole'
    ? { filter, isNarrowed: false }
    : { filter: { ...others, payee, ownName: reference }, isNarrowed: true };
}

/** @throws SettingsError for a search by more of the account than the asking person may see */
export async function limitRegistrationSearch(
  loaded: LoadedSettings,
  journal: SearchJournal,
  filter: RegistrationFilter,
): Promise<LimitedSearch<RegistrationFilter>> {
  const { reference, accountEnd, ...others } = filter;
  const place = 'registrations';
  if (accountEnd !== undefined && accountEnd.length > unmaskedLength) {
    const instead = `give the last four digits, --account ${accountEnd.slice(-unmaskedLength)}`;
    await requireReach(loaded, journal, { option: '--account', place, text: accountEnd, instead });
  }
  if (reference === undefined) return { filter, isNarrowed: false };
  const name = isMaskedReference(reference) ? { request: reference } : { shownReference: reference };
  const byName = { ...others, accountEnd, ...name };
  if ((await journal.countFoundRegistrations(byName)) > 0) return { filter: byName, isNarrowed: false };
  const reach = await reachOfReference(loaded, journal, { place, text: reference });
  return { filter: reach === 'whole' ? filter : byName, isNarrowed: reach === 'shown' };
}
