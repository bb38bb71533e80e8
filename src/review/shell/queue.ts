/** Items, other than payouts, that wait for a person: shown, taken, and acknowledged from the shell. */
import { explainDay, readDay } from '../../core/bangkok-time.ts';
import { type Message, message } from '../../core/message.ts';
import { maskDigits } from '../../core/proxy-id.ts';
import { showDate } from '../../payout/rules/lost-journal.ts';
import type { QueueItem } from '../../attention/rules/items.ts';
import { takeItem } from '../owners.ts';
import { directDebitOf, payerKeyOf, readPayerKey } from '../rules/batch-decisions.ts';
import type { Target } from '../rules/proposal.ts';
import { type QueueKind, queueKinds } from '../rules/queue.ts';
import { deciderOf } from '../verdict.ts';
import { SettingsError } from '../../settings/secrets.ts';
import type { DecisionSession } from '../context.ts';
import type { Named } from './named-targets.ts';
import { decideNamed, type Decided, requirePerson } from './decide.ts';

/** An item's name in the list: `day:2026-11-20`, `file:…`, `payout:INV-1`. */
interface QueueName {
  readonly kind: QueueKind | 'payout';
  readonly key: string;
  readonly name?: string;
}

/** An item's name for people; a payer account by its last digits. */
export function nameOfItem({ kind, key, name }: QueueName): string {
  if (name !== undefined) return name;
  if (kind === 'payer') {
    const { payerAccount } = readPayerKey(key);
    return `${kind}:${directDebitOf(payerAccount) === undefined ? maskDigits(payerAccount) : payerAccount.replace(' ', ':')}`;
  }
  return `${kind}:${kind === 'day' ? showDate(key) : key}`;
}

async function readName({ journal }: DecisionSession, name: string): Promise<QueueName> {
  const place = name.indexOf(':');
  const [word, key] = [name.slice(0, place), name.slice(place + 1)];
  const kind = ([...queueKinds, 'payout'] as const).find((one) => one === word);
  if (kind === undefined || key === '')
    throw new SettingsError(`${name} names nothing that waits: "paydrop queue" lists what does`);
  if (kind === 'payer') {
    const halts = (await journal.payerHalts()).map((halt) => ({ kind, key: payerKeyOf(halt) }));
    return halts.find((one) => nameOfItem(one) === name) ?? { kind, key };
  }
  if (kind === 'day') {
    const day = readDay(key);
    if (!day.ok) throw new SettingsError(`${name}: "${key}" ${explainDay(day)}`);
    return { kind, key: day.date };
  }
  if (kind === 'registration') {
    const [found] = await journal.findRegistrations(key);
    if (found === undefined) throw new SettingsError(`no registration is called ${key}`);
    return { kind, key: String(found.row.seq) };
  }
  if (kind !== 'payout') return { kind, key };
  const [latest] = await journal.findPayouts(key);
  if (latest === undefined) throw new SettingsError(`no payout is called ${key}`);
  return { kind, key: String(latest.row.seq) };
}

/** Outcome for each name; `whyNot` is undefined where it was done. */
export interface Taken {
  readonly name: string;
  readonly whyNot: Message | undefined;
}

/**
 * Takes waiting items, to look after them, or gives them back.
 * @param readItems reads all that waits
 * @throws SettingsError as `identifyPerson` does, and for an unknown name
 */
export async function takeNamed(
  session: DecisionSession,
  names: readonly string[],
  what: 'taken' | 'given-back',
  readItems: () => Promise<readonly QueueItem[]>,
): Promise<readonly Taken[]> {
  const by = deciderOf(await requirePerson(session, 'take'));
  const owners = { journal: session.journal, clock: session.context.clock };
  const items = await readItems();
  const taken: Taken[] = [];
  for (const name of names) {
    const item = await readName(session, name);
    const isThere =
      item.kind === 'payout' ||
      item.kind === 'registration' ||
      items.some(({ kind, key }) => kind === item.kind && key === item.key);
    // Payouts in doubt are taken as the group that they are.
    const kind = item.kind === 'doubt' ? 'group' : item.kind;
    const whyNot = isThere ? await takeItem(owners, { ...item, kind }, what, by) : message('owner.waits-not');
    taken.push({ name, whyNot });
  }
  return taken;
}

/** Items read to find a name. */
const itemsMax = 10_000;

/**
 * Acknowledges days without a statement, refused files and unknown callbacks: they leave the queue.
 * @throws SettingsError as `identifyPerson` does, and for the name of any other item
 */
export async function acknowledgeNamed(
  session: DecisionSession,
  names: readonly string[],
  note: string,
): Promise<Decided> {
  const maker = deciderOf(await requirePerson(session, 'propose'));
  const files = await session.journal.refusedFiles(itemsMax);
  const callbacks = await session.journal.unknownCallbacks(itemsMax);
  const named: Named[] = [];
  for (const name of new Set(names)) {
    const { kind, key } = await readName(session, name);
    if (kind !== 'day' && kind !== 'file' && kind !== 'callback')
      throw new SettingsError(
        `${name}: this acknowledges days without a statement, refused files and unknown callbacks; "paydrop ack" acknowledges payouts and registrations`,
      );
    const known =
      kind === 'callback'
        ? callbacks.find(({ id }) => String(id) === key)?.receivedAtMs
        : files.find(({ itemId }) => itemId === key)?.endedAtMs;
    const version = String(known ?? '');
    const target: Target = { kind, key, version };
    named.push({ where: name, target });
  }
  return decideNamed(session, [{ decision: 'acknowledge', named, note, evidence: null }], maker);
}
