/**
 * The brake on rejections by callback. A company's breaker sees the bank's answers at once; a bank that takes every
 * registration and rejects each a moment later shows only in the journal, whichever process takes the callbacks.
 */
import { asMessage } from '../core/message.ts';
import type { RegistrationContext } from './context.ts';
import type { RegistrationRow, RegistrationTotal } from './ports.ts';
import { companyPayer } from './rules/intent.ts';
import type { RegistrationInstruction } from './rules/registration.ts';

/** Least time between two looks, so that a long file costs no more. */
const lookEveryMs = 500;
/** Latest ends of a company that are considered. */
const rowsMax = 100;

export class OutcomeBrake {
  readonly #context: RegistrationContext;
  readonly #batchId: string;
  readonly #sinceMs: number;
  #lookedAtMs = -Infinity;
  #refusedRows = 0;

  /** Counts from now on: the person who lets a batch go on has looked at earlier rejections. */
  constructor(context: RegistrationContext, batchId: string) {
    this.#context = context;
    this.#batchId = batchId;
    this.#sinceMs = context.clock.now();
  }

  /** Halts a company after as many rejections in a row as the brake allows, without a registration in between. */
  async look(): Promise<void> {
    const { journal, clock } = this.#context;
    const nowMs = clock.now();
    if (nowMs - this.#lookedAtMs < lookEveryMs && nowMs >= this.#lookedAtMs) return;
    this.#lookedAtMs = nowMs;
    const refusedRows = countRefused(await journal.registrationTotals(this.#batchId));
    if (refusedRows === this.#refusedRows) return;
    this.#refusedRows = refusedRows;
    const statuses = ['registered', 'refused'] as const;
    const filter = { batchId: this.#batchId, statuses };
    const rows = await journal.searchRegistrations(filter, Number.MAX_SAFE_INTEGER, rowsMax);
    for (const [key, ends] of groupByCompany(rows, this.#sinceMs)) this.#brake(key, ends);
  }

  #brake(company: string, ends: readonly End[]): void {
    const [first] = ends;
    if (first === undefined) return;
    const { consecutiveRefusalsMax, companyId, gateOf } = this.#context;
    const inARow = ends.findLastIndex(({ isRegistered }) => isRegistered);
    const refusals = ends.length - 1 - inARow;
    if (refusals < consecutiveRefusalsMax) return;
    const [vendorId = '', ofCompany = ''] = company.split(' ');
    const payer = companyPayer(companyId, { vendorId, companyId: ofCompany });
    const text = `the bank has rejected ${refusals} registrations of ${vendorId}/${ofCompany} in a row by callback`;
    gateOf(payer).observe({ kind: 'payer-stop', reason: { code: 'brake-rejected', text: asMessage(text) } });
  }
}

interface End {
  readonly isRegistered: boolean;
  readonly atMs: number;
}

function countRefused(totals: readonly RegistrationTotal[]): number {
  return totals.find(({ status }) => status === 'refused')?.rows ?? 0;
}

const nameOf = ({ vendorId, companyId }: RegistrationInstruction): string => `${vendorId} ${companyId}`;

/** The ends of each company since a moment, in order. */
function groupByCompany(rows: readonly RegistrationRow[], sinceMs: number): Map<string, readonly End[]> {
  const ends = new Map<string, End[]>();
  for (const { currentInstruction, status, settledAtMs } of rows) {
    if (currentInstruction === null || settledAtMs === null || settledAtMs < sinceMs) continue;
    const key = nameOf(currentInstruction);
    const known = ends.get(key) ?? [];
    known.push({ isRegistered: status === 'registered', atMs: settledAtMs });
    ends.set(key, known);
  }
  for (const known of ends.values()) known.sort((one, other) => one.atMs - other.atMs);
  return ends;
}
