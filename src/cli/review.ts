/** `paydrop review`: serves the page on which people see what needs them. */
import { once } from 'node:events';
import { toLines } from '../core/outgoing-text.ts';
import { SettingsError } from '../settings/secrets.ts';
import { listenForInterrupt } from './interrupt.ts';
import { loadCommandSettings, makeCommand, numberOption, openLog } from './options.ts';

const portMax = 65_535;

export const reviewCommand = makeCommand({
  command: 'review',
  describe: 'open the review page for people with a password, on this machine alone, until it is stopped',
  exits: { 0: 'stopped, as it was asked to', 2: 'there is no journal yet, or the port is taken' },
  builder: (command) =>
    command
      .option('port', numberOption(8484, 'port to listen on; 0: a free one'))
      .example('$0 review', 'then open http://localhost:8484 in a browser')
      .example(
        '$0 user add mali --role admin',
        'the first user, who signs in with the password that it prints',
      ),
  run: async ({ port, json, logLevel, ...options }) => {
    if (!Number.isInteger(port) || port < 0 || port > portMax)
      throw new SettingsError(`--port takes a whole number from 0 to ${portMax}`);
    const loaded = await loadCommandSettings(options);
    const { openPage } = await import('../app/decide/page.ts');
    const { print, printBanner } = await import('./views/shown.ts');
    const log = await openLog({ json, logLevel });
    using interrupt = listenForInterrupt(() => {});
    await using page = await openPage(loaded, { host: 'localhost', port }, log);
    printBanner(loaded, json);
    const noUser = 'There is no user yet: "paydrop user add NAME --role admin" makes the first.';
    const lines = [
      `The review page is open: ${page.origin}`,
      ...(page.people === 0 ? [noUser] : []),
      'Ctrl-C stops it.',
    ];
    print({ json: { origin: page.origin, people: page.people }, text: toLines(lines) }, json);
    if (!interrupt.signal.aborted) await once(interrupt.signal, 'abort');
  },
});
