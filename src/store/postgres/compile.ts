/**
 * The journal's statements as PostgreSQL reads them: the same nodes, with PostgreSQL's own text where they have one. Lists
 * of values go in its binary format: the server need not read them as text, and nothing is quoted here.
 */
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

// ---------------------------------------------------------------- lists of values

/** The types of a list: the number that the server knows each type by, and the bytes of each value; 0 of any number. */
const elementTypes = {
  bigint: { typeId: 20, bytes: 8 },
  integer: { typeId: 23, bytes: 4 },
  text: { typeId: 25, bytes: 0 },
} as const;

export type ElementType = keyof typeof elementTypes;

/** True of a type, by the server's name, that a list can be of. */
export const isElementType = (type: string): type is ElementType => Object.hasOwn(elementTypes, type);

/** The head: dimensions, whether there are nulls, type, how many values, number of the first. */
const headBytes = 20;
const lengthBytes = 4;
/** The bytes of a UTF-16 code unit as UTF-8, at most. */
const unitBytesMax = 3;
const isNull = -1;
const two32 = 2 ** 32;

/** The buffer for the list that is written next, over the one that was written last. */
let scratch = Buffer.allocUnsafeSlow(65_536);

function makeRoom(at: number, bytes: number): void {
  if (at + bytes <= scratch.length) return;
  const larger = Buffer.allocUnsafeSlow(Math.max(at + bytes, 2 * scratch.length));
  scratch.copy(larger, 0, 0, at);
  scratch = larger;
}

function writeText(value: unknown, at: number): number {
  const text = typeof value === 'string' ? (withoutNul(value) as string) : String(toNumber(value));
  makeRoom(at, lengthBytes + text.length * unitBytesMax);
  const bytes = scratch.write(text, at + lengthBytes);
  scratch.writeInt32BE(bytes, at);
  return at + lengthBytes + bytes;
}

/** @throws TypeError for what is no number */
function toNumber(value: unknown): number | bigint {
  if (typeof value === 'number' || typeof value === 'bigint') return value;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value === 'string' && /^-?\d+$/.test(value)) return BigInt(value);
  throw new TypeError(`a ${typeof value} is no number`);
}

function writeBigint(value: unknown, at: number): number {
  const number = toNumber(value);
  scratch.writeInt32BE(8, at);
  if (typeof number === 'number') {
    if (!Number.isSafeInteger(number)) throw new RangeError(`${number} is no exact whole number`);
    const high = Math.floor(number / two32);
    scratch.writeInt32BE(high, at + lengthBytes);
    scratch.writeUInt32BE(number - high * two32, at + 2 * lengthBytes);
  } else scratch.writeBigInt64BE(number, at + lengthBytes);
  return at + lengthBytes + 8;
}

function writeInteger(value: unknown, at: number): number {
  const number = Number(toNumber(value));
  if (!Number.isInteger(number)) throw new TypeError(`${number} is no whole number`);
  scratch.writeInt32BE(4, at);
  scratch.writeInt32BE(number, at + lengthBytes);
  return at + lengthBytes + 4;
}

const writers = { bigint: writeBigint, integer: writeInteger, text: writeText } as const;

/**
 * @returns a list for a parameter that is written as `$1::TYPE[]`
 * @throws Error for a value that is none of this type: the server would refuse it
 */
export function encodeBinaryList(type: ElementType, values: readonly unknown[]): Buffer {
  const { typeId, bytes } = elementTypes[type];
  const write = writers[type];
  let at = headBytes;
  let hasNulls = 0;
  for (const value of values) {
    makeRoom(at, lengthBytes + bytes);
    if (value === null || value === undefined) {
      hasNulls = 1;
      at = scratch.writeInt32BE(isNull, at);
    } else at = write(value, at);
  }
  for (const [place, word] of [1, hasNulls, typeId, values.length, 1].entries())
    scratch.writeInt32BE(word, place * lengthBytes);
  // A copy: it may wait, while the next is written.
  return Buffer.from(scratch.subarray(0, at));
}
