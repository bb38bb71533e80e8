/** One file of `run` or `register`: worked with its progress on the screen, and shown at its end. */
import type { RegisterOutcome } from '../app/registration/register-file.ts';
import type { FileOutcome } from '../app/run-file.ts';
import type { Session } from '../app/session.ts';
import type { Progress } from '../core/progress.ts';
import { noteExitCode } from './exit-codes.ts';

/** A kind of file, and what may be with the bank after an error. */
interface WorkedKind {
  readonly kind: 'payouts' | 'registrations';
  readonly countDoubt: () => Promise<number>;
  readonly cure: string;
}

export async function workFile<Outcome extends FileOutcome | RegisterOutcome>(
  session: Session,
  { kind, countDoubt, cure }: WorkedKind,
  path: string,
  json: boolean,
  work: (progress: Progress) => Promise<Outcome>,
): Promise<Outcome> {
  const { openProgress } = await import('./views/progress.ts');
  const { print } = await import('./views/shown.ts');
  const { refuseUnexplained, showOutcome } = await import('./views/summary.ts');
  const progress = await openProgress();
  let outcome: Outcome;
  try {
    outcome = await work(progress);
  } catch (error) {
    const { noteDoubt } = await import('./report-failure.ts');
    await noteDoubt(countDoubt, cure);
    throw error;
  } finally {
    progress.close();
  }
  const shown = showOutcome(kind, session, path, outcome);
  noteExitCode(shown.exitCode);
  print(shown, json);
  if (outcome.kind === 'rested') refuseUnexplained(path, outcome.reports.summary);
  return outcome;
}
