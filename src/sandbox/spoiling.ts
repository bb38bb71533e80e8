/** The ways in which a table's row spoils the answer to a request. */
import { z } from 'zod';
import type { Contradictions } from './statement/table.ts';

/** Forms of the answer as the client sees it. */
const replyForms = [
  /** The answer of the interface. */
  'normal',
  /** The connection is closed without an answer. */
  'lost',
  /** No answer, the connection stays open. */
  'silent',
  /** The connection is closed in the middle of the answer. */
  'cut',
  /** The answer begins and never ends. */
  'stalled',
  /** Status 200 and a body that is not JSON. */
  'garbage',
  /** Status 200 and a page for people. */
  'html',
  /** Status 200 and no body. */
  'empty',
  /** Status 307 to an address that answers nothing. */
  'redirect',
  /** The status of `httpStatus`, with the business body of `code` when one is given. */
  'http',
  /** The answer has another transfer's transRefNo. */
  'wrong-reference',
  /** The answer has another request's requestUID. */
  'wrong-request',
] as const;

export const milliseconds = z.number().int().min(0);
export const statusCode = z.string().regex(/^[A-Z0-9]{1,7}$/, 'must be a status code such as EM069');

export const spoilingShape = {
  /** statusCode of the reply. */
  code: statusCode.optional(),
  reply: z.enum(replyForms).default('normal'),
  httpStatus: z.number().int().min(200).max(599).optional(),
  retryAfterSeconds: z.number().int().min(0).optional(),
  /** Added to the bank's own latency. */
  latencyMs: milliseconds.optional(),
};

const spoilingSchema = z.strictObject(spoilingShape);
export type Spoiling = z.infer<typeof spoilingSchema>;

export const spoilingContradictions: Contradictions<Spoiling> = [
  ['httpStatus', (b) => b.reply === 'http' && b.httpStatus === undefined, 'say which, for instance 500'],
  ['httpStatus', (b) => b.reply !== 'http' && b.httpStatus !== undefined, 'only for reply: http'],
  [
    'retryAfterSeconds',
    (b) => b.reply !== 'http' && b.retryAfterSeconds !== undefined,
    'only for reply: http',
  ],
];

/** True for an answer that is empty without a code. */
export const saysNothingOfItsOwn = ({ reply }: Spoiling): boolean =>
  reply === 'normal' || reply === 'wrong-reference' || reply === 'wrong-request';
