/** The pages that are written from the code. */
import { describeCommandsPage } from './commands-page.ts';
import { describeJsonPage } from './json-page.ts';
import { layOut } from './markdown.ts';
import { describeSettingsPage } from './settings-page.ts';
import { describeStatesPage } from './states-page.ts';

const writers: Readonly<Record<string, () => string[]>> = {
  'docs/commands.md': describeCommandsPage,
  'docs/json.md': describeJsonPage,
  'docs/settings.md': describeSettingsPage,
  'docs/states.md': describeStatesPage,
};

export const writtenPages: readonly string[] = Object.keys(writers);

/** The text of one of them as it should be. */
export async function writePage(path: string): Promise<string> {
  const describe = writers[path];
  if (describe === undefined) throw new RangeError(`${path} is written by hand`);
  return layOut(describe(), path);
}
