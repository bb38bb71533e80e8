/** Uploads of payout and registration files: the check first, then, by one button, into the inbox. */
import type { RegistrationCheckTotals } from '../check/check-registrations.ts';
import type { CheckTotals, RowIssue } from '../check/check.ts';
import { showBaht, showCount } from '../core/figures.ts';
import { counted, message, type PlainCode } from '../core/message.ts';
import { sumSatang } from '../core/money.ts';
import { showText } from '../core/outgoing-text.ts';
import type { BatchReader, RowTotal } from '../core/ports.ts';
import { OutputFileError } from '../platform/durable-file.ts';
import type { RegistrationStore } from '../registration/ports.ts';
import { html, type Html, type Part } from '../review/web/html.ts';
import { csrfField, plainPage, postButton } from '../review/web/layout.ts';
import { dataTable, factList, whyOf } from '../review/web/parts.ts';
import {
  type Answer,
  type Fields,
  type FileView,
  type Page,
  type ProvedVisit,
  type View,
  viewAt,
} from '../review/web/view.ts';
import type { Surroundings } from './today-page.ts';
import type { FileKindName } from '../watch/rules/drop-folder.ts';
import {
  type CheckedUpload,
  type DropEnd,
  type DroppedUpload,
  fileKindOf,
  type Upload,
  type Uploads,
} from './uploads.ts';

interface UploadPageContext {
  readonly uploads: Uploads;
  readonly store: Pick<BatchReader, 'batch'> & Pick<RegistrationStore, 'registrationBatch'>;
  readonly readSurroundings: (() => Promise<Surroundings>) | undefined;
}

const path = '/upload';
const mebibyte = 1_048_576;

/** Differences between kinds of files in texts, and in the page of their batches. */
const kinds = {
  payout: {
    name: 'upload.file-payouts',
    ready: 'upload.would-pay',
    drop: 'upload.drop-hint',
    path: '/batch',
  },
  registration: {
    name: 'registration.registration-batch',
    ready: 'upload.would-register',
    drop: 'upload.drop-hint-registrations',
    path: '/registrations/batch',
  },
} as const satisfies Readonly<Record<FileKindName, Readonly<Record<string, PlainCode | `/${string}`>>>>;

// ---------------------------------------------------------------- content

function chooseForm(visit: ProvedVisit, { bytesMax }: Uploads): Html {
  const { say } = visit;
  const size = bytesMax < mebibyte ? `${showCount(bytesMax)} B` : `${Math.floor(bytesMax / mebibyte)} MiB`;
  // The token comes first: no part of a file is read before it.
  return html`<form method="post" action="${path}" enctype="multipart/form-data" class="card medium">
    ${csrfField(visit)}
    <div class="field">
      <label for="file">${say('upload.choose-file')} <small>${say('upload.up-to')} ${size}</small></label>
      <input id="file" name="file" type="file" accept=".csv,.xlsx" required />
    </div>
    <button class="main">${say('upload.check-file')}</button>
  </form>`;
}

const choosePage = (visit: ProvedVisit, uploads: Uploads, problem?: PlainCode, status = 200): Page => ({
  status,
  title: visit.say('batch.upload-file'),
  body: html`<h1>${visit.say('batch.upload-file')}</h1>
    ${problem !== undefined && html`<div class="problems" role="alert"><p>${visit.say(problem)}</p></div>`}
    <p>${visit.say('upload.upload-hint')}</p>
    ${chooseForm(visit, uploads)}`,
});

interface ShownTotal {
  readonly name: PlainCode;
  readonly sign: string;
  readonly rows: number;
  /** Undefined without amounts. */
  readonly baht: Part;
}

const totalRow = ({ say }: ProvedVisit, { name, sign, rows, baht }: ShownTotal): Html =>
  html`<tr>
    <th scope="row"><span aria-hidden="true">${sign}</span> ${say(name)}</th>
    <td class="number" data-head="${say('batch.rows')}">${showCount(rows)}</td>
    ${baht !== undefined && html`<td class="number" data-head="${say('payout.baht')}">${baht}</td>`}
  </tr>`;

function totalsTable(visit: ProvedVisit, rows: readonly ShownTotal[], all: ShownTotal, hint: PlainCode) {
  const { say } = visit;
  return html`<section class="card">
    <h2>${say('upload.would-be')}</h2>
    <table class="legend">
      <thead>
        <tr>
          <th scope="col">${say('payout.status')}</th>
          <th scope="col" class="number">${say('batch.rows')}</th>
          ${all.baht !== undefined && html`<th scope="col" class="number">${say('payout.baht')}</th>`}
        </tr>
      </thead>
      <tbody>
        ${rows.map((one) => totalRow(visit, one))}
      </tbody>
      <tfoot>
        ${totalRow(visit, all)}
      </tfoot>
    </table>
    <p><small>${say(hint)}</small></p>
  </section>`;
}

const bahtOf = ({ say }: ProvedVisit, total: RowTotal): Html =>
  html`${showBaht(total.amountSatang)}
  ${total.unreadableAmounts > 0 && html`<small>${say(message('today.unreadable', { count: showCount(total.unreadableAmounts) }))}</small>`}`;

function payoutTotals(visit: ProvedVisit, { ready, held, rejected, all }: CheckTotals): Html {
  const shown = (name: PlainCode, sign: string, total: RowTotal): ShownTotal => ({
    name,
    sign,
    rows: total.rows,
    baht: bahtOf(visit, total),
  });
  const rows = [
    shown(kinds.payout.ready, '›', ready),
    shown('upload.would-hold', '‖', held),
    shown('upload.would-reject', '×', rejected),
  ];
  return totalsTable(visit, rows, shown('today.total', '', all), 'upload.not-asked-hint');
}

function registrationTotals(visit: ProvedVisit, totals: RegistrationCheckTotals): Html {
  const shown = (name: PlainCode, sign: string, rows: number): ShownTotal => ({
    name,
    sign,
    rows,
    baht: undefined,
  });
  const rows = [
    shown(kinds.registration.ready, '›', totals.ready),
    shown('upload.would-hold', '‖', totals.held),
    shown('upload.would-reject', '×', totals.rejected),
  ];
  return totalsTable(visit, rows, shown('today.total', '', totals.all), 'upload.not-sent-hint');
}

const issueRow = (visit: ProvedVisit, { issue }: RowIssue): Html => {
  const { say } = visit;
  return html`<tr>
    <td class="number" data-head="${say('upload.line')}">${issue.line}</td>
    <td data-head="${say('upload.column')}">${showText(issue.column ?? '')}</td>
    <td data-head="${say('upload.finding')}">
      ${whyOf(visit, issue.message)}
      ${issue.value !== null && issue.value !== '' && html`<small>${showText(issue.value)}</small>`}
    </td>
  </tr>`;
};

function issueSection(visit: ProvedVisit, { issues, issueCount }: CheckedUpload): Html {
  const { say } = visit;
  if (issueCount === 0) return html`<p>✓ ${say('upload.no-issues')}</p>`;
  return html`<section>
    <h2>${say('upload.issues')}</h2>
    ${issueCount > issues.length && html`<p>${say(message('upload.first-issues', { count: showCount(issueCount) }))}</p>`}
    ${dataTable(
      visit,
      ['upload.line', 'upload.column', 'upload.finding'],
      issues.map((one) => issueRow(visit, one)),
      ['upload.line'],
    )}
  </section>`;
}

const batchLink = (kind: FileKindName, batchId: string): Html =>
  html`<a href="${kinds[kind].path}/${batchId}">${batchId}</a>`;

function outcomeOf(visit: ProvedVisit, upload: CheckedUpload): Part {
  const { outcome } = upload;
  const { say } = visit;
  if (outcome.kind === 'checked') return [payoutTotals(visit, outcome.totals), issueSection(visit, upload)];
  if (outcome.kind === 'registrations')
    return [registrationTotals(visit, outcome.totals), issueSection(visit, upload)];
  const { line, column, message: why } = outcome.rejection;
  return html`<div class="problems" role="alert">
    <h2>${say('upload.rejected-whole')}</h2>
    <p>${showText(say(why).replaceAll(upload.path, upload.fileName))}</p>
    ${factList([
      [say('upload.line'), line ?? undefined],
      [say('upload.column'), column === null ? undefined : showText(column)],
    ])}
  </div>`;
}

/** The fate of a file, in the largest words of the page, and the words of the button that decides it. */
interface Foreseen {
  readonly headline: string;
  readonly why: Part;
  readonly button: string;
}

/** Nothing of a file is paid that is like an earlier one, or has no row that may be paid. */
async function foresee(
  visit: ProvedVisit,
  { outcome }: CheckedUpload,
  uploads: Uploads,
): Promise<Foreseen | undefined> {
  const { say } = visit;
  if (outcome.kind === 'rejected') return undefined;
  if (outcome.kind === 'registrations') {
    const count = counted(outcome.totals.ready, 'registration');
    const button = say(message('upload.send-registrations', { count }));
    return { headline: say('upload.sent-at-once'), why: undefined, button };
  }
  const { ready, held } = outcome.totals;
  const { people, aboveSatang } = await uploads.decideApproval(
    sumSatang([ready.amountSatang, held.amountSatang]),
  );
  if (people !== undefined) {
    const why = say(people === 2 ? 'upload.by-two' : 'upload.by-one');
    return { headline: say('upload.waits-for-approval'), why, button: say('upload.hand-in-for-approval') };
  }
  if (outcome.likeReason !== undefined || ready.rows === 0)
    return {
      headline: say('upload.nothing-paid'),
      why: whyOf(visit, outcome.likeReason),
      button: say('upload.hand-in'),
    };
  const amount = showBaht(ready.amountSatang);
  return {
    headline:
      aboveSatang === undefined
        ? say('upload.paid-at-once')
        : say(message('upload.paid-below', { limit: showBaht(aboveSatang) })),
    why: undefined,
    button: say(message('upload.pay-now', { payouts: counted(ready.rows, 'payout'), amount })),
  };
}

const headlineOf = ({ headline, why }: Foreseen): Html =>
  html`<h2 class="headline">${headline}</h2>
    ${why !== undefined && html`<p>${why}</p>`}`;

const dropForm = (visit: ProvedVisit, upload: CheckedUpload, { button }: Foreseen): Html =>
  html`<p>${visit.say(kinds[fileKindOf(upload)].drop)}</p>
    ${postButton(visit, `${path}/drop`, button, { sha256: upload.sha256 }, 'main')}`;

async function checkedPage(
  visit: ProvedVisit,
  { uploads }: UploadPageContext,
  upload: CheckedUpload,
  isKnown: boolean,
  problem?: Part,
): Promise<Page> {
  const { say } = visit;
  const { fileName, sha256, batchId, digest, outcome } = upload;
  const isGood = outcome.kind !== 'rejected';
  const kind = fileKindOf(upload);
  const foreseen = isKnown ? undefined : await foresee(visit, upload, uploads);
  const title = `${say('upload.check-of')} ${showText(fileName)}`;
  const facts = factList([
    [say('upload.kind-of-file'), isGood && say(kinds[kind].name)],
    [
      say('upload.same-bytes'),
      isKnown ? html`${say('upload.known-batch')} ${batchLink(kind, batchId)}` : say('upload.new-file'),
    ],
    [say('upload.will-be'), !isKnown && isGood && batchId],
  ]);
  const hashes = factList([
    [say('batch.digest-of-file'), html`<code>${sha256}</code>`],
    [say('upload.digest-of-rows'), digest !== undefined && html`<code>${digest}</code>`],
  ]);
  return {
    title,
    status: problem === undefined ? 200 : 409,
    body: html`<h1>${title}</h1>
      ${problem !== undefined && html`<div class="problems" role="alert"><p>${problem}</p></div>`}
      ${isKnown && html`<p class="warn">${say('upload.known-batch')} ${batchLink(kind, batchId)}. ${say('upload.known-hint')}</p>`}
      ${foreseen && headlineOf(foreseen)} ${!isKnown && outcomeOf(visit, upload)}
      <section class="card">
        ${facts}
        <details>
          <summary>${say('upload.for-auditors')}</summary>
          ${hashes}
        </details>
      </section>
      ${foreseen && dropForm(visit, upload, foreseen)}
      ${postButton(visit, `${path}/discard`, say('upload.throw-away'), {}, foreseen ? 'quiet' : 'plain')}`,
  };
}

async function droppedPage(
  visit: ProvedVisit,
  dropped: DroppedUpload,
  { store, uploads, readSurroundings }: UploadPageContext,
): Promise<Page> {
  const { say } = visit;
  const { fileKind, fileName, batchId } = dropped;
  const isThere = (await findBatch(store, fileKind, batchId)) !== undefined;
  const isWatched = (await readSurroundings?.())?.sender?.command === 'watch';
  const whenTaken = isWatched ? 'upload.being-taken' : 'upload.file-waits';
  return {
    title: say('upload.dropped'),
    body: html`<h1>${say('upload.dropped')}</h1>
      <div class="done" role="status" data-live="dropped">
        <p>
          <b>${showText(fileName)}</b>:
          ${say(fileKind === 'payout' ? 'payout.batch' : 'registration.registration-batch')}
          ${isThere ? batchLink(fileKind, batchId) : batchId}
        </p>
        <p>${say(isThere ? 'upload.taken' : whenTaken)}</p>
      </div>
      <h2>${say('upload.another-file')}</h2>
      ${chooseForm(visit, uploads)}`,
  };
}

// ---------------------------------------------------------------- actions

const findBatch = (store: UploadPageContext['store'], kind: FileKindName, batchId: string) =>
  kind === 'payout' ? store.batch(batchId) : store.registrationBatch(batchId);

/** True for an accepted batch. Rejected bytes may be accepted later, once the obstacle is removed. */
async function isTakenIn({ store }: UploadPageContext, upload: CheckedUpload): Promise<boolean> {
  const batch = await findBatch(store, fileKindOf(upload), upload.batchId);
  return batch !== undefined && batch.status !== 'rejected';
}

async function answerPage(context: UploadPageContext, visit: ProvedVisit, problem?: Part): Promise<Page> {
  const upload: Upload | undefined = await context.uploads.find(visit.sessionHash);
  if (upload === undefined) return choosePage(visit, context.uploads);
  if (upload.kind === 'dropped') return droppedPage(visit, upload, context);
  const isKnown = await isTakenIn(context, upload);
  return checkedPage(visit, context, upload, isKnown, problem);
}

const dropWords: Readonly<Record<Exclude<DropEnd, 'dropped'>, PlainCode>> = {
  gone: 'upload.upload-gone',
  rejected: 'upload.rejected-whole',
  nameTaken: 'upload.name-taken',
};

async function answerDrop(context: UploadPageContext, visit: ProvedVisit, fields: Fields): Promise<Answer> {
  const { uploads } = context;
  const { sessionHash, person } = visit;
  const upload = await uploads.find(sessionHash);
  const isKnown = upload?.kind === 'checked' && (await isTakenIn(context, upload));
  if (isKnown) {
    const page = await answerPage(context, visit, visit.say('upload.known-batch'));
    await uploads.discard(sessionHash);
    return page;
  }
  try {
    const end = await uploads.drop(sessionHash, fields['sha256'] ?? '', person.personId);
    if (end === 'dropped') return { goTo: path };
    if (end === 'gone') return choosePage(visit, uploads, 'upload.upload-gone', 409);
    return await answerPage(context, visit, visit.say(dropWords[end]));
  } catch (error) {
    if (!(error instanceof OutputFileError)) throw error;
    const why = html`${visit.say('upload.inbox-trouble')}: <span lang="en">${showText(error.message)}</span>`;
    return answerPage(context, visit, why);
  }
}

const statusOf = {
  'upload.bad-name': 400,
  'upload.empty': 400,
  'upload.too-large': 413,
  'upload.busy': 409,
} as const;

/** Receives the file itself. */
export const makeUploadView = (uploads: Uploads): FileView => ({
  path,
  action: 'propose',
  bytesMax: uploads.bytesMax,
  receive: async (visit, file) => {
    try {
      const upload = await uploads.add(visit.sessionHash, file);
      return typeof upload === 'string'
        ? choosePage(visit, uploads, upload, statusOf[upload])
        : { goTo: path };
    } catch (error) {
      if (!(error instanceof OutputFileError)) throw error;
      return plainPage(visit, 503, visit.say('page.problem'), showText(error.message), path);
    }
  },
});

export const makeUploadViews = (context: UploadPageContext): readonly View[] => [
  viewAt('GET', path, 'propose', (visit) => answerPage(context, visit)),
  viewAt('POST', `${path}/drop`, 'propose', (visit, fields) => answerDrop(context, visit, fields)),
  {
    method: 'POST',
    path: `${path}/discard`,
    action: 'propose',
    answer: async ({ sessionHash }) => {
      await context.uploads.discard(sessionHash);
      return { goTo: path };
    },
  },
];
