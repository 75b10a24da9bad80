import { type Script, script, scriptedCli, type TurnScript } from '@coxswain/testkit';
import { describe, expect, it } from 'vitest';
import { cox, inTerminal } from './pty.ts';

const CTRL_C = '\u0003';
const CTRL_D = '\u0004';
const AT_PROMPT = /Started\.[\s\S]*✓ completed[^\n]*\$2\.00\n\n›$/;

describe.concurrent('background work in cox chat', () => {
  it('[L-1] does not block the prompt, is shown when it produces output, and keeps the typed text', async () => {
    await using cli = await scriptedCli(agent(1_500, (turn) => turn.say('It has ended.', { everyMs: 50 })));
    await using chat = inTerminal(cox('chat', '--cli', cli.path));
    await chat.until(/(^|\n)›$/);
    chat.press('Start it\r');
    await chat.until(AT_PROMPT);
    chat.press('half a');
    await chat.until(/\n› half a$/);
    await chat.until(/It has ended\.\n\n✓ completed[^\n]*\$0\.0500 \(\$2\.05 in total\)\n\n› half a$/);
    expect(chat.screen.text.match(/half a/g)).toHaveLength(1);
    chat.press(' prompt\r');
    await chat.until(/A whole one\.[\s\S]*\n›$/);
    chat.press(CTRL_D);
    expect(await chat.ended).toBe(0);
  });

  it('[L-2] may cause a turn whose question uses the terminal, and Ctrl-C interrupts that turn', async () => {
    const asks = (turn: TurnScript): TurnScript =>
      turn.useTool('Edit', { file_path: 'a.ts' }, { permission: 'ask' }).say('Edited. '.repeat(500), { everyMs: 20 });
    await using cli = await scriptedCli(agent(300, asks));
    await using chat = inTerminal(cox('chat', '--cli', cli.path));
    await chat.until(/(^|\n)›$/);
    chat.press('Start it\r');
    await chat.until(/Press y.*:$/);
    chat.press('y');
    await chat.until(/Edited\. Edited\./);
    chat.press(CTRL_C);
    await chat.until(/– interrupted[\s\S]*\n›$/);
    chat.press('half a prompt\r');
    await chat.until(/A whole one\.[\s\S]*\n›$/);
    chat.press(CTRL_D);
    // The surrounding shell reports 130 for any Ctrl-C, whatever the exit code of the command.
    await chat.ended;
  });

  it('[L-2] does not delay the next turn, and Ctrl-D exits at once', async () => {
    await using cli = await scriptedCli(agent(60_000, (turn) => turn));
    await using chat = inTerminal(cox('chat', '--cli', cli.path));
    await chat.until(/(^|\n)›$/);
    chat.press('Start it\r');
    await chat.until(AT_PROMPT);
    chat.press('half a prompt\r');
    await chat.until(/A whole one\.[\s\S]*\n›$/);
    chat.press(CTRL_D);
    expect(await chat.ended).toBe(0);
  });
});

/** Starts a background command, answers for $2, and does something for 5 cents when the command has ended. */
function agent(runsMs: number, after: (turn: TurnScript) => TurnScript): Script {
  return script()
    .onPrompt('half a prompt', (turn) => turn.say('A whole one.'))
    .otherwise((turn) =>
      turn
        .runInBackground('sleep', { runsMs }, (own) => after(own).result({ costUsd: 0.05 }))
        .say('Started.')
        .result({ costUsd: 2 }),
    );
}
