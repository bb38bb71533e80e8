/**
 * Before the tests: puts the program into a few files (`node_modules/.cache`), which the tests that run it as a shell
 * would start. Reading its hundreds of modules one by one costs a process two thirds of its start. The name of the
 * folder tells what it was made from: it is made once for each state of the source.
 */
import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import type { TestProject } from 'vitest/node';

const root = fileURLToPath(new URL('..', import.meta.url));
const residentPath = 'test/support/resident-program.ts';
const cache = join(root, 'node_modules/.cache');
const prefix = 'program-';
/** Another run of the tests may still start what was made, or begun with, a while ago: on a busy machine it takes hours. */
const keptForMs = 86_400_000;

async function computeSourceHash(): Promise<string> {
  const hash = createHash('sha256');
  const under = async (folder: string): Promise<string[]> =>
    (await readdir(join(root, folder), { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name));
  const files = [...(await under('src')), ...(await under('config')), join(root, 'package.json')];
  const lock = join(root, 'package-lock.json');
  for (const path of [...files.toSorted(), lock, join(root, residentPath), fileURLToPath(import.meta.url)]) {
    hash.update(`${path}\n`).update(await readFile(path));
  }
  return hash.digest('hex').slice(0, 16);
}

/** Modules that threads begin with: they are looked for beside whoever starts them. */
async function listThreads(): Promise<Record<string, string>> {
  const paths = (await readdir(join(root, 'src'), { recursive: true })).filter((path) =>
    path.endsWith('-thread.ts'),
  );
  return Object.fromEntries(paths.map((path) => [basename(path, '.ts'), join(root, 'src', path)]));
}

/** Laid out like the package: the program finds its settings and its manifest where it looks for them. */
async function buildInto(folder: string): Promise<void> {
  await build({
    configFile: false,
    logLevel: 'warn',
    root,
    build: {
      ssr: true,
      outDir: join(folder, 'src'),
      minify: false,
      target: 'node24',
      // All files as deep as those of the source that look for what is beside it.
      rolldownOptions: {
        input: {
          main: join(root, 'src/main.ts'),
          resident: join(root, residentPath),
          ...(await listThreads()),
        },
        output: { entryFileNames: 'parts/[name].js', chunkFileNames: 'parts/[name]-[hash].js' },
      },
    },
    ssr: { noExternal: true },
  });
  await cp(join(root, 'package.json'), join(folder, 'package.json'));
  await cp(join(root, 'config'), join(folder, 'config'), { recursive: true });
  // What browsers run is read beside the module that serves it.
  await cp(join(root, 'src/review/web/script'), join(folder, 'src/parts/script'), { recursive: true });
}

async function removeOld(present: string): Promise<void> {
  for (const name of await readdir(cache)) {
    const path = join(cache, name);
    if (!name.startsWith(prefix) || path === present) continue;
    if ((await stat(path)).mtimeMs < Date.now() - keptForMs) await rm(path, { recursive: true, force: true });
  }
}

async function makeProgram(folder: string): Promise<void> {
  const making = `${folder}.${randomUUID()}`;
  await buildInto(making);
  // Another run of the tests may have been faster.
  await rename(making, folder).catch(() => rm(making, { recursive: true, force: true }));
  await removeOld(folder);
}

async function provideProgram(): Promise<void> {
  const folder = join(cache, `${prefix}${await computeSourceHash()}`);
  // Inherited by the processes of the tests; without it they start the source as it is.
  delete process.env['PAYDROP_TEST_PROGRAM'];
  delete process.env['PAYDROP_TEST_RESIDENT'];
  try {
    if (!existsSync(folder)) await makeProgram(folder);
    else await utimes(folder, new Date(), new Date());
    process.env['PAYDROP_TEST_PROGRAM'] = join(folder, 'src/parts/main.js');
    process.env['PAYDROP_TEST_RESIDENT'] = join(folder, 'src/parts/resident.js');
  } catch (error) {
    console.warn('The program cannot be put together, the tests start its source:', error);
  }
}

/** Called by vitest, before the first test. */
export async function setup(project: TestProject): Promise<void> {
  await provideProgram();
  project.onTestsRerun(provideProgram);
}
