import type { PermissionRequest } from 'coxswain';
import { describe, expect, it } from 'vitest';
import { type ApprovalTexts, describeRequest, updatesFor } from '../../src/approvals/approval.ts';

const PLAIN: ApprovalTexts = {
  redact: (text) => text,
  cut: (text) => ({ text, length: text.length, more: null }),
  keepWhole: () => 'api/part',
};

const RULE = {
  ...{ type: 'addRules', behavior: 'allow', destination: 'localSettings' },
  rules: [{ toolName: 'Bash', ruleContent: 'npm test:*' }],
} as const;
const MODE = { type: 'setMode', mode: 'acceptEdits', destination: 'session' } as const;

const request = (more: object): PermissionRequest =>
  ({
    ...{ id: '1', kind: 'tool', toolName: 'Bash', input: { command: 'npm test' }, suggestions: [], raw: {} },
    ...more,
  }) as PermissionRequest;

describe('suggestions of a request', () => {
  it('[I-2] a rule can be accepted for the session, or for ever where the CLI suggests', () => {
    const asked = request({ suggestions: [RULE] });
    const { suggestions, scopes } = describeRequest(asked, PLAIN);
    expect(scopes).toEqual(['once', 'session', 'always']);
    expect(suggestions).toEqual([
      { rule: 'Bash(npm test:*)', destination: 'this session', scope: 'session' },
      { rule: 'Bash(npm test:*)', destination: '.claude/settings.local.json', scope: 'always' },
    ]);
    expect(updatesFor(asked, 'once')).toEqual([]);
    expect(updatesFor(asked, 'session')).toEqual([{ ...RULE, destination: 'session' }]);
    expect(updatesFor(asked, 'always')).toEqual([RULE, { ...RULE, destination: 'session' }]);
  });

  it('[I-2] a mode is not accepted along with a rule: it allows far more than the call', () => {
    const folder = { type: 'addDirectories', directories: ['/srv'], destination: 'session' } as const;
    const asked = request({ suggestions: [RULE, folder, MODE] });
    expect(updatesFor(asked, 'session')).toEqual([{ ...RULE, destination: 'session' }, folder]);
    expect(describeRequest(asked, PLAIN).suggestions.map(({ rule }) => rule)).not.toContain('setMode acceptEdits');
  });

  it('[I-2] a mode is accepted for the session only; plans and questions have no rules', () => {
    const asked = request({ toolName: 'Edit', suggestions: [MODE] });
    expect(describeRequest(asked, PLAIN)).toMatchObject({
      scopes: ['once', 'session'],
      suggestions: [{ rule: 'setMode acceptEdits', scope: 'session' }],
    });
    expect(
      describeRequest(request({ kind: 'plan', toolName: 'ExitPlanMode', suggestions: [RULE] }), PLAIN).scopes,
    ).toEqual(['once']);
  });

  it('[I-5] an input with a secret is shown masked and cannot be edited, which would lose the secret', () => {
    const masked = { ...PLAIN, redact: (text: string) => text.replaceAll('hunter2000', '[redacted]') };
    const about = describeRequest(request({ input: { command: 'login hunter2000' } }), masked);
    expect(about.what.text).toBe('login [redacted]');
    expect(about.input).toBeNull();
    expect(JSON.stringify(about)).not.toContain('hunter');
  });
});
