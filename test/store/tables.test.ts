/** A table is defined once: what each engine makes of it, and what cannot be wrong in any definition. */
import { DatabaseSync } from 'node:sqlite';
import { expect, expectTypeOf, test } from 'vitest';
import { journalTables } from '../../src/store/tables.ts';
import { machineTables } from '../../src/store/tables/machines.ts';
import { counted, flag, integer, type RowOf, satang, text } from '../../src/store/tables/column.ts';
import { areChanged, question, when } from '../../src/store/tables/condition.ts';
import { postgresTables, postgresTriggers, sqliteTables } from '../../src/store/tables/ddl.ts';
import { indexInOrder, neverChanges, neverGoes, table, uniqueIndex } from '../../src/store/tables/table.ts';

const isKept = question(
  'is_kept',
  ['text'],
  (name) => when`exists (select 1 from kept where name = ${name})`,
);

const parcel = table('parcel', {
  columns: {
    name: text().of('kept', 'cascade'),
    place: integer<1 | 2>().oneOf(1, 2),
    price: satang().orNull(),
    is_open: flag().usually(0),
  },
  key: ['name', 'place'],
  indexes: [uniqueIndex('parcel_open', 'place', 'is_open = 1'), indexInOrder('parcel_by_price', 'price')],
  rules: [
    neverGoes('a parcel is never removed', when`not ${isKept('old.name')}`),
    neverChanges('a parcel is never changed', when`${areChanged('name, price')}`),
  ],
});
const kept = table('kept', { columns: { name: text().key() } });

test('makes the table of each engine', () => {
  expect(sqliteTables([parcel])).toBe(`create table parcel (
  name text not null references kept on delete cascade,
  place integer not null check (place in (1, 2)),
  price integer,
  is_open integer not null default 0,
  primary key (name, place)
) strict, without rowid;
create unique index parcel_open on parcel (place) where is_open = 1;
create index parcel_by_price on parcel (price);
create trigger parcel_never_goes before delete on parcel
when (not (exists (select 1 from kept where name = old.name)))
begin
  select raise(abort, 'a parcel is never removed');
end;
create trigger parcel_never_changes before update on parcel
when ((not ((new.name, new.price) is not distinct from (old.name, old.price))))
begin
  select raise(abort, 'a parcel is never changed');
end;`);
  expect(postgresTables([parcel])).toBe(`create table parcel (
  name text collate "C" not null references kept on delete cascade,
  place bigint not null check (place in (1, 2)),
  price bigint,
  is_open bigint not null default 0,
  primary key (name, place)
);
create unique index parcel_open on parcel (place) where is_open = 1;
create index parcel_by_price on parcel (price, name, place);`);
  expect(postgresTriggers([parcel]))
    .toContain(`create function is_kept(text) returns boolean language plpgsql set search_path from current as $$
begin
  return exists (select 1 from kept where name = $1);
end $$;
create trigger parcel_never_goes before delete on parcel for each row
when (not is_kept(old.name))
execute function refuse('a parcel is never removed');`);
});

test('refuses what a rule names, in its words', () => {
  using db = new DatabaseSync(':memory:');
  db.exec(sqliteTables([kept, parcel]));
  db.exec(
    `insert into kept values ('a'), ('b'); insert into parcel values ('a', 1, 7, 0), ('b', 2, null, 0)`,
  );
  db.exec(`update parcel set is_open = 1, price = price where name = 'b'`);
  expect(() => db.exec(`update parcel set price = 8`)).toThrow('a parcel is never changed');
  expect(() => db.exec('insert into parcel values (?, 3, null, 0)'.replace('?', `'a'`))).toThrow('CHECK');
  db.exec('pragma foreign_keys = off; delete from kept');
  expect(() => db.exec('delete from parcel')).toThrow('a parcel is never removed');
});

test('has the types of its rows', () => {
  type Row = RowOf<typeof parcel>;
  expectTypeOf<Row['name']>().toEqualTypeOf<string>();
  expectTypeOf<Row['place']>().toEqualTypeOf<1 | 2>();
  const note = table('note', { columns: { id: counted(), why: text<'late' | 'lost'>().orNull() } });
  expectTypeOf<RowOf<typeof note>['why']>().toEqualTypeOf<'late' | 'lost' | null>();
});

const all = [...journalTables, ...machineTables];

test.each(all.map((one) => [one.name, one] as const))('%s names columns that it has', (_name, one) => {
  const columns = new Set(Object.keys(one.columns));
  const changed = one.refusals.flatMap(
    ({ change }) => change.match(/(?<=update of ).*/)?.[0].split(', ') ?? [],
  );
  const named = [...one.key, ...one.indexes.flatMap((index) => index.columns), ...changed];
  const digested = one.archiving === null ? [] : [one.archiving.by, ...one.archiving.digested.split(/,\s+/)];
  expect([...named, ...digested].filter((name) => !columns.has(name))).toEqual([]);
});

test('names of triggers and indexes are given once', () => {
  const names = all.flatMap(({ indexes, refusals, consequences }) =>
    [...indexes, ...refusals, ...consequences].map(({ name }) => name),
  );
  expect(names.filter((name, place) => names.indexOf(name) !== place)).toEqual([]);
});
