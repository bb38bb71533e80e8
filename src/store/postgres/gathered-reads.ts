/**
 * Short reads that are asked for at once go to the server together, in one transaction that only reads: each of its own
 * would be a way to the server and back, and a transaction.
 */
import type { ClientBase } from 'pg';
import type { Reading } from '../statements.ts';
import { driveEachOn } from './drive.ts';

interface Waiting {
  readonly makeBody: () => Reading<unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (reason: unknown) => void;
}

interface Ways {
  /** Uses a connection that sends without waiting for the answers before. */
  readonly withClient: (use: (client: ClientBase) => Promise<void>) => Promise<void>;
  /** Runs one read by itself. */
  readonly readAlone: (makeBody: () => Reading<unknown>) => Promise<unknown>;
}

/** Turns of the loop that reads wait while each of them brings more. */
const gatherTurnsMax = 4;

/** Gathers reads of a few rows each; the next go out when those before are answered. */
export class GatheredReads {
  readonly #ways: Ways;
  #waiting: Waiting[] = [];
  #isReading = false;

  constructor(ways: Ways) {
    this.#ways = ways;
  }

  /** Sees whatever was committed when it was asked for. */
  read<Result>(makeBody: () => Reading<Result>): Promise<Result> {
    return new Promise<unknown>((resolve, reject) => {
      this.#waiting.push({ makeBody, resolve, reject });
      if (this.#waiting.length === 1 && !this.#isReading) setImmediate(this.#gather, 0, 1);
    }) as Promise<Result>;
  }

  readonly #gather = (seen: number, turn: number): void => {
    if (this.#isReading) return;
    if (this.#waiting.length === seen || turn >= gatherTurnsMax) void this.#readWaiting();
    else setImmediate(this.#gather, this.#waiting.length, turn + 1);
  };

  async #readWaiting(): Promise<void> {
    this.#isReading = true;
    const reads = this.#waiting;
    this.#waiting = [];
    const [first] = reads;
    if (first !== undefined && reads.length === 1) await this.#readOne(first);
    else await this.#readAll(reads);
    this.#isReading = false;
    if (this.#waiting.length > 0) setImmediate(this.#gather, 0, 1);
  }

  async #readOne({ makeBody, resolve, reject }: Waiting): Promise<void> {
    try {
      resolve(await this.#ways.readAlone(makeBody));
    } catch (error) {
      reject(error);
    }
  }

  /** Reads together; a read that fails is read again by itself: another's failure may have ended the transaction. */
  async #readAll(reads: readonly Waiting[]): Promise<void> {
    const left = new Set(reads);
    try {
      await this.#ways.withClient(async (client) => {
        const begun = client.query('begin read only');
        begun.catch(() => {});
        await driveEachOn(
          client,
          reads.map(({ makeBody }) => makeBody()),
          (place, end) => {
            const read = reads[place];
            if (read === undefined || 'failure' in end) return;
            left.delete(read);
            read.resolve(end.value);
          },
        );
        await begun;
        await client.query('commit');
      });
    } catch {
      // Each read that is left is read alone, and meets what is wrong.
    }
    await Promise.all([...left].map((read) => this.#readOne(read)));
  }
}
