import type { PermissionRequest } from 'coxswain';
import { describe, expect, it } from 'vitest';
import { choicesFor, questionOf, describe as words } from '../../src/render/permission.ts';

describe('a permission request', () => {
  it('[L-1] shows the call, its effect and the reason, without control sequences', () => {
    const { title, details } = questionOf(
      request({
        toolName: 'Edit',
        input: { file_path: '/p/a.ts', old_string: 'one', new_string: 'two\u001b[2J\nthree' },
        decisionReason: 'outside',
        blockedPath: '/p',
      }),
    );
    expect(title).toBe('Allow Edit /p/a.ts?');
    expect(details).toEqual(['- one', '+ two', '+ three', 'Asked because: outside', 'Needs permission for: /p']);
  });

  it('[L-1] shows every field of the input, not only the telling one', () => {
    const { title, details } = questionOf(
      request({
        toolName: 'mcp__ops__exec',
        input: {
          command: 'uptime',
          host: 'prod',
          sudo: true,
          next: { run: 'rm -rf /' },
          description: 'Looks harmless',
        },
      }),
    );
    expect(title).toContain('uptime');
    expect(details).toEqual(['host: prod', 'sudo: true', 'next: {"run":"rm -rf /"}']);
  });

  it('[L-1] shows fields of an input without a telling one', () => {
    const { title, details } = questionOf(request({ toolName: 'mcp__a__b', input: { count: 2, rows: [1, 2] } }));
    expect(title).toContain('count: 2');
    expect(details).toEqual(['rows: [1,2]']);
  });

  it('shortens long changes', () => {
    const content = Array.from({ length: 40 }, (_, at) => `line ${at}`).join('\n');
    const { details } = questionOf(request({ toolName: 'Write', input: { file_path: 'a', content } }));
    expect(details).toHaveLength(12);
    expect(details.at(-1)).toBe('… 29 more lines');
  });

  it('[L-1] offers to allow once, to allow by the suggested rules, to deny with or without a reason, and to stop', () => {
    const suggestions = [
      {
        type: 'addRules',
        behavior: 'allow',
        destination: 'localSettings',
        rules: [{ toolName: 'Bash', ruleContent: 'npm test:*' }],
      },
      { type: 'setMode', mode: 'acceptEdits', destination: 'session' },
      { type: 'something_new', destination: 'session' },
    ];
    const choices = choicesFor(request({ toolName: 'Bash', input: { command: 'npm test' }, suggestions }));
    expect(choices.map(({ key, label }) => `${key} ${label}`)).toEqual([
      'y Yes, once',
      'a Yes, always: Bash(npm test:*) in this project, for me',
      '2 Yes, always: mode acceptEdits in this session',
      'n No',
      'w No, and say why',
      's No, and stop',
    ]);
    expect(choices[1]?.decision).toEqual({ kind: 'allow', rules: [suggestions[0]] });
  });

  it('[L-1] offers a rule for exactly this command if the CLI suggests none', () => {
    const [, always] = choicesFor(request({ toolName: 'Bash', input: { command: 'make' } }));
    expect(always).toMatchObject({ key: 'a', label: 'Yes, always: Bash(make) in this session' });
  });

  it('leaves out rule changes it does not know', () => {
    expect(words({ type: 'something_new' as never, destination: 'session' })).toBe('');
  });
});

function request(fields: object): PermissionRequest {
  // A request with the fields the terminal reads.
  return { id: 'r', kind: 'tool', suggestions: [], raw: {}, ...fields } as unknown as PermissionRequest;
}
