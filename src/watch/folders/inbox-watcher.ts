/** News of the inbox: events of the system, by chokidar. */
import { basename } from 'node:path';
import { watch } from 'chokidar';
import { errorCode } from '../../platform/durable-file.ts';
import { isIgnoredName } from '../rules/drop-folder.ts';
import type { Log } from './inbox.ts';

export interface InboxWatcherOptions {
  readonly inbox: string;
  readonly onNews: () => void;
  readonly log: Log;
}

export interface InboxWatcher extends AsyncDisposable {
  /** It has met an error: events may be missing. */
  readonly isBroken: boolean;
}

const cures: Readonly<Record<string, string>> = {
  ENOSPC: 'the system watches as many files as it may: raise fs.inotify.max_user_watches',
  EMFILE: 'too many files are open: raise ulimit -n and fs.inotify.max_user_instances',
};

/** Watches the names in the inbox itself, and nothing below it. Errors are logged: the rescan goes on without it. */
export function watchInbox(options: InboxWatcherOptions): InboxWatcher {
  const { inbox, onNews, log } = options;
  let isBroken = false;
  const watcher = watch(inbox, {
    depth: 0,
    ignoreInitial: true,
    followSymlinks: false,
    atomic: false,
    backend: 'native',
    ignored: (path) => path !== inbox && isIgnoredName(basename(path)),
  });
  watcher.on('all', (event) => {
    // What leaves the inbox is mostly what has just been claimed.
    if (event !== 'unlink') onNews();
  });
  // What has come before it was watching was told of by nobody.
  watcher.on('ready', onNews);
  watcher.on('error', (error) => {
    const why = cures[errorCode(error)] ?? (error as Error).message;
    if (!isBroken)
      log('warn', 'events of the inbox may be missing; the rescan finds what they miss', { inbox, why });
    isBroken = true;
  });
  return {
    get isBroken() {
      return isBroken;
    },
    [Symbol.asyncDispose]: () => watcher.close(),
  };
}
