/** Passwords at next to no cost, in this process of tests alone: what a hash says it has cost stays as it is. */
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { afterAll, beforeAll } from 'vitest';

const realScrypt = crypto.scrypt;

type Asked = Parameters<typeof realScrypt>;

const quickScrypt = (...[password, salt, size, , done]: Asked): void =>
  realScrypt(password, salt, size, { N: 2, r: 1, p: 1 }, done);

function take(scrypt: typeof realScrypt): void {
  crypto.scrypt = scrypt;
  syncBuiltinESMExports();
}

/** For the tests of a file whose passwords cost what they do in production. */
export function makePasswordsQuick(): void {
  beforeAll(() => take(quickScrypt as typeof realScrypt));
  afterAll(() => take(realScrypt));
}
