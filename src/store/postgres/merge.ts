/**
 * One statement for many who ask the same of the server at once: their values are rows of what is asked, so that the
 * server, and the way to it, have the cost of one statement.
 */
import {
  AliasNode,
  type Compilable,
  createQueryId,
  FromNode,
  IdentifierNode,
  InsertQueryNode,
  type OperationNodeSource,
  RawNode,
  ReturningNode,
  SelectionNode,
  SelectQueryNode,
  UpdateQueryNode,
  ValueListNode,
  type ValuesNode,
} from 'kysely';
import { bindValues, makeSlots, slotNameOf, type Step } from '../statements.ts';
import {
  compileStep,
  type ElementType,
  encodeBinaryList,
  isElementType,
  JournalCompiler,
  nameOf,
} from './compile.ts';

/** A statement that answers all who ask. */
export interface Merged {
  readonly text: string;
  readonly name: string;
  /** The kind of answer that each of them wants; it gives no others. */
  readonly wanted: Step['wanted'];
  /** The text that also ends the transaction unless each has changed one row; undefined of what is no update. */
  readonly ofOneEach: { readonly text: string; readonly name: string } | undefined;
  /** @param asked of each who asks, its values */
  bind(asked: readonly object[]): unknown[];
  /**
   * Reads the answers for each of them, in their order.
   * @param rows lists of cells; none is handed back by an insert
   */
  readAnswers(result: MergedResult, asked: number): unknown[];
}

interface MergedResult {
  readonly rows: readonly (readonly unknown[])[];
  readonly rowCount: number | null;
  readonly fields: readonly { readonly name: string }[];
}

/** A value of the statement as a column, whether those who ask differ in it or not. */
interface Column {
  readonly slot: string;
  readonly type: ElementType;
}

/** The columns, and the one that goes to each place of the statement alone; undefined where none does. */
interface Places {
  readonly columns: readonly Column[];
  readonly columnAt: readonly (number | undefined)[];
}

/** Finds the columns; undefined where a value is of a type that no list is made of. */
function findPlaces(parameters: readonly unknown[], types: readonly string[]): Places | undefined {
  const columns: Column[] = [];
  const columnAt: (number | undefined)[] = [];
  for (const [place, parameter] of parameters.entries()) {
    const slot = slotNameOf(parameter);
    const type = types[place] ?? '';
    if (slot === undefined) columnAt.push(undefined);
    else if (isElementType(type)) columnAt.push(placeOf(columns, { slot, type }));
    else return undefined;
  }
  return { columns, columnAt };
}

/** The index of a column that is there, or is added. */
function placeOf(columns: Column[], { slot, type }: Column): number {
  const known = columns.findIndex((column) => column.slot === slot && column.type === type);
  return known >= 0 ? known : columns.push({ slot, type }) - 1;
}

const columnName = (place: number): string => `asked.v${place}`;
/** The number of the body that asks, counted from 1. */
const askerName = 'asked.n';

const writeAsked = ({ columns }: Places): string => {
  const lists = columns.map(({ type }, place) => `$${place + 1}::${type}[]`).join(', ');
  const names = columns.map((_column, place) => `v${place}`).join(', ');
  return `unnest(${lists}) with ordinality as asked (${names}, n)`;
};

/** Writes the columns where the statement alone has its values. */
class MergingCompiler extends JournalCompiler {
  readonly #places: Places;
  readonly constants: unknown[] = [];
  #place = 0;

  constructor(places: Places) {
    super();
    this.#places = places;
  }

  protected override appendValue(parameter: unknown): void {
    const column = this.#places.columnAt[this.#place];
    this.#place += 1;
    if (column === undefined) this.append(`$${this.#places.columns.length + this.constants.push(parameter)}`);
    else this.append(columnName(column));
  }

  protected override visitUpdateQuery(node: UpdateQueryNode): void {
    super.visitUpdateQuery({
      ...node,
      from: FromNode.create([RawNode.createWithSql(writeAsked(this.#places))]),
      returning: ReturningNode.create([
        SelectionNode.create(
          AliasNode.create(RawNode.createWithSql(askerName), IdentifierNode.create('asker')),
        ),
      ]),
    });
  }

  protected override visitValues({ values }: ValuesNode): void {
    const [row] = values;
    this.append('select ');
    if (row !== undefined && ValueListNode.is(row)) this.compileList(row.values);
    else for (const [place, value] of (row?.values ?? []).entries()) this.#appendNext(value, place);
    this.append(` from ${writeAsked(this.#places)}`);
  }

  #appendNext(value: unknown, place: number): void {
    if (place > 0) this.append(', ');
    this.appendValue(value);
  }
}

type Shape = 'select' | 'update' | 'insert';

/** Finds the shape; undefined of a statement that cannot be merged, or whose meaning might be another then. */
function findShape(
  node: ReturnType<OperationNodeSource['toOperationNode']>,
  isSelect: boolean,
  wanted: Step['wanted'],
): Shape | undefined {
  const isRead = SelectQueryNode.is(node) || (RawNode.is(node) && isSelect);
  if (isRead) return wanted === 'get' ? 'select' : undefined;
  if (wanted !== 'run') return undefined;
  if (UpdateQueryNode.is(node))
    return [node.from, node.joins, node.with, node.returning].every((part) => part === undefined)
      ? 'update'
      : undefined;
  if (!InsertQueryNode.is(node) || node.values?.kind !== 'ValuesNode') return undefined;
  const isOneRow = (node.values as ValuesNode).values.length === 1;
  const isPlain = [node.onConflict, node.with, node.returning].every((part) => part === undefined);
  return isOneRow && isPlain ? 'insert' : undefined;
}

const countRows = (rows: MergedResult['rows'], asked: number): number[] => {
  const counts = Array.from({ length: asked }, () => 0);
  for (const [asker] of rows) counts[Number(asker) - 1] = (counts[Number(asker) - 1] ?? 0) + 1;
  return counts;
};

/** The first row of each body; its last cell says whose it is. */
function listRows({ rows, fields }: MergedResult, asked: number): unknown[] {
  const found: unknown[] = Array.from({ length: asked });
  for (const cells of rows) {
    const asker = Number(cells.at(-1)) - 1;
    if (found[asker] !== undefined) continue;
    const row: Record<string, unknown> = {};
    for (let place = 0; place < cells.length - 1; place += 1) row[fields[place]?.name ?? ''] = cells[place];
    found[asker] = row;
  }
  return found;
}

const readAnswers: Readonly<Record<Shape, Merged['readAnswers']>> = {
  select: listRows,
  update: ({ rows }, asked) => countRows(rows, asked),
  insert: ({ rowCount }, asked) => {
    if (rowCount === asked) return Array.from({ length: asked }, () => 1);
    throw new Error(`an insert of ${asked} at once gave ${rowCount}`);
  },
};

const named = (text: string) => ({ text, name: nameOf(text) });

const writeOneEach = (update: string): string =>
  `with changed as (${update}) select require_one_each(count(*), count(distinct asker), cardinality($1)) from changed`;

/**
 * @param types of the values of the statement alone, as the server has found them
 * @returns undefined of a statement that each asks alone
 */
export function mergeSteps(
  { build, values, wanted, ...step }: Step,
  types: readonly string[],
): Merged | undefined {
  if (step.asLists === true || step.isRare === true) return undefined;
  const statement = (build as (values: object) => Compilable)(makeSlots(values));
  const node = (statement as unknown as OperationNodeSource).toOperationNode();
  const { isSelect, parameters } = compileStep({ build, values, wanted });
  const shape = findShape(node, isSelect, wanted);
  const places = findPlaces(parameters, types);
  if (shape === undefined || places === undefined || places.columns.length === 0) return undefined;
  const compiler = new MergingCompiler(places);
  const { sql } = compiler.compileQuery(node as Parameters<typeof compiler.compileQuery>[0], createQueryId());
  // A select is planned for each row that asks, as it is alone.
  const text =
    shape === 'select'
      ? `select found.*, ${askerName} from ${writeAsked(places)} cross join lateral (${sql} offset 0) as found`
      : sql;
  const constants = bindValues(compiler.constants, {});
  return {
    text,
    wanted,
    name: nameOf(text),
    ofOneEach: shape === 'update' ? named(writeOneEach(sql)) : undefined,
    bind: (asked) => {
      const all = asked as readonly Readonly<Record<string, unknown>>[];
      const lists = places.columns.map(({ slot, type }) =>
        encodeBinaryList(
          type,
          all.map((one) => one[slot]),
        ),
      );
      return [...lists, ...constants];
    },
    readAnswers: readAnswers[shape],
  };
}
