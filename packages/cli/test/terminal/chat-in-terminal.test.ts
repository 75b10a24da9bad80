import { describe, expect, it } from 'vitest';
import { cox, inTerminal } from './pty.ts';

const CTRL_C = '\u0003';
const CTRL_D = '\u0004';
const UP = '\u001b[A';

describe.concurrent('cox chat in a terminal', () => {
  it('[L-1] continues the conversation, keeps an input history, and shows costs', async () => {
    await using chat = inTerminal(cox('chat', '--demo'));
    await chat.until(/(^|\n)›$/);
    chat.press('What did you change?\r');
    await chat.until(/completed[\s\S]*\n›$/);
    chat.press(UP);
    await chat.until(/completed[\s\S]*^› What did you change\?/m);
    chat.press('\r');
    await chat.until(/\(\$0\.0062 in total\)[\s\S]*\n›$/);
    chat.press('/cost\r');
    await chat.until(/\n\$0\.0062 so far\n›$/);
    chat.press('/exit\r');
    expect(await chat.ended).toBe(0);
  });

  it('[L-1, L-2] interrupts a turn on Ctrl-C and continues, and exits after Ctrl-C twice at the prompt', async () => {
    await using chat = inTerminal(cox('chat', '--demo'));
    await chat.until(/(^|\n)›$/);
    chat.press('count\r');
    await chat.until(/^1 2 3 4/m);
    chat.press(CTRL_C);
    await chat.until(/– interrupted[\s\S]*\n›$/);
    chat.press('What did you change?\r');
    await chat.until(/✓ completed[\s\S]*\n›$/);
    chat.press(CTRL_C);
    await chat.until(/Ctrl-C again, or \/exit, exits\)\n›$/);
    chat.press(CTRL_C);
    expect(await chat.ended).toBe(130);
  });

  it('[L-1] supports /model, /clear and /help, and exits on Ctrl-D', async () => {
    await using chat = inTerminal(cox('chat', '--demo'));
    await chat.until(/(^|\n)›$/);
    chat.press('/help\r');
    await chat.until(/\/clear +forgets[\s\S]*\n›$/);
    chat.press('/model sonnet\r');
    await chat.until(/from now on: sonnet\n›$/);
    chat.press('What did you change?\r');
    await chat.until(/completed[\s\S]*\n›$/);
    chat.press('/clear\r');
    await chat.until(/a new conversation\n›$/);
    chat.press(CTRL_D);
    expect(await chat.ended).toBe(0);
  });

  it('[L-2] ignores keys typed while the agent works as answers to a permission prompt', async () => {
    await using chat = inTerminal(cox('chat', '--demo'));
    await chat.until(/(^|\n)›$/);
    chat.press('Fix it\r');
    await chat.until(/✗ Bash npm test/);
    chat.press('yyy');
    await chat.until(/Press y, a, n, w or s:$/);
    chat.press('n');
    await chat.until(/✗ Edit .* → The user said no[\s\S]*\n›$/);
    expect(chat.screen.text).not.toContain('Yes, once');
    chat.press('/exit\r');
    expect(await chat.ended).toBe(0);
  });

  it('[L-1] treats pasted lines as one prompt', async () => {
    await using chat = inTerminal(cox('chat', '--demo'));
    await chat.until(/(^|\n)›$/);
    chat.press('Two lines:\rwhat did you change?\r');
    await chat.until(/completed[\s\S]*\n›$/);
    chat.press('/exit\r');
    expect(await chat.ended).toBe(0);
    expect(chat.screen.text.match(/completed/g)).toHaveLength(1);
  });
});
