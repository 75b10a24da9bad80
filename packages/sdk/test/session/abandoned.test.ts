import { it } from 'vitest';
import { expectDroppedToEnd } from '../support/dropped-sessions.ts';

it(
  '[R-7] an unreferenced session is ended with a warning; one with an awaited turn is not',
  {
    timeout: 30_000,
  },
  () => expectDroppedToEnd('no-restart'),
);
