/** The bank's clients, their companies, and the payer accounts registered for each (§4 rules 4 and 6). */
import { z } from 'zod';
import { fieldLengths, registrationLengths } from '../bank/wire.ts';
import { apiKeySchema, callbackUrlSchema } from './registration/table.ts';
import { SandboxError } from './sandbox-error.ts';

const lettersAndDigits = (lengthMax: number) =>
  z
    .string('must be text in quotes')
    .regex(new RegExp(`^[A-Za-z0-9]{1,${lengthMax}}$`), `must be at most ${lengthMax} letters and digits`);

const account = z
  .string('must be digits in quotes')
  .regex(
    new RegExp(`^\\d{1,${fieldLengths.payerAccount}}$`),
    `must be at most ${fieldLengths.payerAccount} digits, in quotes`,
  );

/** A company with its payer accounts. Several entries of one company add up. */
const companySchema = z.strictObject({
  companyId: lettersAndDigits(fieldLengths.compId),
  payerAccounts: z.array(account).min(1),
});

/** A company code with the company IDs registered under it (§2.2). Several entries of one code add up. */
const vendorSchema = z.strictObject({
  vendorId: lettersAndDigits(registrationLengths.vendorID),
  companyIds: z.array(lettersAndDigits(registrationLengths.companyID)).min(1),
});

const clientSchema = z.strictObject({
  clientId: z.string().min(1),
  clientSecret: z.string().min(1),
  /** Clients with the same partnerId belong to one partner; left out: that of the settings' client. */
  partnerId: z
    .string()
    .regex(/^[A-Za-z0-9]{1,20}$/, 'must be at most 20 letters and digits')
    .optional(),
  companies: z.array(companySchema).min(1),
  vendors: z.array(vendorSchema).default([]),
  /** URL of the client's own application (§5 item 1); left out: that of the registration section. */
  callbackUrl: callbackUrlSchema.optional(),
  apiKey: apiKeySchema.optional(),
});

/** Further companies of the settings' own client, its vendors, and further clients. */
export const clientsShape = {
  companies: z.array(companySchema).default([]),
  vendors: z.array(vendorSchema).default([]),
  clients: z.array(clientSchema).default([]),
};

export interface Client {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Undefined: the table's `statement.partnerId`, which may change while the bank runs. */
  readonly partnerId: string | undefined;
  /** Companies that the client may pay for. */
  readonly companyIds: ReadonlySet<string>;
  /** Vendors that it may register for. */
  readonly vendorIds: ReadonlySet<string>;
  /** URL of its callbacks, and their key; undefined: as in the registration section. */
  readonly callbackUrl?: string | undefined;
  readonly apiKey?: string | undefined;
}

type Company = z.infer<typeof companySchema>;
type Vendor = z.infer<typeof vendorSchema>;

/** The settings' own client, company and accounts, and the table's additions. */
interface ClientsInput {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly companyId: string;
  readonly payerAccounts: readonly string[];
  readonly companies: readonly Company[];
  readonly vendors: readonly Vendor[];
  readonly clients: readonly z.infer<typeof clientSchema>[];
}

export type Clients = ReturnType<typeof createClients>;

const idsOf = (companies: readonly Company[]): ReadonlySet<string> =>
  new Set(companies.map((company) => company.companyId));

const vendorIdsOf = (vendors: readonly Vendor[]): ReadonlySet<string> =>
  new Set(vendors.map(({ vendorId }) => vendorId));

/**
 * Maps company IDs to their vendors.
 * @throws SandboxError for a company of two vendors
 */
function indexVendors(vendors: readonly Vendor[]): ReadonlyMap<string, string> {
  const byCompany = new Map<string, string>();
  for (const { vendorId, companyIds } of vendors)
    for (const id of companyIds) {
      const other = byCompany.get(id) ?? vendorId;
      if (other !== vendorId)
        throw new SandboxError(
          `sandbox.vendors: ${id} is a company of ${other} and of ${vendorId}: give it to one`,
        );
      byCompany.set(id, vendorId);
    }
  return byCompany;
}

/** @throws SandboxError for two clients of one name, or a company of two vendors */
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
    vendorIds: vendorIdsOf(input.vendors),
  };
  const others = input.clients.map((client): Client => {
    const { companies, vendors, partnerId, ...own } = client;
    return { ...own, partnerId, companyIds: idsOf(companies), vendorIds: vendorIdsOf(vendors) };
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
  const vendorsByCompany = indexVendors([
    ...input.vendors,
    ...input.clients.flatMap(({ vendors }) => vendors),
  ]);
  return {
    /** The settings' own client. */
    home,
    homeCompanyId: input.companyId,
    /** The client with these credentials. */
    find: (clientId: string | null, clientSecret: string | null): Client | undefined => {
      const client = byId.get(clientId ?? '');
      return client?.clientSecret === clientSecret ? client : undefined;
    },
    /** A client by its id; undefined when the settings no longer have it. */
    findById: (clientId: string): Client | undefined => byId.get(clientId),
    /** The vendor of a company, of any client; undefined for an unknown company. */
    vendorOf: (id: string): string | undefined => vendorsByCompany.get(id),
    /** Payer accounts of a company, in order. */
    accountsOf: (id: string): ReadonlySet<string> => accounts.get(id) ?? new Set(),
    /** The companies of all clients of the same partner. */
    companiesOfPartner: ({ partnerId }: Client): ReadonlySet<string> =>
      new Set(
        [...byId.values()]
          .filter((client) => client.partnerId === partnerId)
          .flatMap(({ companyIds }) => [...companyIds]),
      ),
  };
}
