/** Changes the bank while it runs: in code always, over HTTP only when the table allows it. */
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { parseBaht } from '../core/money.ts';
import { createBehaviourIndex } from './behaviours.ts';
import type { Gateway } from './gateway.ts';
import { SandboxError } from './sandbox-error.ts';
import type { StatementTableInput } from './statement/table.ts';
import { parseBehaviours, parseStatementTable } from './table.ts';
import type { BehaviourInput } from './table.ts';

export interface SandboxControls {
  /**
   * Replaces the behaviours; their `times` begin anew.
   * @throws SandboxError
   */
  setBehaviours(behaviours: readonly BehaviourInput[]): void;
  /** Sets the bank's clock forward, or back when negative. */
  advanceMs(ms: number): void;
  /** False: transfers get TM001. */
  setServiceOpen(isOpen: boolean): void;
  /** True: every connection to the bank is closed without an answer. */
  setOutage(isOut: boolean): void;
  /**
   * What each payer account has to spend in all, what it has spent included; empty = no end of money.
   * @throws SandboxError for what is no amount
   */
  setPayerBalance(baht: string): void;
  /**
   * Replaces the given keys of the `statement` section, for files that are asked for from now on.
   * @throws SandboxError
   */
  setStatement(changes: StatementTableInput): void;
  /** Forgets every token: their bearers get 401. */
  revokeTokens(): void;
}

/** Makes the controls of a running bank. */
export function createControls(gateway: Gateway): SandboxControls {
  const { terms, clock, tokens } = gateway;
  return {
    setBehaviours(behaviours) {
      terms.findBehaviour = createBehaviourIndex(parseBehaviours(behaviours));
    },
    advanceMs: (ms) => clock.advance(ms),
    setServiceOpen(isOpen) {
      terms.isOpen = isOpen;
    },
    setOutage(isOut) {
      gateway.isOut = isOut;
    },
    setPayerBalance(baht) {
      const balance = parseBaht(baht);
      if (balance === undefined && baht !== '') {
        throw new SandboxError('baht: must be an amount in baht, such as "1001.01", or empty');
      }
      terms.payerBalanceSatang = balance ?? null;
    },
    setStatement(changes) {
      const { statements } = terms;
      if (changes.host !== undefined && changes.host !== statements.table.host) {
        throw new SandboxError('statement.host: cannot be changed while the bank runs');
      }
      statements.table = parseStatementTable({ ...statements.table, ...changes });
    },
    revokeTokens: () => tokens.revokeAll(),
  };
}

const commandSchema = z.strictObject({
  behaviours: z.array(z.unknown()).optional(),
  advanceMs: z.number().int().optional(),
  serviceOpen: z.boolean().optional(),
  outage: z.boolean().optional(),
  payerBalanceBaht: z.string().optional(),
  statement: z.record(z.string(), z.unknown()).optional(),
  revokeTokens: z.literal(true).optional(),
});

type Command = z.infer<typeof commandSchema>;

function obey(controls: SandboxControls, command: Command): void {
  if (command.behaviours !== undefined) controls.setBehaviours(command.behaviours as BehaviourInput[]);
  if (command.payerBalanceBaht !== undefined) controls.setPayerBalance(command.payerBalanceBaht);
  if (command.statement !== undefined) controls.setStatement(command.statement);
  if (command.advanceMs !== undefined) controls.advanceMs(command.advanceMs);
  if (command.serviceOpen !== undefined) controls.setServiceOpen(command.serviceOpen);
  if (command.outage !== undefined) controls.setOutage(command.outage);
  if (command.revokeTokens !== undefined) controls.revokeTokens();
}

const usage =
  'send any of {"behaviours":[…]}, {"advanceMs":1000}, {"serviceOpen":false}, {"outage":true}, ' +
  '{"payerBalanceBaht":"1000.00"}, {"statement":{"edits":[…]}}, {"revokeTokens":true}';

function readCommand(text: unknown): Command {
  try {
    return commandSchema.parse(JSON.parse(String(text)));
  } catch (cause) {
    throw new SandboxError(usage, { cause });
  }
}

/** POST /sandbox/control takes what is to change as a JSON object. */
export function addControlRoute(app: FastifyInstance, controls: SandboxControls): void {
  app.post('/sandbox/control', (request, reply) => {
    try {
      obey(controls, readCommand(request.body));
      return reply.send({ done: true });
    } catch (cause) {
      if (cause instanceof SandboxError) return reply.code(400).send({ message: cause.message });
      throw cause;
    }
  });
}
