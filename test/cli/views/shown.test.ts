import { afterEach, expect, test, vi } from 'vitest';
import { showPath } from '../../../src/cli/views/shown.ts';

afterEach(() => vi.restoreAllMocks());

test.each([
  ['/srv/pay', '/srv/pay/paydrop-data/outbox/a.csv', 'paydrop-data/outbox/a.csv'],
  ['/srv/pay', '/data/outbox/a.csv', '/data/outbox/a.csv'],
  ['/srv/pay', '/srv/pay', '/srv/pay'],
  ['/', '/data/outbox/a.csv', '/data/outbox/a.csv'],
])('a path seen from %s: %s', (folder, path, shown) => {
  vi.spyOn(process, 'cwd').mockReturnValue(folder);
  expect(showPath(path)).toBe(shown);
});
