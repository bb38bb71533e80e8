#!/usr/bin/env node
/**
 * The bin entry: starts main.ts with the switches of Node that it needs, under the same process id. It is written so
 * that every Node can read it, since an older one must be told apart here or it dies of the first newer word.
 *
 * The switches: no signal opens a debugger, and memory stays flat (left alone, V8 lets garbage pile up to many times
 * what lives).
 */
/* oxlint-disable no-var, prefer-template */
var switches = ['--disable-sigusr1', '--max-semi-space-size=32', '--heap-growing-percent=100'];
var nodeNeeded = 24;
// Commands that only tell about the program need no switch and no second start, which takes a third of their time.
var isToTell = process.argv.slice(2).some(function (word) {
  return /^(--help|-h|--version|-v)$/.test(word);
});
// main.ts beside launch.cts, or main.js beside launch.cjs where they were built.
var main = __filename.replace(/launch\.c(.s)$/, 'main.$1');

if (Number(process.versions.node.split('.')[0]) < nodeNeeded) {
  process.exitCode = 2;
  process.stderr.write(
    'paydrop needs Node ' +
      nodeNeeded +
      ' or later, this is ' +
      process.versions.node +
      ' (' +
      process.execPath +
      ').\n' +
      'Nothing was done. Install a newer Node (https://nodejs.org), then run the same command again.\n',
  );
} else if (!isToTell && typeof process.execve === 'function') {
  var args = process.execArgv.concat(switches, main, process.argv.slice(2));
  process.execve(process.execPath, [process.execPath].concat(args), process.env);
} else {
  // Windows cannot put one program in the place of another: it goes without the switches.
  void import('./main.ts');
}
