/** The review policy that two admins agreed on. The journal keeps it; later changes of the settings do not alter it. */
import { parseBaht, zeroSatang } from '../core/money.ts';
import {
  appendEdit,
  makePersonContext,
  type PersonContext,
  type PersonJournal,
  readPersonEvents,
} from './people.ts';
import type { PersonStore } from './ports.ts';
import { type ApprovalPolicy, describeNobody } from './rules/approval.ts';
import { findTwoAdminsSince } from './rules/people.ts';
import type { ReviewPolicy } from './rules/person-request.ts';
import { applyPolicy, readAgreed, readPolicy } from './rules/policy.ts';
import type { SigningTerms } from './rules/proved-approval.ts';
import { SettingsError } from '../settings/secrets.ts';
import type { LoadedSettings } from '../settings/settings.ts';

async function findAgreed(store: Pick<PersonStore, 'personEvents'>): Promise<ReviewPolicy | undefined> {
  let agreed: ReviewPolicy | undefined;
  for await (const event of readPersonEvents(store)) agreed = readAgreed(event) ?? agreed;
  return agreed;
}

/**
 * Reads the agreed policy, which applies beside the settings; undefined before there have been two admins. The first
 * settings seen after that count as agreed on.
 * @param said the policy in the present settings
 */
export async function readAgreedPolicy(
  { store, nowMs }: PersonContext,
  said: ReviewPolicy,
): Promise<ReviewPolicy | undefined> {
  for (;;) {
    const { people, latestSeq } = await store.persons();
    if (findTwoAdminsSince(people) === undefined) return undefined;
    const agreed = await findAgreed(store);
    // A setting that is new to the policy counts as agreed on with its value when first read.
    const isWhole = Object.keys(said).every((key) => agreed?.[key] !== undefined);
    if (isWhole) return agreed;
    const facts = { ...said, ...agreed };
    const place = { subject: 0, kind: 'policy-changed', byPerson: null, proof: 'owner' } as const;
    let isFirst = false;
    await appendEdit(store, (kept) => {
      // Another process may have recorded the policy first, with other settings.
      isFirst = kept.latestSeq === latestSeq;
      return isFirst ? { events: [{ ...place, atMs: nowMs, facts, cells: {} }] } : undefined;
    });
    if (isFirst) return facts;
  }
}

/**
 * The settings in force: once there have been two admins, `review.people` and `approval` are what both agreed on. Callers
 * ask here for each decision, since the agreement may change while a process runs.
 */
export async function agreeSettings(loaded: LoadedSettings, store: PersonJournal): Promise<LoadedSettings> {
  const context = await makePersonContext(store);
  const agreed = await readAgreedPolicy(context, readPolicy(loaded.settings));
  return agreed === undefined ? loaded : { ...loaded, settings: applyPolicy(loaded.settings, agreed) };
}

/** The policy on which batches wait for approval. */
export async function readApprovalPolicy(
  loaded: LoadedSettings,
  journal: PersonJournal,
): Promise<ApprovalPolicy> {
  const { when, baht, people } = (await agreeSettings(loaded, journal)).settings.approval;
  return { when, aboveSatang: parseBaht(baht) ?? zeroSatang, people };
}

/** @throws SettingsError where batches wait for approval and no user could give it */
export async function requireApprovers(loaded: LoadedSettings, journal: PersonJournal): Promise<void> {
  const { when } = await readApprovalPolicy(loaded, journal);
  const { people } = await journal.persons();
  if (when !== 'never' && people.length === 0) throw new SettingsError(describeNobody(when));
}

/**
 * The terms for signed approvals, from this machine's settings alone, which are outside the journal; undefined where `approval.signed` is optional.
 * @param journalId of the journal that the approvals stand in
 */
export function readSigningTerms(
  { settings: { approval, bank }, isSandbox }: Pick<LoadedSettings, 'settings' | 'isSandbox'>,
  journalId: string,
): SigningTerms | undefined {
  if (approval.signed !== 'required') return undefined;
  return { companyId: bank.companyId, journalId, isSandbox, keys: approval.keys };
}
