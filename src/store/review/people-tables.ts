/** Users, their tokens, and the chained history of both. */
import type { PersonChange } from '../../review/rules/person-request.ts';
import type { PersonEvent } from '../../review/rules/chain.ts';
import type { PasswordTries } from '../../review/rules/password.ts';
import type { Person } from '../../review/rules/people.ts';
import type { PersonToken } from '../../review/ports.ts';
import type { RowOf } from '../../platform/record-rows.ts';

/** As statements of Kysely's see them. */
export interface PersonTables {
  person: Omit<RowOf<Person & PasswordTries>, 'is_disabled'> & {
    readonly is_disabled: number;
    readonly name_key: string;
    readonly password_hash: string;
    readonly must_change: number;
  };
  person_token: RowOf<PersonToken> & { readonly token_hash: string };
  person_event: RowOf<PersonEvent>;
  person_change: RowOf<PersonChange>;
}
