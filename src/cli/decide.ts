/** `paydrop decide`, `confirm`, `ack`, `release`, `accept`, `halt`: people's decisions, each proved by a personal token. */
import type { DecisionSession } from '../review/context.ts';
import type { Decided } from '../review/shell/decide.ts';
import { type BreakKind, breakKinds } from '../reconcile/rules/types.ts';
import { readZipKey, SettingsError } from '../settings/secrets.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import {
  flagOption,
  type GlobalOptions,
  loadCommandSettings,
  makeCommand,
  openLog,
  readDayOption,
  textOption,
} from './options.ts';

const exits = {
  0: 'applied, or proposed where a second person has to approve',
  2: 'no valid personal token, or the decision is not possible: nothing was done',
} as const;

const noteOption = textOption('why it is decided so');

/** Opens the journal, makes the decision, and shows its outcome. */
async function decideAndShow(
  { json, ...options }: Pick<GlobalOptions, 'config' | 'dataDir' | 'json'>,
  decide: (session: DecisionSession) => Promise<Decided>,
): Promise<ExitCode> {
  const loaded = await loadCommandSettings(options);
  const { openDecisions } = await import('../app/decide/open.ts');
  const { print, printBanner } = await import('./views/shown.ts');
  const { showDecided } = await import('./views/decisions.ts');
  await using session = await openDecisions(loaded);
  const decided = await decide(session);
  printBanner(loaded, json);
  print(showDecided(decided), json);
  return decided.kind === 'refused' ? exitCodes.usage : exitCodes.ok;
}

export const decideCommand = makeCommand({
  command: 'decide [file]',
  describe: 'apply a filled-in exceptions file (CSV or .xlsx), given or dropped: all of it, or nothing',
  exits,
  builder: (command) =>
    command
      .positional('file', { type: 'string', describe: 'the file that "paydrop exceptions" wrote' })
      .option('dropped', textOption('a file that was dropped for the watcher, by its name'))
      .option('waiting', flagOption('list the dropped files that wait'))
      .option('discard', flagOption('with --dropped: throw it away; needs --note'))
      .option('note', noteOption)
      .example('$0 decide exceptions.xlsx', 'its decisions are proposed, one proposal for each kind')
      .example('$0 decide --dropped exceptions.xlsx', 'a dropped file, in the name of who confirms it'),
  run: async ({ file, dropped, waiting, discard, note = '', json, ...options }) => {
    if ([file !== undefined, dropped !== undefined, waiting].filter(Boolean).length !== 1)
      throw new SettingsError('say which file: its path, or --dropped NAME; --waiting lists those');
    if (discard && dropped === undefined) throw new SettingsError('--discard goes with --dropped NAME');
    const loaded = await loadCommandSettings(options);
    const { decideByFile } = await import('../review/shell/decide.ts');
    const { openDecisions } = await import('../app/decide/open.ts');
    const { confirmDropped, discardDropped, listDropped } = await import('../review/dropped/waiting.ts');
    const { print, printBanner } = await import('./views/shown.ts');
    const { refuseFile, showDecided, showDiscarded, showDropped } = await import('./views/decisions.ts');
    if (waiting) {
      print(showDropped(await listDropped(loaded.dataDir)), json);
      return exitCodes.ok;
    }
    await using session = await openDecisions(loaded);
    const name = dropped ?? file ?? '';
    if (discard) {
      await discardDropped(session, name, note);
      print(showDiscarded(name), json);
      return exitCodes.ok;
    }
    const decided = await (dropped === undefined ? decideByFile : confirmDropped)(session, name);
    if (decided.kind === 'rejected' || !('undecided' in decided)) throw refuseFile(name, decided);
    printBanner(loaded, json);
    print(showDecided(decided, decided.undecided), json);
    return decided.kind === 'refused' ? exitCodes.usage : exitCodes.ok;
  },
});

/** The decisions that confirm an outcome: of a payout, of a registration, or of either. */
const outcomes = {
  paid: 'confirm-paid',
  registered: 'confirm-registered',
  refused: 'confirm-refused',
  failed: 'confirm-failed',
} as const;

export const confirmCommand = makeCommand({
  command: 'confirm <name>',
  describe: 'say what became of a payout or registration, with evidence; a second person approves it',
  exits,
  builder: (command) =>
    command
      .positional('name', {
        type: 'string',
        demandOption: true,
        describe: "a payoutId or registrationId, or the bank's reference of one",
      })
      .option('paid', flagOption('the payee has it'))
      .option('registered', flagOption('the bank has registered the direct debit'))
      .option('refused', flagOption('the bank has refused to register it'))
      .option('failed', flagOption('no money moved, or nothing was registered, and none will'))
      .option('evidence', textOption('where the proof stands: a letter, a statement, a case number'))
      .option('evidence-file', textOption('the proof itself, of any kind, up to 16 MiB: it is kept'))
      .option('note', noteOption)
      .example(
        "$0 confirm INV-2026-0001 --failed --evidence 'bank letter 2026-11-22' --note 'asked by phone'",
        'it may be tried again once another person has approved this',
      )
      .example(
        "$0 confirm INV-2026-0001 --paid --evidence-file letter.pdf --note 'the bank wrote'",
        'the file is kept with the proposal',
      )
      .example(
        "$0 confirm REG-2026-0001 --registered --evidence 'case 4711' --note 'the bank answered'",
        'a registration that the bank never told of',
      ),
  run: ({ name, evidence = '', evidenceFile, note = '', ...options }) => {
    const said = (['paid', 'registered', 'refused', 'failed'] as const).filter((one) => options[one]);
    const [outcome] = said;
    if (outcome === undefined || said.length > 1)
      throw new SettingsError('confirm needs --paid, --registered, --refused or --failed, one of them');
    return decideAndShow(options, async (session) => {
      const { decideOnRows } = await import('../review/shell/decide.ts');
      return decideOnRows(session, outcomes[outcome], [name], {
        note,
        evidence: evidence === '' ? null : evidence,
        evidencePath: evidenceFile,
      });
    });
  },
});

const manyNames = {
  type: 'string',
  array: true,
  demandOption: true,
  describe: "payoutIds or registrationIds, or the bank's references of them; all of them, or none",
} as const;

export const acknowledgeCommand = makeCommand({
  command: 'ack <name..>',
  describe:
    'take note of an alarm, or of a row that ended otherwise than paid or registered: it leaves the exceptions',
  exits,
  builder: (command) =>
    command
      .positional('name', manyNames)
      .option('note', noteOption)
      .example("$0 ack INV-2026-0001 --note 'returned by the bank on 22 Nov'", 'its alarm ends'),
  run: ({ name: names, note = '', ...options }) =>
    decideAndShow(options, async (session) => {
      const { decideOnRows } = await import('../review/shell/decide.ts');
      return decideOnRows(session, 'acknowledge', names, { note, evidence: null });
    }),
});

export const releaseCommand = makeCommand({
  command: 'release <name..>',
  describe:
    'let another file use the payoutId or registrationId of what was cancelled; a second person approves it',
  exits,
  builder: (command) =>
    command
      .positional('name', manyNames)
      .option('note', noteOption)
      .example(
        "$0 release INV-2026-0001 --note 'the file comes again, corrected'",
        'its number is free then',
      ),
  run: ({ name: names, note = '', ...options }) =>
    decideAndShow(options, async (session) => {
      const { decideOnRows } = await import('../review/shell/decide.ts');
      return decideOnRows(session, 'release', names, { note, evidence: null });
    }),
});

// ---------------------------------------------------------------- breaks, statements, payer accounts

export const acceptCommand = makeCommand({
  command: 'accept <day> [transfer..]',
  describe: 'accept breaks of a day as explained, or a statement of it; a second person approves it',
  exits: { ...exits, 5: 'no usable statement', 6: 'the bank is out of reach or refuses us' },
  builder: (command) =>
    command
      .positional('day', { type: 'string', demandOption: true, describe: 'YYYY-MM-DD, Bangkok' })
      .positional('transfer', {
        type: 'string',
        array: true,
        describe: 'transRefNos whose open breaks are accepted',
      })
      .option('all', flagOption('every open break of the day'))
      .option('kind', textOption(`only breaks of this kind: ${breakKinds.join(', ')}`))
      .option(
        'statement',
        flagOption('the statement as the bank has it now, though it lacks lines, is empty or was superseded'),
      )
      .option('file', textOption('reconcile the day with this statement, which you have'))
      .option('key-file', textOption('a file with the key of an encrypted ZIP in --file'))
      .option('force', flagOption('with --file: though it lacks lines, is empty or was superseded'))
      .option('note', noteOption)
      .example(
        "$0 accept 2026-11-20 PD8S3K0Q2M7XW1VZ5T01 --note 'the bank has booked it twice, and back'",
        'its breaks',
      )
      .example("$0 accept 2026-11-20 --all --kind fee-mismatch --note 'new fees'", 'all of one kind')
      .example(
        "$0 accept 2026-11-20 --statement --note 'the bank says that it is right'",
        'what the bank has',
      )
      .example(
        "$0 accept 2026-11-20 --file PARTNER001_COMP000001_PROXY_20261120.csv --note 'by mail'",
        'a file',
      ),
  run: async ({
    day,
    transfer = [],
    all,
    kind,
    statement,
    file,
    keyFile,
    force,
    note = '',
    json,
    logLevel,
    ...options
  }) => {
    const { date } = readDayOption('the day', day);
    const isOfStatement = statement || file !== undefined;
    const isOfBreaks = all || transfer.length > 0;
    if (isOfStatement === isOfBreaks || (statement && file !== undefined))
      throw new SettingsError('say what is accepted: transfers, --all, --statement or --file, one of them');
    if ((force || keyFile !== undefined) && file === undefined)
      throw new SettingsError('--force and --key-file go with --file');
    const loaded = await loadCommandSettings(options);
    const { openDecisions } = await import('../app/decide/open.ts');
    const { print, printBanner } = await import('./views/shown.ts');
    const { showDecided } = await import('./views/decisions.ts');
    const log = await openLog({ json, logLevel });
    await using session = await openDecisions(loaded, log);
    let decided;
    if (isOfStatement) {
      const { decideOnStatement } = await import('../app/decide/statement.ts');
      const key = file === undefined ? null : readZipKey(keyFile, process.env);
      const wish = { date, file, key, isForced: force, note };
      decided = await decideOnStatement(session, wish, log, new AbortController().signal);
    } else {
      const { decideOnBreaks } = await import('../review/shell/breaks-and-accounts.ts');
      decided = await decideOnBreaks(session, { date, names: transfer, kind: readKind(kind), note });
    }
    if (decided.kind === 'no-statement') {
      const { showNoStatement } = await import('./views/reconcile.ts');
      const { sayFailure } = await import('./output.ts');
      const shown = showNoStatement(decided);
      if (json) print(shown, json);
      else sayFailure(shown.text);
      return shown.exitCode;
    }
    printBanner(loaded, json);
    print(showDecided(decided), json);
    return decided.kind === 'refused' ? exitCodes.usage : exitCodes.ok;
  },
});

function readKind(word: string | undefined): BreakKind | undefined {
  const kind = breakKinds.find((name) => name === word);
  if (word !== undefined && kind === undefined)
    throw new SettingsError(`--kind takes one of ${breakKinds.join(', ')}, not ${word}`);
  return kind;
}

export const haltCommand = makeCommand({
  command: 'halt [account]',
  describe:
    'halt a payer account, or direct-debit registrations: nothing more is sent; or, with --lift, let it go on',
  exits,
  builder: (command) =>
    command
      .positional('account', { type: 'string', describe: 'the number (default: bank.payerAccount)' })
      .option('direct-debit', flagOption('registrations, instead of an account that is paid from'))
      .option(
        'company',
        textOption('with --direct-debit: of this company alone, as VENDOR/COMPANY of its registrations'),
      )
      .option('lift', flagOption('let it go on; a second person approves it'))
      .option('note', noteOption)
      .example("$0 halt --note 'the balance is to be looked at'", 'at once, by one person')
      .example("$0 halt --lift --note 'looked at'", 'what waits on it is sent')
      .example("$0 halt --direct-debit --lift --note 'the bank knows us now'", 'registrations go on'),
  run: async ({ account, directDebit, company, lift, note = '', json, ...options }) => {
    if (note.trim() === '') throw new SettingsError('--note is missing: say why');
    if (directDebit && account !== undefined)
      throw new SettingsError('an account and --direct-debit are two things: one of them');
    if (company !== undefined && !directDebit) throw new SettingsError('--company goes with --direct-debit');
    const loaded = await loadCommandSettings(options);
    const { openDecisions } = await import('../app/decide/open.ts');
    const { decideOnPayer, directDebitAccount } = await import('../review/shell/breaks-and-accounts.ts');
    const { print, printBanner } = await import('./views/shown.ts');
    const { showDecided, showPayerChanged } = await import('./views/decisions.ts');
    await using session = await openDecisions(loaded);
    const asked = directDebit ? directDebitAccount(company) : account;
    const decided = await decideOnPayer(session, lift ? 'resume-payer' : 'halt-payer', asked, note);
    printBanner(loaded, json);
    print(decided.kind === 'changed' ? showPayerChanged(decided) : showDecided(decided), json);
    return decided.kind === 'refused' ? exitCodes.usage : exitCodes.ok;
  },
});
