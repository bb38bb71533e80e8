/** Notices to people outside: events of a batch or a file, for a webhook or a command. */

/**
 * The kinds of notices. `batch-done`, `batch-halted`, `batch-failing` and `in-doubt` are about a batch; `file-rejected` is
 * about a file that is no batch; `journal-refused` about the journal, without which nothing is sent; `file-grown` about a
 * file that was written to after its rows had been read. registration-notices.ts makes `registrations-done` and the kinds
 * after it; journal-notices.ts makes the others, which are about no one batch or file. @forTests
 */
export const noticeKinds = [
  'batch-done',
  'batch-halted',
  'batch-failing',
  'in-doubt',
  'file-rejected',
  'journal-refused',
  'file-grown',
  'not-ready',
  'ready',
  'statement-late',
  'statement-came',
  'critical-breaks',
  'alarm',
  'clock',
  'sums',
  'people',
  'day-head',
  'decisions-dropped',
  'registrations-done',
  'registrations-halted',
  'registration-alarm',
  'unknown-callbacks',
] as const;
export type NoticeKind = (typeof noticeKinds)[number];

/** `critical`: money is at stake, or nothing is sent; `high`: a person must act soon; `info`: no action is needed. */
export type NoticeSeverity = 'critical' | 'high' | 'info';

/** Severity of each kind, unless the event itself has another. */
export const noticeSeverities: Readonly<Record<NoticeKind, NoticeSeverity>> = {
  'batch-done': 'info',
  'batch-halted': 'high',
  'batch-failing': 'high',
  'in-doubt': 'high',
  'file-rejected': 'high',
  'journal-refused': 'critical',
  'file-grown': 'critical',
  'not-ready': 'critical',
  ready: 'info',
  'statement-late': 'high',
  'statement-came': 'info',
  'critical-breaks': 'critical',
  alarm: 'critical',
  clock: 'high',
  sums: 'critical',
  people: 'info',
  'day-head': 'info',
  'decisions-dropped': 'high',
  'registrations-done': 'info',
  'registrations-halted': 'high',
  'registration-alarm': 'critical',
  'unknown-callbacks': 'high',
};

export const noticeChannels = ['webhook', 'command'] as const;
export type NoticeChannel = (typeof noticeChannels)[number];

/** A notice to be kept until it is delivered. */
export interface NoticeDraft {
  /** The same event has the same key: it is reported once. */
  readonly key: string;
  readonly kind: NoticeKind;
  readonly batchId: string | null;
  readonly atMs: number;
  /** JSON-encodable, free of secrets and of full proxy or account numbers; amounts as decimal baht, times in Bangkok. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** A notice that one channel has not delivered yet. */
export interface DueNotice extends NoticeDraft {
  readonly seq: number;
  readonly channel: NoticeChannel;
  /** Tries that have failed so far. */
  readonly tries: number;
}

/** `later`: not before `nextAtMs`; `given-up`: it is not tried any more. */
export type DeliveryResult =
  | { readonly kind: 'delivered'; readonly atMs: number }
  | { readonly kind: 'later'; readonly nextAtMs: number; readonly why: string }
  | { readonly kind: 'given-up'; readonly why: string };

/** A failed try: `isFinal` when the receiver wants no more of this notice. */
export interface DeliveryFailure {
  readonly ok: false;
  readonly why: string;
  readonly isFinal?: true;
}

/** Brings one notice to its channel. Never throws; a failure is data. */
export interface NoticeSender {
  readonly channel: NoticeChannel;
  send(notice: DueNotice, stop: AbortSignal): Promise<{ readonly ok: true } | DeliveryFailure>;
}
