/** What a watcher reports to its screen: how it stands, each file that ends, each batch that is settled. */
import type { ListenAddress } from '../core/network-address.ts';
import type { WatchEvent } from '../watch/context.ts';
import type { LockOwner } from './session.ts';

/** How the process itself stands. */
export type WatchStage =
  /** It has read its settings. */
  | { readonly kind: 'started'; readonly isSandbox: boolean; readonly inbox: string; readonly outbox: string }
  /** /healthz answers from now on. */
  | { readonly kind: 'health-opened'; readonly address: ListenAddress }
  /** Another process is sending; undefined when that one has not said who it is. */
  | { readonly kind: 'standing-by'; readonly owner: LockOwner | undefined }
  /** This process is sending, and the inbox is its own. */
  | { readonly kind: 'working'; readonly inbox: string; readonly hasTakenOver: boolean }
  /** Nobody takes this, and it is not paid: a folder, a link, a file that cannot be taken. The log says why. */
  | { readonly kind: 'inbox-skipped'; readonly fileName: string }
  /** It was asked to stop. */
  | { readonly kind: 'stopping'; readonly graceMs: number };

export type WatchNews = WatchEvent | WatchStage;

/** Shows it, now. Must not throw. */
export type ReportNews = (news: WatchNews) => void;

/** Reports each name that stays in the inbox, once for as long as it is there. */
export function makeLeftReporter(report: ReportNews): (names: readonly string[]) => void {
  let reported = new Set<string>();
  return (names) => {
    for (const fileName of names) if (!reported.has(fileName)) report({ kind: 'inbox-skipped', fileName });
    reported = new Set(names);
  };
}
