/** The list of batches, each with a bar of the outcomes of its money. */
import { showBaht, showCount } from '../core/figures.ts';
import { counted, message, sayCode } from '../core/message.ts';
import { zeroSatang } from '../core/money.ts';
import { showText } from '../core/outgoing-text.ts';
import type { Batch, BatchReader } from '../core/ports.ts';
import { outcomeBar } from '../review/web/figures-panel.ts';
import { html, type Html, type Part } from '../review/web/html.ts';
import { csrfField } from '../review/web/layout.ts';
import {
  emptyNote,
  momentOf,
  readSearch,
  sayBatchStatus,
  searchField,
  uploadLink,
} from '../review/web/parts.ts';
import { type Fields, type Page, type ProvedVisit, type View, viewAt } from '../review/web/view.ts';

interface BatchListContext {
  readonly store: Pick<BatchReader, 'batches' | 'totals'>;
}

/** The number of batches in the list; earlier ones are found by name. */
const listMax = 40;

const batchStatuses = ['running', 'paused', 'halted', 'done', 'rejected'] as const;

async function batchItem({ store }: BatchListContext, visit: ProvedVisit, batch: Batch): Promise<Html> {
  const { batchId, fileName, rows, totalSatang, startedAtMs } = batch;
  const totals = await store.totals(batchId);
  const said = [sayBatchStatus(visit, batch), batchId, rows > 0 && visit.say(counted(rows, 'row'))];
  return html`<li>
    <span class="sg" aria-hidden="true"></span>
    <span>
      <a class="open" href="/batch/${batchId}"><b>${showText(fileName)}</b></a>
      <small>${said.filter(Boolean).join(' · ')}</small>
      ${outcomeBar(visit, totals, 8)}
    </span>
    <span class="n r"
      >${totalSatang > zeroSatang && showBaht(totalSatang)}
      <small>${momentOf(visit, startedAtMs)}</small></span
    >
  </li>`;
}

const matches = ({ batchId, fileName }: Batch, search: string): boolean =>
  `${fileName}\n${batchId}`.toLowerCase().includes(search.toLowerCase());

function listFilter(visit: ProvedVisit, search: string, wanted: string | undefined): Html {
  const { say, language } = visit;
  const chip = (href: string, word: Part, isCurrent: boolean) =>
    html`<a href="${href}" ${isCurrent && html`aria-current="true"`}>${word}</a>`;
  return html`<form method="post" action="/batches" class="filter short">
      ${csrfField(visit)} ${searchField(visit, say('batch.search-hint'), search)}
      <div class="buttons"><button class="main">${say('queue.find')}</button></div>
    </form>
    <nav class="chips" aria-label="${say('payout.status')}">
      ${chip('/batches', say('batch.every-status'), wanted === undefined && search === '')}
      ${batchStatuses.map((status) =>
        chip(`/batches/${status}`, sayCode(language, `batch-status.${status}`), wanted === status),
      )}
    </nav>`;
}

async function answerList(context: BatchListContext, visit: ProvedVisit, fields: Fields): Promise<Page> {
  const { say } = visit;
  const search = readSearch(fields);
  const wanted = batchStatuses.find((status) => status === fields['status']);
  const all = await context.store.batches();
  const found = all.filter(
    (batch) => (wanted === undefined || batch.status === wanted) && matches(batch, search),
  );
  const items: Html[] = [];
  for (const batch of found.slice(0, listMax)) items.push(await batchItem(context, visit, batch));
  const rest = found.length - items.length;
  return {
    title: say('page.batches'),
    body: html`<h1>${say('page.batches')}</h1>
      ${uploadLink(visit)} ${all.length > 0 && listFilter(visit, search, wanted)}
      <div data-live="batches">
        ${
          found.length === 0
            ? emptyNote(say(all.length === 0 ? 'batch.no-batches' : 'batch.none-found'))
            : html`<ul class="q">
                ${items}
              </ul>`
        }
        ${rest > 0 && html`<p>${say(message('decide.and-more', { count: showCount(rest) }))}</p>`}
      </div>`,
  };
}

const listPaths = [
  ['GET', '/batches'],
  ['POST', '/batches'],
  ['GET', '/batches/:status'],
] as const;
export const makeBatchListViews = (context: BatchListContext): readonly View[] =>
  listPaths.map(([method, path]) =>
    viewAt(method, path, 'see', (visit, fields) => answerList(context, visit, fields)),
  );
