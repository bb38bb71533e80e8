/** Every text of paydrop for people, in English and Thai, by its code. */
import { commonWordings } from './common.ts';
import { issueWordings } from './issues.ts';
import { remedyWordings } from './remedies.ts';
import { rowRemedyWordings } from './row-remedies.ts';
import { rowWordings } from './rows.ts';
import { statementWordings } from './statements.ts';

export const catalogue = {
  ...commonWordings,
  ...issueWordings,
  ...remedyWordings,
  ...rowRemedyWordings,
  ...rowWordings,
  ...statementWordings,
};
