/** People of a scene's journal: mali proposes, nok checks, ann is an admin; each is who the token file says. */
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inEnglish } from '../../src/core/message.ts';
import { makeToken } from '../../src/review/tokens.ts';
import { openJournal } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { Users } from '../support/persons.ts';
import type { Scene } from './harness.ts';

/**
 * @param serverKind as the journal knows the scene's bank
 * @returns makes the next commands those of one of them
 */
export async function addPeople(scene: Scene, serverKind: 'sandbox' | 'bank' = 'sandbox') {
  const { dataDir, bank } = scene;
  const stamp = { bankAddress: bank.baseUrl, companyId: 'COMP000001', isSandbox: false, serverKind } as const;
  await using store = await openJournal({ dataDir, stamp, access: 'beside' });
  return await addPeopleTo(store, scene);
}

/** The same in a journal that is open, wherever it is. */
export async function addPeopleTo(
  store: Store,
  { configPath, folder, clocks }: Pick<Scene, 'configPath' | 'folder' | 'clocks'>,
) {
  const users = new Users(store);
  // Theirs, too: who was made later than he proposes is taken for somebody who was enabled anew since.
  users.clock.now = () => clocks.readMs();
  await users.add('ann', 'admin', null);
  const tokens: Record<string, string> = {};
  for (const [name, role] of [
    ['mali', 'maker'],
    ['nok', 'checker'],
  ] as const)
    await users.add(name, role, await users.find('ann'));
  for (const name of ['ann', 'mali', 'nok']) {
    const made = await makeToken(users.context, await users.prove(name), { label: '', days: 7 });
    if ('why' in made) throw new Error(inEnglish(made.why));
    tokens[name] = made.token;
  }
  const tokenFile = join(folder, 'token');
  await writeFile(
    configPath,
    `${await readFile(configPath, 'utf8')}\nreview: { tokenFile: '${tokenFile}' }\n`,
  );
  const become = async (name: string): Promise<void> => {
    await writeFile(tokenFile, tokens[name] ?? '');
    await chmod(tokenFile, 0o600);
  };
  return Object.assign(become, { tokenOf: (name: string): string => tokens[name] ?? '' });
}
