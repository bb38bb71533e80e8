/**
 * A rehearsal of the real thing: a bank that keeps to itself that it is a sandbox, the journal that `init` made, days that
 * go by, and the bank's ledger as the only judge.
 */
import { dayMs, formatBangkokDate, parseBangkokDate } from '../../src/core/bangkok-time.ts';
import { wireNames } from '../../src/bank/wire.ts';
import type { Ledger } from '../../src/sandbox/book.ts';
import { partner } from '../support/core-fixtures.ts';
import { openScene, type Scene, type SceneSettings } from './harness.ts';

/** Opens the scene, at noon in Bangkok, and makes the journal. @throws Error unless `init` ends with 0 */
export async function openBankScene(changes: SceneSettings = {}): Promise<Scene> {
  const scene = await openScene({ asBank: true, ...changes });
  const { code, stderr } = await scene.run('init');
  if (code === 0) return scene;
  await scene[Symbol.asyncDispose]();
  throw new Error(`init ended with ${code}: ${stderr}`);
}

/** The Bangkok day of the scene's clocks, YYYYMMDD, so many days from today. */
export const dayOf = ({ clocks }: Scene, days = 0): string =>
  formatBangkokDate(clocks.readMs() + days * dayMs);

/** The same as the command line takes it, YYYY-MM-DD. */
export const showDay = (date: string): string => date.replace(/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3');

/** Lets time pass until a time of day "HH:mm" in Bangkok, so many days from today. @throws RangeError for the past */
export function passTo(scene: Scene, time: string, days = 1): void {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  const startMs = parseBangkokDate(dayOf(scene, days)) ?? Number.NaN;
  const aheadMs = startMs + (hours * 60 + minutes) * 60_000 - scene.clocks.readMs();
  if (!(aheadMs >= 0)) throw new RangeError(`${time} in ${days} days is in the past`);
  scene.clocks.pass(aheadMs);
}

/** What the bank has paid, or is about to, more than once: company, payee, amount and reference1, whatever the transRefNo. */
export function findPaidTwice({ entries }: Ledger): readonly string[] {
  const counts = new Map<string, number>();
  for (const { companyId, proxyNo, amount, reference1, status } of entries) {
    // 030002 and 030003 have failed for good; anything else has moved the money, or may yet.
    if (status === '030002' || status === '030003') continue;
    const key = [companyId, proxyNo, amount, reference1].join(' ');
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts].filter(([, count]) => count > 1).map(([key]) => key);
}

const { paths } = wireNames('proxy');

async function post(url: string, body: URLSearchParams | string, authorization?: string): Promise<unknown> {
  const json = { 'content-type': 'application/json', authorization: authorization ?? '' };
  const options = { method: 'POST', body, ...(authorization === undefined ? {} : { headers: json }) };
  return (await fetch(url, options)).json();
}

/** An access token of the scene's partner. */
async function fetchToken({ bank }: Scene): Promise<string> {
  const { clientId, clientSecret } = partner;
  const form = new URLSearchParams({ client_id: clientId, client_secret: clientSecret });
  const answer = (await post(`${bank.baseUrl}${paths.token}`, form)) as { data: { access_token: string } };
  return answer.data.access_token;
}

/** Asks the bank as the partner may do beside paydrop. */
export async function askBank(
  scene: Scene,
  endpoint: 'payeeCheck' | 'transfer' | 'inquiry' | 'statement',
  body: object,
): Promise<Record<string, string>> {
  const url = `${scene.bank.baseUrl}${paths[endpoint]}`;
  const answer = await post(url, JSON.stringify(body), `Bearer ${await fetchToken(scene)}`);
  return answer as Record<string, string>;
}
