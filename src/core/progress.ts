/** How far a batch has come, for somebody who watches. */
export interface ProgressFigures {
  /** What is being done, in a word: "reading", "paying", "settling". */
  readonly phase: string;
  readonly rowsDone: number;
  /** Undefined while it is not known. */
  readonly rowsTotal: number | undefined;
  readonly paid: number;
  readonly inDoubt: number;
  /** Transfers at once, and what the settings allow; left out where nothing is sent. */
  readonly pace?: { readonly limit: number; readonly ceiling: number };
}

/** Shows progress; may be called as often as something changes. */
export interface Progress {
  show(figures: ProgressFigures): void;
  close(): void;
}
