/**
 * The number of people for a decision, and the batches that wait for approval. The settings state both; once there have
 * been two admins, both must agree on a change. Write access to the settings alone changes nothing of it.
 */
import { type PersonEvent, readFacts } from './chain.ts';
import type { ReviewPolicy } from './person-request.ts';

/** The keys of the policy, as far as the settings have them. */
const policyKeys = [
  ['review', 'people'],
  ['approval', 'when'],
  ['approval', 'baht'],
  ['approval', 'people'],
  ['approval', 'signed'],
] as const;

type Sections = Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>;

const isFact = (value: unknown): value is ReviewPolicy[string] =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

/** Reads the policy from the settings, by the names of the keys. */
export function readPolicy(settings: object): ReviewPolicy {
  const found = policyKeys.flatMap(([section, key]) => {
    const value = (settings as Sections)[section]?.[key];
    return isFact(value) ? [[`${section}.${key}`, value] as const] : [];
  });
  return Object.fromEntries(found);
}

/** Replaces values in the settings by agreed ones; keys without an agreed value stay. */
export function applyPolicy<Settings extends object>(settings: Settings, agreed: ReviewPolicy): Settings {
  const changed = { ...settings } as Record<string, unknown>;
  for (const [section, key] of policyKeys) {
    const value = agreed[`${section}.${key}`];
    const before = changed[section] as object | undefined;
    if (value !== undefined && before !== undefined) changed[section] = { ...before, [key]: value };
  }
  return changed as Settings;
}

/** Returns text such as `review.people is 1 in the settings; 2 was agreed on`, for each key that differs. */
export function describeDifference(wanted: ReviewPolicy, agreed: ReviewPolicy): readonly string[] {
  return Object.entries(agreed).flatMap(([key, value]) => {
    const said = wanted[key];
    return said === undefined || said === value
      ? []
      : [`${key} is ${String(said)} in the settings; ${String(value)} was agreed on`];
  });
}

/** The policy that an event has agreed on; undefined for other events. */
export function readAgreed(event: Pick<PersonEvent, 'kind' | 'text'>): ReviewPolicy | undefined {
  if (event.kind !== 'policy-changed') return undefined;
  const facts = Object.entries(readFacts(event)).filter(([key, value]) => key.includes('.') && isFact(value));
  return Object.fromEntries(facts) as ReviewPolicy;
}

/** Returns text such as `review.people 2, approval.when never`. */
export const showPolicy = (policy: ReviewPolicy): string =>
  Object.entries(policy)
    .map(([key, value]) => `${key} ${String(value)}`)
    .join(', ');
