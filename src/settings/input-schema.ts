/** The settings group `input`: the form of files. */
import { z } from 'zod';
import { rowColumns } from '../core/payout-file.ts';
import { hasNoRepeat } from './fields.ts';

export const inputSchema = z.strictObject({
  columns: z
    .partialRecord(z.enum(rowColumns), z.string().min(1))
    .refine((columns) => hasNoRepeat(Object.values(columns)), 'must not map two columns to the same header')
    .default({})
    .meta({
      description: "our column name → the file's header, for files with headers of their own",
      allowed: `keys: ${rowColumns.map((name) => `\`${name}\``).join(', ')}`,
    }),
  carry: z.array(z.string().trim().min(1)).default([]).meta({
    description: 'headers that are only carried through, though they look like columns of ours',
    allowed: 'a list of headers',
  }),
  encoding: z
    .enum(['auto', 'utf-8', 'utf-16le', 'utf-16be', 'windows-874', 'windows-1252'])
    .default('auto')
    .describe('encoding of the file; `auto` detects it, but for `windows-1252`'),
  /** A tab may be written as the word, since it is invisible. */
  delimiter: z
    .enum(['auto', ',', ';', '\t', 'tab'])
    .default('auto')
    .transform((word) => (word === 'tab' ? '\t' : word))
    .meta({
      description: 'what separates the cells; `auto` detects it',
      allowed: '`auto`, `,`, `;`, `tab`',
    }),
  control: z
    .enum(['none', 'trailer', 'sidecar'])
    .default('none')
    .describe('where the control totals stand: nowhere, in a last row, or in a file beside it'),
  trailerMark: z
    .string()
    .min(1)
    .default('TRAILER')
    .meta({ description: 'first cell of the trailer row', allowed: 'text' }),
  finalLineEnd: z
    .enum(['required', 'optional'])
    .default('required')
    .describe('whether a file may end without a line end, which may be a sign of a cut amount'),
  numberAfterAmount: z
    .enum(['refused', 'allowed'])
    .default('refused')
    .describe(
      'whether one to three digits may stand in the cell after an amount such as `18`, where they may be the rest of an unquoted `18,500` or `18,5`',
    ),
});
