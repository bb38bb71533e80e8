/**
 * Functions that statements and triggers call by the names that SQLite has, so that most statements are one text for both.
 * Each is the twin of a function of TypeScript or of SQLite's own: a change of one is a change of both.
 */
import { notOneEachState } from '../errors.ts';

const hashed = (text: string): string =>
  `translate(rtrim(encode(sha256(convert_to(${text}, 'UTF8')), 'base64'), '='), '+/', '-_')`;

/** The functions `hashEvent` and, where the previous one is a digest and a salt, `commitTo`. */
const eventHash = String.raw`
create function event_hash_of(previous text, event text) returns text
language plpgsql immutable parallel safe as $$
declare
  follows text := coalesce(previous, '-');
begin
  if strpos(follows, ' ') > 0 then
    follows := ${hashed(String.raw`E'paydrop payout start v1\n' || split_part(follows, ' ', 2) || E'\n' || split_part(follows, ' ', 1)`)};
  end if;
  return ${hashed(String.raw`E'paydrop payout event v1\n' || follows || E'\n' || event`)};
end $$;
`;

/**
 * Takes a path of names and places: `$.a.b[2]`. Numbers and flags come out as their text, too. What JSON can say and
 * PostgreSQL cannot keep, a NUL and half a surrogate pair, comes out as U+FFFD.
 */
const json = String.raw`
create function json_extract(document text, path text) returns text
language plpgsql immutable strict parallel safe as $$
declare
  kept text := document;
begin
  if strpos(kept, '\u') > 0 then
    kept := regexp_replace(kept, '(?<!\\)((?:\\\\)*)\\u(?:0000|[dD][89a-fA-F][0-9a-fA-F]{2})', '\1\\ufffd', 'g');
  end if;
  return kept::json #>> string_to_array(substr(translate(path, '[]', '.'), 3), '.');
end $$;

create operator ->> (function = json_extract, leftarg = text, rightarg = text);

-- Sets $.name of the whole document alone. All else of it stays as it is written.
create function json_set(document text, path text, value text) returns text
language sql immutable parallel safe
return case when $1 is not null then (
  select '{' || string_agg(to_json(name)::text || ':' || kept::text, ',' order by place) || '}' from (
    select name, case when name = substr($2, 3) then to_json($3) else kept end as kept, place
    from json_each($1::json) with ordinality as member (name, kept, place)
    union all
    select substr($2, 3), to_json($3), null where json_extract_path($1::json, substr($2, 3)) is null) as members) end;
`;

/** The greatest of several values, as SQLite has it beside the aggregates: null when one is. */
const greatestOfAll = `
create function max(bigint, bigint) returns bigint language sql immutable parallel safe
return case when $1 >= $2 then $1 when $1 < $2 then $2 end;
create function min(bigint, bigint) returns bigint language sql immutable parallel safe
return case when $1 <= $2 then $1 when $1 > $2 then $2 end;
create function max(bigint, bigint, bigint) returns bigint language sql immutable parallel safe
return max(max($1, $2), $3);
create function min(bigint, bigint, bigint) returns bigint language sql immutable parallel safe
return min(min($1, $2), $3);
`;

const others = `
create function instr(text, text) returns bigint language sql immutable parallel safe return strpos($1, $2);
create function iif(boolean, anycompatible, anycompatible) returns anycompatible
language sql immutable parallel safe as 'select case when $1 then $2 else $3 end';
`;

/** Ends the transaction unless each of those who asked for a change has changed one row (merge.ts). */
const requireOneEach = `
create function require_one_each(changed bigint, askers bigint, asked bigint) returns void language plpgsql as $$
begin
  if changed <> asked or askers <> asked then
    raise exception '% of % changes were made, of % rows', askers, asked, changed using errcode = '${notOneEachState}';
  end if;
end $$;
`;

export const functions = [eventHash, json, greatestOfAll, others, requireOneEach].join('');
