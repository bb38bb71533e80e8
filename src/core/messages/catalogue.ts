/** Every text of paydrop for people, in English and Thai, by its code. */
import { commonWordings } from './common.ts';
import { decisionWordings } from './decisions.ts';
import { personWordings } from './people.ts';

export const catalogue = { ...commonWordings, ...decisionWordings, ...personWordings };
