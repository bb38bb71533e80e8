/** Runs the benchmarks one after the other, each in a process of its own: `npm run bench`, `npm run bench -- a d`. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const benchmarks: Readonly<Record<string, readonly [script: string, ...args: string[]]>> = {
  a: ['./pay.ts', 'a'],
  b: ['./pay.ts', 'b'],
  c: ['./check.ts'],
  d: ['./pay.ts', 'd'],
  e: ['./recover.ts'],
  f: ['./statement.ts'],
  g: ['./statement-day.ts'],
  h: ['./pay.ts', 'h'],
  p: ['./overview.ts'],
  q: ['./queue.ts'],
  'q-postgres': ['./queue.ts', '100000', 'postgres'],
  callbacks: ['./callbacks.ts'],
  peers: ['./peers.ts'],
  machines: ['./machines.ts'],
};

async function runBenchmark(name: string): Promise<boolean> {
  const [script, ...args] = benchmarks[name] ?? [];
  if (script === undefined) {
    console.error(`there is no benchmark "${name}": choose among ${Object.keys(benchmarks).join(', ')}`);
    return false;
  }
  const path = fileURLToPath(new URL(script, import.meta.url));
  const child = spawn(process.execPath, [path, ...args], { stdio: 'inherit' });
  const [exitCode] = (await once(child, 'close')) as [number | null];
  return exitCode === 0;
}

const wanted = process.argv.slice(2);
for (const name of wanted.length > 0 ? wanted : Object.keys(benchmarks)) {
  if (!(await runBenchmark(name))) process.exitCode = 1;
}
