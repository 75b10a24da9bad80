import type { Step } from '../script-data.ts';
import { addCheckpoint } from './checkpoints.ts';
import { ownCommand } from './commands.ts';
import type { Conversation } from './conversation.ts';
import { rememberSession } from './earlier-session.ts';
import { endUnanswered, endUnchecked, lifecycle } from './endings.ts';
import { reach } from './faults.ts';
import { initFrame } from './frames/init.ts';
import { replayFrame } from './frames/messages.ts';
import { settleServers } from './mcp.ts';
import { playTurn } from './play.ts';
import { type CheckedPrompt, checkPrompt, reportHooks, reportRefusal } from './prompt-hook.ts';
import { replayPrompts } from './replay.ts';
import { ruleFor } from './rules.ts';
import { reportState } from './session-state.ts';
import { Interrupted, join, type Program, sleep } from './tasks.ts';
import { newTurn, type QueuedPrompt, type Turn } from './turn.ts';

/** Serves prompts and notifications, one turn at a time, until no more can arrive. */
export function* serve(conversation: Conversation): Program {
  let wasIdle = true;
  while (!conversation.ended) {
    const notification = conversation.notifications.shift();
    if (notification) {
      const { origin, steps } = notification;
      yield* runTurn(conversation, newTurn(conversation, { prompt: '', origin }), steps);
    } else if (conversation.prompts.length > 0) {
      // An idle CLI takes the first prompt immediately; prompts that arrived meanwhile are merged into one turn.
      const prompts = conversation.prompts.splice(0, wasIdle ? 1 : conversation.prompts.length);
      yield* answerPrompts(conversation, prompts, wasIdle);
    } else if (nothingLeft(conversation)) {
      reportState(conversation, 'idle');
      conversation.exit(conversation.lastResultFailed ? 1 : 0);
      return;
    } else {
      if (!stillWorks(conversation)) reportState(conversation, 'idle');
      wasIdle = true;
      yield { on: 'notice', name: 'work', ms: null };
      continue;
    }
    wasIdle = false;
  }
}

/** True while a background agent works, or a background command after the end of the input. */
function stillWorks({ background, inputEnded }: Conversation): boolean {
  const tasks = [...background.values()];
  return inputEnded ? tasks.length > 0 : tasks.some(({ isAgent }) => isAgent);
}

function nothingLeft({ inputEnded, background, ignored }: Conversation): boolean {
  return inputEnded && background.size === 0 && !ignored.has('EOF');
}

function* answerPrompts(conversation: Conversation, prompts: readonly QueuedPrompt[], wasIdle: boolean): Program {
  const prompt = prompts.map(({ text }) => text).join('\n');
  const turn = newTurn(conversation, { prompt, prompts });
  conversation.record({ kind: 'prompt', text: prompt });
  rememberSession(conversation);
  reach(conversation, 'prompt');
  if (conversation.ended) return;
  reportState(conversation, 'running');
  if (!wasIdle && conversation.args.replayUserMessages) {
    // Merged prompts are first echoed individually; the echo of the turn contains them all.
    for (const waiting of prompts.slice(0, -1)) conversation.write(replayFrame(conversation, waiting, waiting.content));
  }
  // A real turn takes a moment to start: input directly after its prompt arrives earlier.
  if (conversation.args.streamInput) yield* sleep(1);
  yield* settleServers(conversation);
  for (const { uuid } of prompts) lifecycle(conversation, uuid, 'started');
  const command = ownCommand(prompt) ?? promptTurn;
  yield* underWay(conversation, turn, conversation.tasks.start(command(conversation, turn)));
}

function promptTurn(conversation: Conversation, turn: Turn): Program {
  return answerPrompt(conversation, turn, () => {
    addCheckpoint(conversation, turn);
    return ruleFor(conversation, turn.prompt)?.steps;
  });
}

/** Plays these steps if the hooks let the prompt of the turn pass. */
export function* answerPrompt(
  conversation: Conversation,
  turn: Turn,
  stepsFor: () => readonly Step[] | undefined,
): Program {
  const checked = yield* checkUninterrupted(conversation, turn);
  conversation.write(initFrame(conversation, turn));
  if (checked === undefined) return endUnchecked(conversation, turn);
  reportHooks(conversation, checked);
  const { refusal } = checked;
  if (refusal) {
    reportRefusal(conversation, refusal);
    if (refusal.kept) replayPrompts(conversation, turn);
    return endUnanswered(conversation, turn, refusal.content);
  }
  const steps = stepsFor();
  if (steps) return yield* playTurn(conversation, turn, steps);
  const problem = `The script has no rule for the prompt ${JSON.stringify(turn.prompt.slice(0, 200))}. Add one with onPrompt or otherwise.`;
  conversation.stderr(problem);
  yield* playTurn(conversation, turn, [{ step: 'fail', errors: [problem], fields: {} }]);
}

/** The decision of the hooks on a turn's prompt; undefined if the turn is interrupted meanwhile. */
function* checkUninterrupted(conversation: Conversation, turn: Turn): Program<CheckedPrompt | undefined> {
  try {
    return yield* checkPrompt(conversation, turn, turn.prompt);
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    return undefined;
  }
}

function* runTurn(conversation: Conversation, turn: Turn, steps: readonly Step[]): Program {
  reportState(conversation, 'running');
  conversation.write(initFrame(conversation, turn));
  yield* underWay(conversation, turn, conversation.tasks.start(playTurn(conversation, turn, steps)));
}

/** Waits for the end of a turn, which can be interrupted meanwhile. */
export function* underWay(
  conversation: Conversation,
  turn: Turn,
  task: NonNullable<Conversation['turnTask']>,
): Program {
  conversation.turn = turn;
  conversation.turnTask = task;
  yield* join([task]);
  conversation.turn = undefined;
  conversation.turnTask = undefined;
  turn.phase = 'over';
  conversation.tasks.notify('turn over');
}
