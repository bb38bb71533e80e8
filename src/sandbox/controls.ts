/**
 * The controls: the ledger of moved money, and changes to the bank while it runs. Always available in code; over HTTP
 * only with the control token, and changes only when the table allows them.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { parseBaht } from '../core/money.ts';
import type { SandboxBank } from './bank.ts';
import { createBehaviourIndex } from './behaviours.ts';
import type { Ledger } from './book.ts';
import { indexTable } from './registration/table-index.ts';
import { SandboxError } from './sandbox-error.ts';
import { parseBehaviours, parseRegistrationTable, parseStatementTable } from './table.ts';

const commandSchema = z.strictObject({
  /** New behaviours, with their full `times`. */
  behaviours: z.array(z.unknown()).optional(),
  /** Funds of each payer account, including what it has spent; empty: unlimited. */
  payerBalanceBaht: z.string().optional(),
  /** Replaces these keys of the `statement` section, for later files. */
  statement: z.record(z.string(), z.unknown()).optional(),
  /** Replaces these keys of the `registration` section, for later requests and callbacks. */
  registration: z.record(z.string(), z.unknown()).optional(),
  /** Sets the bank's clock forward, or back when negative. */
  advanceMs: z.number().int().optional(),
  /** False: transfers get TM001. */
  serviceOpen: z.boolean().optional(),
  /** True: every connection to the bank is closed without an answer. */
  outage: z.boolean().optional(),
  /** Invalidates every token: requests with them get 401. */
  revokeTokens: z.literal(true).optional(),
});

/** The changes of one command. */
export type ControlCommand = z.infer<typeof commandSchema>;

/**
 * Applies a command.
 * @throws SandboxError naming the fault
 */
export function control(bank: SandboxBank, command: ControlCommand): void {
  const { behaviours, payerBalanceBaht, statement, advanceMs = 0, serviceOpen, outage } = command;
  if (behaviours !== undefined) bank.findBehaviour = createBehaviourIndex(parseBehaviours(behaviours));
  if (payerBalanceBaht !== undefined) bank.payerBalanceSatang = readBalance(payerBalanceBaht);
  if (statement !== undefined) bank.statements.table = changeStatement(bank, statement);
  if (command.registration !== undefined) changeRegistration(bank, command.registration);
  bank.clock.aheadMs += advanceMs;
  bank.isOpen = serviceOpen ?? bank.isOpen;
  bank.isOut = outage ?? bank.isOut;
  if (command.revokeTokens !== undefined) bank.tokens.revokeAll();
}

function readBalance(baht: string) {
  const balance = parseBaht(baht);
  if (balance === undefined && baht !== '')
    throw new SandboxError('baht: must be an amount in baht, such as "1001.01", or empty');
  return balance ?? null;
}

function changeStatement({ statements: { table } }: SandboxBank, changes: Readonly<Record<string, unknown>>) {
  if (changes['host'] !== undefined && changes['host'] !== table.host)
    throw new SandboxError('statement.host: cannot be changed while the bank runs');
  return parseStatementTable({ ...table, ...changes });
}

/** Behaviours that are not replaced keep their remaining `times`. */
function changeRegistration({ registration }: SandboxBank, changes: Readonly<Record<string, unknown>>): void {
  if (changes['callbackCa'] !== undefined && changes['callbackCa'] !== registration.table.callbackCa)
    throw new SandboxError('registration.callbackCa: cannot be changed while the bank runs');
  registration.table = parseRegistrationTable({ ...registration.table, ...changes });
  const { findBehaviour } = registration.index;
  const index = indexTable(registration.table);
  registration.index = changes['behaviours'] === undefined ? { ...index, findBehaviour } : index;
}

const usage =
  'send any of {"behaviours":[…]}, {"advanceMs":1000}, {"serviceOpen":false}, {"outage":true}, ' +
  '{"payerBalanceBaht":"1000.00"}, {"statement":{"edits":[…]}}, {"registration":{"callbackUrl":"…"}}, {"revokeTokens":true}';

function readCommand(text: unknown): ControlCommand {
  try {
    return commandSchema.parse(JSON.parse(String(text)));
  } catch (cause) {
    throw new SandboxError(usage, { cause });
  }
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Refuses requests without the bank's control token. */
const requireToken =
  ({ controlToken }: SandboxBank) =>
  (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    const right = digest(`Bearer ${controlToken}`);
    if (timingSafeEqual(right, digest(request.headers.authorization ?? ''))) done();
    else reply.code(401).send({ message: 'send the control token: Authorization: Bearer …' });
  };

/** GET /ledger returns the money that really moved. */
export function addLedgerRoute(app: FastifyInstance, bank: SandboxBank, ledger: () => Ledger): void {
  app.get('/ledger', { onRequest: requireToken(bank) }, (_request, reply) => reply.send(ledger()));
}

/** POST /sandbox/control accepts the changes as a JSON object. */
export function addControlRoute(
  app: FastifyInstance,
  bank: SandboxBank,
  obey: (command: ControlCommand) => void,
): void {
  app.post('/sandbox/control', { onRequest: requireToken(bank) }, (request, reply) => {
    try {
      obey(readCommand(request.body));
      return reply.send({ done: true });
    } catch (cause) {
      if (cause instanceof SandboxError) return reply.code(400).send({ message: cause.message });
      throw cause;
    }
  });
}
