/** People of a scene: each types commands with a token of his own. */
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeToken } from '../../src/review/tokens.ts';
import { openJournal } from '../../src/store/open.ts';
import { Users } from '../support/persons.ts';
import type { Scene } from './harness.ts';

/**
 * Mali proposes, Nok checks, Ann is an admin; each is who the token file says.
 * @returns lets whoever types the next commands be somebody
 */
export async function addPeople({ dataDir, configPath, bank, folder }: Scene) {
  const stamp = {
    bankAddress: bank.baseUrl,
    companyId: 'COMP000001',
    isSandbox: false,
    serverKind: 'sandbox',
  } as const;
  await using store = await openJournal({ dataDir, stamp, access: 'beside' });
  const users = new Users(store);
  users.clock.now = () => Date.now();
  await users.add('ann', 'admin', null);
  const tokens: Record<string, string> = {};
  for (const [name, role] of [
    ['mali', 'maker'],
    ['nok', 'checker'],
  ] as const)
    await users.add(name, role, await users.find('ann'));
  for (const name of ['ann', 'mali', 'nok']) {
    const made = await makeToken(users.context, await users.prove(name), { label: '', days: 7 });
    if ('why' in made) throw new Error(made.why);
    tokens[name] = made.token;
  }
  const tokenFile = join(folder, 'token');
  await writeFile(
    configPath,
    `${await readFile(configPath, 'utf8')}\nreview: { tokenFile: '${tokenFile}' }\n`,
  );
  return async (name: string) => {
    await writeFile(tokenFile, tokens[name] ?? '');
    await chmod(tokenFile, 0o600);
  };
}
