import { describe, expect, it } from 'vitest';
import { expectThat } from '../../src/matchers/expect-that.ts';
import { toolUseMessage } from '../../src/messages/assistant.ts';
import { toolResultMessage } from '../../src/messages/user.ts';

const removal = toolUseMessage('Bash', { command: 'rm -r build', newer_field: 1 });
const messages = [removal, toolResultMessage(removal, 'gone')];

describe('a pattern for the input of a tool', () => {
  it('[K-8] with a misspelt field is refused, also negated, where it would pass although the command ran', () => {
    const misspelt = { comand: /rm/ };
    expect(() => expectThat(messages).not.toHaveRunTool('Bash', misspelt)).toThrow(/Did you mean command/);
    expect(() => expectThat(messages).toHaveUsedTool('Bash', misspelt)).toThrow(/Did you mean command/);
    expect(() => expectThat([]).not.toHaveRefusedTool('Write', { path: 'x' })).toThrow(/file_path, content/);
  });

  it('[K-8] with a field under a symbol is refused, because it would match every input', () => {
    const odd = { [Symbol('command')]: /rm/ };
    expect(() => expectThat(messages).toHaveRunTool('Bash', odd)).toThrow(/Symbol\(command\), which no input has/);
    expect(() => expectThat([]).not.toHaveRunTool('Bash', odd)).toThrow(/which no input has/);
  });

  it('[K-8] may have a field that a call has, or that belongs to a tool without a known input', () => {
    expectThat(messages).toHaveRunTool('Bash', { newer_field: 1 });
    expectThat(messages).not.toHaveRunTool('mcp__files__move', { comand: 1 });
    expectThat(messages).not.toHaveRunTool(/Bash/, { comand: 1 });
    expectThat(messages).not.toHaveRunTool('Bash', () => false);
  });
});
