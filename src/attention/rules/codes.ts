/**
 * Everything that needs a person, as data: a code with its severity, its section of the queue, and the renderings that
 * show it. Every rendering of the list reads this table, and none decides by itself what needs a person.
 */

/** Sections of the queue, the most urgent first. */
export const attentionSections = [
  'act',
  'check',
  'sent-back',
  'unknown',
  'batches',
  'not-paid',
  'registrations',
] as const;
export type AttentionSection = (typeof attentionSections)[number];

/** `alarm`: money may move twice, or is said to have moved otherwise; `doubt`: an outcome is unknown; `wait`: nothing moves. */
export type AttentionSeverity = 'alarm' | 'doubt' | 'wait';

/** Parts of the queue that a person chooses; `alarms` takes the section `act` of any of them. */
export const attentionTopics = ['unknown', 'batches', 'not-paid', 'breaks', 'registrations'] as const;
type AttentionTopic = (typeof attentionTopics)[number];

/** Renderings of the list. @forTests */
export const renderings = ['queue', 'today', 'status', 'health', 'notice'] as const;
type Rendering = (typeof renderings)[number];

/** The reason why a rendering shows nothing of a code. */
type NotShown = Readonly<Partial<Record<Rendering, string>>>;

interface AttentionTerms {
  readonly severity: AttentionSeverity;
  readonly section: AttentionSection;
  readonly notShown: NotShown;
  readonly topic: AttentionTopic | undefined;
}

const terms = (
  severity: AttentionSeverity,
  section: AttentionSection,
  notShown: NotShown,
  topic?: AttentionTopic,
): AttentionTerms => ({ severity, section, notShown, topic });

/** Decisions of people end it on the queue, and nothing of the machine stands still. */
const ofPeople = { health: 'no fault of the machine', notice: 'a notice of its batch or proposal lists it' };
/** Rows of a batch. */
const ofRows = { ...ofPeople, status: 'the batch shows its rows by status' };
/** A fault of the machine, which no decision ends. */
const ofMachine = { queue: 'no decision ends it', today: 'health and status say it' };
/** The notice "not ready" has the reasons why files are not worked. */
const noReason = { notice: 'a file that is dropped now is worked all the same' };
/** Only the process that watches knows it. */
const ofWatcher = {
  queue: ofMachine.queue,
  today: 'only the process that watches knows it',
  status: 'only the process that watches knows it',
};
const passing = { notice: 'it is intended, or passes by itself' };

const noFault = { health: ofPeople.health };
const inBatch = { status: ofRows.status };

/** Read from the journal. */
const journalTerms = {
  alarm: terms('alarm', 'act', inBatch),
  'registration-alarm': terms('alarm', 'act', noFault, 'registrations'),
  'payer-halted': terms('alarm', 'act', {}, 'batches'),
  'critical-breaks': terms('alarm', 'act', {}, 'breaks'),
  'high-breaks': terms('alarm', 'act', ofPeople, 'breaks'),
  proposal: terms('wait', 'check', noFault),
  'sent-back': terms('wait', 'sent-back', { health: ofPeople.health, status: 'it is for its maker alone' }),
  'decisions-dropped': terms('wait', 'check', noFault),
  'in-doubt': terms('doubt', 'unknown', noFault, 'unknown'),
  unresolved: terms('doubt', 'unknown', ofRows, 'unknown'),
  disputed: terms('alarm', 'unknown', ofRows, 'unknown'),
  'batch-halted': terms('wait', 'batches', noFault, 'batches'),
  'batch-approval': terms('wait', 'batches', noFault, 'batches'),
  'batch-held': terms('wait', 'batches', ofPeople, 'batches'),
  'file-refused': terms('wait', 'batches', noFault, 'batches'),
  'statement-late': terms('doubt', 'batches', {}, 'breaks'),
  breaks: terms('doubt', 'batches', ofPeople, 'breaks'),
  'not-paid': terms('wait', 'not-paid', ofRows, 'not-paid'),
  rejected: terms('wait', 'not-paid', ofRows, 'not-paid'),
  held: terms('wait', 'not-paid', ofRows, 'not-paid'),
  'registration-in-doubt': terms('doubt', 'registrations', ofPeople, 'registrations'),
  'not-registered': terms('wait', 'registrations', ofPeople, 'registrations'),
  'registration-rejected': terms('wait', 'registrations', ofPeople, 'registrations'),
  'registration-held': terms('wait', 'registrations', ofPeople, 'registrations'),
  'unknown-callback': terms('doubt', 'registrations', noFault, 'registrations'),
};

/** Said by health. */
const machineTerms = {
  'loop-stalled': terms('alarm', 'act', ofWatcher),
  standby: terms('wait', 'act', { ...ofWatcher, ...passing }),
  starting: terms('wait', 'act', { ...ofWatcher, ...passing }),
  stopping: terms('wait', 'act', { ...ofWatcher, ...passing }),
  'inbox-gone': terms('alarm', 'act', ofMachine),
  'inbox-unresponsive': terms('alarm', 'act', ofWatcher),
  disk: terms('alarm', 'act', { queue: ofMachine.queue }),
  'journal-locked': terms('alarm', 'act', ofWatcher),
  'journal-away': terms('alarm', 'act', ofWatcher),
  'journal-damaged': terms('alarm', 'act', ofWatcher),
  bank: terms('alarm', 'act', ofMachine),
  'payer-paused': terms('doubt', 'act', { queue: 'the pause ends by itself' }),
  'service-closed': terms('wait', 'batches', {
    ...ofMachine,
    queue: 'the service opens by itself',
    notice: 'the service opens by itself',
  }),
  'batch-failing': terms('alarm', 'batches', ofMachine),
  'after-loss': terms('doubt', 'batches', { ...ofMachine, ...noReason }),
  'file-stuck': terms('alarm', 'batches', { ...ofWatcher, ...noReason }),
  'inbox-left': terms('wait', 'batches', { ...ofWatcher, ...noReason }),
  'file-grown': terms('alarm', 'batches', { ...ofMachine, status: 'its batch shows it' }),
  clock: terms('doubt', 'batches', {
    queue: ofMachine.queue,
    status: 'the clock of the bank is known to a sender alone',
    today: 'the clock of the bank is known to a sender alone',
  }),
};

/** @forTests */
export const attentionTerms = { ...journalTerms, ...machineTerms };

export type AttentionCode = keyof typeof attentionTerms;

/** The terms of a code. */
export const termsOf = (code: AttentionCode): AttentionTerms => attentionTerms[code];
