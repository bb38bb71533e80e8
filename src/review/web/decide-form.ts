/** The form of a decision: target, reason, evidence and effect. */
import { showCount } from '../../core/figures.ts';
import { message, type Message, sayCode } from '../../core/message.ts';
import { showText } from '../../core/outgoing-text.ts';
import { deciderOf } from '../verdict.ts';
import type { ReviewContext } from '../context.ts';
import {
  evidenceBytesMax,
  type EvidenceRefusal,
  type PreparedEvidence,
  prepareEvidence,
} from '../evidence-files.ts';
import { decide, type Objection } from '../review.ts';
import { countDeciders, type Correction, type EvidenceFile, type Target } from '../rules/proposal.ts';
import { type Decision, decisionTerms, describeEffect, nameOfDecision } from '../rules/terms.ts';
import { html, type Html, type Part } from './html.ts';
import { csrfField, keptNote, postButton, problems, sealOf } from './layout.ts';
import { fullStop, whyOf } from './parts.ts';
import type { Answer, Fields, FileView, Page, ProvedVisit, SentFile } from './view.ts';

/** A decision that the form offers, or names with the reason against it. */
interface Choice {
  readonly decision: Decision;
  readonly targets: readonly Target[];
  /** The number of people, where it differs from other decisions. */
  readonly people?: 1 | 2;
  /** The targets in words, for the sentence about the effect. */
  readonly what: string;
  /** The act in words, for the button. */
  readonly act: Message;
  /** The rows to which the decision does not apply. */
  readonly aside: Part;
  readonly whyNot: Message | undefined;
}

/** A form that stands on the page of its targets. */
export interface DecisionBox {
  /** The path to which the form is posted. */
  readonly path: string;
  /** The path of the page that shows it, with kept text. */
  readonly page: string;
  readonly choices: readonly Choice[];
  /** Hidden fields that return with the form. */
  readonly hidden: Readonly<Record<string, string>>;
  /** The folder of evidence files; undefined where none are taken. */
  readonly evidenceFolder: string | undefined;
  /** The file of a proposal that is corrected: it stays unless another one is sent. */
  readonly keptFile: EvidenceFile | undefined;
  /** The path that leaves impossible rows out of the list; undefined where it is no list. */
  readonly leaveOutPath: string | undefined;
  /** Names a target so that a person recognises it. */
  readonly nameTarget: (target: Target) => Part;
}

/** A form with one decision, on a page of its own. */
export interface DecideForm extends Pick<DecisionBox, 'path' | 'hidden' | 'nameTarget'> {
  readonly decision: Decision;
  readonly back: string;
  readonly targets: readonly Target[];
  readonly people?: 1 | 2;
  readonly what: string;
  readonly act: Message;
  readonly shown: Part;
}

const boxOf = (form: DecideForm): DecisionBox => ({
  ...form,
  page: form.path,
  choices: [{ ...form, aside: undefined, whyNot: undefined }],
  evidenceFolder: undefined,
  keptFile: undefined,
  leaveOutPath: undefined,
});

/** The values typed into the form. */
interface DecisionInput {
  readonly note: string;
  readonly evidence: string;
  readonly correction: Correction;
}

/** The name of the form, for fields that stand elsewhere on its page. */
export const formId = 'decide';

/** The end of the path of a form that brings a file. */
const withFile = '/file';

const textLengthMax = 2_000;
const cellLengthMax = 40;
/** The number of objections that are displayed. */
const objectionsShownMax = 50;

const textOf = (fields: Fields, name: string, lengthMax = textLengthMax): string =>
  (fields[name] ?? '').trim().slice(0, lengthMax);

const orNull = (text: string): string | null => (text === '' ? null : text);

function readInput(fields: Fields): DecisionInput {
  // The account number without blanks and hyphens, as it is displayed and kept.
  const accountNo = textOf(fields, 'accountNo', cellLengthMax).replaceAll(/[\s-]/g, '');
  return {
    note: textOf(fields, 'note'),
    evidence: textOf(fields, 'evidence'),
    correction: {
      proxyNo: orNull(textOf(fields, 'proxyNo', cellLengthMax)),
      amount: orNull(textOf(fields, 'amount', cellLengthMax).replaceAll(',', '')),
      ...(accountNo === '' ? {} : { accountNo }),
    },
  };
}

const isOfRegistration = ({ targets }: Pick<Choice, 'targets'>): boolean =>
  targets[0]?.kind === 'registration';

interface Complaint {
  readonly field: string;
  readonly text: Message;
}

const complaintAt = (say: ProvedVisit['say'], complaints: readonly Complaint[], name: string): Part => {
  const found = complaints.find(({ field }) => field === name);
  return found && html`<p class="complaint" id="${name}-complaint">${say(found.text)}</p>`;
};

const described = (complaints: readonly Complaint[], name: string): Part =>
  complaints.some(({ field }) => field === name) &&
  html`aria-invalid="true" aria-describedby="${name}-complaint"`;

/** @param checked the decisions whose note a checker reads */
function textField(
  { say }: ProvedVisit,
  name: 'note' | 'evidence',
  value: string,
  complaints: readonly Complaint[],
  checked: readonly Choice[],
): Html {
  return html`<div class="field">
    <label for="${name}"
      >${
        name === 'note'
          ? html`${say('decide.why-note')}${checked.length > 0 && html` <span class="${onlyFor(checked)}">${say('decide.checker-reads')}</span>`}`
          : html`${say('payout.evidence')} <small>${say('decide.evidence-hint')}</small>`
      }</label
    >
    ${complaintAt(say, complaints, name)}
    <textarea
      id="${name}"
      name="${name}"
      rows="${name === 'note' ? 3 : 2}"
      maxlength="${textLengthMax}"
      ${name === 'note' && 'required'}
      ${described(complaints, name)}
    >
${value}</textarea>
  </div>`;
}

/** The file field, last in the form because the fields before it are read first. */
const fileField = (
  { say }: ProvedVisit,
  kept: EvidenceFile | undefined,
  complaints: readonly Complaint[],
): Html =>
  html`<div class="field">
    <label for="evidenceFile"
      >${say('decide.evidence-file')} <small>${say('decide.evidence-file-hint')}</small></label
    >
    ${complaintAt(say, complaints, 'evidenceFile')}
    ${kept && html`<p>${say(message('again.file-stays', { file: showText(kept.name) }))}</p>`}
    <input id="evidenceFile" name="evidenceFile" type="file" ${described(complaints, 'evidenceFile')} />
  </div>`;

/** @param isAccount a registration, whose only correctable field is the account */
function correctionFields(
  { say }: ProvedVisit,
  { proxyNo, amount, accountNo }: Correction,
  complaints: readonly Complaint[],
  isAccount: boolean,
): Html {
  const field = (name: string, label: Part, value: string | null, mode: string) =>
    html`<div class="field">
      <label for="${name}">${label} ${!isAccount && html`<small>${say('decide.leave-empty')}</small>`}</label>
      ${complaintAt(say, complaints, name)}
      <input
        id="${name}"
        name="${name}"
        value="${value ?? ''}"
        inputmode="${mode}"
        autocomplete="off"
        maxlength="${cellLengthMax}"
        ${described(complaints, name)}
      />
    </div>`;
  if (isAccount) return field('accountNo', say('decide.new-account'), accountNo ?? null, 'numeric');
  return html`<div class="pair">
    ${field('proxyNo', say('decide.new-number'), proxyNo, 'numeric')}
    ${field('amount', say('decide.new-amount'), amount, 'decimal')}
  </div>`;
}

/** The classes of a part that stands with these decisions only. */
const onlyFor = (choices: readonly Choice[]): string =>
  ['only', ...choices.map(({ decision }) => `for-${decision}`)].join(' ');

/** @param isProposed another person has to approve the decision */
function effectOf(visit: ProvedVisit, choice: Choice, isProposed: boolean): Html {
  const { say } = visit;
  const { decision, what, targets, aside } = choice;
  return html`<div class="${onlyFor([choice])}">
    ${aside}
    <p class="effect">
      <b>${say('decide.effect')}:</b>
      ${say(describeEffect(decision, what, targets[0]?.kind))}${fullStop(visit)}
      ${say(isProposed ? 'decide.after-approval' : 'decide.at-once')}${fullStop(visit)}
    </p>
  </div>`;
}

/** The reasons why a posted form decided nothing. */
export interface Trouble {
  readonly status: number;
  readonly complaints: readonly Complaint[];
  readonly objections: readonly Objection[];
}

export const noTrouble: Trouble = { status: 200, complaints: [], objections: [] };

/** The part above a form: the reasons why nothing was decided, or that its text was kept. */
export function aboveForm(visit: ProvedVisit, box: DecisionBox, fields: Fields, trouble: Trouble): Part {
  const { say } = visit;
  const { objections, complaints } = trouble;
  const above = [keptNote(visit, fields), problems(visit, complaints)];
  if (objections.length === 0) return above;
  const shown = objections.slice(0, objectionsShownMax);
  const choice = choiceOf(box, fields);
  const canLeaveOut = box.leaveOutPath !== undefined && objections.length < (choice?.targets.length ?? 0);
  return html`<div class="problems" role="alert" tabindex="-1" autofocus>
    <h2>${say('decide.nothing-decided')}</h2>
    <ul>
      ${shown.map(
        ({ target, why }) =>
          html`<li>${target && html`${box.nameTarget(target)}: `}${whyOf(visit, why)}</li>`,
      )}
    </ul>
    ${
      objections.length > shown.length &&
      html`<p>${say(message('decide.and-more', { count: showCount(objections.length - shown.length) }))}</p>`
    }
    ${canLeaveOut && postButton(visit, box.leaveOutPath ?? '', say('decide.leave-out'), {}, '')}
  </div>`;
}

/** The number of people that the decision needs now. */
const peopleOf = ({ decision, people }: Choice, { people: usual }: ReviewContext): 1 | 2 =>
  countDeciders(decision, people ?? usual, true);

/** The decision that a form names; the only one, where there is no choice. */
function choiceOf({ choices }: DecisionBox, fields: Fields): Choice | undefined {
  const [only, ...others] = choices;
  return others.length === 0 ? only : choices.find(({ decision }) => decision === fields['decision']);
}

/** The decision that is chosen at first: none where an outcome is to be confirmed, which only a person knows. */
function firstChoice(possible: readonly Choice[]): Choice | undefined {
  const [first, second] = possible;
  return second === undefined || (first !== undefined && !decisionTerms[first.decision].needsEvidence)
    ? first
    : undefined;
}

const labelOf = ({ language }: ProvedVisit, { decision, targets }: Choice): string =>
  sayCode(language, nameOfDecision(decision, targets[0]?.kind));

/** The possible decisions, one of which is chosen. */
function choiceFields(
  visit: ProvedVisit,
  review: ReviewContext,
  possible: readonly Choice[],
  { chosen, complaints }: { readonly chosen: Choice | undefined; readonly complaints: readonly Complaint[] },
): Html {
  const { say } = visit;
  return html`<fieldset class="choices" id="decision">
    <legend class="hidden">${say('payout.decisions')}</legend>
    ${complaintAt(say, complaints, 'decision')}
    ${possible.map(
      (choice) =>
        html`<label class="choice"
          ><input
            type="radio"
            name="decision"
            value="${choice.decision}"
            required
            ${choice === chosen && 'checked'}
          />
          <span
            >${labelOf(visit, choice)}
            <small
              >${say(peopleOf(choice, review) === 2 ? 'payout.second' : 'payout.one-is-enough')}</small
            ></span
          ></label
        >`,
    )}
  </fieldset>`;
}

/** The text of the button: what it does, to how many, and for how much. */
function buttonText({ say }: ProvedVisit, review: ReviewContext, choice: Choice): string {
  const isProposed = peopleOf(choice, review) === 2;
  return say(message(isProposed ? 'decide.propose-to' : 'decide.apply-to', { act: choice.act }));
}

/** One button is visible; the style hides the texts of decisions that are not chosen. */
const decideButton = (
  visit: ProvedVisit,
  review: ReviewContext,
  choices: readonly Choice[],
  action: Part,
): Part =>
  choices.length > 0 &&
  html`<button class="main ${onlyFor(choices)}" ${action}>
    ${choices.map((choice) => html`<span class="${onlyFor([choice])}">${buttonText(visit, review, choice)}</span>`)}
  </button>`;

/** The form with the possible decisions; typed values stay. */
function boxForm(
  visit: ProvedVisit,
  review: ReviewContext,
  box: DecisionBox,
  fields: Fields,
  { complaints }: Trouble,
  beside: Part,
): Html {
  const { note, evidence, correction } = readInput(fields);
  const possible = box.choices.filter(({ whyNot }) => whyNot === undefined);
  const named = choiceOf(box, fields);
  const chosen = named !== undefined && possible.includes(named) ? named : firstChoice(possible);
  const proving = possible.filter(({ decision }) => decisionTerms[decision].needsEvidence);
  const others = possible.filter((choice) => !proving.includes(choice));
  const corrected = possible.filter(takesCorrection);
  const checked = possible.filter((choice) => peopleOf(choice, review) === 2);
  const takesFile = box.evidenceFolder !== undefined;
  const sendsFile = takesFile && html`formaction="${box.path}${withFile}" formenctype="multipart/form-data"`;
  return html`<form method="post" action="${box.path}" class="act" id="${formId}">
    ${csrfField(visit)} ${sealOf(visit, box.page)}
    ${Object.entries(box.hidden).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
    ${choiceFields(visit, review, possible, { chosen, complaints })}
    ${
      corrected.length > 0 &&
      html`<div class="${onlyFor(corrected)}">
        ${correctionFields(visit, correction, complaints, corrected.some(isOfRegistration))}
      </div>`
    }
    ${textField(visit, 'note', note, complaints, checked)}
    ${
      proving.length > 0 &&
      html`<div class="${onlyFor(proving)}">
        ${textField(visit, 'evidence', evidence, complaints, [])}
        ${takesFile && fileField(visit, box.keptFile, complaints)}
      </div>`
    }
    ${possible.map((choice) => effectOf(visit, choice, peopleOf(choice, review) === 2))}
    <div class="buttons">
      ${decideButton(visit, review, others, undefined)} ${decideButton(visit, review, proving, sendsFile)}
      ${beside}
    </div>
  </form>`;
}

/** The decisions on the targets of a page: the form, and those that are not possible, with the reasons. */
export function decisionBox(
  visit: ProvedVisit,
  review: ReviewContext,
  box: DecisionBox,
  fields: Fields,
  trouble: Trouble = noTrouble,
): Part {
  const others = box.choices.filter(({ whyNot }) => whyNot !== undefined);
  return [
    others.length < box.choices.length && boxForm(visit, review, box, fields, trouble, undefined),
    others.length > 0 &&
      html`<details>
        <summary>${visit.say('payout.not-possible')} (${others.length})</summary>
        <ul class="decisions">
          ${others.map(
            (choice) =>
              html`<li class="off">
                ${labelOf(visit, choice)} <small>${whyOf(visit, choice.whyNot)}</small>
              </li>`,
          )}
        </ul>
      </details>`,
  ];
}

/** The page with a form of one decision; typed values stay. */
export function decidePage(
  visit: ProvedVisit,
  review: ReviewContext,
  form: DecideForm,
  fields: Fields = {},
  trouble = noTrouble,
): Page {
  const box = boxOf(form);
  const title = sayCode(visit.language, nameOfDecision(form.decision, form.targets[0]?.kind));
  const back = html`<a class="button" href="${form.back}">${visit.say('decide.not-done')}</a>`;
  return {
    title,
    status: trouble.status,
    body: html`${aboveForm(visit, box, fields, trouble)}
      <h1>${title}</h1>
      <div class="columns">
        <section class="card">${form.shown}</section>
        <section class="card decision" aria-labelledby="decisions">
          <h2 id="decisions">${visit.say('proposal.your-decision')}</h2>
          ${boxForm(visit, review, box, fields, trouble, back)}
        </section>
      </div>`,
  };
}

/** True where the form asks for the correction; targets of a proposal that is corrected have their own. */
const takesCorrection = ({ decision, targets }: Choice): boolean =>
  decision === 'retry-corrected' && targets.some(({ correction }) => correction === undefined);

/** The missing parts of a correction. */
function complainAboutCorrection(
  choice: Choice,
  { proxyNo, amount, accountNo }: Correction,
): readonly Complaint[] {
  if (!takesCorrection(choice)) return [];
  if (isOfRegistration(choice))
    return accountNo === undefined ? [{ field: 'accountNo', text: message('decide.missing-account') }] : [];
  return proxyNo === null && amount === null
    ? [{ field: 'proxyNo', text: message('decide.missing-correction') }]
    : [];
}

function complainAbout(choice: Choice, input: DecisionInput, hasFile: boolean): readonly Complaint[] {
  const { decision } = choice;
  const { note, evidence, correction } = input;
  return [
    ...complainAboutCorrection(choice, correction),
    ...(note === '' ? [{ field: 'note', text: message('decide.missing-why') }] : []),
    ...(decisionTerms[decision].needsEvidence && evidence === '' && !hasFile
      ? [{ field: 'evidence', text: message('decide.missing-evidence') }]
      : []),
  ];
}

const refusalWords = { empty: 'decide.evidence-empty', tooLarge: 'decide.evidence-too-large' } as const;

/** Prepares the sent file; undefined without a file, or where none is taken. */
async function prepareSent(
  { evidenceFolder }: DecisionBox,
  { decision }: Choice,
  file: SentFile | undefined,
): Promise<PreparedEvidence | EvidenceRefusal | undefined> {
  const isTaken = decisionTerms[decision].needsEvidence && evidenceFolder !== undefined;
  if (file === undefined || !isTaken) return undefined;
  return prepareEvidence(evidenceFolder, file.name, file.stream, file.isCut);
}

/** Proposes the decision of a posted form, or gives the reasons why nothing was decided. */
export async function decideBox(
  visit: ProvedVisit,
  review: ReviewContext,
  box: DecisionBox,
  fields: Fields,
  sent: SentFile | undefined,
): Promise<{ readonly goTo: string } | Trouble> {
  const complain = (complaints: readonly Complaint[]): Trouble => ({ ...noTrouble, status: 422, complaints });
  const choice = choiceOf(box, fields);
  if (choice === undefined)
    return complain([{ field: 'decision', text: message('decide.missing-decision') }]);
  const input = readInput(fields);
  const { decision, targets } = choice;
  const file = sent?.name === '' ? undefined : sent;
  const complaints = complainAbout(choice, input, file !== undefined || box.keptFile !== undefined);
  if (complaints.length > 0) return complain(complaints);
  // The file is read only once all other fields are complete.
  const prepared = await prepareSent(box, choice, file);
  if (typeof prepared === 'string')
    return complain([{ field: 'evidenceFile', text: message(refusalWords[prepared]) }]);
  await using sentFile = prepared;
  const corrected = takesCorrection(choice)
    ? targets.map((target) => ({ ...target, correction: input.correction }))
    : targets;
  const evidence = decisionTerms[decision].needsEvidence ? orNull(input.evidence) : null;
  const evidenceFile = sentFile?.file ?? box.keptFile ?? null;
  const wish = { decision, targets: corrected, note: input.note, evidence, evidenceFile };
  const proposed = await decide(review, deciderOf(visit.proved), [wish], async () => sentFile?.keep());
  if (proposed.kind === 'refused') return { ...noTrouble, status: 409, objections: proposed.objections };
  const [end] = proposed.ends;
  return { goTo: end === undefined ? '/proposals' : `/proposal/${end.proposal.proposalId}` };
}

/** Fields beside the token: version, decision, correction, note, evidence, and room for more. */
const fieldsMax = 8;

/** The same form with a file as evidence. @param more further fields of the form */
export const makeDecideFileView = (path: string, receive: FileView['receive'], more = 0): FileView => ({
  path: `${path}${withFile}`,
  action: 'propose',
  bytesMax: evidenceBytesMax,
  fieldsMax: fieldsMax + more,
  receive,
});

/** Proposes the decision of a form of its own; after a refusal, shows the form again with the typed values. */
export async function answerDecision(
  visit: ProvedVisit,
  review: ReviewContext,
  form: DecideForm,
  fields: Fields,
): Promise<Answer> {
  const outcome = await decideBox(visit, review, boxOf(form), fields, undefined);
  return 'goTo' in outcome ? outcome : decidePage(visit, review, form, fields, outcome);
}
