/** The form of a decision: target, reason, evidence and effect. */
import { showCount } from '../../core/figures.ts';
import { message, type Message, sayCode } from '../../core/message.ts';
import { deciderOf } from '../verdict.ts';
import type { ReviewContext } from '../context.ts';
import { type EvidenceRefusal, type PreparedEvidence, prepareEvidence } from '../evidence-files.ts';
import { type Objection, decide } from '../review.ts';
import { countDeciders, type Correction, type Target } from '../rules/proposal.ts';
import { type Decision, decisionTerms, describeEffect, nameOfDecision } from '../rules/terms.ts';
import { html, type Html, type Part } from './html.ts';
import { csrfField, keptNote, problems, sealOf } from './layout.ts';
import { fullStop, whyOf } from './parts.ts';
import type { Answer, Fields, Page, ProvedVisit, SentFile } from './view.ts';

/** The target and its facts, as they were displayed. */
export interface DecideForm {
  readonly decision: Decision;
  /** The path to which the form is posted. */
  readonly path: string;
  readonly back: string;
  readonly targets: readonly Target[];
  /** The number of people, where it differs from other decisions. */
  readonly people?: 1 | 2;
  /** The target in words, for the sentence about the effect. */
  readonly what: string;
  readonly shown: Part;
  /** Hidden fields that return with the form. */
  readonly hidden: Readonly<Record<string, string>>;
  /** The folder of evidence files; undefined where none are taken. */
  readonly evidenceFolder?: string | undefined;
  /** The path that leaves impossible rows out of the list. */
  readonly leaveOutPath?: string;
  /** Names a target so that a person recognises it. */
  readonly nameTarget: (target: Target) => Part;
}

/** The values typed into the form. */
interface DecisionInput {
  readonly note: string;
  readonly evidence: string;
  readonly correction: Correction;
}

/** The end of the path of a form that brings a file. */
export const withFile = '/file';

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

const isOfRegistration = ({ targets }: Pick<DecideForm, 'targets'>): boolean =>
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

function textField(
  { say }: ProvedVisit,
  name: 'note' | 'evidence',
  value: string,
  complaints: readonly Complaint[],
  isRequired = true,
): Html {
  const [label, hint] =
    name === 'note'
      ? (['decide.why-note', 'decide.why-hint'] as const)
      : (['payout.evidence', 'decide.evidence-hint'] as const);
  return html`<div class="field">
    <label for="${name}">${say(label)} <small>${say(hint)}</small></label>
    ${complaintAt(say, complaints, name)}
    <textarea
      id="${name}"
      name="${name}"
      rows="3"
      maxlength="${textLengthMax}"
      ${isRequired && 'required'}
      ${described(complaints, name)}
    >
${value}</textarea>
  </div>`;
}

/** The file field, last in the form because the fields before it are read first. */
const fileField = ({ say }: ProvedVisit, complaints: readonly Complaint[]): Html =>
  html`<div class="field">
    <label for="evidenceFile"
      >${say('decide.evidence-file')} <small>${say('decide.evidence-file-hint')}</small></label
    >
    ${complaintAt(say, complaints, 'evidenceFile')}
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

/** @param isProposed another person has to approve the decision */
function effectOf(visit: ProvedVisit, { decision, what, targets }: DecideForm, isProposed: boolean): Html {
  const { say } = visit;
  return html`<p class="effect">
    <b>${say('decide.effect')}:</b> ${say(describeEffect(decision, what, targets[0]?.kind))},
    ${say(isProposed ? 'decide.after-approval' : 'decide.at-once')}${fullStop(visit)}
  </p>`;
}

interface Trouble {
  readonly status: number;
  readonly complaints: readonly Complaint[];
  readonly objections: readonly Objection[];
}

const noTrouble: Trouble = { status: 200, complaints: [], objections: [] };

function objectionsBox(visit: ProvedVisit, form: DecideForm, { objections }: Trouble): Part {
  const { say } = visit;
  if (objections.length === 0) return undefined;
  const shown = objections.slice(0, objectionsShownMax);
  const canLeaveOut = form.leaveOutPath !== undefined && objections.length < form.targets.length;
  return html`<div class="problems" role="alert" tabindex="-1" autofocus>
    <h2>${say('decide.nothing-decided')}</h2>
    <ul>
      ${shown.map(
        ({ target, why }) =>
          html`<li>${target && html`${form.nameTarget(target)}: `}${whyOf(visit, why)}</li>`,
      )}
    </ul>
    ${
      objections.length > shown.length &&
      html`<p>${say(message('decide.and-more', { count: showCount(objections.length - shown.length) }))}</p>`
    }
    ${
      canLeaveOut &&
      html`<form method="post" action="${form.leaveOutPath}" class="inline">
        ${csrfField(visit)} <button>${say('decide.leave-out')}</button>
      </form>`
    }
  </div>`;
}

/** The number of people that the decision needs now. */
const peopleOf = ({ decision, people }: DecideForm, { people: usual }: ReviewContext): 1 | 2 =>
  countDeciders(decision, people ?? usual, true);

/** The page with the form; typed values stay. */
export function decidePage(
  visit: ProvedVisit,
  review: ReviewContext,
  form: DecideForm,
  fields: Fields = {},
  trouble = noTrouble,
): Page {
  const { say, language } = visit;
  const { note, evidence, correction } = readInput(fields);
  const { complaints } = trouble;
  const isProposed = peopleOf(form, review) === 2;
  const title = sayCode(language, nameOfDecision(form.decision, form.targets[0]?.kind));
  const { needsEvidence } = decisionTerms[form.decision];
  const takesFile = needsEvidence && form.evidenceFolder !== undefined;
  return {
    title,
    status: trouble.status,
    body: html`${keptNote(visit, fields)}${problems(visit, complaints)}${objectionsBox(visit, form, trouble)}
      <h1>${title}</h1>
      <div class="columns">
        <form
          method="post"
          action="${takesFile ? `${form.path}${withFile}` : form.path}"
          ${takesFile && html`enctype="multipart/form-data"`}
          class="card first"
        >
          ${csrfField(visit)} ${sealOf(visit, form.path)}
          ${Object.entries(form.hidden).map(
            ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
          )}
          ${form.decision === 'retry-corrected' && correctionFields(visit, correction, complaints, isOfRegistration(form))}
          ${textField(visit, 'note', note, complaints)}
          ${needsEvidence && textField(visit, 'evidence', evidence, complaints, !takesFile)}
          ${takesFile && fileField(visit, complaints)} ${effectOf(visit, form, isProposed)}
          <div class="buttons">
            <button class="main">${say(isProposed ? 'decide.propose' : 'decide.apply-now')}</button>
            <a class="button" href="${form.back}">${say('decide.not-done')}</a>
          </div>
        </form>
        <section class="card">${form.shown}</section>
      </div>`,
  };
}

/** The missing parts of a correction. */
function complainAboutCorrection(
  form: DecideForm,
  { proxyNo, amount, accountNo }: Correction,
): readonly Complaint[] {
  if (form.decision !== 'retry-corrected') return [];
  if (isOfRegistration(form))
    return accountNo === undefined ? [{ field: 'accountNo', text: message('decide.missing-account') }] : [];
  return proxyNo === null && amount === null
    ? [{ field: 'proxyNo', text: message('decide.missing-correction') }]
    : [];
}

function complainAbout(form: DecideForm, input: DecisionInput, hasFile: boolean): readonly Complaint[] {
  const { decision } = form;
  const { note, evidence, correction } = input;
  return [
    ...complainAboutCorrection(form, correction),
    ...(note === '' ? [{ field: 'note', text: message('decide.missing-why') }] : []),
    ...(decisionTerms[decision].needsEvidence && evidence === '' && !hasFile
      ? [{ field: 'evidence', text: message('decide.missing-evidence') }]
      : []),
  ];
}

const refusalWords = { empty: 'decide.evidence-empty', tooLarge: 'decide.evidence-too-large' } as const;

/** Prepares the sent file; undefined without a file, or where none is taken. */
async function prepareSent(
  { decision, evidenceFolder }: DecideForm,
  file: SentFile | undefined,
): Promise<PreparedEvidence | EvidenceRefusal | undefined> {
  const isTaken = decisionTerms[decision].needsEvidence && evidenceFolder !== undefined;
  if (file === undefined || !isTaken) return undefined;
  return prepareEvidence(evidenceFolder, file.name, file.stream, file.isCut);
}

/** Proposes the decision of the form; after a refusal, shows the form again with the reason and the typed values. */
export async function answerDecision(
  visit: ProvedVisit,
  review: ReviewContext,
  form: DecideForm,
  fields: Fields,
  onObjections: (objections: readonly Objection[]) => void = () => {},
  sent?: SentFile,
): Promise<Answer> {
  const input = readInput(fields);
  const { decision, targets } = form;
  const complain = (complaints: readonly Complaint[]): Page =>
    decidePage(visit, review, form, fields, { status: 422, complaints, objections: [] });
  const file = sent?.name === '' ? undefined : sent;
  const complaints = complainAbout(form, input, file !== undefined);
  if (complaints.length > 0) return complain(complaints);
  // The file is read only once all other fields are complete.
  const prepared = await prepareSent(form, file);
  if (typeof prepared === 'string')
    return complain([{ field: 'evidenceFile', text: message(refusalWords[prepared]) }]);
  await using sentFile = prepared;
  const corrected =
    decision === 'retry-corrected'
      ? targets.map((target) => ({ ...target, correction: input.correction }))
      : targets;
  const evidence = decisionTerms[decision].needsEvidence ? orNull(input.evidence) : null;
  const evidenceFile = sentFile?.file ?? null;
  const wish = { decision, targets: corrected, note: input.note, evidence, evidenceFile };
  const proposed = await decide(review, deciderOf(visit.proved), [wish], async () => sentFile?.keep());
  if (proposed.kind === 'refused') {
    onObjections(proposed.objections);
    const { objections } = proposed;
    return decidePage(visit, review, form, fields, { status: 409, complaints: [], objections });
  }
  const [end] = proposed.ends;
  return { goTo: end === undefined ? '/proposals' : `/proposal/${end.proposal.proposalId}` };
}
