import type { PermissionRequest } from 'coxswain';
import { describe, expect, it } from 'vitest';
import { choicesFor, questionOf, describe as words } from '../../src/render/permission.ts';

describe('a permission request', () => {
  it('[L-1] says what is wanted, what it would do and why it is asked, harmlessly', () => {
    const { title, details } = questionOf(
      request({
        toolName: 'Edit',
        input: { file_path: '/p/a.ts', old_string: 'one', new_string: 'two\u001b[2J\nthree' },
        decisionReason: 'outside',
        blockedPath: '/p',
      }),
    );
    expect(title).toBe('Allow Edit /p/a.ts?');
    expect(details).toEqual(['- one', '+ two', '+ three', 'Asked because: outside', 'Outside the allowed folders: /p']);
  });

  it('cuts long changes', () => {
    const content = Array.from({ length: 40 }, (_, at) => `line ${at}`).join('\n');
    const { details } = questionOf(request({ toolName: 'Write', input: { file_path: 'a', content } }));
    expect(details).toHaveLength(12);
    expect(details.at(-1)).toBe('… 29 more lines');
  });

  it('[L-1] offers once, the rules the CLI suggests, no, no with a reason, and stop', () => {
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

  it('[L-1] makes a rule for this very command where the CLI suggests none', () => {
    const [, always] = choicesFor(request({ toolName: 'Bash', input: { command: 'make' } }));
    expect(always).toMatchObject({ key: 'a', label: 'Yes, always: Bash(make) in this session' });
  });

  it('has no words for what it does not know', () => {
    expect(words({ type: 'something_new' as never, destination: 'session' })).toBe('');
  });
});

function request(fields: object): PermissionRequest {
  // A request with the fields the terminal reads.
  return { id: 'r', kind: 'tool', suggestions: [], raw: {}, ...fields } as unknown as PermissionRequest;
}
