/** Every text of paydrop for people, in English and Thai, by its code. */
import { columnWordings } from './columns.ts';
import { countWordings } from './counts.ts';
import { decisionWordings } from './decision-words.ts';
import { whyWordings } from './decisions.ts';
import { fileWordings } from './files.ts';
import { healthWordings } from './health.ts';
import { issueWordings } from './issues.ts';
import { noticeWordings } from './notices.ts';
import { overviewWordings } from './overview.ts';
import { pageWordings } from './page.ts';
import { personWordings } from './people.ts';
import { queueWordings } from './queue.ts';
import { remedyWordings } from './remedies.ts';
import { rowRemedyWordings } from './row-remedies.ts';
import { rowWordings } from './rows.ts';
import { statementWordings } from './statements.ts';
import { stopWordings } from './stops.ts';
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
  ...fileWordings,
  ...healthWordings,
  ...noticeWordings,
  ...queueWordings,
  ...remedyWordings,
  ...stopWordings,
  ...issueWordings,
  ...rowRemedyWordings,
  ...rowWordings,
  ...statementWordings,
};
