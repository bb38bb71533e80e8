import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/bench/**'],
    // Forks rather than threads: some tests start servers, change directories and end processes of their own.
    pool: 'forks',
    testTimeout: 20_000,
    hookTimeout: 20_000,
    teardownTimeout: 5_000,
    restoreMocks: true,
    unstubEnvs: true,
    // Nothing that the machine happens to have set may reach a test.
    env: { TZ: 'UTC', PAYDROP_CLIENT_ID: '', PAYDROP_CLIENT_SECRET: '' },
  },
});
