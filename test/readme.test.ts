/** README.md names everything that a user can set, meet or call. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { exitCodes } from '../src/cli/exit-codes.ts';
import { holdReasons, payoutStatuses } from '../src/core/payout.ts';
import { exceptionColumns, resultColumns } from '../src/reports/rules/report-rows.ts';
import { settingsSchema } from '../src/settings/schema.ts';

const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8');

/** Cells of the table rows whose first cell is this, in backquotes or bare. */
function rowsOf(first: string | number): string[][] {
  return readme
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim().replaceAll('`', '')))
    .filter((cells) => cells[1] === String(first));
}

interface Setting {
  readonly key: string;
  readonly defaultText: string;
}

/** Sections that the table shows in one row. */
const wholes = ['folders', 'input.columns'];

function listSettings(schema: z.core.JSONSchema.BaseSchema, path: readonly string[]): Setting[] {
  const key = path.join('.');
  if (schema.properties === undefined || wholes.includes(key)) {
    return wholes.slice(0, 1).includes(key) ? [] : [{ key, defaultText: showDefault(schema.default) }];
  }
  return Object.entries(schema.properties).flatMap(([name, child]) =>
    typeof child === 'boolean' ? [] : listSettings(child, [...path, name]),
  );
}

function showDefault(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const settings = listSettings(z.toJSONSchema(settingsSchema, { io: 'input', unrepresentable: 'any' }), []);

test('the settings are found', () => expect(settings.length).toBeGreaterThan(35));

test.each(settings)('setting $key with its default "$defaultText"', ({ key, defaultText }) => {
  expect(rowsOf(key)).toEqual([['', key, defaultText, expect.any(String), '']]);
});

test.each(payoutStatuses)('status %s', (status) => expect(rowsOf(status)).toHaveLength(1));

test.each(holdReasons)('hold %s', (hold) => expect(rowsOf(hold)).toHaveLength(1));

test.each(Object.values(exitCodes))('exit code %d', (code) => expect(rowsOf(code)).toHaveLength(1));

test.each([
  ['result', resultColumns],
  ['exceptions', exceptionColumns],
])('columns of the %s, in order', (name, columns) => {
  const [, listed = ''] = new RegExp(`Columns of the ${name}: ([^]*?)\\n\\n`).exec(readme) ?? [];
  expect(Array.from(listed.matchAll(/`(\w+)`/g), ([, column]) => column)).toEqual([...columns]);
});
