/** paydrop's version. */
import { readFileSync } from 'node:fs';

/** The path fits src/ and dist/ alike. */
export function readVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  return (manifest as { readonly version: string }).version;
}
