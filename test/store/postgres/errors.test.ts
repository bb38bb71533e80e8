import { DatabaseError } from 'pg';
import { describe, expect, test } from 'vitest';
import { JournalRefusedError, JournalWriteError } from '../../../src/store/connection.ts';
import { asPostgresRefusal, asPostgresWriteError } from '../../../src/store/postgres/errors.ts';

/** What the server has answered, with its SQLSTATE. */
function answered(code: string, message = 'said'): DatabaseError {
  const error = new DatabaseError(message, message.length, 'error');
  return Object.assign(error, { code, severity: 'ERROR' });
}

const failed = (code: string, more: object = {}, message = 'failed'): Error =>
  Object.assign(new Error(message), { code, ...more });

describe('a journal that cannot be opened', () => {
  test.each<[string, Error, RegExp]>([
    ['a password', answered('28P01', 'password authentication failed for user "x"'), /not let us in .*"x"/],
    ['no password', new Error('SASL: client password must be a string'), /give one in journal\.url/],
    ['no rule for us', answered('28000', 'no pg_hba.conf entry'), /no pg_hba\.conf entry.*correct user/],
    ['no database', answered('3D000'), /there is no such database/],
    ['no right', answered('42501', 'permission denied for schema x'), /lacks a right \(permission.*"Roles"/],
    ['a pooler', answered('42P05'), /pool_mode = session/],
    ['a pooler later on', answered('26000'), /pool_mode = session/],
    [
      'a file of the address',
      failed('ENOENT', { syscall: 'open' }),
      /a file that its address names .*ENOENT/,
    ],
    ['a certificate', failed('SELF_SIGNED_CERT_IN_CHAIN'), /no safe connection \(SELF_SIGNED/],
    ['another name', failed('ERR_TLS_CERT_ALTNAME_INVALID'), /no safe connection \(ERR_TLS/],
    [
      'no TLS',
      new Error('The server does not support SSL connections'),
      /no safe connection .*correct sslmode/,
    ],
  ])('is refused with what helps: %s', (_name, error, message) => {
    for (const met of [error, asPostgresWriteError(error)]) {
      const refusal = asPostgresRefusal('the journal at x', met);
      if (met !== error && !(met instanceof JournalWriteError)) continue;
      expect(refusal).toBeInstanceOf(JournalRefusedError);
      expect((refusal as Error).message).toMatch(/^the journal at x cannot be opened: /);
      expect((refusal as Error).message).toMatch(message);
    }
  });

  test.each([
    [failed('ECONNREFUSED'), ' \\(ECONNREFUSED\\)'],
    [failed('ENOENT', { syscall: 'connect' }), ' \\(ENOENT\\)'],
    [new Error('timeout exceeded when trying to connect'), ''],
    [answered('57P03'), ' \\(57P03\\)'],
  ])('is waited for by a watcher: %s', (error, code) => {
    for (const met of [error, asPostgresWriteError(error)]) {
      const refusal = asPostgresRefusal('the journal at x', met);
      expect(refusal).toBeInstanceOf(JournalWriteError);
      expect((refusal as Error).message).toMatch(
        new RegExp(`^the journal at x cannot be reached${code}: start the database`),
      );
    }
  });

  test('is not explained by what a file beside it has met', () => {
    const own = new JournalWriteError('the mark cannot be written', {
      cause: failed('EACCES', { syscall: 'open' }),
    });
    expect(asPostgresRefusal('the journal at x', own)).toBe(own);
    const bug = new TypeError('a bug');
    expect(asPostgresRefusal('the journal at x', bug)).toBe(bug);
  });
});
