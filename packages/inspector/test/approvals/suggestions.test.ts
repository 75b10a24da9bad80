import type { PermissionRequest } from 'coxswain';
import { describe, expect, it } from 'vitest';
import { type ApprovalTexts, describeRequest, updatesFor } from '../../src/approvals/approval.ts';

const PLAIN: ApprovalTexts = {
  redact: (text) => text,
  cut: (text) => ({ text, length: text.length, more: null }),
  storeFullText: () => 'api/part',
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

describe('the description of a request', () => {
  const about = (more: object) => {
    const { what, fields, description } = describeRequest(request(more), PLAIN);
    return { what: what.text, fields: fields.map(({ name, value }) => `${name}: ${value.text}`), description };
  };

  it('[I-2, I-4] contains the whole input: fields that the command, the diff or the plan omit are listed beside it', () => {
    const bash = { command: 'npm test', description: 'Runs the tests', dangerouslyDisableSandbox: true, timeout: 9 };
    expect(about({ input: { ...bash, run_in_background: false } })).toEqual({
      what: 'npm test',
      fields: ['dangerouslyDisableSandbox: true', 'timeout: 9'],
      description: 'Runs the tests',
    });
    // Only Bash shows its command.
    const remote = { command: 'uptime', host: 'prod-db-1', after: 'rm -rf /' };
    expect(about({ toolName: 'mcp__ops__exec', input: remote })).toMatchObject({
      what: JSON.stringify(remote, null, 2),
      fields: [],
    });
    expect(about({ toolName: 'constructor', input: remote }).what).toContain('prod-db-1');
    const edit = { file_path: '/a', old_string: 'x', new_string: 'y' };
    expect(about({ toolName: 'Edit', input: { ...edit, replace_all: true } }).fields).toEqual(['replace_all: true']);
    expect(about({ toolName: 'Edit', input: { ...edit, replace_all: false } }).fields).toEqual([]);
    const edits = [
      { old_string: 'x', new_string: 'y' },
      { old_string: 'a', new_string: 'b', replace_all: true },
    ];
    expect(about({ toolName: 'MultiEdit', input: { file_path: '/a', edits } }).fields).toEqual([
      'replace_all: in edit 2',
    ]);
    // It is unknown whether the file exists, so its content may be lost.
    const written = describeRequest(
      request({ toolName: 'Write', input: { file_path: '/a', content: `x${' '.repeat(3_000)}y` } }),
      PLAIN,
    );
    expect(written.diff).toMatchObject({ created: null, more: 'api/part' });
    const notebook = { notebook_path: '/n', new_source: 'x', edit_mode: 'delete' };
    expect(about({ toolName: 'NotebookEdit', input: notebook }).what).toContain('"edit_mode": "delete"');
    expect(about({ toolName: 'NotebookEdit', input: { ...notebook, edit_mode: 'insert' } }).fields).toEqual([
      'edit_mode: insert',
    ]);
    const allowedPrompts = [{ tool: 'Bash', prompt: 'delete anything' }];
    const plan = about({ kind: 'plan', toolName: 'ExitPlanMode', input: { plan: '1. Row.', allowedPrompts } });
    expect([plan.what, plan.fields.join()]).toEqual(['1. Row.', expect.stringContaining('delete anything')]);
  });

  it('[I-2] a description that repeats a long command is left out, and a rule that is too long to be shown is not offered', () => {
    const command = 'echo '.repeat(9_000);
    const rules = [{ toolName: 'Bash', ruleContent: command }];
    const found = describeRequest(
      request({ input: { command }, description: command, suggestions: [{ ...RULE, rules }] }),
      PLAIN,
    );
    expect(found.description).toBeNull();
    expect([found.suggestions, found.scopes]).toEqual([[], ['once']]);
    expect(updatesFor(request({ suggestions: [{ ...RULE, rules }] }), 'session')).toEqual([]);
    const several = [...rules.map((rule) => ({ ...rule, ruleContent: 'echo '.repeat(100) })), ...RULE.rules];
    const shown = describeRequest(request({ suggestions: [{ ...RULE, rules: several }] }), PLAIN);
    expect(shown.suggestions.map(({ rule }) => rule)).toEqual([
      expect.stringContaining('npm test:*'),
      expect.stringContaining('npm test:*'),
    ]);
  });
});

describe('suggestions of a request', () => {
  it('[I-2] a rule can be accepted for the session, or permanently where the CLI suggests', () => {
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

  it('[I-2] a mode that is suggested beside a rule allows far more than the call, so it is a separate choice', () => {
    const folder = { type: 'addDirectories', directories: ['/srv'], destination: 'session' } as const;
    const asked = request({ suggestions: [RULE, folder, MODE] });
    expect(updatesFor(asked, 'session')).toEqual([{ ...RULE, destination: 'session' }, folder]);
    const { suggestions, scopes } = describeRequest(asked, PLAIN);
    expect(scopes).toEqual(['once', 'session', 'always', 'mode']);
    expect(suggestions.filter(({ scope }) => scope === 'mode')).toEqual([
      { rule: 'edits of files without asking', destination: 'this session', scope: 'mode' },
    ]);
    expect(updatesFor(asked, 'mode')).toEqual([MODE, { ...RULE, destination: 'session' }, folder]);
  });

  it('[I-2] a mode can be accepted only for the session; plans and questions have no rules', () => {
    const asked = request({ toolName: 'Edit', suggestions: [MODE] });
    expect(describeRequest(asked, PLAIN)).toMatchObject({
      scopes: ['once', 'session'],
      suggestions: [{ rule: 'edits of files without asking', scope: 'session' }],
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
