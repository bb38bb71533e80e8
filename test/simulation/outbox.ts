/** An outbox in memory: a crash keeps what was written, published or not. */
import type { ReportOutbox } from '../../src/reports/ports.ts';

export interface MemoryOutbox {
  readonly outbox: ReportOutbox;
  /** Rows of each published table, the header included. */
  readonly published: ReadonlyMap<string, number>;
  /** A person moves all of it away. */
  readonly moveAway: () => void;
}

/**
 * @param onPublished told of each file that appears
 * @param isThere whether something has a name: what was published here, when left out
 */
export function makeMemoryOutbox(
  onPublished: (path: string) => void = () => {},
  isThere?: (path: string) => boolean,
): MemoryOutbox {
  const temporary = new Map<string, number>();
  const published = new Map<string, number>();
  let drafts = 0;
  const keep = (fileName: string, rows: number) => {
    drafts += 1;
    const file = { path: fileName, temporaryPath: `${fileName}.${drafts}.tmp`, sha256: String(rows) };
    temporary.set(file.temporaryPath, rows);
    return file;
  };
  const outbox: ReportOutbox = {
    requireRoom: async (fileNames) => {
      const taken = fileNames.find((name) => (isThere === undefined ? published.has(name) : isThere(name)));
      if (taken !== undefined) throw new Error(`${taken} is there already`);
    },
    openTable: async (fileName) => {
      let rows = 0;
      return {
        add: () => {
          rows += 1;
          return undefined;
        },
        finish: async () => keep(fileName, rows),
        [Symbol.asyncDispose]: async () => {},
      };
    },
    writeWhole: async (fileName) => keep(fileName, 1),
    publish: async ({ path, temporaryPath }) => {
      const rows = temporary.get(temporaryPath);
      if (rows === undefined) return published.has(path) ? 'already-there' : 'gone';
      temporary.delete(temporaryPath);
      published.set(path, rows);
      onPublished(path);
      return 'published';
    },
    findLeftovers: async () => [],
    removeLeftovers: async (batchId, recorded) => {
      for (const path of temporary.keys())
        if (path.includes(batchId) && !recorded.includes(path)) temporary.delete(path);
    },
  };
  return { outbox, published, moveAway: () => published.clear() };
}
