/** The page over HTTP, by forms alone: one who chooses rows of the queue and proposes, and one who checks. */
import type { Browser } from '../support/browser.ts';
import type { Dice } from '../support/dice.ts';

export interface PageReport {
  /** Proposals that the page has taken, and those that it has refused, with what it answered. */
  readonly proposed: number;
  readonly approved: number;
  readonly refused: number;
  readonly tookMs: readonly number[];
}

/** Boxes that are ticked at a time. */
const picksMax = 12;
/** Of the list of proposals. */
const waitingLooked = 3;
const decisions = ['go-on', 'cancel', 'retry', 'release', 'acknowledge'] as const;

const findAll = (text: string, form: RegExp): string[][] =>
  [...text.matchAll(form)].map((found) => [...found]);

/** Ticks boxes of the queue, and proposes one decision for all of them. @returns undefined when the queue is empty */
async function propose(browser: Browser, dice: Dice): Promise<boolean | undefined> {
  const queue = await browser.get('/queue');
  const boxes = findAll(queue.text, /name="(pick-\d+)"\s+value="(\d+)"/g);
  if (boxes.length === 0) return undefined;
  const chosen = dice.shuffle(boxes).slice(0, dice.whole(1, picksMax));
  const picks = Object.fromEntries(chosen.map(([, name = '', version = '']) => [name, version]));
  const list = await browser.post('/decide', picks);
  const path = /action="(\/decide\/[\w-]+)"/.exec(list.text)?.[1];
  if (path === undefined) return false;
  const offered = findAll(list.text, /name="decision"\s+value="([\w-]+)"/g).map(([, one]) => one);
  const possible = decisions.filter((one) => offered.includes(one));
  if (possible.length === 0) return false;
  const decision = dice.pick(possible);
  const done = await browser.post(path, { decision, note: 'seen on the page', evidence: 'letter' });
  return done.status === 200;
}

/** Approves one of those that wait, as it is shown. @returns undefined when none waits */
async function approve(browser: Browser, dice: Dice): Promise<boolean | undefined> {
  const list = await browser.get('/proposals');
  const waiting = findAll(list.text, /href="\/proposal\/(\d+)"/g);
  if (waiting.length === 0) return undefined;
  // Below those that wait stand the latest that have ended.
  const [, id = ''] = dice.pick(waiting.slice(0, waitingLooked));
  const shown = await browser.get(`/proposal/${id}`);
  const seen = /name="seen" value="(\w+)"/.exec(shown.text)?.[1];
  if (seen === undefined) return false;
  const done = await browser.post(`/proposal/${id}/approve`, { seen });
  return done.status === 200;
}

/** Until it is told to stop. */
export async function decideOnPage(
  maker: Browser,
  checker: Browser,
  dice: Dice,
  isOver: () => boolean,
): Promise<PageReport> {
  let [proposed, approved, refused] = [0, 0, 0];
  const tookMs: number[] = [];
  while (!isOver()) {
    const startedMs = performance.now();
    const isProposal = dice.chance(0.5);
    const isDone = await (isProposal ? propose(maker, dice) : approve(checker, dice));
    tookMs.push(performance.now() - startedMs);
    if (isDone === false) refused += 1;
    else if (isDone === true && isProposal) proposed += 1;
    else if (isDone === true) approved += 1;
    else await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return { proposed, approved, refused, tookMs };
}
