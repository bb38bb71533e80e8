/**
 * The `registration` section of the sandbox's table: the callback URL, the accounts, and the behaviours of
 * registrations.
 */
import { z } from 'zod';
import { registrationLengths } from '../../bank/wire.ts';
import { isLoopback } from '../../core/network-address.ts';
import { milliseconds, saysNothingOfItsOwn, spoilingContradictions, spoilingShape } from '../spoiling.ts';
import { type Contradictions, refuseContradictions } from '../statement/table.ts';

/** Outcomes of a registration. */
const outcomes = [
  /** Decided, and registered. */
  'success',
  /** Decided, and not registered. */
  'reject',
  /** Accepted, and never decided. */
  'undecided',
  /** Not processed: nothing is recorded, and no callback is made. */
  'untouched',
] as const;

const told = z.enum(['success', 'reject']);

const callSchema = z.strictObject({
  /** Delay in ms after the decision. */
  afterMs: milliseconds.default(0),
  /** True: the answer to the registration waits until this call has been tried once. */
  beforeAnswer: z.boolean().default(false),
  /** Outcome in the message; left out: the decision's own. */
  outcome: told.optional(),
  /** x-api-key: the right one, another one, or none at all. */
  key: z.enum(['right', 'wrong', 'none']).default('right'),
  /** Number of retries, instead of `callbackRetries.max`. */
  retries: z.number().int().min(0).optional(),
  /** Replaces fields of its body; null removes one. */
  fields: z.record(z.string(), z.unknown()).optional(),
});

const isLoopbackUrl = (text: string): boolean => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return /^https?:$/.test(url?.protocol ?? '') && url?.username === '' && isLoopback(url.hostname);
};

/**
 * URL of the callbacks, always on this machine. A rehearsal that called the listener of real registrations would be
 * believed there.
 */
export const callbackUrlSchema = z
  .string()
  .refine(
    (text) => text === '' || isLoopbackUrl(text),
    'must be an http or https address of this machine, such as http://127.0.0.1:8090/callbacks, or empty',
  );

export const apiKeySchema = z.string().regex(/^[!-~]{1,512}$/, 'must be up to 512 characters without spaces');

const accountNoSchema = z
  .string('must be digits in quotes')
  .regex(
    new RegExp(`^\\d{1,${registrationLengths.accountNo}}$`),
    `must be at most ${registrationLengths.accountNo} digits, in quotes`,
  );

const text = z.string('must be text in quotes').min(1).optional();

const matchSchema = z.strictObject({
  accountNo: accountNoSchema.optional(),
  ref1: text,
  ref2: text,
  ref3: text,
  ref4: text,
  /** The header digital-id. */
  digitalId: text,
  vendorId: text,
  companyId: text,
});

const behaviourFields = z.strictObject({
  /** Every given value must match; without one, all registrations match. */
  match: matchSchema,
  /** Number of registrations that it applies to. */
  times: z.number().int().min(1).optional(),
  outcome: z.enum(outcomes).optional(),
  /** Delay in ms, instead of the section's own. */
  decideAfterMs: milliseconds.optional(),
  ...spoilingShape,
  /** The callbacks of the decision; left out: one, empty: none. */
  callbacks: z.array(callSchema).max(20).optional(),
});

type BehaviourFields = z.infer<typeof behaviourFields>;

const isDecided = ({ outcome }: BehaviourFields): boolean => outcome === 'success' || outcome === 'reject';
const callsBefore = ({ callbacks = [] }: BehaviourFields): boolean =>
  callbacks.some(({ beforeAnswer }) => beforeAnswer);

const contradictions: Contradictions<BehaviourFields> = [
  ['outcome', (b) => b.outcome === undefined, `say one of: ${outcomes.join(', ')}`],
  [
    'code',
    (b) => b.outcome === 'untouched' && saysNothingOfItsOwn(b) && b.code === undefined,
    'say which code refuses it, or how the reply is spoilt',
  ],
  ['reply', (b) => b.reply === 'wrong-reference', 'an answer to a registration bears no reference'],
  ['callbacks', (b) => !isDecided(b) && b.callbacks !== undefined, 'only for what is decided'],
  ['decideAfterMs', (b) => !isDecided(b) && b.decideAfterMs !== undefined, 'only for what is decided'],
  [
    'decideAfterMs',
    (b) => callsBefore(b) && b.decideAfterMs !== undefined,
    'what is told before the answer is decided at once: leave it out',
  ],
  [
    'callbacks',
    ({ callbacks = [] }) => callbacks.some(({ beforeAnswer, afterMs }) => beforeAnswer && afterMs > 0),
    'a call before the answer waits for nothing: leave afterMs out',
  ],
  ...spoilingContradictions,
];

const accountSchema = z.strictObject({
  accountNo: accountNoSchema,
  /** CBS001 for an unknown account, CBS003 for an inactive one. */
  state: z.enum(['active', 'inactive', 'unknown']).default('active'),
  /** CBS002 for any but a retail account (§2.2). */
  group: z.enum(['retail', 'corporate']).default('retail'),
});

/** Most calls at once: a listener would refuse more. */
const concurrencyMax = 256;

const registrationFields = z.strictObject({
  /** Empty: no callbacks are made, and they wait. */
  callbackUrl: callbackUrlSchema.default(''),
  /** Certificates (PEM) to trust for an https listener, besides the system's. */
  callbackCa: z.string().default(''),
  /** x-api-key of the callbacks (§5 item 2). */
  apiKey: apiKeySchema.default('sandbox-callback-key'),
  /** channelId of the callbacks. */
  channelId: z.string().min(1).max(10).default('PAYDROP'),
  /** applyDtm as §6 has it (2026-11-21 12:00:00), or as its sample has it (20261121 12:00:00). */
  applyDtm: z.enum(['dashed', 'compact']).default('dashed'),
  /** Delay in ms from the request to the decision. */
  decideAfterMs: milliseconds.default(1_000),
  /** Time in seconds for which an undecided registration blocks others like it (§3.1). */
  undecidedSeconds: z.number().int().min(0).default(86_400),
  /** Requests of a client in an hour; above it, 0429 for an hour (§8). 0 = no limit. */
  registrationsPerHourLimit: z.number().int().min(0).default(0),
  callbackTimeoutMs: z.number().int().min(1).max(3_600_000).default(10_000),
  /** Calls under way at once. */
  callbackConcurrency: z.number().int().min(1).max(concurrencyMax).default(16),
  /** Retries of a call without an answer of statusCode 0; each wait is twice the one before. */
  callbackRetries: z
    .strictObject({
      max: z.number().int().min(0).max(1_000).default(5),
      delayMs: z.number().int().min(1).default(1_000),
      delayMaxMs: z.number().int().min(1).default(60_000),
    })
    .prefault({}),
  /** True: an unlisted account is unknown (CBS001). */
  knownAccountsOnly: z.boolean().default(false),
  accounts: z.array(accountSchema).default([]),
  behaviours: z.array(behaviourFields.superRefine(refuseContradictions(contradictions))).default([]),
});

export const registrationSchema = registrationFields.prefault({});

export type RegistrationTable = z.infer<typeof registrationFields>;
/** The section before the defaults are applied. @forTests */
export type RegistrationTableInput = z.input<typeof registrationFields>;
export type RegistrationBehaviour = RegistrationTable['behaviours'][number];
/** @forTests */
export type RegistrationBehaviourInput = NonNullable<RegistrationTableInput['behaviours']>[number];
/** A callback of a decision, as in the table. */
export type CallRow = z.infer<typeof callSchema>;
export type ToldOutcome = z.infer<typeof told>;
export type Account = z.infer<typeof accountSchema>;
