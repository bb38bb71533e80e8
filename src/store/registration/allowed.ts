/** Conditions that a change of a registration must meet before the store looks at it. */
import { isDeepStrictEqual } from 'node:util';
import { ForbiddenChangeError } from '../../core/change.ts';
import type { RegistrationChange } from '../../registration/rules/change.ts';
import { canMoveRegistration, isOpenRegistration } from '../../registration/rules/registration.ts';

/** @throws ForbiddenChangeError for a change that no store may apply: a bug of the code that composed it */
export function requireAllowedRegistration(change: RegistrationChange): void {
  const why = findForbiddenMove(change) ?? findForbiddenAttempt(change) ?? findForbiddenCorrection(change);
  if (why !== undefined) throw new ForbiddenChangeError(`registration ${change.before.seq}: ${why}`);
}

function findForbiddenMove({ before, after, event, isReleased }: RegistrationChange): string | undefined {
  if (!canMoveRegistration(before.status, after.status, event.cause))
    return `${before.status} cannot become ${after.status} because of "${event.cause}"`;
  if (after.seq !== before.seq) return `the change is composed for registration ${after.seq}`;
  if ((isReleased === true) !== (event.cause === 'released'))
    return 'a release, and nothing else, gives its registrationId back';
  if (isOpenRegistration(after.status) !== (after.awaitedUntilMs !== null))
    return 'what is awaited, and nothing else, has a time until which it is';
  return undefined;
}

function findForbiddenAttempt({
  before,
  after,
  event,
  attempt,
  intent,
}: RegistrationChange): string | undefined {
  if (attempt !== undefined && attempt.registrationSeq !== before.seq) return 'the attempt is another’s';
  const isIntent = event.cause === 'intent-recorded';
  if (isIntent !== (intent !== undefined)) return 'an intent, and nothing else, is marked as one';
  if (!isIntent) {
    const isLatest = attempt === undefined || attempt.attemptNo <= before.attemptNo;
    return isLatest && after.attemptNo === before.attemptNo
      ? undefined
      : 'an intent, and nothing else, makes a new attempt';
  }
  if (attempt?.attemptNo !== before.attemptNo + 1 || after.attemptNo !== attempt.attemptNo)
    return 'its new attempt is not the next one';
  return isDeepStrictEqual(attempt.instruction, after.instruction)
    ? undefined
    : 'the attempt sends something else than it asks for';
}

function findForbiddenCorrection({ before, after, isCorrected }: RegistrationChange): string | undefined {
  const isChanged = !isDeepStrictEqual(before.instruction, after.instruction);
  if (isChanged !== (isCorrected === true)) return 'a correction, and nothing else, changes what it asks for';
  if (!isChanged) return undefined;
  if (after.instruction === null) return 'a correction asks for something';
  if (isOpenRegistration(before.status) || isOpenRegistration(after.status))
    return 'what is awaited is not corrected';
  const registrationId = before.instruction?.registrationId ?? after.instruction.registrationId;
  return after.instruction.registrationId === registrationId
    ? undefined
    : 'a correction keeps the registrationId';
}
