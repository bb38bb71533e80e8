/** What is kept of every reply, with the attempt's history: enough to talk to the bank about it, no secret, no number. */
import { maskDigitRuns } from './classify.ts';
import type { BankReply, BusinessFields } from './ports.ts';

/** Small and JSON-encodable; the parts that a reply does not have are left out. */
export interface ReplyFacts {
  readonly requestUid?: string;
  readonly xRequestId?: string;
  readonly elapsedMs?: number;
  readonly httpStatus?: number;
  readonly statusCode?: string;
  readonly statusDesc?: string;
  readonly severity?: string;
  readonly sysRefNo?: string;
  readonly transFee?: string;
  /** Why no answer came, or why nothing was sent. */
  readonly why?: string;
}

const textLengthMax = 256;

type ReplyFields = BusinessFields & {
  readonly sysRefNo?: string | undefined;
  readonly transFee?: string | undefined;
};

function fieldFacts(fields: ReplyFields): ReplyFacts {
  const { statusCode, statusDesc, severity, sysRefNo, transFee } = fields;
  return {
    statusCode,
    ...(statusDesc === undefined ? {} : { statusDesc: maskDigitRuns(statusDesc.slice(0, textLengthMax)) }),
    ...(severity === undefined ? {} : { severity }),
    ...(sysRefNo === undefined ? {} : { sysRefNo }),
    ...(transFee === undefined ? {} : { transFee }),
  };
}

/** The facts of one reply. */
export function replyFacts(reply: BankReply<ReplyFields>): ReplyFacts {
  switch (reply.kind) {
    case 'withheld':
      return {};
    case 'credentials-refused':
      return { statusCode: reply.code };
    case 'not-sent':
      return { why: reply.why };
    case 'lost': {
      const { requestUid, xRequestId, elapsedMs, why } = reply;
      return { requestUid, xRequestId, elapsedMs: Math.round(elapsedMs), why };
    }
    case 'answered': {
      const { requestUid, xRequestId, elapsedMs, httpStatus, fields } = reply;
      const exchange = { requestUid, xRequestId, elapsedMs: Math.round(elapsedMs), httpStatus };
      return fields === undefined ? exchange : { ...exchange, ...fieldFacts(fields) };
    }
  }
}
