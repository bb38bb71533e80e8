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
const attentionTopics = ['unknown', 'batches', 'not-paid', 'breaks', 'registrations'] as const;
type AttentionTopic = (typeof attentionTopics)[number];

/** Renderings of the list. @forTests */
export const renderings = ['queue', 'today', 'status', 'health', 'notice'] as const;
type Rendering = (typeof renderings)[number];

/** The reason why a rendering shows nothing of a code. */
type NotShown = Readonly<Partial<Record<Rendering, string>>>;

interface AttentionTerms {
  readonly severity: AttentionSeverity;
  readonly section: AttentionSection;
  readonly topic?: AttentionTopic;
  readonly notShown?: NotShown;
}

/** Decisions of people end it on the queue, and nothing of the machine stands still. */
const ofPeople = { health: 'no fault of the machine', notice: 'a notice of its batch or proposal lists it' };
/** A fault of the machine, which no decision ends. */
const ofMachine = {
  queue: 'no decision ends it: Today shows it',
  notice: 'the notice "not ready" lists what keeps files from being worked',
};
/** Only the process that watches knows it. */
const ofWatcher = {
  ...ofMachine,
  today: 'only the process that watches knows it',
  status: 'only the process that watches knows it',
};

/** Read from the journal. */
const journalTerms = {
  alarm: { severity: 'alarm', section: 'act' },
  'registration-alarm': {
    severity: 'alarm',
    section: 'act',
    topic: 'registrations',
    notShown: { health: ofPeople.health },
  },
  'payer-halted': { severity: 'alarm', section: 'act', topic: 'batches' },
  'critical-breaks': { severity: 'alarm', section: 'act', topic: 'breaks' },
  'high-breaks': { severity: 'alarm', section: 'act', topic: 'breaks', notShown: ofPeople },
  proposal: { severity: 'wait', section: 'check', notShown: { health: ofPeople.health } },
  'sent-back': {
    severity: 'wait',
    section: 'sent-back',
    notShown: { health: ofPeople.health, status: 'it is for its maker alone' },
  },
  'decisions-dropped': { severity: 'wait', section: 'check', notShown: { health: ofPeople.health } },
  'in-doubt': { severity: 'doubt', section: 'unknown', topic: 'unknown', notShown: ofPeople },
  unresolved: { severity: 'doubt', section: 'unknown', topic: 'unknown', notShown: ofPeople },
  disputed: { severity: 'alarm', section: 'unknown', topic: 'unknown', notShown: ofPeople },
  'batch-halted': {
    severity: 'wait',
    section: 'batches',
    topic: 'batches',
    notShown: { health: ofPeople.health },
  },
  'batch-approval': {
    severity: 'wait',
    section: 'batches',
    topic: 'batches',
    notShown: { health: ofPeople.health },
  },
  'batch-held': { severity: 'wait', section: 'batches', topic: 'batches', notShown: ofPeople },
  'file-refused': {
    severity: 'wait',
    section: 'batches',
    topic: 'batches',
    notShown: { health: ofPeople.health },
  },
  'statement-late': { severity: 'doubt', section: 'batches', topic: 'breaks' },
  breaks: { severity: 'doubt', section: 'batches', topic: 'breaks', notShown: ofPeople },
  'not-paid': { severity: 'wait', section: 'not-paid', topic: 'not-paid', notShown: ofPeople },
  rejected: { severity: 'wait', section: 'not-paid', topic: 'not-paid', notShown: ofPeople },
  held: { severity: 'wait', section: 'not-paid', topic: 'not-paid', notShown: ofPeople },
  'registration-in-doubt': {
    severity: 'doubt',
    section: 'registrations',
    topic: 'registrations',
    notShown: ofPeople,
  },
  'not-registered': {
    severity: 'wait',
    section: 'registrations',
    topic: 'registrations',
    notShown: ofPeople,
  },
  'registration-rejected': {
    severity: 'wait',
    section: 'registrations',
    topic: 'registrations',
    notShown: ofPeople,
  },
  'registration-held': {
    severity: 'wait',
    section: 'registrations',
    topic: 'registrations',
    notShown: ofPeople,
  },
  'unknown-callback': {
    severity: 'doubt',
    section: 'registrations',
    topic: 'registrations',
    notShown: { health: ofPeople.health },
  },
} as const satisfies Readonly<Record<string, AttentionTerms>>;

export type JournalCode = keyof typeof journalTerms;

/** Said by health. */
const machineTerms = {
  'loop-stalled': { severity: 'alarm', section: 'act', notShown: ofWatcher },
  standby: { severity: 'wait', section: 'act', notShown: ofWatcher },
  starting: { severity: 'wait', section: 'act', notShown: ofWatcher },
  stopping: { severity: 'wait', section: 'act', notShown: ofWatcher },
  'inbox-gone': { severity: 'alarm', section: 'act', notShown: ofMachine },
  'inbox-unresponsive': { severity: 'alarm', section: 'act', notShown: ofWatcher },
  disk: { severity: 'alarm', section: 'act', notShown: ofMachine },
  'journal-locked': { severity: 'alarm', section: 'act', notShown: ofWatcher },
  'journal-away': { severity: 'alarm', section: 'act', notShown: ofWatcher },
  'journal-damaged': { severity: 'alarm', section: 'act', notShown: ofWatcher },
  bank: { severity: 'alarm', section: 'act', notShown: ofMachine },
  'payer-paused': {
    severity: 'doubt',
    section: 'act',
    notShown: { queue: 'the pause ends by itself', notice: ofMachine.notice },
  },
  'service-closed': {
    severity: 'wait',
    section: 'batches',
    notShown: { queue: 'the service opens by itself', notice: 'the service opens by itself' },
  },
  'batch-failing': { severity: 'alarm', section: 'batches', notShown: { queue: ofMachine.queue } },
  'after-loss': { severity: 'doubt', section: 'batches', notShown: ofMachine },
  'file-stuck': { severity: 'alarm', section: 'batches', notShown: { ...ofWatcher } },
  'inbox-left': { severity: 'wait', section: 'batches', notShown: { ...ofWatcher } },
  'file-grown': { severity: 'alarm', section: 'batches', notShown: { queue: ofMachine.queue } },
  clock: {
    severity: 'doubt',
    section: 'batches',
    notShown: {
      queue: ofMachine.queue,
      status: 'the clock of the bank is known to a sender alone',
      today: 'the clock of the bank is known to a sender alone',
    },
  },
} as const satisfies Readonly<Record<string, AttentionTerms>>;

/** @forTests */
export const attentionTerms = { ...journalTerms, ...machineTerms };

export type AttentionCode = keyof typeof attentionTerms;

/** The terms of a code. */
export const termsOf = (code: AttentionCode): AttentionTerms => attentionTerms[code];
