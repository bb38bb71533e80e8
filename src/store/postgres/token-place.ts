/** The place of the access token that machines share, sealed; the database's clock tells who renews it. */
import type { SharedToken, TokenPlace } from '../../core/bank-port.ts';
import { sql } from 'kysely';
import { define, textStatement } from '../statements.ts';
import type { PostgresEngine } from './engine.ts';
import { databaseNowMs } from './prune.ts';

/**
 * True while a row named `t` is claimed. As with leases, a claim that ends much later than one of now is void: the clock
 * of the database was put back since. Twice as much, since it may have been put right by a little.
 */
const isClaimedNow = (forMs: number) => sql<boolean>`(t.claimed_until_ms > ${databaseNowMs}
  and t.claimed_until_ms <= ${databaseNowMs} + 2 * ${forMs}::bigint)`;

const read = define(({ name, forMs }: { name: string; forMs: number }) =>
  textStatement<SharedToken & { readonly ageMs: number; readonly isClaimed: number }>(sql`
    select generation, sealed, ${databaseNowMs} - since_ms as "ageMs", ${isClaimedNow(forMs)} as "isClaimed"
    from shared_token t where name = ${name}`),
);

const claim = define(({ name, generation, forMs }: { name: string; generation: number; forMs: number }) =>
  textStatement<{ readonly claimedUntilMs: number }>(sql`
    insert into shared_token as t (name, generation, sealed, since_ms, claimed_until_ms)
    values (${name}, 0, '', 0, ${databaseNowMs} + ${forMs}::bigint)
    on conflict (name) do update set claimed_until_ms = excluded.claimed_until_ms
      where t.generation = ${generation} and not ${isClaimedNow(forMs)}
    returning claimed_until_ms as "claimedUntilMs"`),
);

const put = define(({ name, generation, sealed, sinceMs }: { name: string; sinceMs: number } & SharedToken) =>
  textStatement(sql`
    update shared_token
    set generation = ${generation}, sealed = ${sealed}, since_ms = ${sinceMs}, claimed_until_ms = 0
    where name = ${name} and generation = ${generation}::bigint - 1`),
);

const release = define(({ name, claimedUntilMs }: { name: string; claimedUntilMs: number }) =>
  textStatement(sql`
    update shared_token set claimed_until_ms = 0 where name = ${name} and claimed_until_ms = ${claimedUntilMs}`),
);

/** Runs each as one statement that waits for no writer, and fails when it is not answered soon. */
export const makeTokenPlace = (engine: Pick<PostgresEngine, 'writeAside'>): TokenPlace => ({
  read: async (name, forMs) => {
    const found = await engine.writeAside(() => read.get({ name, forMs }));
    return found && { ...found, isClaimed: found.isClaimed === 1 };
  },
  claim: async (name, generation, forMs) =>
    (await engine.writeAside(() => claim.get({ name, generation, forMs })))?.claimedUntilMs,
  put: async (name, token) => (await engine.writeAside(() => put.run({ name, ...token }))) === 1,
  release: async (name, claimedUntilMs) => {
    await engine.writeAside(() => release.run({ name, claimedUntilMs }));
  },
});
