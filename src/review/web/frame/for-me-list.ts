/** For me: what waits for the visitor, in a list that opens at the top of every page. */
import { showCount } from '../../../core/figures.ts';
import { counted, type PlainCode, sayCode } from '../../../core/message.ts';
import { sayAge } from '../../../core/moments.ts';
import { showText } from '../../../core/outgoing-text.ts';
import { countForMe, type ForMe } from '../../for-me.ts';
import type { Proposal, TakenItem } from '../../ports.ts';
import { describeTarget } from '../../rules/batch-decisions.ts';
import { isPersonProposal, type PersonProposal } from '../../rules/person-request.ts';
import { describeRequest } from '../../rules/person-words.ts';
import { describeProposed } from '../../rules/proposal-figures.ts';
import { nameOfDecision } from '../../rules/terms.ts';
import { html, type Html, type Part } from '../html.ts';
import { capital } from '../parts.ts';
import { sayWhy, type Visit } from '../view.ts';

/** The entries shown of each part; the page of approvals has them all. */
const entriesMax = 5;

interface Entry {
  readonly href: string;
  readonly text: Part;
  readonly note: Part;
}

/** @param note the words below */
function proposalEntry({ say, language }: Visit, proposal: Proposal | PersonProposal, note: Part): Entry {
  if (isPersonProposal(proposal))
    return { href: `/proposal/${proposal.proposalId}`, text: capital(say(describeRequest(proposal))), note };
  const { proposalId, decision, kind, figures } = proposal;
  const [file] = figures.files;
  const what = sayCode(language, nameOfDecision(decision, kind));
  const counts = say(describeProposed(proposal));
  return {
    href: `/proposal/${proposalId}`,
    text: file === undefined ? what : `${what}: ${showText(file.fileName)}`,
    note: [counts, note !== undefined && html`<br />${note}`],
  };
}

/** The page of a kind of item; the queue, where there is none. */
function pathOfItem({ kind, key }: TakenItem): string {
  if (kind === 'payout' || kind === 'registration') return `/${kind}/${key}`;
  return kind === 'batch' || kind === 'doubt' ? `/batch/${key}` : '/queue';
}

function nameOfItem({ say }: Visit, { kind, key, payoutId }: TakenItem): string {
  switch (kind) {
    case 'payout':
      return showText(payoutId ?? key);
    case 'registration':
      return `${say('page.registrations')} ${key}`;
    case 'proposal':
    case 'decisions':
      return say('page.proposals');
    case 'doubt':
      return say(describeTarget('batch', key));
    case 'batch':
    case 'break':
    case 'callback':
    case 'day':
    case 'file':
    case 'payer':
    case 'registration-batch':
    case 'statement':
      return showText(say(describeTarget(kind, key)));
  }
}

/** A part of the list; nothing without entries. */
const partOf = ({ say }: Visit, heading: PlainCode, entries: readonly Entry[]): Part =>
  entries.length > 0 &&
  html`<h2>${say(heading)}</h2>
    <ul>
      ${entries.slice(0, entriesMax).map(
        ({ href, text, note }) =>
          html`<li>
            <a href="${href}"><b>${text}</b><small>${note}</small></a>
          </li>`,
      )}
      ${
        entries.length > entriesMax &&
        html`<li><a href="/proposals">${say('for-me.all')} ${showCount(entries.length)}</a></li>`
      }
    </ul>`;

function listParts(visit: Visit, forMe: ForMe): readonly Part[] {
  const { say, language, nowMs } = visit;
  const { toCheck, sentBack, lapsing, groups, taken, passkeys } = forMe;
  const age = (atMs: number): string => sayAge(language, nowMs - atMs);
  return [
    partOf(
      visit,
      'for-me.to-check',
      toCheck.map((one) => proposalEntry(visit, one, `${one.maker}, ${age(one.madeAtMs)}`)),
    ),
    partOf(
      visit,
      'for-me.sent-back',
      sentBack.map((one) => proposalEntry(visit, one, `${one.checker}: “${showText(one.checkNote ?? '')}”`)),
    ),
    partOf(
      visit,
      'for-me.lapses',
      lapsing.map((one) =>
        proposalEntry(visit, one, `${say('for-me.lapses-in')} ${sayAge(language, one.expiresAtMs - nowMs)}`),
      ),
    ),
    partOf(visit, 'for-me.taken', [
      ...groups.map(({ key, subject, owner }) => ({
        href: `/queue/${encodeURIComponent(key)}`,
        text: showText(sayWhy(language, subject).text),
        note: owner && age(owner.atMs),
      })),
      ...taken.map((one) => ({ href: pathOfItem(one), text: nameOfItem(visit, one), note: age(one.atMs) })),
    ]),
    passkeys > 0 &&
      partOf(visit, 'for-me.confirm', [
        { href: '/passkeys', text: say(counted(passkeys, 'passkey')), note: undefined },
      ]),
  ];
}

export function forMeList(visit: Visit, forMe: ForMe): Html {
  const { say } = visit;
  const count = countForMe(forMe);
  return html`<details class="bell" name="for-me">
    <summary>
      ${say('page.for-me')}
      <span data-count="for-me"><span class="${count > 0 ? 'bad' : 'no'}">${showCount(count)}</span></span>
    </summary>
    <div data-count="for-me-list">
      ${count === 0 ? html`<p>${say('for-me.nothing')}</p>` : listParts(visit, forMe)}
    </div>
  </details>`;
}
