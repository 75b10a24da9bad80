import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RunEnd } from '../src/query/run-end.ts';

describe('the end of a run', () => {
  const step = fc.constantFrom('prompt', 'result', 'queued', 'running', 'idle', 'other');

  it('[U-2] is never reported between a prompt and its result, while the CLI works, or while prompts wait', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
        const run = new RunEnd();
        let unanswered = false;
        let state: string | undefined;
        let queued = 0;
        for (const one of steps) {
          if (one === 'prompt') {
            run.prompt();
            unanswered = true;
          } else if (one === 'result' || one === 'queued') {
            queued = one === 'queued' ? 1 : 0;
            unanswered = false;
            run.frame({ type: 'result', queued_turn_count: queued });
          } else if (one === 'other') {
            expect(run.frame({ type: 'assistant' })).toBe(false);
          } else {
            state = one;
            run.frame({ type: 'system', subtype: 'session_state_changed', state: one });
          }
          expect(run.hasEnded).toBe(!unanswered && queued === 0 && state !== 'running');
        }
        expect(run.prompts).toBe(steps.filter((one) => one === 'prompt').length);
      }),
    );
  });
});
