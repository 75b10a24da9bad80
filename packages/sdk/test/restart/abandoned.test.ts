import { it } from 'vitest';
import { expectDroppedToEnd } from '../support/dropped-sessions.ts';

it(
  '[A-2, R-7] an unreferenced restarting session is ended with a warning; one with an awaited turn is not',
  {
    timeout: 30_000,
  },
  () => expectDroppedToEnd('restart'),
);
