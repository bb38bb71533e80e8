/**
 * The bank counts in Bangkok time: UTC+07:00, without daylight saving (§2.3, §2.4).
 * All functions take epoch milliseconds, so that a simulated clock drives them.
 */

const bangkokOffsetMs = 7 * 3_600_000;
const dayMs = 86_400_000;

/** Date and time in Bangkok as "YYYY-MM-DDTHH:mm:ss.sss", to be cut to size. */
function bangkokIso(epochMs: number): string {
  return new Date(epochMs + bangkokOffsetMs).toISOString();
}

/** tranDate of §2.4: "YYYYMMDD" in Bangkok. */
export function formatBangkokDate(epochMs: number): string {
  return bangkokIso(epochMs).slice(0, 10).replaceAll('-', '');
}

/** tranTime of §2.4: "HH:mm:ss" in Bangkok. */
export function formatBangkokTime(epochMs: number): string {
  return bangkokIso(epochMs).slice(11, 19);
}

/** For people and files: "2026-11-21T14:03:05+07:00". */
export function formatBangkokStamp(epochMs: number): string {
  return `${bangkokIso(epochMs).slice(0, 19)}+07:00`;
}

/** Milliseconds to the nearest Bangkok midnight, before or after. */
export function msFromBangkokMidnight(epochMs: number): number {
  const sinceMidnight = (((epochMs + bangkokOffsetMs) % dayMs) + dayMs) % dayMs;
  return Math.min(sinceMidnight, dayMs - sinceMidnight);
}
