/** The tables of registrations. State stands apart from what the file says, so that a change rewrites few bytes. */
import type { ColumnType, Generated } from 'kysely';
import type { Report } from '../../core/ports.ts';
import type { RegistrationBatch, RegistrationEvent } from '../../registration/ports.ts';
import type { RegistrationOutcome } from '../../registration/rules/callback.ts';
import type {
  Registration,
  RegistrationAttempt,
  RegistrationInstruction,
  RegistrationStatus,
} from '../../registration/rules/registration.ts';
import type { RowOf } from '../../platform/record-rows.ts';

interface RegistrationBatchTable extends RowOf<Omit<RegistrationBatch, 'extraColumns'>> {
  readonly extra_columns: string;
  readonly latest_news_seq: Generated<number>;
  /** Kept by the trigger registration_report_of_batch. */
  readonly reported_event_seq: ColumnType<number, undefined, never>;
}

/** The present state of a row. */
interface RegistrationTable extends RowOf<
  Omit<
    Registration,
    | 'instruction'
    | 'holds'
    | 'acceptedHolds'
    | 'isAlarm'
    | 'isAcknowledged'
    | 'version'
    | 'attemptNo'
    | 'submittedAtMs'
    | 'awaitedUntilMs'
    | 'respCode'
    | 'respDesc'
    | 'applyDtm'
  >
> {
  /** A set as bits (`encodeHolds`), and so are the accepted ones. */
  readonly holds: number;
  readonly accepted_holds: Generated<number>;
  readonly issues: string | null;
  readonly version: Generated<number>;
  readonly attempt_no: Generated<number>;
  readonly submitted_at_ms: Generated<number | null>;
  readonly awaited_until_ms: Generated<number | null>;
  readonly resp_code: Generated<string | null>;
  readonly resp_desc: Generated<string | null>;
  readonly apply_dtm: Generated<string | null>;
  readonly is_alarm: Generated<number>;
  readonly is_acknowledged: Generated<number>;
  readonly last_event_seq: Generated<number>;
  readonly last_news_seq: Generated<number>;
  readonly waits: ColumnType<number, never, never>;
}

interface RegistrationRowTable {
  readonly seq: number;
  /** Trimmed; null when the cell is empty. */
  readonly registration_id: string | null;
  readonly line: number;
  readonly cells: string;
  readonly extras: string | null;
  readonly instruction: string | null;
  readonly digest: string | null;
  readonly salt: string | null;
}

interface RegistrationAskedTable extends RowOf<Omit<RegistrationInstruction, 'refs'>> {
  readonly seq: number;
  readonly ref1: string | null;
  readonly ref2: string | null;
  readonly ref3: string | null;
  readonly ref4: string | null;
  readonly identity_key: string;
  /** `computeSimilarKey` of the registrationId. */
  readonly similar_key: string;
}

interface RegistrationVersionTable {
  readonly registration_seq: number;
  readonly version: number;
  readonly instruction: string;
  readonly replaced: string | null;
  readonly digest: string;
  readonly at_ms: number;
}

export type RegistrationPlaceKind = 'registrationId' | 'customerId' | 'ref' | 'accountNo';

interface RegistrationAttemptTable extends RowOf<Omit<RegistrationAttempt, 'instruction'>> {
  /** Of the repetition with a renewed token; null without one. */
  readonly renewed_uid: string | null;
  readonly instruction: string;
  readonly identity_key: string;
}

interface RegistrationEventTable extends RowOf<Omit<RegistrationEvent, 'from' | 'to' | 'detail'>> {
  readonly from_status: RegistrationStatus;
  readonly to_status: RegistrationStatus;
  readonly detail: string;
  readonly hash: string;
}

interface RegistrationCallbackTable {
  readonly id: Generated<number>;
  readonly key: string;
  readonly identity_key: string;
  readonly registration_seq: number | null;
  readonly outcome: RegistrationOutcome;
  readonly applied_at_ms: number;
  readonly callback: string;
  readonly body: string;
  readonly header: string;
  readonly from_address: string;
  readonly received_at_ms: number;
  readonly repeats: Generated<number>;
}

export interface RegistrationTables {
  registration_batch: RegistrationBatchTable;
  registration: RegistrationTable;
  registration_row: RegistrationRowTable;
  registration_asked: RegistrationAskedTable;
  registration_version: RegistrationVersionTable;
  registration_place: {
    readonly text: string;
    readonly kind: RegistrationPlaceKind;
    readonly registration_seq: number;
  };
  registration_attempt: RegistrationAttemptTable;
  registration_claim: {
    readonly company_id: string;
    readonly similar_key: string;
    readonly registration_id: string;
    /** The row that holds it; null when it was given back. */
    readonly registration_seq: number | null;
  };
  registration_event: RegistrationEventTable;
  registration_callback: RegistrationCallbackTable;
  registration_report: RowOf<Report>;
}
