/**
 * The `registration` section of the sandbox's table: where it calls back, which accounts it knows, and which registration
 * meets which behaviour.
 */
import { z } from 'zod';
import { registrationLengths } from '../../bank/wire.ts';
import { isLoopback } from '../../core/network-address.ts';
import { milliseconds, saysNothingOfItsOwn, spoilingContradictions, spoilingShape } from '../spoiling.ts';
import { type Contradictions, refuseContradictions } from '../statement/table.ts';

/** What becomes of a registration in the bank. */
const outcomes = [
  /** Decided, and registered. */
  'success',
  /** Decided, and not registered. */
  'reject',
  /** Taken, and never decided. */
  'undecided',
  /** Never reaches processing: nothing is recorded, and nobody is called. */
  'untouched',
] as const;

const told = z.enum(['success', 'reject']);

const callSchema = z.strictObject({
  /** After the decision. */
  afterMs: milliseconds.default(0),
  /** True: the answer to the registration waits until this call has been tried once. */
  beforeAnswer: z.boolean().default(false),
  /** What it says; the decision's own outcome when left out. */
  outcome: told.optional(),
  /** x-api-key: the right one, another one, or none at all. */
  key: z.enum(['right', 'wrong', 'none']).default('right'),
  /** How often it is tried again, instead of `callbackRetries.max`. */
  retries: z.number().int().min(0).optional(),
  /** Laid over the fields of its body; one that is null is left out. */
  fields: z.record(z.string(), z.unknown()).optional(),
});

const isLoopbackUrl = (text: string): boolean => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return /^https?:$/.test(url?.protocol ?? '') && url?.username === '' && isLoopback(url.hostname);
};

/**
 * Where outcomes are told: an address of this machine, whatever else is set. A rehearsal that calls the listener of real
 * registrations would be believed there.
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
  /** All given values must match; none given: every registration. */
  match: matchSchema,
  /** Only the first so many registrations that match. */
  times: z.number().int().min(1).optional(),
  outcome: z.enum(outcomes).optional(),
  /** Instead of the section's own. */
  decideAfterMs: milliseconds.optional(),
  ...spoilingShape,
  /** The calls that tell of the decision; one when left out, none when empty. */
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
  /** CBS001 for one that is unknown, CBS003 for one that is inactive. */
  state: z.enum(['active', 'inactive', 'unknown']).default('active'),
  /** CBS002 for any but a retail account (§2.2). */
  group: z.enum(['retail', 'corporate']).default('retail'),
});

/** More calls at once than any listener has places for would only be refused. */
const concurrencyMax = 256;

const registrationFields = z.strictObject({
  /** Empty: nobody is called, and what is to be told waits. */
  callbackUrl: callbackUrlSchema.default(''),
  /** Certificates in PEM that an https listener is trusted by, besides those that the system trusts. */
  callbackCa: z.string().default(''),
  /** x-api-key of the callbacks (§5 item 2). */
  apiKey: apiKeySchema.default('sandbox-callback-key'),
  /** channelId of the callbacks. */
  channelId: z.string().min(1).max(10).default('PAYDROP'),
  /** applyDtm as §6 states it (2026-11-21 12:00:00), or as its sample has it (20261121 12:00:00). */
  applyDtm: z.enum(['dashed', 'compact']).default('dashed'),
  /** From the request to the decision. */
  decideAfterMs: milliseconds.default(1_000),
  /** So long one that is never decided keeps others like it out (§3.1). */
  undecidedSeconds: z.number().int().min(0).default(86_400),
  /** Requests of a client in an hour; beyond it 0429 for an hour (§8). 0 = no limit. */
  registrationsPerHourLimit: z.number().int().min(0).default(0),
  callbackTimeoutMs: z.number().int().min(1).max(3_600_000).default(10_000),
  /** Calls under way at once. */
  callbackConcurrency: z.number().int().min(1).max(concurrencyMax).default(16),
  /** A call that is not answered with statusCode 0 is tried again so often; each wait is twice the one before. */
  callbackRetries: z
    .strictObject({
      max: z.number().int().min(0).max(1_000).default(5),
      delayMs: z.number().int().min(1).default(1_000),
      delayMaxMs: z.number().int().min(1).default(60_000),
    })
    .prefault({}),
  /** True: an account that is not listed is unknown (CBS001). */
  knownAccountsOnly: z.boolean().default(false),
  accounts: z.array(accountSchema).default([]),
  behaviours: z.array(behaviourFields.superRefine(refuseContradictions(contradictions))).default([]),
});

export const registrationSchema = registrationFields.prefault({});

export type RegistrationTable = z.infer<typeof registrationFields>;
/** The same before the defaults are filled in. */
export type RegistrationTableInput = z.input<typeof registrationFields>;
export type RegistrationBehaviour = RegistrationTable['behaviours'][number];
export type RegistrationBehaviourInput = NonNullable<RegistrationTableInput['behaviours']>[number];
export type CallInput = NonNullable<RegistrationBehaviourInput['callbacks']>[number];
/** A call that tells of a decision, as the table has it. */
export type CallRow = z.infer<typeof callSchema>;
export type ToldOutcome = z.infer<typeof told>;
export type Account = z.infer<typeof accountSchema>;
