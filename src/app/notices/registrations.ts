/** Notices of registrations as a whole: alarms, and callbacks for no known registration. */
import {
  describeRegistrationAlarms,
  describeUnknownCallbacks,
  isNewsOfRegistrationAlarms,
  isNewsOfUnknownCallbacks,
  registrationAlarmsSubject,
  unknownCallbacksSubject,
} from '../../notify/rules/registration-notices.ts';
import type { RegistrationStore } from '../../registration/ports.ts';
import type { NoticeBoard } from './notifier.ts';

/** The newest that are read of many. */
const readMax = 20;

type Looked = Pick<
  RegistrationStore,
  'searchRegistrations' | 'countFoundRegistrations' | 'unknownCallbacks' | 'countUnknownCallbacks'
>;

/** Sends notices of what is new. */
export async function notifyOfRegistrations(
  journal: Looked,
  board: NoticeBoard,
  nowMs: number,
): Promise<void> {
  const rows = await journal.countFoundRegistrations({ isAlarm: true });
  if (rows > 0) {
    const first = await journal.searchRegistrations({ isAlarm: true }, Number.MAX_SAFE_INTEGER, readMax);
    const alarms = { rows, first };
    if (isNewsOfRegistrationAlarms(alarms, await board.lastNotice(registrationAlarmsSubject)))
      await board.add(describeRegistrationAlarms(board.scene, alarms));
  }
  const latest = await journal.unknownCallbacks(readMax);
  if (latest.length === 0) return;
  const unknown = { count: await journal.countUnknownCallbacks(), latest };
  if (isNewsOfUnknownCallbacks(unknown, await board.lastNotice(unknownCallbacksSubject), nowMs))
    await board.add(describeUnknownCallbacks(board.scene, unknown));
}
