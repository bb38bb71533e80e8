/**
 * What paydrop is measured against: the script that one would write in an afternoon with csv-parse, p-limit and ky.
 * The same two calls a row, the token asked for once; no journal, no recovery, nothing known after a crash.
 * `node test/bench/plain-script.ts payouts.csv settings.json results.csv`
 */
import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { parse } from 'csv-parse';
import ky from 'ky';
import pLimit from 'p-limit';

interface Settings {
  readonly baseUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly channelId: string;
  readonly termId: string;
  readonly companyId: string;
  readonly payerAccount: string;
  readonly rowsAtOnce: number;
}

interface Row {
  readonly payoutId: string;
  readonly proxyType: string;
  readonly proxyNo: string;
  readonly payeeName: string;
  readonly amount: string;
  readonly reference1: string;
  readonly reference2: string;
}

interface Answer {
  readonly statusCode: string;
  readonly sysRefNo?: string;
}

const [filePath = '', settingsPath = '', resultPath = ''] = process.argv.slice(2);
const settings = JSON.parse(await readFile(settingsPath, 'utf8')) as Settings;

const login = await ky
  .post(`${settings.baseUrl}/oauth/authentication/api/v2/token`, {
    body: new URLSearchParams({ client_id: settings.clientId, client_secret: settings.clientSecret }),
  })
  .json<{ data: { access_token: string } }>();

const bank = ky.create({
  prefix: `${settings.baseUrl}/directcredit/v1/open-api/proxy`,
  headers: { authorization: `Bearer ${login.data.access_token}` },
  timeout: 30_000,
});

const newReference = (): string => randomUUID().replaceAll('-', '').slice(0, 20).toUpperCase();

/** The fields that both calls share (§2.4, §2.5). */
function sharedFields(row: Row) {
  const bangkok = new Date(Date.now() + 7 * 3_600_000).toISOString();
  return {
    channelID: settings.channelId,
    termID: settings.termId,
    tranDate: bangkok.slice(0, 10).replaceAll('-', ''),
    tranTime: bangkok.slice(11, 19),
    compId: settings.companyId,
    requestUID: newReference(),
    payerBankCode: '006',
    payerAccount: settings.payerAccount,
    proxyNo: row.proxyNo,
    proxyType: row.proxyType,
    ...(row.payeeName === '' ? {} : { proxyName: row.payeeName }),
  };
}

async function post(path: string, json: object): Promise<Answer> {
  return bank.post(path, { json, headers: { 'x-request-id': randomUUID() } }).json<Answer>();
}

/** One line of the result file. */
async function pay(row: Row): Promise<string> {
  const check = await post('account/inquirystatus', sharedFields(row));
  if (check.statusCode !== 'IC001') return `${row.payoutId},unpayable,${check.statusCode},,`;
  const transRefNo = newReference();
  const transfer = await post('fundtransfer', {
    ...sharedFields(row),
    transRefNo,
    tranAmount: row.amount,
    resendFlag: 'N',
    ...(row.reference1 === '' ? {} : { reference1: row.reference1 }),
    ...(row.reference2 === '' ? {} : { reference2: row.reference2 }),
  });
  const status = transfer.statusCode === 'IC000' ? 'paid' : 'failed';
  return `${row.payoutId},${status},${transfer.statusCode},${transRefNo},${transfer.sysRefNo ?? ''}`;
}

const limit = pLimit(settings.rowsAtOnce);
const results: Promise<string>[] = [];
for await (const row of createReadStream(filePath).pipe(parse({ columns: true }))) {
  results.push(limit(() => pay(row as Row)));
}
await writeFile(resultPath, `${(await Promise.all(results)).join('\n')}\n`);
