/**
 * Dropped files of decisions that wait. Each is read and kept aside, without effect, until a maker confirms it in their own
 * name or discards it. It lies in a folder of its own below `decisions-work/`, with a record of what it asks for.
 */
import { inEnglish, isMessage, listed, type Message, message, verbatim } from '../../core/message.ts';
import { describeIssue } from '../../reports/rules/report-rows.ts';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parseBaht, type Satang, zeroSatang } from '../../core/money.ts';
import { printable } from '../../core/outgoing-text.ts';
import { errorCode, hashFile, readTextIfThere, replaceFile } from '../../platform/durable-file.ts';
import { readDecisionFile } from '../read-decision-file.ts';
import type { Decider } from '../rules/proposal.ts';
import type { WaitingDecisions } from '../rules/queue.ts';
import { deciderOf } from '../verdict.ts';
import type { DecisionFileContext, FileConfirmed } from '../web/decision-file-page.ts';
import { SettingsError } from '../../settings/secrets.ts';
import type { LoadedSettings } from '../../settings/settings.ts';
import { originalsFolderOf } from '../../watch/folders/binding.ts';
import { lookInto } from '../../watch/folders/claim.ts';
import type { DecisionSession } from '../context.ts';
import { decideReading, type FileDecided, requirePerson } from '../shell/decide.ts';

/** The folders of files of decisions, all below `dataDir`: no other program drops files there. */
export const decisionFolders = (dataDir: string): Readonly<Record<'work' | 'waiting' | 'ended', string>> => ({
  work: join(dataDir, 'decisions-work'),
  waiting: join(dataDir, 'decisions-waiting'),
  ended: join(dataDir, 'decisions-waiting', '.ended'),
});

/** Facts of a file since it was read; `ended`: it waits no more, and leaves its folder at the next look. */
export interface DecisionRecord {
  readonly itemId: string;
  readonly fileName: string;
  readonly droppedAtMs: number;
  readonly sha256: string;
  readonly asks: string;
  readonly amount: string;
  readonly moneyMoved?: WaitingDecisions['moneyMoved'] & string;
  readonly endedAtMs?: number;
}

const recordForm = /^\d{8}T\d{9}-[0-9a-f]{6}\.json$/;

export const recordPath = (dataDir: string, itemId: string): string =>
  join(decisionFolders(dataDir).waiting, `${itemId}.json`);

/** All records, ended or not; empty where there is no folder. */
export async function readRecords(dataDir: string): Promise<readonly DecisionRecord[]> {
  const { waiting } = decisionFolders(dataDir);
  const names = await readdir(waiting).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  });
  const found: DecisionRecord[] = [];
  for (const name of names.filter((one) => recordForm.test(one)).toSorted()) {
    // A record that was removed between the two reads is skipped.
    const text = await readTextIfThere(join(waiting, name));
    if (text !== undefined) found.push(JSON.parse(text) as DecisionRecord);
  }
  return found;
}

export async function writeRecord(dataDir: string, record: DecisionRecord): Promise<void> {
  await mkdir(decisionFolders(dataDir).waiting, { recursive: true, mode: 0o700 });
  await replaceFile(recordPath(dataDir, record.itemId), `${JSON.stringify(record)}\n`);
}

/** A file that waits, as it was when it was dropped. */
export interface Dropped extends WaitingDecisions {
  readonly asks: string;
  readonly totalSatang: Satang;
}

/** Files that wait, the oldest first. */
export async function listDropped(dataDir: string): Promise<readonly Dropped[]> {
  return (await readRecords(dataDir))
    .filter(({ endedAtMs }) => endedAtMs === undefined)
    .map(({ amount, ...record }) => ({ ...record, totalSatang: parseBaht(amount) ?? zeroSatang }));
}

// ---------------------------------------------------------------- confirming

/** Session with the place of its files; of the settings a decision needs all. */
type DroppedSession = Pick<DecisionSession, 'journal' | 'context'> & {
  readonly loaded: Pick<LoadedSettings, 'dataDir' | 'folders'>;
};

/** A dropped file that cannot be confirmed or discarded; the page shows the reason in the reader's language. */
class DroppedRefusedError extends SettingsError {
  readonly why: Message;

  constructor(why: Message) {
    super(inEnglish(why));
    this.why = why;
  }
}

async function findWaiting({ loaded }: DroppedSession, name: string): Promise<Dropped> {
  const waiting = await listDropped(loaded.dataDir);
  const found = waiting.filter(({ itemId, fileName }) => itemId === name || fileName === name);
  const [only] = found;
  if (only === undefined)
    throw new DroppedRefusedError(message('decision-file.none-waits', { name: printable(name) }));
  if (found.length > 1)
    throw new DroppedRefusedError(
      message('decision-file.several-wait', {
        count: found.length,
        name: printable(name),
        ids: listed(
          found.map(({ itemId }) => itemId),
          'or',
        ),
      }),
    );
  return only;
}

async function hashIn(folder: string): Promise<string | undefined> {
  const { contents } = await lookInto(folder);
  return contents && hashFile(join(folder, contents.fileName));
}

/** Checks that the file is as it was dropped: others may still write to the original in the drop folder. @forTests */
export async function isAsDropped(
  {
    dataDir,
    folders,
  }: Pick<LoadedSettings, 'dataDir'> & { readonly folders: { readonly decisions: string } },
  { itemId, sha256 }: Pick<Dropped, 'itemId' | 'sha256'>,
): Promise<boolean> {
  const original = await hashIn(join(originalsFolderOf(folders.decisions), itemId));
  const kept = await hashIn(join(decisionFolders(dataDir).work, itemId));
  return kept === sha256 && (original ?? sha256) === sha256;
}

/**
 * Checks a dropped file anew, and proposes its decisions in the name of the person who confirms it.
 * @param name the file's name, or its number
 * @throws SettingsError as `identifyPerson` does, and for a file that does not wait or is not as it was dropped
 */
export async function confirmDropped(session: DecisionSession, name: string): Promise<FileDecided> {
  return confirmAs(session, name, deciderOf(await requirePerson(session, 'propose')));
}

/** @throws SettingsError for a file that does not wait or is not as it was dropped */
async function confirmAs(session: DroppedSession, name: string, maker: Decider): Promise<FileDecided> {
  const dropped = await findWaiting(session, name);
  const { itemId, fileName, sha256 } = dropped;
  const folder = join(decisionFolders(session.loaded.dataDir).work, itemId);
  if (!(await isAsDropped(session.loaded, dropped)))
    throw new DroppedRefusedError(message('decision-file.not-as-dropped', { name: printable(fileName) }));
  const { contents } = await lookInto(folder);
  const reading = await readDecisionFile(join(folder, contents?.fileName ?? ''));
  if (!(await isAsDropped(session.loaded, dropped)))
    throw new DroppedRefusedError(message('decision-file.being-written', { name: printable(fileName) }));
  const note = `by the dropped file ${fileName} (SHA-256 ${sha256})`;
  const decided = await decideReading(session, reading, maker, note);
  if (decided.kind === 'decided') await endDropped(session, dropped, maker, 'confirmed');
  return decided;
}

/** Discards a dropped file. @throws SettingsError as `confirmDropped` does */
export async function discardDropped(session: DecisionSession, name: string, note: string): Promise<void> {
  await discardAs(session, name, deciderOf(await requirePerson(session, 'propose')), note);
}

/** @throws SettingsError for a file that does not wait, or without a reason */
async function discardAs(session: DroppedSession, name: string, maker: Decider, note: string): Promise<void> {
  if (note.trim() === '') throw new DroppedRefusedError(message('decision-file.discard-why'));
  await endDropped(session, await findWaiting(session, name), maker, `thrown away: ${note}`);
}

/** Ends a file, which leaves the queue; the journal records who did it. */
async function endDropped(
  { journal, context, loaded }: DroppedSession,
  { itemId: key, sha256: version }: Dropped,
  { personId, name: person }: Decider,
  note: string,
): Promise<void> {
  const atMs = context.clock.now();
  const what = 'noted';
  await journal.addReviewNote({ kind: 'decisions', key, version, what, personId, person, note, atMs });
  const record = (await readRecords(loaded.dataDir)).find(({ itemId }) => itemId === key);
  if (record !== undefined) await writeRecord(loaded.dataDir, { ...record, endedAtMs: atMs });
}

// ---------------------------------------------------------------- on the page

/** The same for a signed-in person; returns faults instead of throwing them. */
export const makeFileDecisions = (
  openSession: () => Promise<DroppedSession>,
): Pick<DecisionFileContext, 'confirm' | 'discard'> => ({
  confirm: async (key, version, maker) => {
    const session = await openSession();
    const isSame = (await listDropped(session.loaded.dataDir)).some(
      ({ itemId, sha256 }) => itemId === key && sha256 === version,
    );
    if (!isSame) return { kind: 'refused', objections: [message('decision-file.waits-no-more')] };
    const decided = await orWhy(async () => confirmAs(session, key, maker));
    if (isMessage(decided)) return { kind: 'refused', objections: [decided] };
    return describeDecided(decided);
  },
  discard: async (key, maker, note) => {
    const session = await openSession();
    return orWhy(async () => {
      await discardAs(session, key, maker, note);
      return undefined;
    });
  },
});

function describeDecided(decided: FileDecided): FileConfirmed {
  if (decided.kind === 'rejected') return { kind: 'refused', objections: [decided.rejection.message] };
  if (decided.kind === 'decided')
    return { kind: 'proposed', proposalIds: decided.ends.map(({ proposal }) => proposal.proposalId) };
  const objections =
    'objections' in decided
      ? decided.objections.map(({ where, why }) =>
          where === undefined ? why : message('place.with-why', { where, why }),
        )
      : decided.issues.map(describeIssue);
  return { kind: 'refused', objections };
}

async function orWhy<End>(work: () => Promise<End>): Promise<End | Message> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof DroppedRefusedError) return error.why;
    if (error instanceof SettingsError) return verbatim(error.message);
    throw error;
  }
}
