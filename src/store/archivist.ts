/** The right to remove and to erase what else is kept for ever, where the engine knows who may what. */
import { sql } from 'kysely';
import { JournalRefusedError } from './connection.ts';
import { type Body, inDialect, select, selectFirst, textStatement } from './statements.ts';

/** The role that has this right on PostgreSQL: a group without a login. */
export const archivistRole = 'paydrop_archivist';

interface Rights {
  readonly hasRight: number;
  readonly mayBecome: number;
  readonly user: string;
}

const rights = textStatement<Rights>(
  inDialect({
    sqlite: sql`select 1 as "hasRight", 0 as "mayBecome", '' as "user"`,
    postgres: sql`select has_table_privilege('event', 'delete') as "hasRight", current_user::text as "user",
      exists (select from pg_roles where rolname = ${sql.lit(archivistRole)} and pg_has_role(oid, 'member')) as "mayBecome"`,
  }),
);

const become = textStatement(sql`select set_config('role', ${sql.lit(archivistRole)}, true)`);

/**
 * Takes the right until the end of this transaction; the rest of the program works without it.
 * @throws JournalRefusedError where the connected role has no such right
 */
export function* becomeArchivist(): Body<void> {
  const { hasRight, mayBecome, user } = (yield* selectFirst(rights)) as Rights;
  if (hasRight === 1) return;
  if (mayBecome !== 1)
    throw new JournalRefusedError(
      `${user} may neither archive batches, nor bring them back, nor erase: have an administrator of the database make ` +
        `it a member of ${archivistRole}, as docs/operations.md says, "Roles"`,
    );
  yield* select(become);
}
