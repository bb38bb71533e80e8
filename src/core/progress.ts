/** How far a batch has come, for somebody who watches. */
export interface ProgressFigures {
  /** What is being done, in a word: "reading", "paying", "settling". */
  readonly phase: string;
  readonly rowsDone: number;
  /** Undefined while it is not known. */
  readonly rowsTotal: number | undefined;
  readonly paid: number;
  readonly inDoubt: number;
}

/** Shows progress; may be called as often as something changes. */
export interface Progress {
  show(figures: ProgressFigures): void;
  close(): void;
}
