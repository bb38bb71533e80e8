/** Every text of paydrop for people, in English and Thai, by its code. */
import { commonWordings } from './common.ts';

export const catalogue = { ...commonWordings };
