/** Every way in which the program is started closes the same doors. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const read = (path: string): string => readFileSync(join(import.meta.dirname, '../..', path), 'utf8');

test.each(['src/main.ts', 'config/Containerfile', 'package.json'])(
  '%s: no signal starts a debugger',
  (path) => {
    const [, before = ''] = /(node\b.*)--max-semi-space-size/.exec(read(path)) ?? [];
    expect(before).toContain('--disable-sigusr1');
  },
);

test('the unit leaves no core dump, which would hold secrets', () => {
  expect(read('config/paydrop.service')).toMatch(/^LimitCORE=0$/m);
});
