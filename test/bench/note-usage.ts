/** Loaded before a measured program (`node --import`): leaves what the process has used where the benchmark reads it. */
import { writeFileSync } from 'node:fs';

const path = process.env['PAYDROP_BENCH_USAGE'];
if (path !== undefined) {
  process.once('exit', () => {
    const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
    const usage = { peakBytes: maxRSS * 1_024, cpuMs: (userCPUTime + systemCPUTime) / 1_000 };
    writeFileSync(path, JSON.stringify(usage));
  });
}
