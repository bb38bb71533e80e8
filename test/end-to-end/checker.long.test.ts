/** The checker reads what the maker proposed: files of a shell, a sandbox bank, the page, and `--json`. */
import { mkdir, rename, writeFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Browser } from '../support/browser.ts';
import { passwordOf } from '../support/persons.ts';
import { findPaidTwice } from './as-bank.ts';
import { openScene, type Scene, type SceneSettings, until } from './harness.ts';
import { addPeople } from './scene-people.ts';

const header = 'payoutId,proxyType,proxyNo,payeeName,amount,reference1,reference2';

/** Each row has a payee of its own. */
const csvOf = (letters: string, amounts: readonly string[]): string =>
  `${[
    header,
    ...amounts.map((amount, place) => {
      const no = String(place + 1).padStart(4, '0');
      return `${letters}-${no},MSISDN,081${letters === 'SAL' ? '1' : '2'}00${no},Somchai Jaidee,${amount},R-${letters}-${no},`;
    }),
  ].join('\n')}\n`;

/** The last makes up the sum. */
const amountsOf = (count: number, last: string): string[] => [
  ...Array.from({ length: count - 1 }, () => '15000.00'),
  last,
];

interface Office {
  readonly scene: Scene;
  readonly maker: Browser;
  readonly checker: Browser;
  readonly become: (name: string) => Promise<void>;
}

async function openOffice(scene: Scene): Promise<Office> {
  const become = await addPeople(scene);
  await become('mali');
  const page = scene.start('review', '--port', '0', '--json');
  await until(() => page.stdout.includes('\n'));
  const { origin } = JSON.parse(page.stdout.trim()) as { origin: string };
  const signIn = async (name: string): Promise<Browser> => {
    const browser = new Browser(origin);
    await browser.signIn(name, passwordOf(name));
    return browser;
  };
  return { scene, become, maker: await signIn('mali'), checker: await signIn('nok') };
}

/** A page's text as it is read. */
const readText = (page: string): string =>
  page
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll('&quot;', '"')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(' ,', ',');

const seenIn = (page: string): string => /name="seen" value="(\w+)"/.exec(page)?.[1] ?? '';

interface ShownProposal {
  readonly items: number;
  readonly rows: number;
  readonly amount: string;
  readonly digest: string;
  readonly figures: {
    readonly wasAmount: string | null;
    readonly files: readonly { fileName: string; rows: number; amount: string; digest: string | null }[];
    readonly largest: readonly { amount: string }[];
    readonly newPayees: { payees: number };
    readonly payerAccounts: readonly string[];
  };
}

const readProposal = async (scene: Scene, proposalId: number): Promise<ShownProposal> =>
  JSON.parse((await scene.run('proposals', String(proposalId), '--json')).stdout) as ShownProposal;

const drop = async (scene: Scene, name: string, csv: string): Promise<void> => {
  await mkdir(join(scene.dataDir, 'inbox'), { recursive: true });
  const path = join(scene.folder, name);
  await writeFile(path, csv);
  await rename(path, join(scene.dataDir, 'inbox', name));
};

interface Case {
  readonly name: string;
  readonly settings: SceneSettings;
  readonly fileName: string;
  readonly csv: string;
  /** Has mali propose. @returns the digest that a check of the file gives, where there is one */
  readonly propose: (office: Office, path: string) => Promise<string | undefined>;
  /** The number of the proposal: halting the account was the first. */
  readonly proposalId: number;
  readonly rows: number;
  readonly amount: string;
  readonly wasAmount: string | null;
  /** On the page of the proposal, before and after. */
  readonly says: readonly string[];
  readonly newPayees: number;
  /** Payouts in the bank's book once it is approved. */
  readonly paid: number;
}

const salary = { fileName: 'salary-november.csv', csv: csvOf('SAL', amountsOf(149, '126099.60')) };
const vendors = { fileName: 'vendors.csv', csv: csvOf('VEN', amountsOf(147, '126099.60')) };
const watch = { stillMs: 50, rescanMs: 200 };

const checkDigest = async (scene: Scene, path: string): Promise<string> =>
  (JSON.parse((await scene.run('check', path, '--digest', '--json')).stdout) as { digest: string }).digest;

const cases: readonly Case[] = [
  {
    name: 'a batch',
    settings: { watch },
    ...salary,
    propose: async ({ scene, maker }, path) => {
      await writeFile(
        scene.configPath,
        `${await readFile(scene.configPath, 'utf8')}\napproval: { when: always, people: 2 }\n`,
      );
      scene.start('watch');
      const digest = await checkDigest(scene, path);
      await drop(scene, salary.fileName, salary.csv);
      let batchId = '';
      await until(async () => {
        batchId =
          /approve --batch ([0-9A-Z]{10})/.exec((await scene.run('status', '--json')).stdout)?.[1] ?? '';
        return batchId !== '';
      }, 60_000);
      const form = await maker.get(`/batch/${batchId}/decide/approve-batch`);
      expect(readText(form.text)).toContain('Pay 149 people 2,346,099.60 baht from');
      const version = /name="version" value="(\w+)"/.exec(form.text)?.[1] ?? '';
      await maker.post(`/batch/${batchId}/decide/approve-batch`, { version, note: 'checked with HR' });
      return digest;
    },
    proposalId: 1,
    rows: 149,
    amount: '2346099.60',
    wasAmount: null,
    says: [
      'salary-november.csv Pay 149 people 2,346,099.60 baht from ••5924',
      '126,099.60',
      'To new payees 2,346,099.60 149 people',
    ],
    newPayees: 149,
    paid: 150,
  },
  {
    name: 'a halted account',
    settings: { watch },
    ...vendors,
    propose: async ({ scene, maker }, path) => {
      scene.start('watch');
      expect(await scene.run('halt', '--note', 'a word with the bank')).toEndWith(0);
      const digest = await checkDigest(scene, path);
      await drop(scene, vendors.fileName, vendors.csv);
      await until(
        async () => /halted +vendors.csv\n.*147 ready/.test((await scene.run('status')).stdout),
        60_000,
      );
      // The list of what needs a person is kept for a second.
      let queue = await maker.get('/queue');
      await until(async () => {
        queue = await maker.get('/queue');
        return queue.text.includes('value="payer"');
      });
      const item = queue.text.slice(queue.text.indexOf('value="payer"'));
      const [, key = ''] = /name="key" value="([^"]*)"/.exec(item) ?? [];
      const [, version = ''] = /name="version" value="([^"]*)"/.exec(item) ?? [];
      const wish = { kind: 'payer', key, version, decision: 'resume-payer' };
      const form = readText((await maker.post('/queue/item', wish)).text);
      expect(form).toContain('147 payouts, 2,316,099.60 baht. It takes effect after another person approves');
      await maker.post('/queue/item', { ...wish, note: 'the bank says it is well' });
      return digest;
    },
    proposalId: 2,
    rows: 147,
    amount: '2316099.60',
    wasAmount: null,
    says: ['vendors.csv 147 payouts, 2,316,099.60 baht', 'Sends what waits on this account: 147 payouts'],
    newPayees: 146,
    paid: 148,
  },
  {
    name: 'a correction',
    settings: { limits: { bahtPerPayout: 500_000 } },
    fileName: 'one.csv',
    csv: csvOf('ONE', ['527955.31']),
    propose: async ({ scene, maker }, path) => {
      expect(await scene.run('run', path)).toEndWith(3);
      const form = await maker.get('/payout/2');
      const version = /name="version" value="(\d+)"/.exec(form.text)?.[1] ?? '';
      await maker.post('/payout/2/decide', {
        decision: 'retry-corrected',
        version,
        note: 'two satang too much',
        proxyNo: '',
        amount: '527,955.29',
      });
      return undefined;
    },
    proposalId: 1,
    rows: 1,
    amount: '527955.29',
    wasAmount: '527955.31',
    says: [
      'It was 527,955.31 It becomes 527,955.29 Difference −0.02',
      'Correct and retry 1 payout, was 527,955.31, becomes 527,955.29 baht',
      'Amount 527,955.31 becomes 527,955.29',
    ],
    newPayees: 0,
    paid: 1,
  },
];

const first = csvOf('FST', ['10.00']);

test.each(cases)(
  'the checker of $name reads what its maker proposed, and that is what happens',
  async (one) => {
    await using scene = await openScene({
      ...one.settings,
      bank: { timeoutMs: 30_000 },
      transfer: { askFirst: 'never' },
    });
    // A journal is there, and has paid somebody.
    expect(await scene.run('run', await scene.addFile('first.csv', first))).toEndWith(0);
    const office = await openOffice(scene);
    const digest = await one.propose(office, await scene.addFile(one.fileName, one.csv));

    const shown = await readProposal(scene, one.proposalId);
    const { rows, amount, wasAmount, newPayees } = one;
    expect(shown).toMatchObject({ rows, amount, figures: { wasAmount, newPayees: { payees: newPayees } } });
    expect(shown.figures.files).toMatchObject([
      { fileName: one.fileName, rows, amount, digest: digest ?? null },
    ]);
    expect(shown.figures.payerAccounts).toHaveLength(1);
    expect(shown.figures.largest).toHaveLength(Math.min(rows, 5));
    const list = JSON.parse((await scene.run('proposals', '--json')).stdout) as object;
    expect([list].flat()).toMatchObject([{ rows, amount }]);

    const { checker, become } = office;
    const before = await checker.get(`/proposal/${one.proposalId}`);
    for (const said of one.says) expect(readText(before.text)).toContain(said);
    if (digest !== undefined) expect(before.text).toContain(digest);
    expect(readText((await checker.get('/proposals')).text)).toContain(one.fileName);
    const after = await checker.post(`/proposal/${one.proposalId}/approve`, { seen: seenIn(before.text) });
    expect(after.text).toContain('<b>Applied.</b>');
    // An approved proposal keeps its figures for good.
    for (const said of one.says) expect(readText(after.text)).toContain(said);
    expect(await readProposal(scene, one.proposalId)).toMatchObject({ rows, amount, figures: shown.figures });
    await until(async () => (await scene.bank.ledger()).totals.count >= one.paid, 60_000);
    const ledger = await scene.bank.ledger();
    expect([ledger.totals.count, findPaidTwice(ledger)]).toEqual([one.paid, []]);
    await become('ann');
    expect(await scene.run('audit')).toEndWith(0);
  },
  180_000,
);
