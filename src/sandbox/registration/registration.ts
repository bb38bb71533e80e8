/** Endpoint 3: accepts or refuses a registration (§2.2, §7.1). The outcome follows by callback. */
import type { RegistrationIdentity } from '../../registration/rules/callback.ts';
import { usageExceededCode, usagePauseMs } from '../../registration/rules/status-codes.ts';
import type { AnswerRegistration, RegistrationRequest, SandboxBank } from '../bank.ts';
import type { Client } from '../clients.ts';
import type { Delivery } from '../delivery.ts';
import type { Body } from '../fields.ts';
import type { BusinessStatus } from '../status-texts.ts';
import type { NewRegistration, Registration } from './book.ts';
import type { Caller } from './caller.ts';
import {
  echoRequestUid,
  findExtraFault,
  findFieldFault,
  findHeaderFault,
  readDigitalId,
  readIdentity,
  readMessageHeader,
} from './fields.ts';
import { registrationStatus } from './status-texts.ts';
import type { RegistrationBehaviour } from './table.ts';

const successCode = '0';

/** The answer's body; severities other than INFO are not shown (§4 rule 8). */
function toBody({ code, text }: BusinessStatus, requestUid: string, seqId?: number): Delivery['body'] {
  return {
    statusCode: code,
    statusDesc: text,
    severity: code === successCode ? 'INFO' : 'ERROR',
    requestUID: requestUid,
    ...(code === successCode && seqId !== undefined ? { ddrOapiSeqId: seqId } : {}),
  };
}

/** The registration of a well-formed request. */
interface Order extends RegistrationIdentity {
  readonly client: Client;
  readonly requestUid: string;
  readonly digitalId: string;
  readonly acceptedAtMs: number;
}

/** Reads the request of a known client, or returns the fault of its form. */
function readOrder(
  { headers, body, nowMs }: RegistrationRequest,
  client: Client,
  channelId: string,
): Order | BusinessStatus {
  const header: Body = readMessageHeader(headers) ?? {};
  const fault =
    findHeaderFault(headers) ??
    (body === undefined ? registrationStatus('AU00400') : undefined) ??
    findExtraFault(header, channelId) ??
    findFieldFault(body ?? {});
  if (fault !== undefined) return fault;
  const requestUid = echoRequestUid(header);
  const digitalId = readDigitalId(headers);
  return { ...readIdentity(body ?? {}), client, requestUid, digitalId, acceptedAtMs: nowMs };
}

const isFault = (order: Order | BusinessStatus): order is BusinessStatus => 'code' in order;

/** Checks that the company code is the client's, and that the company is registered under it. */
function findCompanyFault({ clients }: SandboxBank, order: Order): BusinessStatus | undefined {
  const { client, vendorId, companyId } = order;
  if (client.vendorIds.size === 0) return registrationStatus('BSN006');
  if (!client.vendorIds.has(vendorId)) return registrationStatus('BSN001');
  const owner = clients.vendorOf(companyId);
  if (owner === undefined) return registrationStatus('BSN004');
  return owner === vendorId ? undefined : registrationStatus('BSN005');
}

/** Counts a client's requests in an hour; one above the limit blocks it for the next hour (§8). */
function createUsageLimit({ registration, registrations }: SandboxBank) {
  const hours = new Map<string, { readonly startMs: number; readonly count: number }>();
  /** Undefined within the limit. */
  return ({ clientId }: Client, nowMs: number): Pick<Delivery, 'recorded'> | undefined => {
    if (nowMs < registrations.blockedUntilMs(clientId)) return {};
    const limit = registration.table.registrationsPerHourLimit;
    const held = hours.get(clientId) ?? { startMs: nowMs, count: 0 };
    const hour = nowMs - held.startMs < usagePauseMs ? held : { startMs: nowMs, count: 0 };
    hours.set(clientId, { ...hour, count: hour.count + 1 });
    if (limit === 0 || hour.count < limit) return undefined;
    hours.delete(clientId);
    return { recorded: registrations.block(clientId, nowMs + usagePauseMs) };
  };
}

type Fate = Pick<NewRegistration, 'outcome' | 'decidedAtMs' | 'calls'>;

/** The decision and the callbacks; without a behaviour it succeeds, with one callback. */
function computeFate(
  behaviour: RegistrationBehaviour | undefined,
  decideAfterMs: number,
  acceptedAtMs: number,
): Fate {
  const { outcome = 'success', callbacks = [{ afterMs: 0, beforeAnswer: false, key: 'right' }] } =
    behaviour ?? {};
  if (outcome !== 'success' && outcome !== 'reject')
    return { outcome: null, decidedAtMs: acceptedAtMs, calls: [] };
  const isAtOnce = callbacks.some(({ beforeAnswer }) => beforeAnswer);
  const decidedAtMs = acceptedAtMs + (isAtOnce ? 0 : (behaviour?.decideAfterMs ?? decideAfterMs));
  const calls = callbacks.map(({ afterMs, ...call }) => ({
    ...call,
    outcome: call.outcome ?? outcome,
    dueAtMs: decidedAtMs + afterMs,
    tries: [],
  }));
  return { outcome, decidedAtMs, calls };
}

/** Makes the calls only after the registration is durable. */
async function callBack(caller: Caller, registration: Registration, recorded: Promise<void> | undefined) {
  await recorded;
  caller.owe(registration, true);
  await caller.callFirst(registration);
}

function enterRegistration(
  { registration: { table }, registrations }: SandboxBank,
  caller: Caller,
  { client, ...order }: Order,
  behaviour: RegistrationBehaviour | undefined,
): Delivery {
  const fate = computeFate(behaviour, table.decideAfterMs, order.acceptedAtMs);
  const { registration, recorded } = registrations.enter({ ...order, ...fate, clientId: client.clientId });
  const status = registrationStatus(behaviour?.code ?? successCode);
  const body = toBody(status, order.requestUid, registration.seqId);
  return { body, behaviour, recorded: callBack(caller, registration, recorded) };
}

function findBehaviour({ registration }: SandboxBank, order: Order): RegistrationBehaviour | undefined {
  const [ref1, ref2, ref3, ref4] = order.refs.map((ref) => ref ?? undefined);
  const { accountNo, digitalId, vendorId, companyId } = order;
  return registration.index.findBehaviour({
    accountNo,
    ref1,
    ref2,
    ref3,
    ref4,
    digitalId,
    vendorId,
    companyId,
  });
}

/** Answers a well-formed request: by its fault if there is one, else as the table says. */
function answerOrder(bank: SandboxBank, caller: Caller, order: Order): Delivery {
  const { registration, registrations } = bank;
  const { requestUid, acceptedAtMs } = order;
  const { clientId } = order.client;
  const refuse = (status: BusinessStatus, held?: Registration): Delivery => ({
    body: toBody(status, requestUid),
    recorded: registrations.countRefused(clientId, requestUid, held),
  });
  if (registrations.hasSeen(clientId, requestUid))
    return { body: toBody(registrationStatus('BSN007'), requestUid), recorded: registrations.countRepeat() };
  const companyFault = findCompanyFault(bank, order);
  if (companyFault !== undefined) return refuse(companyFault);
  const held = registrations.findOpen(order, registration.table, acceptedAtMs);
  if (held !== undefined) return refuse(registrationStatus('BSN002'), held);
  const behaviour = findBehaviour(bank, order);
  if (behaviour?.outcome === 'untouched')
    return { body: toBody(registrationStatus(behaviour.code ?? 'SYS001'), requestUid), behaviour };
  const accountFault = registration.index.findAccountFault(order.accountNo);
  return accountFault === undefined
    ? enterRegistration(bank, caller, order, behaviour)
    : refuse(accountFault);
}

export function createRegistration(bank: SandboxBank, caller: Caller): AnswerRegistration {
  const findExcess = createUsageLimit(bank);
  return (request) => {
    const { client, headers, nowMs } = request;
    const answer = (status: BusinessStatus) => toBody(status, echoRequestUid(readMessageHeader(headers)));
    if (client === undefined) return { httpStatus: 401, body: answer(registrationStatus('AU00401')) };
    const excess = findExcess(client, nowMs);
    if (excess !== undefined) return { ...excess, body: answer(registrationStatus(usageExceededCode)) };
    const order = readOrder(request, client, bank.registration.table.channelId);
    return isFault(order) ? { body: answer(order) } : answerOrder(bank, caller, order);
  };
}
