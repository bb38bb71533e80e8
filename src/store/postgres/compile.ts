/** The journal's statements as PostgreSQL reads them: the same nodes, with PostgreSQL's own text where they have one. */
import { createHash } from 'node:crypto';
import {
  type Compilable,
  createQueryId,
  type OperationNodeSource,
  PostgresQueryCompiler,
  type RawNode,
} from 'kysely';
import { type CompiledText, compileOnce, type Step, toPostgresNode } from '../statements.ts';

export class JournalCompiler extends PostgresQueryCompiler {
  protected override visitRaw(node: RawNode): void {
    super.visitRaw(toPostgresNode(node));
  }
}

const compiler = new JournalCompiler();

function compile(statement: Compilable) {
  const node = (statement as unknown as OperationNodeSource).toOperationNode();
  return compiler.compileQuery(node as Parameters<typeof compiler.compileQuery>[0], createQueryId());
}

/** A statement as it goes to the server. */
interface PostgresStatement extends CompiledText {
  /** The name by which each connection keeps it once it was parsed; undefined for one that is run now and then. */
  readonly name: string | undefined;
  /** True of a statement that changes nothing. */
  readonly isSelect: boolean;
}

/** PostgreSQL's texts hold no NUL: a cell that has one is kept with the sign for what cannot be shown. */
export const withoutNul = (value: unknown): unknown =>
  typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value;

const compiled = new WeakMap<Step['build'], PostgresStatement>();

/** The name of a statement by its text alone: a connection that has one of that name has this very one. */
export const nameOf = (text: string): string =>
  `paydrop_${createHash('sha256').update(text).digest('base64url').slice(0, 22)}`;

/** The statement of a step, compiled at its first use. */
export function compileStep({ build, values, isRare }: Step): PostgresStatement {
  const known = compiled.get(build);
  if (known !== undefined) return known;
  const { text, parameters, bind } = compileOnce(build as (values: object) => Compilable, values, compile);
  const statement = {
    text,
    parameters,
    bind: (given: object) => bind(given).map(withoutNul),
    name: isRare === true ? undefined : nameOf(text),
    isSelect: /^\s*select\s/i.test(text),
  };
  compiled.set(build, statement);
  return statement;
}
