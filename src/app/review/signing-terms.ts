/** The terms for signed approvals, from this machine's settings alone, which are outside the journal. */
import type { SigningTerms } from '../../review/rules/proved-approval.ts';
import type { LoadedSettings } from '../../settings/settings.ts';

/** Undefined where `approval.signed` is optional. @param journalId of the journal that the approvals stand in */
export function readSigningTerms(
  { settings: { approval, bank }, isSandbox }: Pick<LoadedSettings, 'settings' | 'isSandbox'>,
  journalId: string,
): SigningTerms | undefined {
  if (approval.signed !== 'required') return undefined;
  return { companyId: bank.companyId, journalId, isSandbox, keys: approval.keys };
}
