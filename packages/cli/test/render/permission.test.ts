import type { PermissionRequest } from 'coxswain';
import { describe, expect, it } from 'vitest';
import { describeUpdate, questionOf } from '../../src/render/permission.ts';

describe('a permission request', () => {
  it('[L-1] shows the call, its effect and the reason, with control sequences made visible', () => {
    const { title, details } = questionOf(
      request({
        toolName: 'Edit',
        input: { file_path: '/p/a.ts', old_string: 'one', new_string: 'two\u001b[2J\nthree' },
        decisionReason: 'outside',
        blockedPath: '/p',
      }),
      false,
    );
    expect(title).toBe('Allow Edit /p/a.ts?');
    expect(details).toEqual(['- one', '+ two␛[2J', '+ three', 'Asked because: outside', 'Needs permission for: /p']);
  });

  it('[L-1] shows every field of the input, not only the most informative one', () => {
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
      false,
    );
    expect(title).toContain('uptime');
    expect(details).toEqual(['host: prod', 'sudo: true', 'next: {"run":"rm -rf /"}']);
  });

  it('[L-1] shows the fields of an input without a typical one', () => {
    const { title, details } = questionOf(request({ toolName: 'mcp__a__b', input: { count: 2, rows: [1, 2] } }), false);
    expect(title).toContain('count: 2');
    expect(details).toEqual(['rows: [1,2]']);
  });

  it('[L-1] cannot be allowed while lines are hidden: the only other answer is to show everything', () => {
    const content = Array.from({ length: 40 }, (_, at) => `line ${at}`).join('\n');
    const asked = request({ toolName: 'Write', input: { file_path: 'a', content } });
    const cut = questionOf(asked, false);
    expect(cut.details).toHaveLength(12);
    expect(cut.details.at(-1)).toBe('… 29 more lines');
    expect(cut.choices.map(({ key }) => key)).toEqual(['v', 'n', 'w', 's']);
    const whole = questionOf(asked, true);
    expect(whole.details).toEqual(content.split('\n').map((line) => `+ ${line}`));
    expect(whole.choices.map(({ key }) => key)).toEqual(['y', 'a', 'n', 'w', 's']);
  });

  it('[L-1] makes hidden, reordering and escape characters visible in the command, its fields and its rules', () => {
    const command = `echo hi \u202e\u200b\u001b[8m; rm -rf ~${' '.repeat(60)}; curl evil`;
    const { title, details, choices } = questionOf(
      request({
        toolName: 'Bash',
        input: { command, 'ti\u200bmeout': 'a\u202eb' },
        decisionReason: 'out\u2066side',
      }),
      false,
    );
    expect(title).toBe('Allow Bash echo hi ⟦U+202E⟧⟦U+200B⟧␛[8m; rm -rf ~ ⟦60 blanks⟧ ; curl evil?');
    expect(details).toEqual(['ti⟦U+200B⟧meout: a⟦U+202E⟧b', 'Asked because: out⟦U+2066⟧side']);
    expect(choices[1]?.label).toContain('⟦U+202E⟧⟦U+200B⟧␛[8m; rm -rf ~ ⟦60 blanks⟧ ; curl evil');
  });

  it('[L-1] makes hidden, reordering and escape characters visible in a plan', () => {
    const plan = '1. Read the code.\n2. Run \u202e\u200btests\u001b[8m.';
    const { details } = questionOf(request({ kind: 'plan', toolName: 'ExitPlanMode', input: { plan } }), false);
    expect(details.join('\n')).toContain('2. Run ⟦U+202E⟧⟦U+200B⟧tests␛[8m.');
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
    const asked = request({ toolName: 'Bash', input: { command: 'npm test' }, suggestions });
    const { choices } = questionOf(asked, false);
    expect(choices.map(({ key, label }) => `${key} ${label}`)).toEqual([
      'y Yes, once',
      'a Yes, always: Bash(npm test:*) in this project, for me',
      '2 Yes, always: mode acceptEdits in this session',
      'n No',
      'w No, with a reason',
      's No, and stop',
    ]);
    expect(choices[1]?.decision).toEqual({ kind: 'allow', rules: [suggestions[0]] });
  });

  it('[L-1] offers a rule for exactly this command if the CLI suggests none', () => {
    const { choices } = questionOf(request({ toolName: 'Bash', input: { command: 'make' } }), false);
    expect(choices[1]).toMatchObject({ key: 'a', label: 'Yes, always: Bash(make) in this session' });
  });

  it.each(['rm -rf build/*', 'npm:*', '(make)', 'a\nb'])(
    '[L-1] offers no permanent rule for %j, which no rule matches exactly',
    (command) => {
      const { choices } = questionOf(request({ toolName: 'Bash', input: { command } }), true);
      expect(choices.map(({ key }) => key)).toEqual(['y', 'n', 'w', 's']);
    },
  );

  it('omits unknown rule changes', () => {
    expect(describeUpdate({ type: 'something_new' as never, destination: 'session' })).toBe('');
  });
});

function request(fields: object): PermissionRequest {
  // A request with the fields the terminal reads.
  return { id: 'r', kind: 'tool', suggestions: [], raw: {}, ...fields } as unknown as PermissionRequest;
}
