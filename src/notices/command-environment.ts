/** What the program of `notices.command` finds in its environment. */
import type { DueNotice } from '../core/notice.ts';

export type CommandVariables = Readonly<Record<string, string | undefined>>;

/** What programs need to run; the rest of our environment may hold secrets. */
const passedOn = ['PATH', 'HOME', 'LANG', 'TZ'] as const;

/** The variables of one notice; what a notice does not have is empty. */
export function noticeVariables(
  env: CommandVariables,
  { kind, batchId, body }: DueNotice,
): NodeJS.ProcessEnv {
  const ours = Object.fromEntries(
    passedOn.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])),
  );
  const { exitCode } = body;
  return {
    ...ours,
    PAYDROP_NOTICE_KIND: kind,
    PAYDROP_BATCH_ID: batchId ?? '',
    PAYDROP_EXIT_CODE: typeof exitCode === 'number' ? String(exitCode) : '',
  };
}
