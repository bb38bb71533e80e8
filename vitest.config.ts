import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** The programs that tests start compile the same modules again and again. */
const compileCache = fileURLToPath(new URL('node_modules/.cache/compile', import.meta.url));

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/bench/**'],
    // Forks rather than threads: some tests start servers, change directories and end processes of their own.
    pool: 'forks',
    // More than a small machine has cores: the end-to-end tests mostly wait.
    maxWorkers: 4,
    testTimeout: 20_000,
    hookTimeout: 20_000,
    teardownTimeout: 5_000,
    restoreMocks: true,
    unstubEnvs: true,
    // Nothing that the machine happens to have set may reach a test.
    env: { TZ: 'UTC', PAYDROP_CLIENT_ID: '', PAYDROP_CLIENT_SECRET: '', NODE_COMPILE_CACHE: compileCache },
  },
});
