/** Every text of paydrop for people, in English and Thai, by its code. */
import { commonWordings } from './common.ts';
import { healthWordings } from './health.ts';
import { noticeWordings } from './notices.ts';
import { queueWordings } from './queue.ts';
import { remedyWordings } from './remedies.ts';
import { stopWordings } from './stops.ts';

export const catalogue = {
  ...commonWordings,
  ...healthWordings,
  ...noticeWordings,
  ...queueWordings,
  ...remedyWordings,
  ...stopWordings,
};
