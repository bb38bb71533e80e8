/** Reads the list of everything in the journal that needs a person: one entry for each kind and cause. */
import { hash } from 'node:crypto';
import { dayMs } from '../core/bangkok-time.ts';
import { showCount } from '../core/figures.ts';
import { joined, listed, message, verbatim } from '../core/message.ts';
import { sumSatang } from '../core/money.ts';
import { maskDigits } from '../core/proxy-id.ts';
import { showDate } from '../payout/rules/lost-journal.ts';
import type { OpenBreaksSum } from '../reconcile/ports.ts';
import { severities } from '../reconcile/rules/types.ts';
import { directDebitOf, payerKeyOf } from '../review/rules/batch-decisions.ts';
import { describeProposed } from '../review/rules/proposal-figures.ts';
import { type QueueKind, readOwners, shortenName } from '../review/rules/queue.ts';
import { type Decision, decisionTerms, nameOfDecision } from '../review/rules/terms.ts';
import { bankRemedyOf } from './groups.ts';
import {
  listPayouts,
  listRegistrations,
  listWaitingBatches,
  listWaitingDays,
  type QueueContext,
  readItems,
} from './items.ts';
import { type AttentionCode, termsOf } from './rules/codes.ts';
import {
  type Attention,
  type AttentionEntry,
  type EntryRows,
  makeEntry,
  ownedBy,
  sectionOf,
  sortEntries,
} from './rules/entry.ts';
import { batchItem, codeOfBreaks, dayItem, payerItem, type QueueItem } from './rules/items.ts';

/** The most entries: more of a kind are one. */
const entriesMax = 40;
/** Items of a kind that are read one by one. */
const itemsMax = 1_000;
/** Time in ms for which a proposal that was sent back is listed. */
export const sentBackMs = 7 * dayMs;
const sentBackMax = 100;

type Read = (context: QueueContext) => Promise<readonly AttentionEntry[]>;

/** An entry for one item. */
const itemEntry = (
  { kind, code, key, title, reason, remedy, sinceMs, amountSatang, options }: QueueItem,
  own: Partial<
    Pick<AttentionEntry, 'subject' | 'remedy' | 'count' | 'amountSatang' | 'args' | 'commands'>
  > & {
    readonly cause?: string;
    readonly decisions?: readonly Decision[];
  } = {},
): AttentionEntry =>
  makeEntry({
    code,
    cause: key,
    subject: title,
    reason,
    remedy,
    sinceMs,
    count: 1,
    amountSatang,
    args: {},
    commands: ['queue'],
    decisions: options.flatMap(({ decision }) => (decision in decisionTerms ? [decision as Decision] : [])),
    rows: { of: 'items', kind, keys: [key] },
    ...own,
  });

// ---------------------------------------------------------------- breaks and days

function breaksEntry(date: string, sums: readonly OpenBreaksSum[]): AttentionEntry {
  const counts = severities.flatMap((severity) => {
    const found = sums.find((one) => one.severity === severity);
    return found === undefined
      ? []
      : [message(`break-severity.${severity}`, { count: showCount(found.breaks) })];
  });
  const worst = severities.find((severity) => sums.some((one) => one.severity === severity));
  return makeEntry({
    code: codeOfBreaks(worst),
    cause: date,
    subject: message('attention.breaks', { day: showDate(date) }),
    reason: message('attention.breaks-by-severity', { parts: listed(counts) }),
    remedy: message('attention-remedy.breaks'),
    sinceMs: Math.min(...sums.map(({ oldestMs }) => oldestMs)),
    count: sums.reduce((sum, { breaks }) => sum + breaks, 0),
    amountSatang: null,
    args: {
      day: date,
      critical: sums.find(({ severity }) => severity === 'critical')?.breaks ?? 0,
    },
    commands: [`reconcile --date ${showDate(date)}`],
    decisions: ['accept-break'],
    rows: { of: 'items', kind: 'break', keys: undefined },
  });
}

const readBreaks: Read = async ({ journal }) =>
  [...Map.groupBy(await journal.openBreaksBySeverity(), ({ date }) => date)].map(([date, sums]) =>
    breaksEntry(date, sums),
  );

const readDays: Read = async (context) =>
  (await listWaitingDays(context)).map((date) =>
    itemEntry(dayItem(date), {
      subject: message('attention.statement-late', { day: showDate(date) }),
      args: { day: date },
      commands: [`reconcile --date ${showDate(date)}`],
      decisions: ['acknowledge'],
    }),
  );

// ---------------------------------------------------------------- batches, accounts, files

const batchDecisions = {
  'batch-approval': ['approve-batch', 'cancel-batch'],
  'batch-halted': ['resume-batch', 'cancel-batch'],
} as const satisfies Partial<Record<AttentionCode, readonly Decision[]>>;

const readBatches: Read = async (context) => {
  const found = await listWaitingBatches(context);
  const ids = found.map(({ batch }) => batch.batchId);
  const open = ids.length === 0 ? [] : await context.journal.openItems('batch', ids);
  return found.map((one) => {
    const { batchId, fileName, rows } = one.batch;
    const proposed = open.find(({ key }) => key === batchId);
    const item = batchItem(one, '');
    return itemEntry(item, {
      subject: verbatim(shortenName(fileName)),
      count: one.waiting.rows,
      args: {
        batch: batchId,
        file: fileName,
        rows,
        ...(proposed && { proposal: proposed.proposalId }),
      },
      commands: [`status ${batchId}`],
      decisions: batchDecisions[item.code === 'batch-approval' ? item.code : 'batch-halted'],
    });
  });
};

/** True of a batch whose payment is proposed: its proposal is the entry that needs a person. */
const isProposed = ({ code, args }: AttentionEntry): boolean =>
  code === 'batch-approval' && args['proposal'] !== undefined;

const readAccounts: Read = async (context) => {
  const { journal } = context;
  const entries: AttentionEntry[] = [];
  for (const halt of await journal.payerHalts()) {
    const isDirectDebit = directDebitOf(halt.payerAccount) !== undefined;
    const unsent = await journal.rowsOfAccount(halt);
    const key = payerKeyOf(halt);
    const registrations = isDirectDebit
      ? ((await journal.countRegistrations()).get('ready') ?? 0) +
        (await journal.countFoundRegistrations({ statuses: ['held'], hold: 'halted' }))
      : 0;
    const count = unsent.rows + registrations;
    const remedy = message('attention-remedy.payer-halted');
    entries.push(
      itemEntry(payerItem(halt), {
        // An address and a log show no whole number of an account.
        cause: hash('sha256', key).slice(0, 12),
        subject: isDirectDebit
          ? message('attention.registrations-halted')
          : message('attention.payer-halted', { number: maskDigits(halt.payerAccount) }),
        remedy: joined([bankRemedyOf(halt.code) ?? [], remedy].flat(), 'sentences'),
        count,
        amountSatang: isDirectDebit ? null : unsent.amountSatang,
        args: { account: maskDigits(halt.payerAccount), cause: halt.code, batches: unsent.batches },
        commands: ['status'],
        decisions: ['resume-payer'],
      }),
    );
  }
  return entries;
};

/** The entries of one kind of items, each by itself. */
const readItemsOf =
  (kind: QueueKind): Read =>
  async (context) =>
    (await readItems(context, { kinds: [kind], limit: itemsMax })).map((item) => itemEntry(item));

const readCallbacks: Read = async (context) => {
  const items = await readItems(context, { kinds: ['callback'], limit: itemsMax });
  const [oldest] = items;
  if (oldest === undefined) return [];
  const subject = message('attention.unknown-callback');
  const entry = itemEntry(oldest, { cause: '', subject, count: items.length });
  return [{ ...entry, rows: { of: 'items', kind: 'callback', keys: undefined } }];
};

/** Proposals that came back, until their maker proposes the same thing anew. */
const readSentBack: Read = async ({ journal, clock }) => {
  const entries: AttentionEntry[] = [];
  for (const proposal of await journal.sentBack(clock.now() - sentBackMs, sentBackMax)) {
    const { proposalId, decision, kind, makerId, checker, checkNote, checkedAtMs, items, totalSatang } =
      proposal;
    entries.push(
      makeEntry({
        code: 'sent-back',
        cause: String(proposalId),
        subject: message('proposal.title', {
          id: proposalId,
          decision: message(nameOfDecision(decision, kind)),
          counted: describeProposed(proposal),
        }),
        reason: message('attention.sent-back-because', { person: checker ?? '', note: checkNote ?? '' }),
        remedy: message('attention-remedy.sent-back'),
        sinceMs: checkedAtMs,
        count: items,
        amountSatang: totalSatang,
        args: { proposal: proposalId, maker: makerId ?? 0 },
        commands: [`proposals ${proposalId}`],
        decisions: [decision],
        rows: { of: 'items', kind: 'proposal', keys: [String(proposalId)] },
      }),
    );
  }
  return entries;
};

// ---------------------------------------------------------------- the whole

const reads: readonly Read[] = [
  listPayouts,
  listRegistrations,
  readBreaks,
  readDays,
  readBatches,
  readAccounts,
  readItemsOf('file'),
  readItemsOf('proposal'),
  readItemsOf('decisions'),
  readCallbacks,
  readSentBack,
];

/** The rest of a kind as one entry, which names the first of them. */
function joinRest(entries: readonly AttentionEntry[]): AttentionEntry {
  const [first] = entries;
  if (first === undefined) throw new RangeError('the rest of a kind has entries');
  const amounts = entries.flatMap(({ amountSatang }) => amountSatang ?? []);
  const what = message(`attention-section.${sectionOf(first)}`);
  return {
    ...first,
    key: `${first.code}.more`,
    subject: message('attention.more', { count: showCount(entries.length), what }),
    reason: null,
    sinceMs: Math.min(...entries.map(({ sinceMs }) => sinceMs ?? Infinity)),
    count: entries.reduce((sum, { count }) => sum + count, 0),
    amountSatang: amounts.length === 0 ? null : sumSatang(amounts),
    rows: joinRows(entries),
  };
}

function joinRows(entries: readonly AttentionEntry[]): EntryRows {
  const [first] = entries;
  const rows = first?.rows ?? ({ of: 'machine' } as const);
  if (rows.of === 'payouts') {
    const { statuses = [], isAlarm = false } = rows.filter;
    const anyOf = entries.flatMap((one) => (one.rows.of === 'payouts' ? [one.rows.filter] : []));
    return { of: 'payouts', filter: { statuses, isAlarm, isWaiting: true, anyOf } };
  }
  if (rows.of === 'registrations') {
    const causes = entries.flatMap((one) => (one.rows.of === 'registrations' ? one.rows.filter.causes : []));
    return { of: 'registrations', filter: { ...rows.filter, causes } };
  }
  if (rows.of !== 'items') return rows;
  const keys = entries.flatMap((one) => (one.rows.of === 'items' ? (one.rows.keys ?? []) : []));
  return { ...rows, keys: rows.keys === undefined ? undefined : keys };
}

/** The entries that health and its notices say: alarms, breaks and days, each by itself, however many. */
export async function readWholeJournal(context: QueueContext): Promise<readonly AttentionEntry[]> {
  const found: AttentionEntry[] = [];
  for (const read of [listPayouts, readBreaks, readDays]) found.push(...(await read(context)));
  return found.filter(({ code }) => termsOf(code).notShown.health === undefined);
}

/** Joins what is beyond the limit, of the kinds with the most entries. */
function limitEntries(all: readonly AttentionEntry[]): readonly AttentionEntry[] {
  const kinds = [...Map.groupBy(sortEntries(all, 'amount'), ({ code }) => code).values()];
  const shownWith = (each: number) => kinds.reduce((sum, kind) => sum + Math.min(kind.length, each), 0);
  let each = Math.max(...kinds.map((kind) => kind.length), 1);
  while (each > 1 && shownWith(each) > entriesMax) each -= 1;
  return kinds.flatMap((kind) =>
    kind.length <= each ? kind : [...kind.slice(0, each - 1), joinRest(kind.slice(each - 1))],
  );
}

const movesRows = ({ rows }: AttentionEntry): boolean =>
  rows.of === 'items' && (rows.kind === 'batch' || rows.kind === 'payer');

/** Names a cause without a heading of its own by the words of its oldest row: those of the bank. */
async function nameByRow({ journal }: QueueContext, entry: AttentionEntry): Promise<AttentionEntry> {
  const { rows, subject, args } = entry;
  if (subject.code !== 'cause.code') return entry;
  const found =
    rows.of === 'payouts'
      ? (await journal.waitingPage(rows.filter, 'age', undefined, 1))[0]?.row
      : rows.of === 'registrations'
        ? (await journal.searchRegistrations(rows.filter, Number.MAX_SAFE_INTEGER, 1))[0]
        : undefined;
  if (found === undefined || found.reason === null) return entry;
  return { ...entry, subject: found.reason, reason: message('cause.code', { code: String(args['cause']) }) };
}

async function withOwners(
  { journal }: QueueContext,
  entries: readonly AttentionEntry[],
): Promise<readonly AttentionEntry[]> {
  const owned = entries.map((entry) => ({ entry, by: ownedBy(entry) }));
  const found: AttentionEntry[] = [];
  for (const [kind, some] of Map.groupBy(owned, ({ by }) => by.kind)) {
    const owners = readOwners(
      await journal.reviewNotes(
        kind,
        some.map(({ by }) => by.key),
      ),
    );
    found.push(...some.map(({ entry, by }) => ({ ...entry, owner: owners.get(by.key) })));
  }
  return found;
}

/** Reads everything that needs a person now. */
export async function readAttention(context: QueueContext): Promise<Attention> {
  const found: AttentionEntry[] = [];
  for (const read of reads) found.push(...(await read(context)));
  const limited: AttentionEntry[] = [];
  for (const entry of limitEntries(found.filter((one) => !isProposed(one))))
    limited.push(await nameByRow(context, entry));
  const entries = await withOwners(context, limited);
  return {
    atMs: context.clock.now(),
    entries: sortEntries(entries),
    movedRows: found.filter(movesRows).reduce((sum, { count }) => sum + count, 0),
  };
}

/** Life of a list in ms, and as a multiple of the time that it takes to read. */
const [goodForMs, timesTaken] = [1_000, 10];

/** Keeps the list for a moment, for all who look at the same time. */
export function keepAttention(context: QueueContext): () => Promise<Attention> {
  let latest: { readonly list: Promise<Attention>; untilMs: number } | undefined;
  return async () => {
    const startMs = performance.now();
    if (latest !== undefined && startMs < latest.untilMs) return latest.list;
    const reading = { list: readAttention(context), untilMs: startMs + goodForMs };
    latest = reading;
    try {
      const list = await reading.list;
      reading.untilMs = Math.max(reading.untilMs, startMs + (timesTaken + 1) * (performance.now() - startMs));
      return list;
    } catch (error) {
      latest = undefined;
      throw error;
    }
  };
}

/** The entries that a person sees: what was sent back waits for its maker alone. */
export const entriesFor = (
  { entries }: Attention,
  { personId }: { readonly personId: number },
): readonly AttentionEntry[] =>
  entries.filter((entry) => sectionOf(entry) !== 'sent-back' || entry.args['maker'] === personId);
