/** Deliberate bugs in what a reply or an inquiry is taken for, and in what follows from it. */
import type { Mutation } from './mutations.ts';

const inOne = (name: string, file: string, find: string, replace: string): Mutation => ({
  name,
  patches: [{ file, find, replace }],
});

export const ofReading: readonly Mutation[] = [
  inOne(
    'a timeout called failed',
    'payout/rules/read-reply.ts',
    "    case 'lost':\n      return unknown(",
    "    case 'lost':\n      if (asked.transRefNo !== undefined) return { kind: 'failed', scope: 'payout', reason: { code: replyLost, text: '' } } as never;\n      return unknown(",
  ),
  inOne(
    'EM001 taken for success',
    'payout/rules/read-reply.ts',
    "    case 'unknown': {\n",
    "    case 'unknown': {\n      if (code === 'EM001') return { kind: 'paid', reason, sysRefNo: null, feeText: null };\n",
  ),
  inOne(
    'EM001 on a first send not contested',
    'payout/rules/read-reply.ts',
    "(code === 'EM001' && isFirstSend)",
    'isFirstSend === null',
  ),
  inOne(
    'IC000 without our references believed',
    'payout/rules/read-reply.ts',
    'fields.transRefNo === transRefNo && fields.requestUid === requestUid;',
    "fields.statusCode === 'IC000';",
  ),
  inOne(
    "another transfer's reply believed",
    'payout/rules/read-reply.ts',
    "if (transRefNo !== '' && isAnothers(fields?.transRefNo, transRefNo)) {",
    'if (reply === null) {',
  ),
  inOne(
    'a reply of another request believed',
    'payout/rules/read-reply.ts',
    'if (isAnothers(fields?.requestUid, requestUid)) {',
    'if (fields === null) {',
  ),
  inOne(
    'failed although one item alone is',
    'payout/rules/inquiry-items.ts',
    "ours.find((item) => readItem(item) === 'open');",
    "ours.find(() => !ours.some((item) => readItem(item) === 'failed'));",
  ),
  inOne(
    'a failed item is believed whatever its own code',
    'payout/rules/inquiry-items.ts',
    "return agreeOn(status, status === 'failed' && isUnclear ? 'open' : readStatusCode(statusCode));",
    "return status === 'failed' ? status : agreeOn(status, isUnclear ? 'open' : readStatusCode(statusCode));",
  ),
  inOne(
    'the HTTP status is read before the body',
    'payout/rules/read-reply.ts',
    'if (fields !== undefined)\n    return {',
    'if (fields !== undefined && gateway === undefined)\n    return {',
  ),
  inOne(
    'a refusal without our requestUID is believed',
    'payout/rules/read-reply.ts',
    'const bearsRequestUid = fields?.requestUid === requestUid && reply.followsBare401 !== true;',
    "const bearsRequestUid = requestUid !== '';",
  ),
  inOne(
    'a transfer in process taken for not found',
    'payout/rules/inquiry-items.ts',
    'return inProcess(open, reasonOf(open));',
    "return { kind: 'not-found', reason: reasonOf(open) } as never;",
  ),
  inOne(
    'HTTP 403 taken for success',
    'payout/rules/read-reply.ts',
    "body.kind === 'spoken' ? readTransferCode(",
    "body.kind === 'refused' && body.reason.code === 'http-403' ? ({ kind: 'paid', reason: body.reason, sysRefNo: null, feeText: null } as never) : body.kind === 'spoken' ? readTransferCode(",
  ),
  inOne(
    'HTTP 5xx taken for a refusal',
    'payout/rules/read-reply.ts',
    'gatewayRefusals.get(httpStatus);\n  if (refusal === undefined) return undefined;',
    'gatewayRefusals.get(httpStatus >= 500 ? 403 : httpStatus);\n  if (refusal === undefined) return undefined;',
  ),
  inOne(
    'a redirect believed',
    'payout/rules/read-reply.ts',
    'return httpStatus >= 300 && httpStatus < 400;',
    'return httpStatus === 399;',
  ),
  inOne(
    'ET001 taken for a refusal',
    'core/status-codes.ts',
    "['ET001', 'unknown', 'payout'",
    "['ET001', 'failed', 'payout'",
  ),
  inOne(
    'EM027 taken for a refusal',
    'core/status-codes.ts',
    "['EM027', 'unknown', 'payout'",
    "['EM027', 'failed', 'payout'",
  ),
];

export const ofStates: readonly Mutation[] = [
  inOne(
    'a row that was sent is cancelled without asking the bank',
    'payout/operator.ts',
    "if (attemptNo === 0) return { kind: 'clear', asked: [] };",
    "if (attemptNo >= 0) return { kind: 'clear', asked: [] };",
  ),
  inOne(
    'a refused repetition taken for the end of the first send',
    'payout/rules/after-transfer.ts',
    'if (countDelivered(attempt) > 0) return',
    'if (countDelivered(attempt) > 9) return',
  ),
  inOne(
    'what is in doubt is never asked about again',
    'payout/rules/resend.ts',
    'return nowMs + computeBackoffMs(backoff, attempt.inquiries);',
    'return nowMs + policy.maxDelayMs * 1e9;',
  ),
];
