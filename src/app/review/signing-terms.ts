/** The terms for signed approvals, from the settings of this machine alone, which are outside the journal. */
import type { SigningTerms } from '../../review/rules/proved-approval.ts';
import type { LoadedSettings } from '../../settings/settings.ts';

/** Undefined where `approval.signed` is optional. @param journalId of the journal that the approvals stand in */
export function readSigningTerms(
  { settings: { approval, bank } }: Pick<LoadedSettings, 'settings'>,
  journalId: string,
): SigningTerms | undefined {
  if (approval.signed !== 'required') return undefined;
  return { companyId: bank.companyId, journalId, keys: approval.keys };
}
