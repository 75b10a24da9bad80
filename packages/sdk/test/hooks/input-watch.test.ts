import { describe, expect, it } from 'vitest';
import { InputWatch } from '../../src/hooks/input-watch.ts';
import type { Warning } from '../../src/warnings/warning.ts';
import { recordings } from '../messages/recordings.ts';
import { inputOf, measuredInputs } from './measured-inputs.ts';
import { askedRequests } from './sent-answers.ts';

describe('the fields of an input', () => {
  it('[H-3] as both releases send them are nothing to talk about', () => {
    const { watch, warnings } = watching();
    for (const { input } of measuredInputs) watch.look(input.hook_event_name, input);
    const recorded = recordings.flatMap((name) => askedRequests(name, 'hook_callback'));
    expect(recorded.length).toBeGreaterThan(10);
    for (const { input } of recorded) {
      const known = input as (typeof measuredInputs)[number]['input'];
      watch.look(known.hook_event_name, known);
    }
    expect(warnings).toEqual([]);
  });

  it('[H-3] that are missing or new are told once per event and field', () => {
    const { watch, warnings } = watching();
    const { tool_input: renamed, ...rest } = inputOf('PreToolUse');
    for (const _time of [1, 2, 3]) watch.look('PreToolUse', { ...rest, toolInput: renamed });
    watch.look('PreToolUse', { ...rest, toolInput: renamed, another: 1 });
    watch.look('PostToolUse', { ...inputOf('PostToolUse'), another: 1 });
    expect(warnings.map(({ code, context }) => [code, context])).toEqual([
      ['hook-input-changed', { event: 'PreToolUse', field: 'tool_input', change: 'missing' }],
      ['hook-input-changed', { event: 'PreToolUse', field: 'toolInput', change: 'new' }],
      ['hook-input-changed', { event: 'PreToolUse', field: 'another', change: 'new' }],
      ['hook-input-changed', { event: 'PostToolUse', field: 'another', change: 'new' }],
    ]);
  });

  it('[H-3] of an event nobody knows can be anything', () => {
    const { watch, warnings } = watching();
    watch.look('BrandNew', { x: 1 });
    expect(warnings).toEqual([]);
  });
});

function watching(): { watch: InputWatch; warnings: Warning[] } {
  const warnings: Warning[] = [];
  return { watch: new InputWatch((warning) => warnings.push(warning)), warnings };
}
