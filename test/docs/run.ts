/** `npm run docs`: writes the pages that come from the code. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectRoot } from './markdown.ts';
import { writePage, writtenPages } from './pages.ts';

for (const path of writtenPages) {
  await writeFile(join(projectRoot, path), await writePage(path));
  console.log(path);
}
