import { describe, expect, it } from 'vitest';
import { expectedFields, knownHookEvents } from '../../src/callbacks/abilities.ts';
import { InputDrift } from '../../src/callbacks/input-drift.ts';
import type { Warning } from '../../src/warnings/warning.ts';
import { recordings } from '../messages/recordings.ts';
import { inputOf, measuredInputs } from './measured-inputs.ts';
import { askedRequests } from './sent-answers.ts';

describe('the fields of a hook input', () => {
  it('[H-1, H-3] are defined exactly for the known events', () => {
    expect(knownHookEvents.filter((event) => expectedFields(event) === undefined)).toEqual([]);
    const measured = new Set(measuredInputs.map(({ input }) => input.hook_event_name));
    expect([...measured].filter((event) => !knownHookEvents.includes(event))).toEqual([]);
    expect(expectedFields('BrandNew')).toBeUndefined();
  });

  it('[H-3] cause no warning in the inputs of both measured releases', () => {
    const { drift, warnings } = inputDrift();
    for (const { input } of measuredInputs) drift.check(input.hook_event_name, input);
    const recorded = recordings.flatMap((name) => askedRequests(name, 'hook_callback'));
    expect(recorded.length).toBeGreaterThan(10);
    for (const { input } of recorded) {
      const known = input as (typeof measuredInputs)[number]['input'];
      drift.check(known.hook_event_name, known);
    }
    expect(warnings).toEqual([]);
  });

  it('[H-3] cause one warning per event and field if they are missing or new', () => {
    const { drift, warnings } = inputDrift();
    const { tool_input: renamed, ...rest } = inputOf('PreToolUse');
    for (const _time of [1, 2, 3]) drift.check('PreToolUse', { ...rest, toolInput: renamed });
    drift.check('PreToolUse', { ...rest, toolInput: renamed, another: 1 });
    drift.check('PostToolUse', { ...inputOf('PostToolUse'), another: 1 });
    expect(warnings.map(({ code, context }) => [code, context])).toEqual([
      ['hook-input-changed', { event: 'PreToolUse', field: 'tool_input', change: 'missing' }],
      ['hook-input-changed', { event: 'PreToolUse', field: 'toolInput', change: 'new' }],
      ['hook-input-changed', { event: 'PreToolUse', field: 'another', change: 'new' }],
      ['hook-input-changed', { event: 'PostToolUse', field: 'another', change: 'new' }],
    ]);
  });

  it('[H-3] of an unknown event cause no warning', () => {
    const { drift, warnings } = inputDrift();
    drift.check('BrandNew', { x: 1 });
    expect(warnings).toEqual([]);
  });
});

function inputDrift(): { drift: InputDrift; warnings: Warning[] } {
  const warnings: Warning[] = [];
  return { drift: new InputDrift((warning) => warnings.push(warning)), warnings };
}
