/** The script that docs/evidence.md names, run as somebody would who has nothing else. */
import { once } from 'node:events';
import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';

/** Copies the script into a folder. @returns its path */
export async function placeScript(folder: string): Promise<string> {
  const script = join(folder, 'verify.mjs');
  await copyFile(join(import.meta.dirname, '../../docs/verify.mjs'), script);
  return script;
}

/** What the script says of a file, and whether it takes it. @param heads files of heads */
export async function verifyBy(script: string, evidence: string, heads: readonly string[]) {
  const file = join(script, '../evidence.json');
  await writeFile(file, evidence);
  const worker = new Worker(script, { argv: [file, ...heads], stdout: true });
  let said = '';
  worker.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const [code] = (await once(worker, 'exit')) as [number];
  return { code, said: said.trim().split('\n') };
}
