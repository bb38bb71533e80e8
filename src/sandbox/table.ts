/**
 * The `sandbox` section of the settings: the bank, its payees, and the behaviours of requests. Everything is checked
 * when it is read.
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

/** Outcomes of a transfer's money. */
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
  /** Not processed: nothing moves, nothing is recorded. */
  'untouched',
] as const;

const bahtOrNone = z.union([z.literal(''), bahtSchema]);

const matchSchema = z.strictObject({
  proxyNo: z.string('must be a proxy ID in quotes').optional(),
  amount: bahtSchema.optional(),
  /** Compared without case and spaces. */
  proxyName: z.string().min(1).optional(),
  transRefNo: z.string().min(1).optional(),
  reference1: z.string().min(1).optional(),
});

const behaviourFields = z.strictObject({
  /** Every given value must match; without one, all requests match. */
  match: matchSchema,
  endpoint: z.enum(endpoints).exclude(['registration']).default('transfer'),
  /** Number of requests that it applies to. */
  times: z.number().int().min(1).optional(),
  money: z.enum(moneyFates).optional(),
  /** Delay in ms of a later end. */
  afterMs: milliseconds.optional(),
  ...spoilingShape,
  /** statusCode of the failed transfer itself (§2.6), if it differs from `code`. */
  failCode: statusCode.optional(),
  /** State that inquiries show while in process, instead of 010001 to 010003. */
  tranStatusCode: z.string().min(1).max(10).optional(),
  /** Time in ms for which inquiries find nothing. */
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
  /** English name. */
  name: z.string().min(1).max(300).optional(),
  nameTh: z.string().min(1).max(300).optional(),
  state: z.enum(['active', 'inactive', 'unknown']).default('active'),
});

const tableSchema = z.strictObject({
  /** Latency of every answer in ms. */
  latencyMs: milliseconds.default(0),
  /** Limit above which requests get 429; 0 = no limit. */
  requestsPerSecondLimit: z.number().int().min(0).default(0),
  /** Amount above which transfers get EM069; empty = no limit. */
  amountLimitBaht: bahtOrNone.default(''),
  /** Funds of each payer account, fees included; above them EM053. Empty = unlimited. */
  payerBalanceBaht: bahtOrNone.default(''),
  feeBaht: bahtSchema.default('0.00'),
  /** Form of an inquiry's answer without a finding: one of two codes, or IC001 without an item. */
  inquiryNotFound: z.enum(['EV035', 'EV034', 'empty']).default('EV035'),
  /** Date that an inquiry must carry (not shown in §2.6): the transfer's tranDate, today's, or any. */
  inquiryDate: z.enum(['transfer', 'today', 'any']).default('transfer'),
  /** True: an inquiry finds a transfer only under the terminal that sent it (§4 rule 2; not shown in §2.6). */
  keepsByTerminal: z.boolean().default(true),
  /** True: a proxy ID outside the directory is unknown (EV006). */
  knownPayeesOnly: z.boolean().default(false),
  /** Lives of the tokens (§8). */
  accessTokenSeconds: z.number().int().min(1).default(900),
  refreshTokenSeconds: z.number().int().min(1).default(86_400),
  /** True: a new access token ends the client's earlier ones (not shown in §2.1). */
  newTokenEndsOld: z.boolean().default(false),
  /** True: the addresses under /sandbox/ can change the bank while it runs. */
  control: z.boolean().default(false),
  /** Host names that it serves, besides addresses and localhost. */
  hosts: z.array(z.string().min(1)).default([]),
  ...clientsShape,
  directory: z.array(payeeSchema).default([]),
  behaviours: z.array(behaviourSchema).default([]),
  statement: statementSchema,
  registration: registrationSchema,
});

export type SandboxTable = z.infer<typeof tableSchema>;
/** The table before the defaults are applied. */
export type SandboxTableInput = z.input<typeof tableSchema>;
export type Behaviour = z.infer<typeof behaviourSchema>;
/** @forTests */
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
 * Reads the settings' `sandbox` section; undefined or null is an empty one. The result can be read again, so it can be
 * spread into the options of `startSandbox`.
 * @throws SandboxError naming each faulty key and its cure
 */
export function parseSandboxTable(raw: unknown): SandboxTable {
  return readStrictly(tableSchema, raw ?? {}, 'sandbox');
}

/** The table's part of options that contain more. */
export function pickTable(options: SandboxTableInput): SandboxTableInput {
  return Object.fromEntries(Object.entries(options).filter(([key]) => Object.hasOwn(tableSchema.shape, key)));
}

/**
 * Reads a list of behaviours, as given to the controls.
 * @throws SandboxError
 */
export const parseBehaviours = (raw: unknown): Behaviour[] =>
  readStrictly(z.array(behaviourSchema), raw, 'behaviours');

/**
 * Reads a `statement` section, as given to the controls.
 * @throws SandboxError
 */
export const parseStatementTable = (raw: unknown): StatementTable =>
  readStrictly(statementSchema, raw, 'statement');

/**
 * Reads a `registration` section, as given to the controls.
 * @throws SandboxError
 */
export const parseRegistrationTable = (raw: unknown): RegistrationTable =>
  readStrictly(registrationSchema, raw, 'registration');
