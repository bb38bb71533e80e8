/** `paydrop proposals` and `approve`: decisions that wait for a second person, and that person's answer. */
import { inEnglish, type Message } from '../core/message.ts';
import { SettingsError } from '../settings/secrets.ts';
import type { LoadedSettings } from '../settings/settings.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { flagOption, loadCommandSettings, makeCommand, textOption } from './options.ts';

/** Proposals shown at a time. */
const proposalsShownMax = 100;

function readNumber(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text))
    throw new SettingsError(`${text} is no proposal: "paydrop proposals" lists them`);
  return Number(text);
}

/** The reason, with its subject named once. */
function sayOf(what: string, why: Message): string {
  const text = inEnglish(why);
  return text.includes(what) ? text : `${what}: ${text}`;
}

export const proposalsCommand = makeCommand({
  command: 'proposals [number]',
  describe: 'show the decisions that wait for a second person, or one with all that it is about',
  exits: { 0: 'shown', 2: 'there is no such proposal' },
  builder: (command) =>
    command
      .positional('number', { type: 'string', describe: 'of a proposal' })
      .option('all', flagOption('those that were decided, too'))
      .example('$0 proposals', 'what waits')
      .example('$0 proposals 12', 'what exactly would be approved'),
  run: async ({ number, all, json, ...options }) => {
    const loaded = await loadCommandSettings(options);
    const { listProposals, readProposal } = await import('../review/shell/shown-proposal.ts');
    const { openDecisions } = await import('../app/decide/open.ts');
    const { openProposalStatuses, proposalStatuses } = await import('../review/rules/proposal.ts');
    const { print, printBanner, showList } = await import('./views/shown.ts');
    const { showProposal, showProposalLine } = await import('./views/decisions.ts');
    await using session = await openDecisions(loaded);
    if (number !== undefined) {
      const found = await readProposal(session, readNumber(number));
      if (found === undefined)
        throw new SettingsError(`there is no proposal ${number}: "paydrop proposals --all" lists them`);
      printBanner(loaded, json);
      print(showProposal(found), json);
      return;
    }
    const statuses = all ? proposalStatuses : openProposalStatuses;
    const proposals = await listProposals(session, statuses, proposalsShownMax);
    printBanner(loaded, json);
    print(showList(proposals.map(showProposalLine), 'Nothing waits for a second person.'), json);
  },
});

export const approveCommand = makeCommand({
  command: 'approve [number]',
  describe:
    'approve what another person has proposed, send it back, or withdraw what you have proposed; or approve a batch before it is paid',
  exits: {
    0: 'done, or proposed where a second person has to approve',
    2: 'no valid personal token, or no right to approve: nothing was done',
  },
  builder: (command) =>
    command
      .positional('number', { type: 'string', describe: 'of a proposal' })
      .option(
        'batch',
        textOption(
          'a batch that waits for approval, in place of a number: proposed by one, approved by the next',
        ),
      )
      .option(
        'digest',
        textOption('with --batch: only if this is the digest of what waits ("paydrop check FILE --digest")'),
      )
      .option('send-back', flagOption('send it back, with --note'))
      .option('withdraw', flagOption('withdraw what you have proposed yourself'))
      .option('note', textOption('what you have to say to it'))
      .example('$0 approve 12', 'its decision is applied')
      .example(
        '$0 approve --batch 7B3KQ0M9ZX --digest 3f8a0c2b51d7',
        'what waits of the batch is paid, if it is what you have looked at',
      )
      .example("$0 approve 12 --send-back --note 'the letter names another amount'", 'nothing is applied'),
  run: async ({ number, batch, digest, sendBack, withdraw, note, json, ...options }) => {
    const loaded = await loadCommandSettings(options);
    if (batch !== undefined) {
      if (number !== undefined || sendBack || withdraw)
        throw new SettingsError('--batch goes with --digest and --note alone: name a proposal, or a batch');
      return approveBatchAndShow(loaded, batch, { digest, note }, json);
    }
    if (number === undefined) throw new SettingsError('say which: the number of a proposal, or --batch');
    if (digest !== undefined) throw new SettingsError('--digest goes with --batch');
    const { checkProposal } = await import('../review/shell/decide.ts');
    const { openDecisions } = await import('../app/decide/open.ts');
    const { print, printBanner } = await import('./views/shown.ts');
    const { showChecked } = await import('./views/decisions.ts');
    await using session = await openDecisions(loaded);
    if (withdraw && sendBack)
      throw new SettingsError('--send-back and --withdraw are two things: one of them');
    const verdict = withdraw ? 'withdraw' : sendBack ? 'send-back' : 'approve';
    const checked = await checkProposal(session, readNumber(number), verdict, note ?? null);
    if (checked.kind === 'refused') throw new SettingsError(sayOf(`proposal ${number}`, checked.why));
    printBanner(loaded, json);
    print(showChecked(checked), json);
    return exitCodes.ok;
  },
});

async function approveBatchAndShow(
  loaded: LoadedSettings,
  batchId: string,
  { digest, note }: { readonly digest: string | undefined; readonly note: string | undefined },
  json: boolean,
): Promise<ExitCode> {
  const { approveBatchInShell } = await import('../review/shell/decide.ts');
  const { openDecisions } = await import('../app/decide/open.ts');
  const { print, printBanner } = await import('./views/shown.ts');
  const { showBatchApproved } = await import('./views/decisions.ts');
  await using session = await openDecisions(loaded);
  const terms = { note: note ?? 'by "paydrop approve"', seen: digest };
  const approved = await approveBatchInShell(session, batchId, terms);
  if (approved.kind === 'refused') throw new SettingsError(sayOf(`batch ${batchId}`, approved.why));
  printBanner(loaded, json);
  print(showBatchApproved(batchId, approved), json);
  return exitCodes.ok;
}
