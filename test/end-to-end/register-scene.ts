/** A scene whose bank takes registrations and calls back. */
import type { RegistrationBehaviourInput } from '../../src/sandbox/registration/table.ts';
import { openScene, type Scene, type SceneSettings } from './harness.ts';
import { findFreePort } from '../support/free-port.ts';

const apiKey = 'the-key-of-the-callbacks';
export const limitedAccount = '9900000999';

export const accountOf = (rowNo: number): string => `98${String(rowNo).padStart(8, '0')}`;

/** Every fifth is rejected, and of every seventh the answer is lost. */
const faults = Array.from({ length: 60 }, (_, index) => index + 1).flatMap((rowNo) => {
  const match = { accountNo: accountOf(rowNo) };
  if (rowNo % 5 === 0) return [{ match, outcome: 'reject' }];
  return rowNo % 7 === 0 ? [{ match, outcome: 'success', reply: 'lost' }] : [];
});

export interface RegisterScene extends Scene {
  /** On which callbacks are listened for. */
  readonly port: number;
}

/** @param behaviours of the bank, which come before its others */
export async function openRegisterScene(
  changes: SceneSettings = {},
  behaviours: readonly RegistrationBehaviourInput[] = [],
): Promise<RegisterScene> {
  const port = await findFreePort();
  const scene = await openScene({
    ownProcesses: true,
    ...changes,
    sandbox: {
      latencyMs: 15,
      vendors: [{ vendorId: 'VENDOR0001', companyIds: ['COMP000001'] }],
      registration: {
        callbackUrl: `http://127.0.0.1:${port}/callbacks`,
        apiKey,
        decideAfterMs: 50,
        callbackRetries: { max: 40, delayMs: 50, delayMaxMs: 400 },
        behaviours: [
          ...behaviours,
          ...faults,
          { match: { accountNo: limitedAccount }, outcome: 'untouched', code: '0429', times: 1 },
        ],
      },
    },
    registration: {
      vendorId: 'VENDOR0001',
      companyId: 'COMP000001',
      answerWithinMs: 40_000,
      callbacks: { port, keys: [apiKey] },
    },
  });
  return { ...scene, port };
}

export const expectedOf = (rowNo: number): string => (rowNo % 5 === 0 ? 'refused' : 'registered');
