/** How large a folder of src/ may grow before nobody knows his way in it. */
import { posix } from 'node:path';
import type { Finding, Source } from './source.ts';

const filesMax = 30;
/** Of all lines of src/. */
const shareMax = 0.17;

/** Folders with too many files at one level. */
export function findCrowdedFolders(sources: readonly Source[]): Finding[] {
  const counts = sumBy(
    sources,
    ({ path }) => posix.dirname(path),
    () => 1,
  );
  return [...counts]
    .filter(([, files]) => files > filesMax)
    .map(([path, files]) => ({ path, line: 1, what: `${files} files at one level` }));
}

/** What one engine alone needs is a room of its own: who works in the store need not know it. */
const ownRooms = ['src/store/postgres'];

const roomOf = (path: string): string =>
  ownRooms.find((room) => path.startsWith(`${room}/`)) ?? path.split('/').slice(0, 2).join('/');

/** Rooms that hold too large a share of the lines of src/. */
export function findLargeRooms(sources: readonly Source[]): Finding[] {
  const linesOf = ({ text }: Source) => text.split('\n').length;
  const counts = sumBy(sources, ({ path }) => roomOf(path), linesOf);
  const all = [...counts.values()].reduce((sum, lines) => sum + lines, 0);
  return [...counts]
    .filter(([, lines]) => lines > all * shareMax)
    .map(([path, lines]) => ({ path, line: 1, what: `${lines} of ${all} lines` }));
}

function sumBy(
  sources: readonly Source[],
  keyOf: (source: Source) => string,
  valueOf: (source: Source) => number,
): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const source of sources) sums.set(keyOf(source), (sums.get(keyOf(source)) ?? 0) + valueOf(source));
  return sums;
}
