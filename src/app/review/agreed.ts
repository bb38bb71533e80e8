/**
 * The settings in force: once there have been two admins, `review.people` and `approval` are what both agreed on. Callers
 * ask here for each decision, since the agreement may change while a process runs.
 */
import { parseBaht, zeroSatang } from '../../core/money.ts';
import { systemClock } from '../../platform/clock.ts';
import type { PersonContext } from '../../review/people.ts';
import { readAgreedPolicy } from '../../review/policy.ts';
import { type ApprovalPolicy, describeNobody } from '../../review/rules/approval.ts';
import { applyPolicy, readPolicy } from '../../review/rules/policy.ts';
import { makeTokenSource } from '../../review/tokens.ts';
import { SettingsError } from '../../settings/secrets.ts';
import type { LoadedSettings } from '../../settings/settings.ts';
import type { Store } from '../../store/store.ts';

type Journal = Pick<Store, 'loss'> & PersonContext['store'];

export async function agreeSettings(loaded: LoadedSettings, store: Journal): Promise<LoadedSettings> {
  const loss = await store.loss();
  const context = { store, nowMs: systemClock.now(), restoredAtMs: loss?.recoveredAtMs };
  const agreed = await readAgreedPolicy(context, readPolicy(loaded.settings));
  return agreed === undefined ? loaded : { ...loaded, settings: applyPolicy(loaded.settings, agreed) };
}

/** The policy on which batches wait for approval. */
export async function readApprovalPolicy(loaded: LoadedSettings, journal: Journal): Promise<ApprovalPolicy> {
  const { when, baht, people } = (await agreeSettings(loaded, journal)).settings.approval;
  return { when, aboveSatang: parseBaht(baht) ?? zeroSatang, people };
}

/** @throws SettingsError where batches wait for approval and no user could give it */
export async function requireApprovers(loaded: LoadedSettings, journal: Journal): Promise<void> {
  const { when } = await readApprovalPolicy(loaded, journal);
  const { people } = await journal.persons();
  if (when !== 'never' && people.length === 0) throw new SettingsError(describeNobody(when));
}

/**
 * Records who runs a file, where a token proves it: that person approves nothing of it. A file that is run without a token
 * has no runner who could approve.
 */
export async function noteRunner(
  loaded: LoadedSettings,
  store: Journal & Pick<Store, 'keepUpload'>,
  batchId: string,
): Promise<void> {
  const { personToken } = loaded;
  if (personToken?.ok !== true) return;
  const loss = await store.loss();
  const context = { store, nowMs: systemClock.now(), restoredAtMs: loss?.recoveredAtMs };
  const identified = await makeTokenSource(context).identify(personToken.secret);
  if (identified.ok) await store.keepUpload(batchId, identified.person.personId, context.nowMs);
}
