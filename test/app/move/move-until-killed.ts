/** A script: moves a journal, and kills itself as a power cut would once a step is done. */
import { carryOver } from '../../../src/app/move/move.ts';
import { openConnection } from '../../../src/store/connection.ts';
import { moveOf } from '../../support/moves.ts';

const [path = '', url = '', until = ''] = process.argv.slice(2);
await carryOver(openConnection(path), {
  ...moveOf(path, url),
  onStep: (step) => {
    if (step === until) process.kill(process.pid, 'SIGKILL');
  },
});
