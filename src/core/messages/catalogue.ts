/** Every text of paydrop for people, in English and Thai, by its code. */
import { commonWordings } from './common.ts';
import { issueWordings } from './issues.ts';
import { rowWordings } from './rows.ts';
import { statementWordings } from './statements.ts';

export const catalogue = { ...commonWordings, ...issueWordings, ...rowWordings, ...statementWordings };
