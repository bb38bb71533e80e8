/**
 * Files of decisions that are dropped into a folder: taken as the inbox takes files, read, and kept aside. What was dropped
 * is nobody's proposal, and nothing comes of it, until a maker confirms it in his own name.
 */
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { formatBangkokMoment } from '../../core/bangkok-time.ts';
import { countOf, showBaht } from '../../core/figures.ts';
import { formatBaht, parseBaht, type Satang, sumSatang, zeroSatang } from '../../core/money.ts';
import { printable } from '../../core/outgoing-text.ts';
import type { Log } from '../../core/ports.ts';
import { FileRejected, openRegularFile, requireUnchanged } from '../../platform/csv/open.ts';
import { lookAt, printFile } from '../../platform/disk.ts';
import {
  AtomicFile,
  errorCode,
  hashFile,
  publishFile,
  replaceFile,
  syncFolder,
} from '../../platform/durable-file.ts';
import { describeIssue } from '../../reports/rules/report-rows.ts';
import { type DecisionFileReading, readDecisionFile } from '../../review/read-decision-file.ts';
import type { FiledDecision } from '../../review/rules/decision-file.ts';
import type { WaitingDecisions } from '../../review/rules/queue.ts';
import { decisionTerms } from '../../review/rules/terms.ts';
import { deciderOf } from '../../review/verdict.ts';
import { SettingsError } from '../../settings/secrets.ts';
import type { LoadedSettings } from '../../settings/settings.ts';
import type { Store } from '../../store/store.ts';
import {
  classifyName,
  composeName,
  decideTaking,
  makeItemId,
  noteSighting,
  type Sighting,
} from '../../watch/rules/drop-folder.ts';
import { decideReading, type DecisionSession, type FileDecided, requirePerson } from './decisions.ts';

/** Where they are kept until a maker has confirmed them or thrown them away; never the folder that others drop into. */
const waitingIn = (dataDir: string): string => join(dataDir, 'decisions-waiting');
const endedIn = (dataDir: string): string => join(waitingIn(dataDir), '.ended');

/** Above what a file of decisions may have, nothing is read. */
const bytesMax = 134_217_728;
/** Leaves room for what is put before and behind it. */
const nameBytesMax = 200;
const checkEnding = '.check.json';
const reasonEnding = '.reason.txt';
const issuesMax = 1_000;

export interface DropContext {
  readonly loaded: Pick<LoadedSettings, 'dataDir' | 'folders' | 'settings'>;
  readonly journal: Pick<Store, 'findPayouts'>;
  readonly clock: { now(): number; elapsedMs(): number };
  readonly log: Log;
}

/** A file that waits, as it was when it was dropped. */
export interface Dropped extends WaitingDecisions {
  readonly asks: string;
  readonly totalSatang: Satang;
}

type Kept = Omit<Dropped, 'totalSatang'> & { readonly amount: string };

/** None where the folder is not there. */
async function listNames(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

/** Those that wait, the oldest first. */
export async function listDropped(dataDir: string): Promise<readonly Dropped[]> {
  const folder = waitingIn(dataDir);
  const names = await listNames(folder);
  const found: Dropped[] = [];
  for (const fileName of names) {
    if (!names.includes(`${fileName}${checkEnding}`)) continue;
    const text = await readFile(join(folder, `${fileName}${checkEnding}`), 'utf8');
    const { amount, ...kept } = JSON.parse(text) as Kept;
    found.push({ ...kept, fileName, totalSatang: parseBaht(amount) ?? zeroSatang });
  }
  return found.toSorted((one, other) => one.droppedAtMs - other.droppedAtMs);
}

// ---------------------------------------------------------------- taking

/** Looks at the folder once and takes what is finished. @param seen how its files looked before */
export async function takeDropped(context: DropContext, seen: Map<string, Sighting>): Promise<void> {
  const { loaded, clock } = context;
  const { decisions } = loaded.folders;
  const { stillMs, marker } = loaded.settings.watch;
  const rules = { stillMs, isMarkerExpected: marker === 'done', isSidecarExpected: false, sidecarWaitMs: 0 };
  // One that is elsewhere may be a share that is not mounted: it is never made.
  if (decisions === join(loaded.dataDir, 'decisions'))
    await mkdir(decisions, { recursive: true, mode: 0o700 });
  const names = await listNames(decisions);
  for (const gone of seen.keys()) if (!names.includes(gone)) seen.delete(gone);
  for (const name of names) {
    if (classifyName(name, rules).kind !== 'file') continue;
    const stats = await lookAt(join(decisions, name));
    // Links, folders and pipes stay where they are.
    if (stats?.isFile() !== true) continue;
    const file = noteSighting(seen.get(name), printFile(stats), clock.elapsedMs());
    seen.set(name, file);
    const facts = { file, hasMarker: names.includes(`${name}.done`), sidecar: 'missing' } as const;
    if (decideTaking(facts, rules, clock.elapsedMs()).kind === 'take') await takeOne(context, name);
  }
}

async function takeOne({ loaded, journal, clock, log }: DropContext, name: string): Promise<void> {
  const { dataDir, folders } = loaded;
  const path = join(folders.decisions, name);
  const before = await lookAt(path);
  const bytes = await readWhole(path).catch((error: unknown) => {
    if (!(error instanceof FileRejected)) throw error;
    log('warn', 'a dropped file of decisions stays where it is', { name, why: error.message });
    return undefined;
  });
  if (bytes === undefined) return;
  const folder = waitingIn(dataDir);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const keptAs = await chooseName(folder, name, clock.now());
  await using file = await AtomicFile.open(join(folder, keptAs));
  await file.write(bytes);
  const prepared = await file.finish();
  const same = (await listDropped(dataDir)).find((one) => one.sha256 === sha256);
  const reading = await readDecisionFile(prepared.temporaryPath);
  const why =
    same === undefined
      ? explainRefusal(reading)
      : [`the same bytes wait already, as ${printable(same.fileName)}`];
  if (reading.kind === 'decisions' && why === undefined) {
    const asked = await sumUp(journal, reading.decisions, reading.undecided);
    const kept: Kept = { fileName: keptAs, droppedAtMs: clock.now(), sha256, ...asked };
    await replaceFile(join(folder, `${keptAs}${checkEnding}`), `${JSON.stringify(kept)}\n`);
    await publishFile(prepared);
    log('info', 'a file of decisions was dropped, and waits for a maker', {
      name: keptAs,
      sha256,
      asks: kept.asks,
    });
  } else {
    await reject(folders.rejected, name, bytes, why ?? [], clock.now());
    await rm(prepared.temporaryPath, { force: true });
    log('warn', 'a dropped file of decisions was rejected', { name, sha256 });
  }
  // What has come under its name meanwhile is another file.
  const after = await lookAt(path);
  if (before === undefined || after === undefined || printFile(before) !== printFile(after)) return;
  await rm(path, { force: true });
  await rm(`${path}.done`, { force: true });
  await syncFolder(folders.decisions);
}

async function readWhole(path: string): Promise<Buffer> {
  await using file = await openRegularFile(path);
  if (file.sizeBytes > bytesMax)
    throw new FileRejected('bytes-over-limit', `the file has more than ${bytesMax} bytes: split it`);
  const bytes = await file.handle.readFile();
  await requireUnchanged(file, file);
  return bytes;
}

/** One that is free in the folder, and so are the names of what stands beside it. */
async function chooseName(folder: string, name: string, nowMs: number): Promise<string> {
  const marks = ['', '2', '3', '4', makeItemId(nowMs, randomBytes(3).toString('hex'))];
  for (const mark of marks) {
    const chosen = composeName(name, mark, nameBytesMax);
    const places = ['', checkEnding, reasonEnding].map((ending) =>
      lookAt(join(folder, `${chosen}${ending}`)),
    );
    if ((await Promise.all(places)).every((found) => found === undefined)) return chosen;
  }
  throw new Error(`no name is free for ${name}`);
}

/** What is wrong with it, line by line; undefined where it decides something. */
function explainRefusal(reading: DecisionFileReading): readonly string[] | undefined {
  if (reading.kind === 'rejected') return [reading.rejection.message];
  if (reading.kind === 'refused') return reading.issues.slice(0, issuesMax).map(describeIssue);
  return reading.decisions.length === 0 ? ['nothing is decided in this file'] : undefined;
}

async function reject(
  folder: string,
  name: string,
  bytes: Buffer,
  why: readonly string[],
  nowMs: number,
): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, await chooseName(folder, name, nowMs));
  await using file = await AtomicFile.open(path);
  await file.write(bytes);
  const head = [`File:     ${printable(name)}`, `Rejected: ${formatBangkokMoment(nowMs)}`, ''];
  const end = ['', 'Nothing was decided by it. Correct what is said above and drop the file again.', ''];
  await replaceFile(`${path}${reasonEnding}`, [...head, ...why, ...end].join('\n'));
  await publishFile(await file.finish());
}

/** What it asks for: how many rows and how much, for each decision. Rows that are in an archive are counted alone. */
async function sumUp(
  journal: Pick<Store, 'findPayouts'>,
  decisions: readonly FiledDecision[],
  undecided: number,
): Promise<Pick<Kept, 'asks' | 'amount'>> {
  const sums = new Map<FiledDecision['decision'], Satang[]>();
  for (const { decision, batchId, rowNo, payoutId, newAmount } of decisions) {
    const found = (await journal.findPayouts(payoutId)).find(
      ({ row, batch }) => batch.batchId === batchId && row.rowNo === rowNo,
    );
    const corrected = newAmount === null ? undefined : parseBaht(newAmount);
    const amount = corrected ?? found?.row.amountSatang ?? zeroSatang;
    sums.set(decision, [...(sums.get(decision) ?? []), amount]);
  }
  const words = [...sums].map(
    ([decision, amounts]) =>
      `${decisionTerms[decision].label}: ${countOf(amounts.length, 'row')}, ${showBaht(sumSatang(amounts))} baht`,
  );
  const left = undecided === 0 ? [] : [`${countOf(undecided, 'row')} without a decision`];
  return { asks: [...words, ...left].join('; '), amount: formatBaht(sumSatang([...sums.values()].flat())) };
}

// ---------------------------------------------------------------- confirming

async function findWaiting({ loaded }: DecisionSession, name: string): Promise<Dropped> {
  const found = (await listDropped(loaded.dataDir)).find(({ fileName }) => fileName === name);
  if (found === undefined)
    throw new SettingsError(
      `no dropped file ${printable(name)} waits: "paydrop decide --waiting" lists them`,
    );
  return found;
}

/**
 * Proposes the decisions of a dropped file in the name of who confirms it, after it was checked anew.
 * @throws SettingsError as `identifyPerson` does, and for a file that does not wait or is not as it was dropped
 */
export async function confirmDropped(session: DecisionSession, name: string): Promise<FileDecided> {
  const maker = deciderOf(await requirePerson(session, 'propose'));
  const { sha256 } = await findWaiting(session, name);
  const path = join(waitingIn(session.loaded.dataDir), name);
  if ((await hashFile(path)) !== sha256)
    throw new SettingsError(`${printable(name)} is not as it was dropped: throw it away, and drop it again`);
  const note = `by the dropped file ${name} (SHA-256 ${sha256})`;
  const decided = await decideReading(session, await readDecisionFile(path), maker, note);
  if (decided.kind === 'decided') await endDropped(session, name, sha256, maker, 'confirmed');
  return decided;
}

/** Throws a dropped file away. @throws SettingsError as `confirmDropped` does */
export async function discardDropped(session: DecisionSession, name: string, note: string): Promise<void> {
  const maker = deciderOf(await requirePerson(session, 'propose'));
  if (note.trim() === '') throw new SettingsError('--note is missing: say why');
  const { sha256 } = await findWaiting(session, name);
  await endDropped(session, name, sha256, maker, `thrown away: ${note}`);
}

/** It has left the queue: who did it stands in the journal, the file among those that have ended. */
async function endDropped(
  { journal, context, loaded }: DecisionSession,
  key: string,
  version: string,
  { personId, name: person }: ReturnType<typeof deciderOf>,
  note: string,
): Promise<void> {
  const atMs = context.clock.now();
  await journal.addReviewNote({
    kind: 'decisions',
    key,
    version,
    what: 'noted',
    personId,
    person,
    note,
    atMs,
  });
  const [from, to] = [waitingIn(loaded.dataDir), endedIn(loaded.dataDir)];
  await mkdir(to, { recursive: true, mode: 0o700 });
  const endedAs = await chooseName(to, key, atMs);
  await rename(join(from, key), join(to, endedAs));
  await rename(join(from, `${key}${checkEnding}`), join(to, `${endedAs}${checkEnding}`));
}
