/**
 * Before each file of tests: properties are tried on the same values in every ordinary run, so that whether a run passes
 * does not hang on chance. `PAYDROP_TEST_SEED=$RANDOM npx vitest run test/core` tries others; fast-check prints the seed
 * of what fails.
 */
import { configureGlobal } from 'fast-check';

const ordinarySeed = 20_261_121;

configureGlobal({ seed: Number(process.env['PAYDROP_TEST_SEED'] ?? ordinarySeed) });
