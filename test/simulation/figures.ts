/** What the runs have met, so that coverage is visible. */
export class Figures {
  readonly counts: Record<string, number> = {};

  count(kind: string, times = 1): void {
    this.counts[kind] = (this.counts[kind] ?? 0) + times;
  }

  add(others: Readonly<Record<string, number>>): void {
    for (const [kind, times] of Object.entries(others)) this.count(kind, times);
  }
}
