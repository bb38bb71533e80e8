/** Every text of paydrop for people, in English and Thai, by its code. */
import { columnWordings } from './columns.ts';
import { countWordings } from './counts.ts';
import { decisionWordings } from './decision-words.ts';
import { whyWordings } from './decisions.ts';
import { overviewWordings } from './overview.ts';
import { pageWordings } from './page.ts';
import { personWordings } from './people.ts';
import { wordWordings } from './words.ts';

export const catalogue = {
  ...countWordings,
  ...pageWordings,
  ...overviewWordings,
  ...wordWordings,
  ...decisionWordings,
  ...whyWordings,
  ...personWordings,
  ...columnWordings,
};
