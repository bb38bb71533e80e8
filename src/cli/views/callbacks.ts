/** Output of `paydrop callbacks`: its address, each callback taken, and its standing at intervals. */
import type {
  CallbackListener,
  CallbackRecord,
  CallbackStanding,
  CallbackTaking,
} from '../../app/registration/callbacks.ts';
import { formatBangkokDateTime, formatBangkokMoment } from '../../core/bangkok-time.ts';
import { countOf, showCount } from '../../core/figures.ts';
import { encodeJson, printable, toLines } from '../../core/outgoing-text.ts';
import { maskDigits } from '../../core/proxy-id.ts';
import type { LoadedSettings } from '../../settings/settings.ts';
import { alignColumns, type Shown } from './shown.ts';

/** The outcome of a callback, in words that fit a column. */
function nameOutcome(taking: CallbackTaking): string {
  if (taking.kind === 'unknown') return 'unknown';
  if (taking.kind === 'repeated') return 'told again';
  return taking.registration.status;
}

/** One line for a callback; the account is masked. */
export function showTaken(
  { callback, fromAddress }: CallbackRecord,
  taking: CallbackTaking,
  nowMs: number,
): Shown {
  const { identity, respCode, applyDtm, requestUid } = callback;
  const registration = taking.kind === 'unknown' ? undefined : taking.registration;
  const registrationId = registration?.instruction?.registrationId ?? null;
  const isAlarm = taking.kind === 'applied' && taking.registration.isAlarm;
  const accountNo = maskDigits(identity.accountNo);
  const company = `${identity.vendorId}/${identity.companyId}`;
  const cells = [
    formatBangkokMoment(nowMs),
    nameOutcome(taking).padEnd(12),
    registrationId ?? '-',
    accountNo,
    company,
    ...(isAlarm ? ['ALARM: it contradicts what was known'] : []),
  ];
  const json = {
    at: formatBangkokDateTime(nowMs),
    event: 'callback',
    result: taking.kind,
    status: registration?.status ?? null,
    isAlarm,
    registrationId,
    batchId: registration?.batchId ?? null,
    rowNo: registration?.rowNo ?? null,
    vendorId: identity.vendorId,
    companyId: identity.companyId,
    accountNo,
    respCode,
    applyDtm,
    requestUid,
    fromAddress,
  };
  return { json, text: printable(cells.join('  ')) };
}

type ShowHealth = (
  listener: Pick<CallbackListener, 'url' | 'counts' | 'refused'>,
  standing: CallbackStanding,
  nowMs: number,
) => Shown | undefined;

/** Shows the address first, then a line for each change. */
export function makeHealthView(loaded: Pick<LoadedSettings, 'callbacks' | 'settings'>): ShowHealth {
  let last: string | undefined;
  return ({ url, counts, refused }, standing, nowMs) => {
    const refusals = Object.values(refused).reduce((sum, times) => sum + times, 0);
    const figures = {
      taken: counts.applied + counts['nothing-new'],
      repeated: counts.repeated,
      ofNobody: counts.unknown,
      refused: refusals,
      awaited: standing.awaited,
      unknown: standing.unknown,
    };
    const isFirst = last === undefined;
    const all = encodeJson(figures);
    if (last === all) return undefined;
    last = all;
    const at = formatBangkokDateTime(nowMs);
    if (isFirst)
      return { json: { at, event: 'listening', url, ...standing }, text: showStart(loaded, url, standing) };
    const text = [
      formatBangkokMoment(nowMs),
      `${showCount(figures.taken)} taken`,
      `${showCount(figures.repeated)} told again`,
      `${showCount(figures.ofNobody)} unknown`,
      `${showCount(refusals)} refused`,
      `${showCount(standing.awaited)} awaited`,
    ];
    return { json: { at, event: 'health', ...figures, refusals: refused }, text: printable(text.join('  ')) };
  };
}

function showStart(
  { callbacks: { keys }, settings }: Pick<LoadedSettings, 'callbacks' | 'settings'>,
  url: string,
  { awaited, unknown }: CallbackStanding,
) {
  const { allowFrom, trustedProxies } = settings.registration.callbacks;
  return toLines([
    ...alignColumns([
      ['Listening on', url],
      ['Taken from', allowFrom.length === 0 ? 'every address' : allowFrom.join(', ')],
      ...(trustedProxies.length === 0 ? [] : [['Through', trustedProxies.join(', ')]]),
      ['Keys', keys.ok ? `${showCount(keys.keys.length)} from ${keys.from}` : 'none'],
      ['Awaited', countOf(awaited, 'registration')],
      ...(unknown === 0
        ? []
        : [
            ['Unknown', `${countOf(unknown, 'callback')} kept ("paydrop status --registrations" lists them)`],
          ]),
    ]),
    '',
  ]);
}
