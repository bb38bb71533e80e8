/** `paydrop user`: users who may see, propose, check and keep users, and how each proves their identity. */
import { Writable } from 'node:stream';
import { countOf } from '../core/figures.ts';
import { inEnglish } from '../core/message.ts';
import type { ChangeOutcome } from '../review/people.ts';
import type { UserSession, UserWish } from '../review/shell/users.ts';
import { roles } from '../review/rules/people.ts';
import { SettingsError } from '../settings/secrets.ts';
import type { LoadedSettings } from '../settings/settings.ts';
import { exitCodes, type ExitCode } from './exit-codes.ts';
import {
  flagOption,
  type GlobalOptions,
  loadCommandSettings,
  makeCommand,
  numberOption,
  textOption,
} from './options.ts';
import { say } from './output.ts';

const verbs = [
  'add',
  'list',
  'role',
  'disable',
  'enable',
  'password',
  'token',
  'confirm',
  'recover',
  'policy',
] as const;
type Verb = (typeof verbs)[number];

export const userCommand = makeCommand({
  command: 'user <action> [name]',
  describe: 'keep the users of the review: their roles, passwords and tokens',
  exits: {
    0: 'done',
    2: 'no valid personal token, no right to it, or it makes no sense as things stand',
    6: 'it waits for a second admin',
  },
  builder: (command) =>
    command
      .positional('action', {
        type: 'string',
        choices: verbs,
        demandOption: true,
        describe: `one of ${verbs.join(', ')}`,
      })
      .positional('name', { type: 'string', describe: 'the user; of confirm: the number of the proposal' })
      .option('role', { choices: roles, requiresArg: true, describe: 'add, role: what the user may do' })
      .option('full-name', textOption('add: as it is shown beside decisions'))
      .option('reset', flagOption('password: give another user a new one-time password'))
      .option('label', textOption('token: what it is for, in your own words'))
      .option('days', numberOption(90, 'token: how long it is good'))
      .option('revoke', { type: 'number', requiresArg: true, describe: 'token: the number of one to end' })
      .option('send-back', flagOption('confirm: do not carry it out; your own is withdrawn'))
      .option('why', textOption('confirm --send-back, recover: the reason, which is kept'))
      .example('$0 user add mali --role admin', 'the first user, by anyone who can write the journal')
      .example('$0 user password mali', 'set a password of your own, with the one-time password')
      .example('(umask 077; $0 user token mali > ~/.paydrop-token)', 'make a token, with your password')
      .example('$0 user add boon --role maker --full-name "Boon Dee"', 'by an admin, with his token')
      .example('$0 user list boon', 'his tokens, and all that happened to him')
      .example('$0 user confirm 3', 'what another admin has proposed')
      .example('$0 user policy', 'propose review.people and approval as the settings have them now')
      .example('$0 user recover mali --why "both admins left"', 'no admin can sign in; it is an alarm')
      .epilogue(
        'Who types the command proves it with a token: PAYDROP_TOKEN, PAYDROP_TOKEN_FILE or review.tokenFile. ' +
          'Passwords are asked for, or read from standard input, a line each; never from the command line.\n',
      ),
  run: async ({ json, logLevel, ...options }) => {
    const loaded = await loadCommandSettings(options);
    const { makeLogger } = await import('../platform/log.ts');
    const { openUsers } = await import('../app/decide/users.ts');
    const { printBanner } = await import('./views/shown.ts');
    await using session = await openUsers(loaded, makeLogger(logLevel));
    // A token is the only output, since it may go into a file.
    printBanner(loaded, json || options.action === 'token');
    return await doVerb(session, { ...options, json, loaded });
  },
});

/** Options of a verb. */
interface UserOptions extends Pick<GlobalOptions, 'json'> {
  readonly loaded: LoadedSettings;
  readonly action: Verb;
  readonly name?: string | undefined;
  readonly role?: (typeof roles)[number] | undefined;
  readonly fullName?: string | undefined;
  readonly reset: boolean;
  readonly label?: string | undefined;
  readonly days: number;
  readonly revoke?: number | undefined;
  readonly sendBack: boolean;
  readonly why?: string | undefined;
}

async function doVerb(session: UserSession, options: UserOptions): Promise<ExitCode> {
  const { action } = options;
  switch (action) {
    case 'add':
    case 'role':
    case 'disable':
    case 'enable':
      return change(session, options);
    case 'password':
      return options.reset ? change(session, options) : setOwnPassword(session, options);
    case 'token':
      return options.revoke === undefined ? makeToken(session, options) : revokeToken(session, options);
    case 'confirm':
      return confirm(session, options);
    case 'recover':
      return recover(session, options);
    case 'policy':
      return policy(session, options);
    case 'list':
      return list(session, options);
  }
}

function requireName({ name, action }: UserOptions): string {
  if (name === undefined)
    throw new SettingsError(
      `NAME is missing: type paydrop user ${action} NAME (paydrop user --help shows examples)`,
    );
  return name;
}

function requireRole({ role, action }: UserOptions): (typeof roles)[number] {
  if (role === undefined)
    throw new SettingsError(`--role is missing: type paydrop user ${action} NAME --role ${roles.join('|')}`);
  return role;
}

async function change(session: UserSession, options: UserOptions): Promise<ExitCode> {
  const { changeUser } = await import('../review/shell/users.ts');
  return tell(await changeUser(session, requireName(options), readWish(options)), options);
}

function readWish(options: UserOptions): UserWish {
  const { action, name = '', fullName = name } = options;
  if (action === 'add') return { action, displayName: fullName, role: requireRole(options) };
  if (action === 'role') return { action, role: requireRole(options) };
  return { action: action === 'disable' || action === 'enable' ? action : 'reset-password' };
}

async function tell(outcome: ChangeOutcome, { json }: UserOptions): Promise<ExitCode> {
  if (outcome.kind === 'refused') throw new SettingsError(inEnglish(outcome.why));
  const { print } = await import('./views/shown.ts');
  const { showOutcome } = await import('./views/user.ts');
  print(showOutcome(outcome), json);
  return outcome.kind === 'waits' ? exitCodes.stoppedShort : exitCodes.ok;
}

async function setOwnPassword(session: UserSession, options: UserOptions): Promise<ExitCode> {
  const name = requireName(options);
  const { setPassword } = await import('../review/shell/users.ts');
  using prompt = await openSecretPrompt();
  const present = await prompt.ask(`Present or one-time password of ${name}`);
  const wanted = await prompt.ask('New password');
  if ((await prompt.ask('New password once more')) !== wanted)
    throw new SettingsError('the new password was not the same twice: nothing is changed');
  await setPassword(session, name, present, wanted);
  say(`The password of ${name} is set.`);
  return exitCodes.ok;
}

/** Proves the person at the command by their token; where a name is given, by its password. */
async function prove(session: UserSession, { name }: UserOptions) {
  if (name === undefined) return undefined;
  const { signInWithPassword } = await import('../review/shell/users.ts');
  using prompt = await openSecretPrompt();
  return await signInWithPassword(session, name, await prompt.ask(`Password of ${name}`));
}

async function makeToken(session: UserSession, options: UserOptions): Promise<ExitCode> {
  const { makeOwnToken } = await import('../review/shell/users.ts');
  const { label = '', days, json } = options;
  const made = await makeOwnToken(session, { label, days }, await prove(session, options));
  const { print } = await import('./views/shown.ts');
  const { showToken } = await import('./views/user.ts');
  print(showToken(made.token, made.kept), json);
  say(
    `Token ${made.kept.tokenId} is good for ${countOf(days, 'day')}, and is shown only now: keep it in a file of your own ` +
      '(chmod 600), and name that in PAYDROP_TOKEN_FILE or review.tokenFile.',
  );
  return exitCodes.ok;
}

async function revokeToken(session: UserSession, options: UserOptions): Promise<ExitCode> {
  const { endToken } = await import('../review/shell/users.ts');
  const { revoke = 0 } = options;
  await endToken(session, revoke, await prove(session, options));
  say(`Token ${revoke} counts no more.`);
  return exitCodes.ok;
}

async function confirm(session: UserSession, options: UserOptions): Promise<ExitCode> {
  const { confirmUserChange, sendBackUserChange } = await import('../review/shell/users.ts');
  const { name, why = '', sendBack } = options;
  const proposalId = Number(name);
  if (!Number.isInteger(proposalId) || proposalId < 1)
    throw new SettingsError(`confirm takes the number of a proposal, which "paydrop user list" shows`);
  if (!sendBack) return tell(await confirmUserChange(session, proposalId), options);
  await sendBackUserChange(session, proposalId, why);
  say(`Proposal ${proposalId} is not carried out.`);
  return exitCodes.ok;
}

async function policy(session: UserSession, options: UserOptions): Promise<ExitCode> {
  const { proposePolicy } = await import('../review/shell/users.ts');
  return tell(await proposePolicy(session, options.loaded), options);
}

async function recover(session: UserSession, options: UserOptions): Promise<ExitCode> {
  const { recoverUser } = await import('../review/shell/users.ts');
  return tell(await recoverUser(session, requireName(options), options.why ?? ''), options);
}

async function list(session: UserSession, { name, json }: UserOptions): Promise<ExitCode> {
  const { listUsers } = await import('../review/shell/users.ts');
  const { print } = await import('./views/shown.ts');
  const { showUsers } = await import('./views/user.ts');
  print(showUsers(await listUsers(session, name)), json);
  return exitCodes.ok;
}

/** Passwords typed without an echo. Without a terminal, each is a line of standard input. */
interface SecretPrompt extends Disposable {
  /** @throws SettingsError when there is nothing to read */
  ask(question: string): Promise<string>;
}

/** One prompt for all questions of a command, so that lines that arrive together are all read. */
async function openSecretPrompt(): Promise<SecretPrompt> {
  const { createInterface } = await import('node:readline');
  const { stdin } = process;
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = stdin.isTTY;
  const reader = createInterface({ input: stdin, output: nowhere, terminal, historySize: 0 });
  // In raw mode the terminal does not end the process at Ctrl-C.
  reader.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  const lines = reader[Symbol.asyncIterator]();
  return {
    async ask(question) {
      if (terminal) say(`${question} (what you type is not shown):`);
      const { value, done } = await lines.next();
      if (done !== true) return value;
      throw new SettingsError(`${question}: nothing was given on standard input`);
    },
    [Symbol.dispose]: () => reader.close(),
  };
}
