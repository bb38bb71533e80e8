/** Errors of PostgreSQL and of the way to it, with their cures. */
import { errorCode } from '../../platform/durable-file.ts';
import { JournalLockedError, JournalRefusedError, JournalWriteError } from '../connection.ts';

/** SQLSTATEs and classes of them that we tell apart (PostgreSQL, appendix A). */
const states = {
  connection: '08',
  data: '22',
  integrity: '23',
  statement: '42',
  resources: '53',
  diskFull: '53100',
  lockNotAvailable: '55P03',
  idleInTransaction: '25P03',
  readOnly: '25006',
  denied: '42501',
  adminShutdown: '57P01',
  crashShutdown: '57P02',
  cannotConnectNow: '57P03',
  system: '58',
  failedTransaction: '25P02',
  serialization: '40001',
  deadlock: '40P01',
  notAuthorized: '28',
  noDatabase: '3D000',
  statementThere: '42P05',
  statementGone: '26000',
  notOneEach: 'PD001',
} as const;

/** The state of our own for a change that was taken for done and was not. */
export const notOneEachState = states.notOneEach;

/** The SQLSTATE of an error that the server raised; undefined for any other. */
function sqlStateOf(error: unknown): string | undefined {
  const isRaised = error instanceof Error && 'severity' in error && 'code' in error;
  return isRaised && typeof error.code === 'string' ? error.code : undefined;
}

/** True of an error by which a constraint, a trigger or a type refuses. */
export const isViolation = (error: unknown): boolean =>
  [states.integrity, states.data].some((refused) => sqlStateOf(error)?.startsWith(refused) === true);

/** True of a statement that the server does not take as it stands. */
export const isRefusedStatement = (error: unknown): boolean =>
  sqlStateOf(error)?.startsWith(states.statement) === true;

/** True of a prepared statement that the server does not know, or knows no more. */
export const isStatementGone = (error: unknown): boolean => sqlStateOf(error) === states.statementGone;

/** True of an error that may be the fault of one caller among others, or of their asking together or ahead. */
export const isOfOne = (error: unknown): boolean =>
  isViolation(error) ||
  isRefusedStatement(error) ||
  sqlStateOf(error) === states.notOneEach ||
  !isOfPostgres(error);

/** True of an error of the server, or of the way to it. */
export const isOfPostgres = (error: unknown): boolean =>
  sqlStateOf(error) !== undefined || isConnectionLost(error);

const lostConnection: ReadonlySet<string> = new Set([
  states.adminShutdown,
  states.crashShutdown,
  states.cannotConnectNow,
  states.idleInTransaction,
]);

const networkCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT',
]);

/** The words of pg, without a code, for a connection that has gone. */
const goneWords =
  /connection terminated|not queryable|client was closed|timeout exceeded when trying to connect/i;

/** True when the server, or the way to it, has gone: whatever was not committed by then has not happened. */
function isConnectionLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const state = sqlStateOf(error);
  if (state !== undefined) return lostConnection.has(state) || state.startsWith(states.connection);
  if (networkCodes.has(errorCode(error) ?? '')) return true;
  return error instanceof AggregateError
    ? error.errors.some(isConnectionLost)
    : goneWords.test(error.message);
}

/** True of an error that the server has answered while it is there to answer on. */
export const isAnswered = (error: unknown): boolean =>
  sqlStateOf(error) !== undefined && !isConnectionLost(error);

/** True of a statement that came after one that had failed in the same transaction; also through what wraps it. */
export function isOfEndedTransaction(error: unknown): boolean {
  if (sqlStateOf(error) === states.failedTransaction) return true;
  return error instanceof Error && error.cause !== undefined && isOfEndedTransaction(error.cause);
}

/** True when the same transaction may be tried again: nothing of it has happened. */
export const isPassing = (error: unknown): boolean =>
  isConnectionLost(error) ||
  ([states.serialization, states.deadlock] as (string | undefined)[]).includes(sqlStateOf(error));

/** The cure of a connection that has statements of another's, or lacks its own. */
const notOneSession =
  'what stands between changes the connection from one transaction to the next: set pool_mode = session in PgBouncer';

const cures: readonly (readonly [state: string, cure: string])[] = [
  [states.diskFull, 'the disk of the database is full: free some space'],
  [states.resources, 'the database is short of a resource: look at its log'],
  [states.readOnly, 'the database is read-only, as a replica is: name the primary in journal.url'],
  [states.denied, 'its role lacks a right: look at docs/operations.md, "Roles"'],
  [states.statementThere, notOneSession],
  [states.statementGone, notOneSession],
  [states.system, 'the database reports an error of its disk: check the disk before anything else'],
];

function findCure(error: unknown): string | undefined {
  if (isConnectionLost(error)) return 'the database cannot be reached: start it, or correct journal.url';
  const state = sqlStateOf(error);
  return cures.find(([start]) => state?.startsWith(start) === true)?.[1];
}

/** The failure of a transaction, with its cure; nothing of that transaction is in the journal. */
export function asPostgresWriteError(error: unknown): unknown {
  if (sqlStateOf(error) === states.lockNotAvailable) {
    const waits =
      'another machine has kept the journal locked for too long: look at pg_locks and pg_stat_activity';
    return new JournalLockedError(`the journal cannot be written: ${waits}`, { cause: error });
  }
  const cure = findCure(error);
  if (cure === undefined) return error;
  return new JournalWriteError(`the journal cannot be written: ${cure}, then run it again`, { cause: error });
}

// ---------------------------------------------------------------- opening

/** OpenSSL's codes and Node's, of a certificate that proves nothing. */
const tlsCode = /^(?:ERR_TLS_|ERR_SSL_|CERT_|SELF_SIGNED_|DEPTH_ZERO_|UNABLE_TO_)/;
const tlsWords = /does not support SSL/i;
const noPassword = /password must be a (?:non-empty )?string/i;

/** The reason why the database does not let us in, for good, with its cure; undefined when that is not it. */
function findRefusal(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const state = sqlStateOf(error);
  const code = errorCode(error) ?? '';
  if (state?.startsWith(states.notAuthorized) === true)
    return `the server does not let us in (${error.message}): correct user and password in journal.url`;
  if (noPassword.test(error.message))
    return 'the server asks for a password: give one in journal.url, before the @';
  if (state === states.statementThere || state === states.statementGone) return notOneSession;
  if (state === states.noDatabase)
    return 'there is no such database: make it, as docs/operations.md says, or correct journal.url';
  if (state === states.denied)
    return `its role lacks a right (${error.message}): look at docs/operations.md, "Roles"`;
  if ('syscall' in error && error.syscall === 'open')
    return `a file that its address names cannot be read (${code}): correct sslrootcert, sslcert or sslkey`;
  if (tlsCode.test(code) || tlsWords.test(error.message))
    return `no safe connection (${code || error.message}): correct sslmode and sslrootcert in journal.url`;
  return undefined;
}

/**
 * The refusal of a journal that cannot be opened, with its cure.
 * @param journal in the words of messages
 */
export function asPostgresRefusal(journal: string, error: unknown): unknown {
  // An error of a body comes with a cure for the person at work.
  const origin = error instanceof JournalWriteError && isOfPostgres(error.cause) ? error.cause : error;
  const refusal = findRefusal(origin);
  if (refusal !== undefined)
    return new JournalRefusedError(`${journal} cannot be opened: ${refusal}`, { cause: error });
  if (!isConnectionLost(origin)) return asPostgresWriteError(error);
  const code = errorCode(origin);
  const why = code ? ` (${code})` : '';
  return new JournalWriteError(
    `${journal} cannot be reached${why}: start the database, or correct journal.url; then run it again`,
    { cause: error },
  );
}
