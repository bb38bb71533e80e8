/** Who may ask: the bank's clients, their companies, and the payer accounts registered for each (§4 rules 4 and 6). */
import { z } from 'zod';
import { fieldLengths } from '../bank/wire.ts';
import { SandboxError } from './sandbox-error.ts';

const companyId = z
  .string('must be text in quotes')
  .regex(
    new RegExp(`^[A-Za-z0-9]{1,${fieldLengths.compId}}$`),
    `must be at most ${fieldLengths.compId} letters and digits`,
  );
const account = z
  .string('must be digits in quotes')
  .regex(
    new RegExp(`^\\d{1,${fieldLengths.payerAccount}}$`),
    `must be at most ${fieldLengths.payerAccount} digits, in quotes`,
  );

/** A company, and accounts that it may pay from. One that stands twice has the accounts of both. */
const companySchema = z.strictObject({ companyId, payerAccounts: z.array(account).min(1) });

const clientSchema = z.strictObject({
  clientId: z.string().min(1),
  clientSecret: z.string().min(1),
  /** Clients with the same one are the same partner's; that of the settings' client when left out. */
  partnerId: z
    .string()
    .regex(/^[A-Za-z0-9]{1,20}$/, 'must be at most 20 letters and digits')
    .optional(),
  companies: z.array(companySchema).min(1),
});

/** Further companies of the settings' own client, and further clients; none of either when left out. */
export const clientsShape = {
  companies: z.array(companySchema).default([]),
  clients: z.array(clientSchema).default([]),
};

export interface Client {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Undefined: the partner of the table's `statement.partnerId`, which may change while the bank runs. */
  readonly partnerId: string | undefined;
  /** Those that it may pay for. */
  readonly companyIds: ReadonlySet<string>;
}

type Company = z.infer<typeof companySchema>;

/** The settings' own client, company and accounts, and those that the table adds. */
export interface ClientsInput {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly companyId: string;
  readonly payerAccounts: readonly string[];
  readonly companies: readonly Company[];
  readonly clients: readonly z.infer<typeof clientSchema>[];
}

export type Clients = ReturnType<typeof createClients>;

const idsOf = (companies: readonly Company[]): ReadonlySet<string> =>
  new Set(companies.map((company) => company.companyId));

/** @throws SandboxError for two clients of one name */
export function createClients(input: ClientsInput) {
  const homeCompanies = [
    { companyId: input.companyId, payerAccounts: [...input.payerAccounts] },
    ...input.companies,
  ];
  const home: Client = {
    clientId: input.clientId,
    clientSecret: input.clientSecret,
    partnerId: undefined,
    companyIds: idsOf(homeCompanies),
  };
  const others = input.clients.map((client): Client => {
    const { companies, partnerId, ...own } = client;
    return { ...own, partnerId, companyIds: idsOf(companies) };
  });
  const byId = new Map<string, Client>([[home.clientId, home]]);
  for (const [place, client] of others.entries()) {
    if (byId.has(client.clientId))
      throw new SandboxError(`sandbox.clients[${place}].clientId: there is a client of this name already`);
    byId.set(client.clientId, client);
  }
  const accounts = new Map<string, Set<string>>();
  for (const company of [...homeCompanies, ...input.clients.flatMap(({ companies }) => companies)]) {
    const held = accounts.get(company.companyId) ?? new Set();
    accounts.set(company.companyId, new Set([...held, ...company.payerAccounts]));
  }
  return {
    /** The settings' own. */
    home,
    homeCompanyId: input.companyId,
    /** The client of these credentials. */
    find: (clientId: string | null, clientSecret: string | null): Client | undefined => {
      const client = byId.get(clientId ?? '');
      return client?.clientSecret === clientSecret ? client : undefined;
    },
    /** What a company may pay from; the first is its first. */
    accountsOf: (id: string): ReadonlySet<string> => accounts.get(id) ?? new Set(),
    /** The companies of a client's partner: of all clients that are the same partner's. */
    companiesOfPartner: ({ partnerId }: Client): ReadonlySet<string> =>
      new Set(
        [...byId.values()]
          .filter((client) => client.partnerId === partnerId)
          .flatMap(({ companyIds }) => [...companyIds]),
      ),
  };
}
