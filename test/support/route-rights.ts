/** Who may use which route of the page, as docs/review.md has it, and not as the program has. */
import type { Role } from '../../src/review/rules/people.ts';

export type Visitor = 'signed out' | Role;

export const anyone = 'signed out, viewer, maker, checker, admin';
const everyRole = 'viewer, maker, checker, admin';
const notViewers = 'maker, checker, admin';
const makers = 'maker, admin';
const checkers = 'checker, admin';

/**
 * The visitors to whom each route answers: the matrix of who may do what. A route that is new, or is gone, needs its line
 * here; a line changes only where a right is meant to change.
 */
export const whoMay: Readonly<Record<string, string>> = {
  'GET /batch/:batchId': everyRole,
  'GET /batch/:batchId/after/:after': everyRole,
  'GET /batch/:batchId/decide/:decision': everyRole,
  'POST /batch/:batchId/decide/:decision': everyRole,
  'GET /batch/:batchId/decide/:decision/again/:again': everyRole,
  'POST /batch/:batchId/file/:kind/:number': notViewers,
  'GET /batch/:batchId/in/:status': everyRole,
  'GET /batch/:batchId/in/:status/after/:after': everyRole,
  'GET /batches': everyRole,
  'POST /batches': everyRole,
  'GET /batches/:status': everyRole,
  'POST /decide': makers,
  'GET /decide/:key': makers,
  'POST /decide/:key': makers,
  'FILE /decide/:key/file': makers,
  'POST /decide/:key/leave-out': makers,
  'GET /log': 'admin',
  'POST /log': 'admin',
  'GET /more': everyRole,
  'GET /passkeys': everyRole,
  'POST /passkeys/confirm': 'admin',
  'POST /passkeys/enrol': checkers,
  'POST /passkeys/revoke': everyRole,
  'POST /password': anyone,
  'GET /payee/:seq': everyRole,
  'POST /payee/:seq': everyRole,
  'GET /payees': everyRole,
  'POST /payees': everyRole,
  'GET /payout/:seq': everyRole,
  'POST /payout/:seq/ask': notViewers,
  'POST /payout/:seq/decide': makers,
  'FILE /payout/:seq/decide/file': makers,
  'POST /payout/:seq/reveal': notViewers,
  'GET /people': 'admin',
  'GET /people/:personId': 'admin',
  'POST /people/:personId/disable': 'admin',
  'POST /people/:personId/enable': 'admin',
  'POST /people/:personId/reset-password': 'admin',
  'POST /people/:personId/role': 'admin',
  'POST /people/add': 'admin',
  'GET /proposal/:id': everyRole,
  'GET /proposal/:id/after/:after': everyRole,
  'POST /proposal/:id/after/:after/reveal': notViewers,
  'GET /proposal/:id/again': makers,
  'POST /proposal/:id/again': makers,
  'FILE /proposal/:id/again/file': makers,
  'POST /proposal/:id/approve': checkers,
  'POST /proposal/:id/evidence-file': notViewers,
  'POST /proposal/:id/leave-out': makers,
  'POST /proposal/:id/reveal': notViewers,
  'POST /proposal/:id/send-back': checkers,
  'GET /proposal/:id/sign': checkers,
  'POST /proposal/:id/sign': checkers,
  'POST /proposal/:id/withdraw': makers,
  'GET /proposals': everyRole,
  'GET /queue': everyRole,
  'GET /queue/:group': everyRole,
  'POST /queue/file': makers,
  'POST /queue/file/confirm': makers,
  'POST /queue/file/discard': makers,
  'GET /queue/item': makers,
  'POST /queue/item': makers,
  'POST /queue/take': notViewers,
  'GET /reconciliation': everyRole,
  'GET /reconciliation/:date': everyRole,
  'GET /reconciliation/:date/accept': makers,
  'POST /reconciliation/:date/accept': makers,
  'GET /registration/:seq': everyRole,
  'POST /registration/:seq/decide': makers,
  'FILE /registration/:seq/decide/file': makers,
  'POST /registration/:seq/reveal': notViewers,
  'GET /registrations': everyRole,
  'POST /registrations': everyRole,
  'GET /registrations/batch/:batchId': everyRole,
  'POST /registrations/batch/:batchId': everyRole,
  'GET /registrations/batch/:batchId/decide/:decision': makers,
  'POST /registrations/batch/:batchId/decide/:decision': makers,
  'GET /search': everyRole,
  'POST /search': everyRole,
  'GET /sessions': everyRole,
  'POST /sessions/sign-out': everyRole,
  'GET /sign-in': anyone,
  'POST /sign-in': anyone,
  'POST /sign-out': everyRole,
  'GET /signed-out': anyone,
  'GET /today': everyRole,
  'FILE /upload': makers,
  'GET /upload': makers,
  'POST /upload/discard': makers,
  'POST /upload/drop': makers,
};

/** The name of a route in the table. */
export const nameOfRoute = ({ method, path }: { readonly method: string; readonly path: string }): string =>
  `${method} ${path}`;

export const mayVisit = (visitor: Visitor, route: string): boolean =>
  whoMay[route]?.split(', ').includes(visitor) === true;
