/** Registrations of direct debits, what was sent for them, and what the bank has called back. */
import type { RegistrationBatch } from '../../registration/ports.ts';
import type { RegistrationOutcome } from '../../registration/rules/callback.ts';
import type {
  Registration,
  RegistrationAttempt,
  RegistrationCause,
  RegistrationStatus,
} from '../../registration/rules/registration.ts';
import { computedFlag, counted, flag, integer, text } from './column.ts';
import { areChanged, question, when } from './condition.ts';
import { reportsOf } from './payouts.ts';
import { index, indexInOrder, neverChanges, neverGoes, refuses, table, uniqueIndex } from './table.ts';

export const registrationBatch = table('registration_batch', {
  columns: {
    batch_id: text().key(),
    sha256: text(),
    file_name: text(),
    company_id: text(),
    status: text<RegistrationBatch['status']>(),
    reason_code: text().orNull(),
    reason: text().orNull(),
    remedy: text().orNull(),
    rows: integer(),
    /** JSON. */
    extra_columns: text(),
    started_at_ms: integer(),
    dropped_at_ms: integer(),
    sealed_at_ms: integer().orNull(),
    rested_at_ms: integer().orNull(),
    /** The latest event of its rows that a result shows. */
    latest_news_seq: integer().usually(0),
    /** The latest event that its reports show, kept by registration_report_of_batch; -1 before any. */
    reported_event_seq: integer().usually(-1),
  },
  keepsOrder: true,
  indexes: [
    index(
      'registration_batch_unreported',
      'dropped_at_ms',
      `status in ('done', 'paused', 'halted') and reported_event_seq < latest_news_seq`,
    ),
    index('registration_batch_open', 'dropped_at_ms', `status in ('sealed', 'running', 'paused')`),
  ],
});

export const registrationReport = reportsOf('registration_report', 'registration_batch');

const isSealed = question(
  'is_sealed_registration',
  ['text'],
  (batchId) => when`(select sealed_at_ms is not null from registration_batch where batch_id = ${batchId})`,
);

/** The present state of a row, apart from what the file says, so that a change rewrites few bytes. */
export const registration = table('registration', {
  columns: {
    seq: integer().key(),
    batch_id: text().of('registration_batch'),
    row_no: integer(),
    status: text<RegistrationStatus>(),
    /** A set as bits (`encodeHolds`), and so are the accepted ones. */
    holds: integer(),
    accepted_holds: integer().usually(0),
    reason_code: text().orNull(),
    reason: text().orNull(),
    /** JSON. */
    issues: text().orNull(),
    version: integer().usually(1),
    attempt_no: integer().usually(0),
    submitted_at_ms: integer().orNull(),
    settled_at_ms: integer().orNull(),
    settled_by: text<NonNullable<Registration['settledBy']>>().orNull(),
    awaited_until_ms: integer().orNull(),
    resp_code: text().orNull(),
    resp_desc: text().orNull(),
    apply_dtm: text().orNull(),
    is_alarm: flag().usually(0),
    is_acknowledged: flag().usually(0),
    last_event_seq: integer().usually(0),
    /** The latest event that a result shows. */
    last_news_seq: integer().usually(0),
    /** For a person who has not taken note of it. */
    waits: computedFlag(`is_acknowledged = 0 and (is_alarm = 1 or status in
      ('held', 'rejected', 'refused', 'failed', 'unanswered', 'contradicted'))`),
  },
  indexes: [
    uniqueIndex('registration_in_batch', 'batch_id, row_no'),
    index('registration_ready', 'batch_id, row_no', `status = 'ready'`),
    index('registration_by_status', 'status'),
    /** Everything that the totals of a batch take. */
    index('registration_totals', 'batch_id, status, is_alarm, is_acknowledged'),
    index('registration_waiting', 'seq', 'waits = 1'),
    index('registration_waiting_in', 'batch_id, seq', 'waits = 1'),
    index('registration_alarm', 'seq', 'is_alarm = 1'),
    index('registration_awaited', 'batch_id', `status in ('submitted', 'in-doubt', 'acknowledged')`),
    index('registration_overdue', 'awaited_until_ms', `status in ('in-doubt', 'acknowledged')`),
  ],
  rules: [neverGoes('a registration is never removed', isSealed('old.batch_id'))],
});

/** A row as its file has it. */
export const registrationRow = table('registration_row', {
  columns: {
    seq: integer().key().of('registration', 'cascade'),
    /** Trimmed; null when the cell is empty. */
    registration_id: text().orNull(),
    line: integer(),
    /** JSON. */
    cells: text(),
    /** JSON. */
    extras: text().orNull(),
    /** JSON; null of a row that asks for nothing that could be read. */
    instruction: text().orNull(),
    digest: text().orNull(),
    salt: text().orNull(),
  },
  rules: [neverChanges('a row as its file has it is never changed')],
});

/** The present instruction of a row. */
export const registrationAsked = table('registration_asked', {
  columns: {
    seq: integer().key().of('registration', 'cascade'),
    registration_id: text(),
    customer_id: text(),
    vendor_id: text(),
    company_id: text(),
    account_no: text(),
    ref1: text().orNull(),
    ref2: text().orNull(),
    ref3: text().orNull(),
    ref4: text().orNull(),
    identity_key: text(),
    /** `computeSimilarKey` of the registrationId. */
    similar_key: text(),
  },
  indexes: [index('registration_asked_identity', 'identity_key')],
});

/** A correction. */
export const registrationVersion = table('registration_version', {
  columns: {
    registration_seq: integer().of('registration'),
    version: integer(),
    /** JSON: what it asks for from then on, and what it asked for before. */
    instruction: text(),
    replaced: text().orNull(),
    digest: text(),
    at_ms: integer(),
  },
  key: ['registration_seq', 'version'],
  rules: [
    neverChanges('what was corrected is never changed'),
    neverGoes('what was corrected is never removed'),
  ],
});

export type RegistrationPlaceKind = 'registrationId' | 'customerId' | 'ref' | 'accountNo';

/** Rows by registrationId, customer, reference or account. Filled at the seal, in its own order. */
export const registrationPlace = table('registration_place', {
  columns: { text: text(), kind: text<RegistrationPlaceKind>(), registration_seq: integer() },
  key: ['text', 'kind', 'registration_seq'],
});

/** `RegistrationAttempt`. */
export const registrationAttempt = table('registration_attempt', {
  columns: {
    registration_seq: integer().of('registration'),
    attempt_no: integer(),
    identity_key: text(),
    /** JSON. */
    instruction: text(),
    request_uid: text(),
    ip_address: text(),
    intent_at_ms: integer(),
    http_status: integer().orNull(),
    status_code: text().orNull(),
    status_desc: text().orNull(),
    severity: text().orNull(),
    ddr_oapi_seq_id: text().orNull(),
    elapsed_ms: integer().orNull(),
    /** The requestUID of the repetition with a renewed token; null without one. */
    renewed_uid: text().orNull(),
    /** The bank's clock less ours, as its answer showed it; null without one. */
    bank_offset_ms: integer().orNull(),
    /** Whether the bank has taken the attempt, as the reading of its answer found; null without an answer. */
    taken: text<NonNullable<RegistrationAttempt['taken']>>().orNull(),
  },
  key: ['registration_seq', 'attempt_no'],
  indexes: [
    uniqueIndex('registration_attempt_by_request_uid', 'request_uid'),
    uniqueIndex('registration_attempt_by_renewed_uid', 'renewed_uid', 'renewed_uid is not null'),
    index('registration_attempt_by_identity', 'identity_key'),
    index('registration_attempt_by_seq_id', 'ddr_oapi_seq_id', 'ddr_oapi_seq_id is not null'),
    index('registration_attempt_offset', 'intent_at_ms', 'bank_offset_ms is not null'),
  ],
  rules: [
    neverGoes('an attempt is never removed'),
    refuses(
      'registration_request_never_changes',
      'update of registration_seq, attempt_no, identity_key, instruction, request_uid, ip_address, intent_at_ms',
      'what an attempt sends is never changed',
    ),
    refuses(
      'registration_renewed_uid_never_changes',
      'update of renewed_uid',
      'what an attempt sends is never changed',
      when`old.renewed_uid is not null and ${areChanged('renewed_uid')}`,
    ),
  ],
});

/** Claims name a row without a foreign key, as those of payouts do. */
export const registrationClaim = table('registration_claim', {
  columns: {
    company_id: text(),
    similar_key: text(),
    registration_id: text(),
    /** The row that holds it; null when it was given back. */
    registration_seq: integer().orNull(),
  },
  key: ['company_id', 'similar_key', 'registration_id'],
  rules: [neverGoes('a claim is never removed')],
});

export const registrationEvent = table('registration_event', {
  columns: {
    seq: integer().key(),
    registration_seq: integer().of('registration'),
    from_status: text<RegistrationStatus>(),
    to_status: text<RegistrationStatus>(),
    cause: text<RegistrationCause>(),
    at_ms: integer(),
    attempt_no: integer(),
    /** JSON. */
    detail: text(),
    hash: text(),
  },
  indexes: [indexInOrder('registration_event_of', 'registration_seq')],
  rules: [neverChanges('an event is never changed'), neverGoes('an event is never removed')],
});

/** `KeptCallback`. */
export const registrationCallback = table('registration_callback', {
  columns: {
    id: counted(),
    key: text().unique(),
    identity_key: text(),
    registration_seq: integer().orNull().of('registration'),
    outcome: text<RegistrationOutcome>(),
    applied_at_ms: integer(),
    /** JSON. */
    callback: text(),
    body: text(),
    /** JSON. */
    header: text(),
    from_address: text(),
    received_at_ms: integer(),
    repeats: integer().usually(0),
  },
  indexes: [
    index('registration_callback_of', 'registration_seq', 'registration_seq is not null'),
    index('registration_callback_unbound', 'id', 'registration_seq is null'),
    index('registration_callback_identity', 'identity_key'),
  ],
  rules: [
    neverChanges(
      'a callback is kept as it was received',
      when`${areChanged('id, key, identity_key, outcome, applied_at_ms, callback, body, header, from_address, received_at_ms')}
        or new.repeats < old.repeats or (old.registration_seq is not null and ${areChanged('registration_seq')})`,
    ),
    neverGoes('a callback is never removed'),
  ],
});
