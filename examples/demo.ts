/**
 * An agent at work: a guard, a permission that you grant, a tool of this program, a CLI that dies and a conversation that
 * continues, an interrupt. `npm run demo`, or `npm run demo -- --real "your prompt"` for one turn on the
 * installed CLI.
 */
import { type Script, script } from '@coxswain/testkit';
import { allow, type CanUseTool, deny, type Hooks, isCoxswainError, openSession, type Session, textOf } from 'coxswain';
import { tool, toolServer } from 'coxswain/mcp';
import { z } from 'zod';
import { pickAgent } from './agent.ts';
import { keyPress } from './demo-keys.ts';
import { pause, Screen, style, watched } from './demo-screen.ts';

const screen = new Screen();
const isReal = process.argv[2] === '--real';

/** What the guard lets through, word for word. */
const COMMANDS = ['npm test -- rate'];

/** A guard, called before every Bash call. If it throws, the call does not run. */
const hooks: Hooks = {
  PreToolUse: {
    matcher: 'Bash',
    onFailure: 'block',
    run: (input) =>
      input.tool_name === 'Bash' && COMMANDS.includes(input.tool_input.command)
        ? undefined
        : deny('Only the tests run here.'),
  },
};

/** Called when no rule and no hook has decided. Without a terminal, the demo continues on its own. */
const canUseTool: CanUseTool = async (request, { signal }) => {
  // The text before the question reaches the turn slightly later than the question itself.
  await pause(100);
  screen.note(
    `${style('yellow', '?')} May it use ${request.toolName}? Press ${style('bold', 'y')} or ${style('bold', 'n')}.`,
  );
  const key = await keyPress(['y', 'n'], signal);
  if (key === undefined && isReal) return deny('There is no terminal to ask on.');
  const words = key === 'n' ? style('red', 'no') : style('green', 'yes');
  screen.note(`  ${words}${key === undefined ? ' (no terminal, so the demo answers)' : ''}`);
  return key === 'n' ? deny('The user said no.', { interrupt: true }) : allow();
};

/** A tool that is a function of this program. Its input is validated, and its result goes back to the model. */
const lastRace = tool('last_race', 'How the last race of a boat went.', z.object({ boat: z.string() }), ({ boat }) => {
  return `${boat}: 2000 m in 6:12, at 34 strokes a minute`;
});

await using agent = await pickAgent(regatta());
await using session = openSession({
  cli: agent.cli,
  includePartialMessages: true,
  allowedTools: ['Bash(npm test *)', 'mcp__boathouse'],
  mcpServers: { boathouse: toolServer({ name: 'boathouse', tools: [lastRace] }) },
  // With --real you are asked about every command instead.
  ...(isReal ? {} : { hooks }),
  canUseTool,
  onEvent(event) {
    if (event.type !== 'callback-ended') return;
    if (event.kind === 'hook' && event.decision === 'deny') screen.aside('denied by a hook');
    if (event.kind === 'permission') screen.aside('you were asked');
    if (event.kind === 'tool') screen.aside('a function of this program');
  },
  restart: { delayMs: 100 },
});

try {
  if (isReal) await play(session, agent.prompt ?? 'Which files are here, and what are they for?');
  else await tellStory(session);
} catch (error) {
  if (!isCoxswainError(error)) throw error;
  screen.note(error.message);
  process.exitCode = 1;
}

async function tellStory(conversation: Session): Promise<void> {
  await play(conversation, 'The stroke rate is wrong at the start of a race. Find out why and fix it.');
  await pause(600);
  await playThroughCrash(conversation, 'Which file was it?');
  await pause(600);
  await play(conversation, 'Count the strokes of a whole race.', 'nine');
  screen.note(`\n3 turns, 2 processes, one conversation ${style('dim', '· a scripted agent: no key, no bill')}`);
}

/** A turn whose CLI dies: the session starts another CLI, resumes the conversation, and the prompt is sent again. */
async function playThroughCrash(conversation: Session, prompt: string): Promise<void> {
  try {
    await play(conversation, prompt);
  } catch (error) {
    if (!isCoxswainError(error, 'turn-interrupted')) throw error;
    screen.note(`${style('red', '✗ the CLI was killed')} in the middle of its answer`);
    // Operations wait for the new process.
    await conversation.mcpStatus();
    await pause(900);
    screen.note(`${style('green', '↻ a new CLI')} has resumed the conversation; the prompt is sent again`);
    await play(conversation, prompt);
  }
}

/** Plays one turn. With `until`, interrupts it when that word arrives; the session continues. */
async function play(conversation: Session, prompt: string, until?: string): Promise<void> {
  await screen.prompt(prompt);
  const turn = conversation.send(prompt);
  for await (const message of turn) {
    screen.show(message);
    const event = message.type === 'stream_event' ? message.event : undefined;
    const words = event?.type === 'content_block_delta' && event.delta.type === 'text_delta' ? event.delta.text : '';
    if (until === undefined || !words.includes(until)) continue;
    screen.note(style('yellow', '■ interrupt()'));
    await turn.interrupt();
  }
  const result = await turn.result();
  if (isReal && textOf(result) === '') screen.note('(no answer)');
  screen.end(result, (await turn.cost()).costUsd);
}

/** The scripted agent. On a terminal it speaks at reading pace. */
function regatta(): Script {
  const ms = (length: number): number => (watched ? length : 0);
  const everyMs = ms(42);
  const file = 'src/stroke-rate.ts';
  return script()
    .pace(everyMs)
    .onPrompt('stroke rate is wrong', (turn) =>
      turn
        .think('A wrong rate at the start. Tidy up, look at the tests, then at the code that counts.', {
          everyMs: ms(30),
        })
        .say('First I clear away the old build.')
        .useTool('Bash', { command: 'rm -rf build' }, { durationMs: ms(300) })
        .say('I may not, so I leave it. Now the tests.')
        .useTool(
          'Bash',
          { command: 'npm test -- rate' },
          { result: '1 failed, 41 passed: rate is NaN at 0 s', isError: true, durationMs: ms(900) },
        )
        .useTool('mcp__boathouse__last_race', { boat: 'Ariel' })
        .say('At 0 s no time has passed, so it divides zero by zero. Before the first stroke there is no rate.')
        .useTool(
          'Edit',
          { file_path: file, old_string: 'strokes / s', new_string: 's > 0 ? strokes / s : undefined' },
          { result: 'one line changed' },
        )
        .useTool('Bash', { command: 'npm test -- rate' }, { result: '42 passed', durationMs: ms(900) })
        .say('Fixed: all 42 tests pass.')
        .result({ costUsd: 0.0184 }),
    )
    .onPrompt('Which file', (turn) => turn.say('It was src/').wait(ms(700)).crash(), { inRun: 1 })
    .onPrompt('Which file', (turn) =>
      turn.say(`It was ${file}: the rate is computed there.`).result({ costUsd: 0.0031 }),
    )
    .otherwise((turn) =>
      turn
        .say('one two three four five six seven eight nine', { everyMs: ms(120) })
        .wait(5_000)
        .say('ten eleven twelve'),
    );
}
