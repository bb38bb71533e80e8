/** The `registration` section, indexed for fast look-ups of accounts and requests. */
import { createMatchIndex } from '../behaviours.ts';
import type { BusinessStatus } from '../status-texts.ts';
import { registrationStatus } from './status-texts.ts';
import type { Account, RegistrationBehaviour, RegistrationTable } from './table.ts';

/** Fewest digits of an account. */
const accountDigitsMin = 10;

const hasAccountForm = (accountNo: string): boolean =>
  accountNo.length >= accountDigitsMin && !/^0+$/.test(accountNo);

function findCode(account: Account | undefined, accountNo: string, knownAccountsOnly: boolean) {
  if (account === undefined) return knownAccountsOnly || !hasAccountForm(accountNo) ? 'CBS001' : undefined;
  if (account.state === 'unknown') return 'CBS001';
  if (account.group !== 'retail') return 'CBS002';
  return account.state === 'inactive' ? 'CBS003' : undefined;
}

/** Fields of a request that the table can match. */
type Subject = { readonly [Key in keyof RegistrationBehaviour['match']]: string | undefined };

export function indexTable(table: RegistrationTable) {
  const accounts = new Map(table.accounts.map((account) => [account.accountNo, account]));
  const findRows = createMatchIndex(table.behaviours, ({ match }) => match);
  return {
    /** Reason why an account cannot be debited (CBS001 to CBS003); an unlisted one is an active retail account. */
    findAccountFault(accountNo: string): BusinessStatus | undefined {
      const code = findCode(accounts.get(accountNo), accountNo, table.knownAccountsOnly);
      return code === undefined ? undefined : registrationStatus(code);
    },
    /** The first matching behaviour in the table's order; each request uses up one of its `times`. */
    findBehaviour: (subject: Subject): RegistrationBehaviour | undefined => findRows(subject, 1)[0],
  };
}
