/** What the `registration` section says of an account, and of a request, filed so that a look costs little. */
import { createMatchIndex } from '../behaviours.ts';
import type { BusinessStatus } from '../status-texts.ts';
import { registrationStatus } from './status-texts.ts';
import type { Account, RegistrationBehaviour, RegistrationTable } from './table.ts';

/** Shorter ones are nobody's. */
const accountDigitsMin = 10;

const hasAccountForm = (accountNo: string): boolean =>
  accountNo.length >= accountDigitsMin && !/^0+$/.test(accountNo);

function findCode(account: Account | undefined, accountNo: string, knownAccountsOnly: boolean) {
  if (account === undefined) return knownAccountsOnly || !hasAccountForm(accountNo) ? 'CBS001' : undefined;
  if (account.state === 'unknown') return 'CBS001';
  if (account.group !== 'retail') return 'CBS002';
  return account.state === 'inactive' ? 'CBS003' : undefined;
}

/** What a request offers to the table's matches. */
export type Subject = { readonly [Key in keyof RegistrationBehaviour['match']]: string | undefined };

export function indexTable(table: RegistrationTable) {
  const accounts = new Map(table.accounts.map((account) => [account.accountNo, account]));
  const findRows = createMatchIndex(table.behaviours, ({ match }) => match);
  return {
    /** Why an account cannot be debited (CBS001 to CBS003); one that is not listed is an active retail account. */
    findAccountFault(accountNo: string): BusinessStatus | undefined {
      const code = findCode(accounts.get(accountNo), accountNo, table.knownAccountsOnly);
      return code === undefined ? undefined : registrationStatus(code);
    },
    /** The behaviour that a request meets, the first in the table's order; each request uses one of its `times` up. */
    findBehaviour: (subject: Subject): RegistrationBehaviour | undefined => findRows(subject, 1)[0],
  };
}
