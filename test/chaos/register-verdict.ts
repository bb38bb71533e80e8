/** Whether every outcome that the bank sent is in a result once: files, reports and the bank's own ledger side by side. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Ledger } from '../../src/sandbox/book.ts';
import { type Line, readTable, type Scene } from '../end-to-end/harness.ts';
import type { PlannedRegistration, PlannedRegistrationFile } from './register-plan.ts';

type Entry = Ledger['registrations']['entries'][number];

interface Summary {
  readonly rows: number;
  readonly addsUp: boolean;
  readonly byStatus: Readonly<Record<string, { readonly rows: number }>>;
}

/** What was reported of one file. */
interface Reported {
  readonly file: PlannedRegistrationFile;
  readonly first: readonly Line[];
  /** Each row as the latest update has it. */
  readonly present: readonly Line[];
  readonly summary: Summary;
  /** The reports of its batch. */
  readonly names: readonly string[];
}

/** All that there is to judge by. */
export interface RegistrationEvidence {
  readonly reported: readonly Reported[];
  readonly ledger: Ledger['registrations'];
  /** Names of all files of the outbox. */
  readonly names: readonly string[];
}

async function readReported(
  outbox: string,
  file: PlannedRegistrationFile,
  names: readonly string[],
): Promise<Reported> {
  const stem = file.name.replace(/\.csv$/, '');
  const own = names.filter((name) => name.startsWith(`${stem}.`));
  const only = (pattern: RegExp): string => {
    const found = own.filter((name) => pattern.test(name));
    if (found[0] === undefined || found.length > 1)
      throw new Error(`${file.name} has ${found.length} reports ${String(pattern)}`);
    return join(outbox, found[0]);
  };
  const first = await readTable(only(/\.result\.csv$/));
  const present = [...first];
  const updates = own.flatMap((name) => {
    const number = /\.result-update-(\d+)\.csv$/.exec(name)?.[1];
    return number === undefined ? [] : [{ name, number: Number(number) }];
  });
  for (const { name } of updates.toSorted((one, other) => one.number - other.number))
    for (const line of await readTable(join(outbox, name))) present[Number(line['rowNo']) - 1] = line;
  const summary = JSON.parse(await readFile(only(/\.summary\.json$/), 'utf8')) as Summary;
  return { file, first, present, summary, names: own };
}

/** @throws Error when a report is not there once */
export async function gatherRegistrationEvidence(
  { outbox, bank }: Scene,
  files: readonly PlannedRegistrationFile[],
): Promise<RegistrationEvidence> {
  const names = await readdir(outbox);
  const reported = await Promise.all(files.map(async (file) => readReported(outbox, file, names)));
  return { reported, ledger: (await bank.ledger()).registrations, names };
}

// ---------------------------------------------------------------- the verdict

/** Each row once, in its place, as its file has it; and the counts add up. */
function judgeFile({ file, first, summary }: Reported): string[] {
  const spell = ({
    registrationId,
    accountNo,
    desk,
  }: Pick<PlannedRegistration, 'registrationId' | 'accountNo' | 'desk'>): string =>
    `${registrationId} ${accountNo} ${desk}`;
  const wrong = file.rows.filter((row, place) => {
    const line = first[place];
    const { registrationId = '', accountNo = '', desk = '' } = line ?? {};
    return line?.['rowNo'] !== String(place + 1) || spell(row) !== spell({ registrationId, accountNo, desk });
  });
  const complaints = wrong.map(({ registrationId }) => `${registrationId} is not in its place`);
  if (first.length !== file.rows.length)
    complaints.push(`${file.name} has ${file.rows.length} rows, and its result ${first.length}`);
  const counted = Object.values(summary.byStatus).reduce((sum, { rows }) => sum + rows, 0);
  if (!summary.addsUp || summary.rows !== file.rows.length || counted !== file.rows.length)
    complaints.push(`the summary of ${file.name} does not add up`);
  return complaints;
}

/** What the bank has told, and was told that it had been heard. */
const toldOf = (entry: Entry): ReadonlySet<string> =>
  new Set(
    entry.callbacks
      .filter(({ state }) => state === 'acknowledged')
      .map(({ outcome }) => (outcome === 'success' ? 'registered' : 'refused')),
  );

/** How a row must end by what the bank has and has told. */
function endOf(planned: PlannedRegistration, entry: Entry | undefined): readonly string[] {
  if (planned.endsAs === 'rejected') return ['rejected'];
  // Killed before it had left, or told so, nobody knows whether the bank has it.
  if (entry === undefined) return planned.endsAs === 'failed' ? ['failed', 'unanswered'] : ['unanswered'];
  const told = toldOf(entry);
  if (told.size === 0) return ['unanswered'];
  return told.size > 1 ? ['contradicted'] : [...told];
}

const keyOf = ({ accountNo, ref1, ref4 }: Pick<Entry, 'accountNo' | 'ref1' | 'ref4'>): string =>
  [accountNo, ref1, ref4].join(' ');

function judgeRows({ reported, ledger }: RegistrationEvidence): string[] {
  const entries = Map.groupBy(ledger.entries, keyOf);
  const complaints: string[] = [];
  const seen = new Set<string>();
  for (const { file, present } of reported) {
    for (const [place, planned] of file.rows.entries()) {
      const { registrationId, endsAs } = planned;
      const own = endsAs === 'rejected' ? [] : (entries.get(keyOf(planned)) ?? []);
      if (own.length > 1) complaints.push(`the bank has taken ${registrationId} ${own.length} times`);
      if (own.length > 0) seen.add(keyOf(planned));
      const status = present[place]?.['status'] ?? 'nowhere';
      const wanted = endOf(planned, own[0]);
      if (!wanted.includes(status))
        complaints.push(
          `${registrationId} (${planned.ref4}) is ${status}, and the bank says ${wanted.join(' or ')}`,
        );
    }
  }
  for (const key of entries.keys()) if (!seen.has(key)) complaints.push(`nobody has asked for ${key}`);
  return complaints;
}

/** No request was for what the bank had, none bore the number of another, and all that was owed was heard. */
function judgeLedger({ ledger }: RegistrationEvidence): string[] {
  const complaints: string[] = [];
  if (ledger.duplicatesRefused > 0)
    complaints.push(`${ledger.duplicatesRefused} requests were for what the bank had`);
  if (ledger.repeatedRequestUids > 0)
    complaints.push(`${ledger.repeatedRequestUids} requests bore a requestUID that another had borne`);
  if (ledger.callbacks.owed > 0) complaints.push(`the bank still owes ${ledger.callbacks.owed} callbacks`);
  return complaints;
}

function judgeNames({ reported, names }: RegistrationEvidence): string[] {
  const left = names.filter((name) => name.endsWith('.tmp'));
  const complaints = left.map((name) => `${name} is left over`);
  for (const { file, names: own } of reported)
    for (const ending of ['.result.csv', '.exceptions.csv', '.summary.json'])
      if (own.filter((name) => name.endsWith(ending)).length !== 1)
        complaints.push(`${file.name} has not one ${ending}`);
  return complaints;
}

/** Every promise that is broken, in words; none when every outcome is in a result once. */
export const findBrokenRegistrations = (evidence: RegistrationEvidence): string[] => [
  ...evidence.reported.flatMap(judgeFile),
  ...judgeRows(evidence),
  ...judgeLedger(evidence),
  ...judgeNames(evidence),
];
