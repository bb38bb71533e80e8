/** Endpoint 3: accepts or refuses a registration (§2.2, §7.1). The outcome follows by callback. */
import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { registrationHeaders, registrationLengths } from '../../bank/wire.ts';
import { readBankDateTime, type RegistrationIdentity } from '../../registration/rules/callback.ts';
import { usageExceededCode, usagePauseMs } from '../../core/direct-debit-codes.ts';
import type { AnswerRegistration, RegistrationRequest, SandboxBank } from '../bank.ts';
import type { Client } from '../clients.ts';
import type { Delivery } from '../delivery.ts';
import { type Body, textOf } from '../fields.ts';
import type { BusinessStatus } from '../status-texts.ts';
import type { NewRegistration, Registration } from './book.ts';
import type { Caller } from './caller.ts';
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

/** The message header, read as a JSON object; undefined when it is missing or not one. */
function readMessageHeader(headers: IncomingHttpHeaders): Body | undefined {
  const text = headers[registrationHeaders.message];
  try {
    const value: unknown = typeof text === 'string' ? JSON.parse(text) : undefined;
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Body) : undefined;
  } catch {
    return undefined;
  }
}

/** The header digital-id; empty when it is missing. */
const readDigitalId = (headers: IncomingHttpHeaders): string =>
  String(headers[registrationHeaders.digitalId] ?? '').trim();

const isMissing = (value: unknown): boolean => value === undefined || value === null || value === '';

/** A requestUID: visible characters only. */
const requestUidPattern = new RegExp(`^[!-~]{1,${registrationLengths.requestUID}}$`);

/** The requestUID as echoed in the answer; empty when it is malformed. */
function echoRequestUid(header: Body | undefined): string {
  const requestUid = textOf(header ?? {}, 'requestUID');
  return requestUidPattern.test(requestUid) ? requestUid : '';
}

const messageFields: readonly (readonly [name: string, isRight: (value: string) => boolean])[] = [
  ['ipAddress', (value) => isIP(value) !== 0],
  ['requestUID', (value) => requestUidPattern.test(value)],
];

/** Checks that the headers are present (AU00003) and well-formed (AU00004). */
function findHeaderFault(headers: IncomingHttpHeaders): BusinessStatus | undefined {
  const { message, digitalId } = registrationHeaders;
  if (isMissing(headers[message])) return registrationStatus('AU00003', message);
  const header = readMessageHeader(headers);
  if (header === undefined) return registrationStatus('AU00004', message);
  for (const [name, isRight] of messageFields) {
    if (isMissing(header[name])) return registrationStatus('AU00003', name);
    if (!isRight(textOf(header, name))) return registrationStatus('AU00004', name);
  }
  return readDigitalId(headers) === '' ? registrationStatus('AU00003', digitalId) : undefined;
}

const dateTimePattern = /^\d{8} \d\d:\d\d:\d\d$/;

/**
 * Checks the optional fields of a message header, the same as in a callback (§2.3): form (CMN002) and value (CMN003).
 */
function findExtraFault(header: Body, channelId: string): BusinessStatus | undefined {
  if (!isMissing(header['channelId']) && header['channelId'] !== channelId)
    return registrationStatus('CMN003', 'channelId');
  if (isMissing(header['requestDateTime'])) return undefined;
  const dateTime = textOf(header, 'requestDateTime');
  if (!dateTimePattern.test(dateTime)) return registrationStatus('CMN002', 'requestDateTime');
  return readBankDateTime(dateTime).ok ? undefined : registrationStatus('CMN003', 'requestDateTime');
}

type FieldName = Exclude<keyof typeof registrationLengths, 'requestUID'>;

interface FieldRule {
  readonly name: FieldName;
  readonly isRequired: boolean;
  readonly pattern: RegExp;
  /** Code for a text of permitted length that does not match the pattern. */
  readonly code: string;
}

const lettersAndDigits = /^[A-Za-z0-9]+$/;
const printable = /^[^\p{C}\p{Zl}\p{Zp}]*$/u;
const refNames = ['ref1', 'ref2', 'ref3', 'ref4'] as const;

const rules: readonly FieldRule[] = [
  { name: 'vendorID', isRequired: true, pattern: lettersAndDigits, code: 'CMN002' },
  { name: 'companyID', isRequired: true, pattern: lettersAndDigits, code: 'CMN002' },
  { name: 'accountNo', isRequired: true, pattern: /^\d+$/, code: 'CMN004' },
  ...refNames.map((name) => ({ name, isRequired: false, pattern: printable, code: 'CMN003' })),
];

function findRuleFault({ name, isRequired, pattern, code }: FieldRule, body: Body) {
  const value = body[name];
  if (isMissing(value)) return isRequired ? registrationStatus('CMN001', name) : undefined;
  if (typeof value !== 'string') return registrationStatus('CMN002', name);
  const lengthMax = registrationLengths[name];
  if (value.length > lengthMax) return registrationStatus('CMN005', name, lengthMax);
  return pattern.test(value) ? undefined : registrationStatus(code, name);
}

/**
 * The first fault of a body's fields: missing (CMN001), not a text (CMN002), not numeric (CMN004), too long (CMN005).
 */
function findFieldFault(body: Body): BusinessStatus | undefined {
  return rules
    .values()
    .map((rule) => findRuleFault(rule, body))
    .find((fault) => fault !== undefined);
}

/** The identity of the registration in a valid body. */
function readIdentity(body: Body): RegistrationIdentity {
  const readRef = (name: FieldName): string | null => (textOf(body, name) === '' ? null : textOf(body, name));
  return {
    vendorId: textOf(body, 'vendorID'),
    companyId: textOf(body, 'companyID'),
    accountNo: textOf(body, 'accountNo'),
    refs: [readRef('ref1'), readRef('ref2'), readRef('ref3'), readRef('ref4')],
  };
}
