/** The CSV files that paydrop writes, as tests read them. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';

/** A line by column. */
export type Line = Readonly<Record<string, string>>;

export async function readTable(path: string): Promise<Line[]> {
  return parse<Line>(await readFile(path), { columns: true, bom: true });
}

/** The files of a folder whose names match, the shorter names first: the first of a kind before its updates. */
export async function findFiles(folder: string, pattern: RegExp): Promise<string[]> {
  const names = (await readdir(folder)).filter((name) => pattern.test(name));
  const inOrder = (one: string, other: string): number => one.length - other.length || (one < other ? -1 : 1);
  return names.toSorted(inOrder).map((name) => join(folder, name));
}

/** The lines of all these files, one after the other. */
export async function readTables(folder: string, pattern: RegExp): Promise<Line[]> {
  return (await Promise.all((await findFiles(folder, pattern)).map(readTable))).flat();
}
