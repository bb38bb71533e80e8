/** What the written pages are made of, and how they are read again. */
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';

export const projectRoot = join(import.meta.dirname, '../..');

/** A cell may hold a bar, which would end it. */
const toCell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

/** A table; the first row is the head. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => '---'), ...rows];
  return lines.map((cells) => `| ${cells.map(toCell).join(' | ')} |`).join('\n');
}

/** The source of a page as it stands in the repository. */
export async function layOut(paragraphs: readonly string[], path: string): Promise<string> {
  const style = await resolveConfig(join(projectRoot, path));
  return format(`${paragraphs.join('\n\n')}\n`, { ...style, parser: 'markdown' });
}

/** Text without what stands in fences, which is no markdown. */
const withoutFences = (text: string): string => text.replaceAll(/^```[^]*?^```$/gm, '');

/** Names that links to headings use, as code hosts make them. */
export function listAnchors(text: string): Set<string> {
  const headings = Array.from(withoutFences(text).matchAll(/^#{1,6} (.+)$/gm), ([, heading = '']) => heading);
  const seen = new Map<string, number>();
  return new Set(
    headings.map((heading) => {
      const slug = slugOf(heading);
      const times = seen.get(slug) ?? 0;
      seen.set(slug, times + 1);
      return times === 0 ? slug : `${slug}-${times}`;
    }),
  );
}

function slugOf(heading: string): string {
  const words = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
  return words.replaceAll(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-');
}

/** Targets of links and pictures, but for those outside the project. */
export function listLinks(text: string): string[] {
  const inText = withoutFences(text).replaceAll(/`[^`\n]*`/g, '');
  const links = Array.from(inText.matchAll(/\]\(([^)\s]+)\)/g), ([, target = '']) => target);
  const pictures = Array.from(
    inText.matchAll(/\b(?:src|srcset|href)="([^"]+)"/g),
    ([, target = '']) => target,
  );
  return [...links, ...pictures].filter((target) => !/^[a-z]+:/.test(target));
}
