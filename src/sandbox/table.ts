/**
 * The sandbox's own section of the settings: what the bank is like, who its payees are,
 * and which requests meet which behaviour. Everything is checked when it is read.
 */
import { z } from 'zod';
import { clientsShape } from './clients.ts';
import { registrationSchema, type RegistrationTable } from './registration/table.ts';
import { SandboxError } from './sandbox-error.ts';
import {
  milliseconds,
  saysNothingOfItsOwn,
  spoilingContradictions,
  spoilingShape,
  statusCode,
} from './spoiling.ts';
import {
  bahtSchema,
  type Contradictions,
  refuseContradictions,
  statementSchema,
  type StatementTable,
} from './statement/table.ts';

/** The endpoints of §4 that the sandbox serves. */
export const endpoints = [
  'token',
  'tokenRefresh',
  'payeeCheck',
  'transfer',
  'inquiry',
  'statement',
  'registration',
] as const;
export type Endpoint = (typeof endpoints)[number];

/** What becomes of the money of a transfer. */
const moneyFates = [
  /** Moves at once. */
  'moves',
  /** In process, moves after `afterMs`. */
  'moves-later',
  /** Fails inside the bank at once, and is recorded there (030002, 030003). */
  'fails',
  /** In process, fails after `afterMs`. */
  'fails-later',
  /** In process for ever. */
  'stuck',
  /** Never reaches processing: nothing moves, nothing is recorded. */
  'untouched',
] as const;

const bahtOrNone = z.union([z.literal(''), bahtSchema]);

const matchSchema = z.strictObject({
  proxyNo: z.string('must be a proxy ID in quotes').optional(),
  amount: bahtSchema.optional(),
  /** Compared without regard to case and spaces. */
  proxyName: z.string().min(1).optional(),
  transRefNo: z.string().min(1).optional(),
  reference1: z.string().min(1).optional(),
});

const behaviourFields = z.strictObject({
  /** All given values must match; none given: every request. */
  match: matchSchema,
  endpoint: z.enum(endpoints).exclude(['registration']).default('transfer'),
  /** Only the first so many requests that match. */
  times: z.number().int().min(1).optional(),
  money: z.enum(moneyFates).optional(),
  /** When a later end comes. */
  afterMs: milliseconds.optional(),
  ...spoilingShape,
  /** statusCode of the failed transfer itself (§2.6), where it differs from `code`. */
  failCode: statusCode.optional(),
  /** Shown by inquiries while in process, instead of 010001 to 010003. */
  tranStatusCode: z.string().min(1).max(10).optional(),
  /** Inquiries find nothing for so long. */
  hiddenMs: milliseconds.optional(),
});

type BehaviourFields = z.infer<typeof behaviourFields>;

const isLater = (b: BehaviourFields): boolean => b.money === 'moves-later' || b.money === 'fails-later';
const isInProcess = (b: BehaviourFields): boolean => isLater(b) || b.money === 'stuck';
const isFailing = (b: BehaviourFields): boolean => b.money === 'fails' || b.money === 'fails-later';
const isTokenEndpoint = (b: BehaviourFields): boolean =>
  b.endpoint === 'token' || b.endpoint === 'tokenRefresh';
const matchesBeyondPayee = ({ match }: BehaviourFields): boolean =>
  match.amount !== undefined || match.transRefNo !== undefined || match.reference1 !== undefined;

const contradictions: Contradictions<BehaviourFields> = [
  [
    'money',
    (b) => b.endpoint === 'transfer' && b.money === undefined,
    `say one of: ${moneyFates.join(', ')}`,
  ],
  [
    'money',
    (b) => b.endpoint !== 'transfer' && b.money !== undefined,
    'only a transfer moves money: leave it out',
  ],
  ['afterMs', (b) => isLater(b) && b.afterMs === undefined, 'say after how many milliseconds it ends'],
  ['afterMs', (b) => !isLater(b) && b.afterMs !== undefined, 'only for moves-later and fails-later'],
  ['code', (b) => b.money === 'fails' && b.code === undefined, 'say with which code it fails'],
  [
    'code',
    (b) => b.money === 'untouched' && saysNothingOfItsOwn(b) && b.code === undefined,
    'say which code refuses it, or how the reply is spoilt',
  ],
  ['failCode', (b) => !isFailing(b) && b.failCode !== undefined, 'only for fails and fails-later'],
  [
    'tranStatusCode',
    (b) => !isInProcess(b) && b.tranStatusCode !== undefined,
    'only for what stays in process',
  ],
  [
    'hiddenMs',
    (b) => (b.money === undefined || b.money === 'untouched') && b.hiddenMs !== undefined,
    'only for what the bank has recorded',
  ],
  ...spoilingContradictions,
  [
    'match',
    (b) => isTokenEndpoint(b) && Object.keys(b.match).length > 0,
    'a token request carries nothing to match: write match: {}',
  ],
  [
    'match',
    (b) => b.endpoint === 'statement' && Object.keys(b.match).length > 0,
    'a statement request carries nothing to match: write match: {}',
  ],
  [
    'match',
    (b) => b.endpoint === 'payeeCheck' && matchesBeyondPayee(b),
    'a payee check carries only proxyNo and proxyName',
  ],
];

const behaviourSchema = behaviourFields.superRefine(refuseContradictions(contradictions));

const payeeSchema = z.strictObject({
  proxyNo: z
    .string('must be a proxy ID in quotes')
    .regex(/^\d{10,16}$/, 'must be 10 to 16 digits, in quotes'),
  /** English. */
  name: z.string().min(1).max(300).optional(),
  nameTh: z.string().min(1).max(300).optional(),
  state: z.enum(['active', 'inactive', 'unknown']).default('active'),
});

const tableSchema = z.strictObject({
  /** Time that every answer takes. */
  latencyMs: milliseconds.default(0),
  /** Requests beyond it get 429; 0 = no limit. */
  requestsPerSecondLimit: z.number().int().min(0).default(0),
  /** Transfers above it get EM069; empty = no limit. */
  amountLimitBaht: bahtOrNone.default(''),
  /** What each payer account has to spend, fees included; beyond it EM053. Empty = no end of money. */
  payerBalanceBaht: bahtOrNone.default(''),
  feeBaht: bahtSchema.default('0.00'),
  /** How an inquiry says that it finds nothing: one of two codes, or IC001 and no item. */
  inquiryNotFound: z.enum(['EV035', 'EV034', 'empty']).default('EV035'),
  /** Which date an inquiry must carry (not shown in §2.6): the transfer's tranDate, today's, or any. */
  inquiryDate: z.enum(['transfer', 'today', 'any']).default('transfer'),
  /** True: an inquiry finds a transfer under the terminal alone that sent it (§4 rule 2; not shown in §2.6). */
  keepsByTerminal: z.boolean().default(true),
  /** True: a proxy ID that the directory lacks is unknown (EV006). */
  knownPayeesOnly: z.boolean().default(false),
  /** §8. */
  accessTokenSeconds: z.number().int().min(1).default(900),
  refreshTokenSeconds: z.number().int().min(1).default(86_400),
  /** True: a new access token ends those that its client had before (not shown in §2.1). */
  newTokenEndsOld: z.boolean().default(false),
  /** True: the addresses under /sandbox/ change the bank while it runs. */
  control: z.boolean().default(false),
  /** Names under which it may be asked, besides addresses and localhost. */
  hosts: z.array(z.string().min(1)).default([]),
  ...clientsShape,
  directory: z.array(payeeSchema).default([]),
  behaviours: z.array(behaviourSchema).default([]),
  statement: statementSchema,
  registration: registrationSchema,
});

export type SandboxTable = z.infer<typeof tableSchema>;
/** The same before the defaults are filled in. */
export type SandboxTableInput = z.input<typeof tableSchema>;
export type Behaviour = z.infer<typeof behaviourSchema>;
export type BehaviourInput = z.input<typeof behaviourSchema>;
export type DirectoryPayee = z.infer<typeof payeeSchema>;

function readStrictly<Output>(schema: z.ZodType<Output>, raw: unknown, root: string): Output {
  const result = schema.safeParse(raw);
  if (result.success) return result.data;
  const lines = result.error.issues.map(({ path, message }) => {
    const keys = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`));
    return `${root}${keys.join('')}: ${message}`;
  });
  throw new SandboxError(lines.join('\n'));
}

/**
 * Reads the settings' `sandbox` section; undefined or null is an empty one.
 * What it returns can be read again, so it can be spread into the options of `startSandbox`.
 * @throws SandboxError naming each key that is wrong, and the cure
 */
export function parseSandboxTable(raw: unknown): SandboxTable {
  return readStrictly(tableSchema, raw ?? {}, 'sandbox');
}

/** The table's part of options that hold more than a table. */
export function pickTable(options: SandboxTableInput): SandboxTableInput {
  return Object.fromEntries(Object.entries(options).filter(([key]) => Object.hasOwn(tableSchema.shape, key)));
}

/** Reads a list of behaviours alone, as the controls take it. @throws SandboxError */
export const parseBehaviours = (raw: unknown): Behaviour[] =>
  readStrictly(z.array(behaviourSchema), raw, 'behaviours');

/** Reads the `statement` section alone, as the controls take it. @throws SandboxError */
export const parseStatementTable = (raw: unknown): StatementTable =>
  readStrictly(statementSchema, raw, 'statement');

/** Reads the `registration` section alone, as the controls take it. @throws SandboxError */
export const parseRegistrationTable = (raw: unknown): RegistrationTable =>
  readStrictly(registrationSchema, raw, 'registration');
