/**
 * A view: facts as fields, each with a type, a meaning and the way to its value. JSON, texts and docs/json.md are made of
 * the same fields. A field that means the same everywhere takes type and meaning from `sharedFields`.
 */
import { formatBangkokDateTime } from './bangkok-time.ts';
import { inEnglish, type Message } from './message.ts';
import { formatBaht, type Satang } from './money.ts';
import { showMessage, showText } from './outgoing-text.ts';
import { maskDigits } from './proxy-id.ts';

/** A type of field: the name that docs give it, and the JSON of a value. */
interface FieldType<Raw, Json> {
  readonly name: string;
  readonly encode: (raw: Raw) => Json;
}

const typeOf = <Raw, Json>(name: string, encode: (raw: Raw) => Json): FieldType<Raw, Json> => ({
  name,
  encode,
});

const asIs = <Value>(value: Value): Value => value;

/** Every type of field but those that hold another view. */
const fieldTypes = {
  text: typeOf('text', asIs<string>),
  /** The words of a file or of the bank, on one line, numbers masked. */
  foreign: typeOf('text', showText as (text: string) => string),
  /** A message that may quote foreign words. */
  message: typeOf('text', (said: Message): string => showMessage(said)),
  /** A message in paydrop's own words, with the ids that its commands name. */
  advice: typeOf('text', inEnglish),
  /** A number of a person or an account: its last digits are shown. */
  masked: typeOf('masked number', maskDigits),
  number: typeOf('number', asIs<number>),
  flag: typeOf('true or false', asIs<boolean>),
  baht: typeOf('baht', (amount: Satang | string): string =>
    typeof amount === 'string' ? amount : formatBaht(amount),
  ),
  moment: typeOf('moment', formatBangkokDateTime),
  /** Taken from YYYYMMDD. */
  day: typeOf('day', (date: string) => `${date.slice(0, 4)}-${date.slice(4, 6)}-${date.slice(6)}`),
  texts: typeOf('list of texts', asIs<readonly string[]>),
  messages: typeOf('list of texts', (all: readonly Message[]): readonly string[] => all.map(inEnglish)),
  numbers: typeOf('list of numbers', asIs<readonly number[]>),
  counts: typeOf('numbers by name', asIs<Readonly<Record<string, number>>>),
  words: typeOf('texts by name', asIs<Readonly<Record<string, string>>>),
  facts: typeOf('facts', asIs<unknown>),
} as const;

type Types = typeof fieldTypes;

/** A view within a field: one of it, several, or several by their names. */
interface Holds<Form extends 'record' | 'list' | 'by name', Part, Shape extends object> {
  readonly form: Form;
  readonly view: View<Part, Shape>;
}

const holding =
  <Form extends 'record' | 'list' | 'by name'>(form: Form) =>
  <Part, Shape extends object>(held: View<Part, Shape>): Holds<Form, Part, Shape> => ({ form, view: held });

export const recordOf = holding('record');
export const listOf = holding('list');
export const byName = holding('by name');

type AnyType = keyof Types | Holds<'record' | 'list' | 'by name', never, object>;

type Missing = null | undefined;

/** The value that a field of this type takes. */
type RawOf<Type> = Type extends keyof Types
  ? Parameters<Types[Type]['encode']>[0] | Missing
  : Type extends Holds<'record', infer Part, object>
    ? Part | Missing
    : Type extends Holds<'list', infer Part, object>
      ? readonly Part[]
      : Type extends Holds<'by name', infer Part, object>
        ? Iterable<readonly [name: string, part: Part]>
        : never;

type JsonOf<Type> = Type extends keyof Types
  ? ReturnType<Types[Type]['encode']>
  : Type extends Holds<'record', never, infer Shape>
    ? Shape
    : Type extends Holds<'list', never, infer Shape>
      ? readonly Shape[]
      : Type extends Holds<'by name', never, infer Shape>
        ? Readonly<Record<string, Shape>>
        : never;

/** Null where the value may be missing. */
type OrNull<Value, Json> =
  Json | (null extends Value ? null : never) | (undefined extends Value ? null : never);

/** A field of a view. */
interface Field {
  readonly type: AnyType;
  readonly meaning: string;
  readonly read: (facts: never) => unknown;
}

/** Facts of one kind as fields. @forTests */
export interface View<Facts, Shape extends object> {
  /** The name in docs/json.md. */
  readonly name: string;
  readonly fields: Readonly<Record<string, Field>>;
  readonly json: (facts: Facts) => Shape;
}

/** The JSON of a view. */
export type Said<Of> = Of extends View<never, infer Shape> ? Shape : never;

/** Fields that mean the same in every view, with type and meaning; docs/json.md is written from them. */
const sharedFields = {
  at: ['moment', 'when it happened'],
  batchId: ['text', 'id of the batch'],
  file: ['text', 'name of the file'],
  sha256: ['text', 'SHA-256 (hex) of its bytes'],
  rowNo: ['number', 'number of the row in its file, from 1'],
  line: ['number', 'line of the file'],
  column: ['foreign', 'name of the column'],
  payoutId: ['text', "the partner's id of the payout"],
  registrationId: ['text', "the partner's id of the registration"],
  transRefNo: ['text', 'reference under which the transfer was sent'],
  sysRefNo: ['text', "the bank's reference of the transfer"],
  status: ['text', 'status; docs/states.md has them all'],
  holds: ['texts', 'reasons why it waits; docs/files.md has them all'],
  reasonCode: ['text', 'code of the reason'],
  reason: ['message', 'why it is so'],
  remedy: ['message', 'what to do about it'],
  isAlarm: ['flag', 'whether the bank contradicts what was called proved'],
  rows: ['number', 'number of rows'],
  amount: ['baht', 'amount, or sum of amounts'],
  unreadableAmounts: ['number', 'rows whose amount cannot be read, and is in no sum'],
  startedAt: ['moment', 'when its file was taken in'],
  sealedAt: ['moment', 'when its rows were sealed'],
  restedAt: ['moment', 'when it last came to rest'],
  takenInAt: ['moment', 'when its file was taken in'],
  submittedAt: ['moment', 'when it was first sent'],
  settledAt: ['moment', 'when its outcome was proved or decided'],
  intentAt: ['moment', 'when the request was recorded, right before it left'],
  settledBy: ['text', 'what settled it: rules, check, reply, inquiry, statement, callback, time or decision'],
  attemptNo: ['number', 'number of the attempt'],
  alarms: ['number', 'rows that contradict what was called proved'],
  exceptions: ['number', 'rows that a person must look at'],
  proposal: ['number', 'number of the open proposal about it'],
  exitCode: ['number', 'exit code; docs/commands.md says what each means'],
  isSandbox: ['flag', 'whether it is a rehearsal that moves no money'],
  isRepeat: ['flag', 'whether an earlier run has done all of it'],
  proxyNo: ['masked', 'mobile number or ID of the payee'],
  payeeName: ['foreign', 'name of the payee in the file'],
  bankPayeeName: ['foreign', 'name of the payee at the bank, in Latin letters'],
  bankPayeeNameTh: ['foreign', 'name of the payee at the bank, in Thai'],
  reference1: ['foreign', 'first reference of the payment'],
  reference2: ['foreign', 'second reference of the payment'],
  customerId: ['masked', 'citizen or tax ID of the customer'],
  vendorId: ['foreign', 'vendor of the direct debit'],
  companyId: ['foreign', 'company'],
  accountNo: ['masked', 'account to be debited'],
  payerAccount: ['masked', 'account that is paid from'],
  respCode: ['text', "code of the bank's callback"],
  applyDtm: ['text', 'when the bank applied it, in its own words'],
  journalId: ['text', 'id of the journal'],
  dataDir: ['text', 'folder of journal and files'],
  database: ['text', 'host and name of the database'],
  path: ['text', 'path of the file'],
} as const;

type Shared = typeof sharedFields;

/** A field of this view alone; without a function its value is the fact of the same name. */
type Own<Facts> = readonly [type: AnyType, meaning: string, of?: (facts: Facts) => unknown];

/** Fields as they are given: the value of a shared one, or one of its own. */
type Given<Facts> = Readonly<Record<string, ((facts: Facts) => unknown) | Own<Facts>>>;

type TypeOf<Name, One> =
  One extends Own<never> ? One[0] : Name extends keyof Shared ? Shared[Name][0] : never;

type ValueOf<Facts, Name, One> = One extends readonly [AnyType, string]
  ? Name extends keyof Facts
    ? Facts[Name]
    : { readonly unknownFact: Name }
  : One extends readonly [AnyType, string, (facts: never) => infer Value]
    ? Value
    : One extends (facts: never) => infer Value
      ? Value
      : never;

type ShapeOf<Facts, Fields> = {
  -readonly [Name in keyof Fields]: OrNull<
    ValueOf<Facts, Name, Fields[Name]>,
    JsonOf<TypeOf<Name, Fields[Name]>>
  >;
};

/** Refuses a value of another type than its field's, and an unknown shared field. */
type Checked<Facts, Fields> = {
  readonly [Name in keyof Fields]: ValueOf<Facts, Name, Fields[Name]> extends RawOf<
    TypeOf<Name, Fields[Name]>
  >
    ? Fields[Name]
    : never;
};

/** Makes the views of facts of one type. */
export const viewOf =
  <Facts>() =>
  <const Fields extends Given<Facts>>(
    name: string,
    given: Fields & Checked<Facts, Fields>,
  ): View<Facts, ShapeOf<Facts, Fields>> => {
    const fields = Object.entries<Given<Facts>[string]>(given).map(([key, entry]) => {
      const [type, meaning, of = (facts: Facts) => facts[key as keyof Facts]] =
        typeof entry === 'function' ? [...sharedFields[key as keyof Shared], entry] : entry;
      return [key, { type, meaning, read: (facts: Facts) => encodeValue(type, of(facts)) }] as const;
    });
    return {
      name,
      fields: Object.fromEntries(fields),
      json: (facts) =>
        Object.fromEntries(fields.map(([key, { read }]) => [key, read(facts)])) as ShapeOf<Facts, Fields>,
    };
  };

function encodeValue(type: AnyType, value: unknown): unknown {
  if (value === null || value === undefined) return null;
  if (typeof type === 'string') return (fieldTypes[type].encode as (raw: unknown) => unknown)(value);
  const toJson = type.view.json as (part: unknown) => object;
  switch (type.form) {
    case 'record':
      return toJson(value);
    case 'list':
      return (value as readonly unknown[]).map(toJson);
    case 'by name':
      return Object.fromEntries(
        [...(value as Iterable<readonly [string, unknown]>)].map(([name, part]) => [name, toJson(part)]),
      );
  }
}
