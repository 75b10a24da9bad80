import { describe, expect, it } from 'vitest';
import { isAllowed, isDenied, namesTool } from '../../src/scripted/interpreter/tool-rules.ts';

const bash = (command: string) => ({ name: 'Bash', input: { command } });
const file = (name: string, file_path: string) => ({ name, input: { file_path } });

describe('the tool rules of a scripted CLI', () => {
  it.each([
    ['Bash(rm *)', 'rm -rf build', true],
    ['Bash(rm *)', 'rm', true],
    ['Bash(rm *)', 'rmdir build', false],
    ['Bash(rm*)', 'rmdir build', true],
    ['Bash(rm:*)', 'rm -rf build', true],
    ['Bash(rm *)', 'echo fine && rm -rf build', true],
    ['Bash(rm *)', 'ls; rm x | cat', true],
    ['Bash(git * main)', 'git checkout main', true],
    ['Bash(npm test)', 'npm test', true],
    ['Bash(npm test)', 'npm test -- x', false],
    ['Bash(a.c)', 'abc', false],
    ['Bash', 'anything', true],
    ['Bash(*)', 'anything', true],
  ])('[K-1, P-4] %s denies %j: %s', (rule, command, denied) => {
    expect(isDenied([rule], bash(command), '/work')).toBe(denied);
  });

  it.each([
    [['Bash(git *)'], 'git log && git status', true],
    [['Bash(git *)'], 'git log && rm x', false],
    [['Bash(git *)', 'Bash(rm *)'], 'git log && rm x', true],
  ] as const)('[K-1, P-4] %j allow %j: %s', (rules, command, allowed) => {
    expect(isAllowed(rules, bash(command), '/work')).toBe(allowed);
  });

  it.each([
    ['Read(./secret.txt)', file('Read', 'secret.txt'), true],
    ['Read(./secret.txt)', file('Read', '/work/secret.txt'), true],
    ['Read(./secret.txt)', file('Read', '/work/sub/secret.txt'), false],
    ['Read(.env)', file('Read', '/work/sub/.env'), true],
    ['Read(secrets/**)', file('Grep', 'secrets/a/b'), true],
    ['Read(//etc/**)', file('Read', '/etc/passwd'), true],
    ['Read(etc/**)', file('Read', '/etc/passwd'), false],
    ['Edit(src/*.ts)', file('Write', 'src/a.ts'), true],
    ['Edit(src/*.ts)', file('Write', 'src/deep/a.ts'), false],
    ['Edit(src/*.ts)', file('Read', 'src/a.ts'), false],
    ['WebFetch(domain:example.com)', { name: 'WebFetch', input: { url: 'https://example.com/x' } }, true],
    ['WebFetch(domain:example.com)', { name: 'WebFetch', input: { url: 'https://example.org/x' } }, false],
    ['Agent(scout)', { name: 'Task', input: { subagent_type: 'scout' } }, true],
    ['mcp__calc', { name: 'mcp__calc__add', input: {} }, true],
    ['mcp__calc__*', { name: 'mcp__calc__add', input: {} }, true],
    ['mcp__calc__sub', { name: 'mcp__calc__add', input: {} }, false],
  ])('[K-1, P-4] %s fits %j: %s', (rule, call, fits) => {
    expect(isDenied([rule], call, '/work')).toBe(fits);
  });

  it('[K-1, P-4] remove a whole tool only without a condition on its input', () => {
    expect(['Write', 'Write(*)', 'mcp__calc', 'Write(a.txt)'].map((rule) => namesTool(rule, 'Write'))).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect(namesTool('mcp__calc', 'mcp__calc__add')).toBe(true);
  });
});
