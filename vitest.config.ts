import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/longest-first.ts';

/** The processes of the tests, and the programs that they start, compile the same modules again and again. */
const compileCache = fileURLToPath(new URL('node_modules/.cache/compile', import.meta.url));
process.env['NODE_COMPILE_CACHE'] = compileCache;

/** What takes long: `npm run test:long`. */
const long = 'test/**/*.long.test.ts';

/** What puts another module in a module's place, or needs one as it is at first: it must be the first to load it. */
const replacing = ['test/app/reconcile-gap.test.ts', 'test/cli/interrupt.test.ts'];

export default defineConfig({
  test: {
    globalSetup: ['test/support/quick-folder.ts', 'test/support/postgres-server.ts', 'test/built-program.ts'],
    setupFiles: ['test/clean-start.ts', 'test/fixed-seed.ts', 'test/cli/to-end-with.ts'],
    sequence: { sequencer: LongestFirst },
    // Forks rather than threads: some tests start servers, change directories and end processes of their own.
    pool: 'forks',
    // Room for what is young: collecting it took a twelfth of their time.
    execArgv: ['--min-semi-space-size=16'],
    // More than a small machine has cores: the end-to-end tests mostly wait. Each loads the modules once more.
    maxWorkers: 4,
    // They end what hangs, and say nothing of speed: a busy machine may take many times as long.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000 } },
    // Where nobody can look again: programs that are killed and frozen meet a machine that others use, too.
    retry: process.env['CI'] === 'true' ? 1 : 0,
    teardownTimeout: 5_000,
    restoreMocks: true,
    unstubEnvs: true,
    // Nothing that the machine happens to have set may reach a test.
    env: { TZ: 'UTC', PAYDROP_CLIENT_ID: '', PAYDROP_CLIENT_SECRET: '' },
    projects: [
      {
        extends: true,
        test: {
          name: 'sharing',
          include: ['test/**/*.test.ts'],
          exclude: [...replacing, long],
          // Files share their processes, and leave nothing there to the next: loading the same modules for each of them
          // anew costs more than most of them do. Node loads them as it does the program's own.
          isolate: false,
          experimental: { viteModuleRunner: false, nodeLoader: false },
        },
      },
      { extends: true, test: { name: 'replacing', include: replacing } },
      { extends: true, test: { name: 'long', include: [long] } },
    ],
  },
});
