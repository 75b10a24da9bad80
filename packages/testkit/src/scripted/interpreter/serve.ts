import type { JsonObject, Step } from '../script-data.ts';
import { ownCommand } from './commands.ts';
import type { Conversation, QueuedPrompt } from './conversation.ts';
import { endUnanswered, lifecycle } from './endings.ts';
import { reach } from './faults.ts';
import { initFrame } from './frames/init.ts';
import { replayFrame } from './frames/messages.ts';
import { fireHooks, type HookVerdict, tellFailures, tellNotes } from './hooks.ts';
import { settleServers } from './mcp.ts';
import { playTurn } from './play.ts';
import { rememberSession } from './resume.ts';
import { ruleFor } from './rules.ts';
import { tellState } from './session-state.ts';
import { join, type Program, sleep } from './tasks.ts';
import { newTurn, type Turn } from './turn.ts';

/** Serves prompts and notifications, one turn at a time, until there is nothing left to wait for. */
export function* serve(conversation: Conversation): Program {
  let wasIdle = true;
  while (!conversation.ended) {
    const notification = conversation.notifications.shift();
    if (notification) {
      const { origin, steps } = notification;
      yield* runTurn(conversation, newTurn(conversation, { prompt: '', origin }), steps);
    } else if (conversation.prompts.length > 0) {
      // An idle CLI takes the first prompt at once; what came meanwhile is merged into one turn.
      const prompts = conversation.prompts.splice(0, wasIdle ? 1 : conversation.prompts.length);
      yield* answerPrompts(conversation, prompts, wasIdle);
    } else if (nothingLeft(conversation)) {
      tellState(conversation, 'idle');
      conversation.exit(conversation.lastResultFailed ? 1 : 0);
      return;
    } else {
      if (!stillWorks(conversation)) tellState(conversation, 'idle');
      wasIdle = true;
      yield { on: 'notice', name: 'work', ms: null };
      continue;
    }
    wasIdle = false;
  }
}

/** An agent in the background is work of the session; a command only once the input has ended. */
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
  tellState(conversation, 'running');
  if (!wasIdle && conversation.args.replayUserMessages) {
    // Merged prompts are said back one by one first; the turn's own replay holds them all.
    for (const waiting of prompts.slice(0, -1)) conversation.write(replayFrame(conversation, waiting, waiting.content));
  }
  // A real turn takes a while to begin: what comes right behind its prompt is seen before it does.
  if (conversation.args.streamInput) yield* sleep(1);
  yield* settleServers(conversation);
  for (const { uuid } of prompts) lifecycle(conversation, uuid, 'started');
  const command = ownCommand(prompt) ?? promptTurn;
  yield* underWay(conversation, turn, conversation.tasks.start(command(conversation, turn)));
}

function* promptTurn(conversation: Conversation, turn: Turn): Program {
  const { prompt } = turn;
  const verdict = yield* fireHooks(conversation, turn, 'UserPromptSubmit', { input: { prompt } });
  conversation.write(initFrame(conversation, turn));
  tellFailures(conversation, verdict);
  tellNotes(conversation, verdict, 'UserPromptSubmit');
  const refused = refusedByHook(prompt, verdict);
  if (refused) {
    const { content, outcome } = refused;
    const what = { content, level: 'warning', prevent_continuation: true, prompt_submit_outcome: outcome };
    conversation.emit({ type: 'system', subtype: 'informational', ...what });
    return endUnanswered(conversation, turn, content);
  }
  const rule = ruleFor(conversation, prompt);
  if (rule) return yield* playTurn(conversation, turn, rule.steps);
  const problem = `The script has no rule for the prompt ${JSON.stringify(prompt.slice(0, 200))}. Add one with onPrompt or otherwise.`;
  conversation.stderr(problem);
  yield* playTurn(conversation, turn, [{ step: 'fail', errors: [problem] }]);
}

function* runTurn(conversation: Conversation, turn: Turn, steps: readonly Step[]): Program {
  tellState(conversation, 'running');
  conversation.write(initFrame(conversation, turn));
  yield* underWay(conversation, turn, conversation.tasks.start(playTurn(conversation, turn, steps)));
}

function* underWay(conversation: Conversation, turn: Turn, task: NonNullable<Conversation['turnTask']>): Program {
  conversation.turn = turn;
  conversation.turnTask = task;
  yield* join([task]);
  conversation.turn = undefined;
  conversation.turnTask = undefined;
  turn.phase = 'over';
  conversation.tasks.notify('turn over');
}

function refusedByHook(prompt: string, verdict: HookVerdict): { content: string; outcome: JsonObject } | undefined {
  if (verdict.broken === 'timeout') {
    const content = 'UserPromptSubmit operation blocked by hook:\nUserPromptSubmit hook callback timed out';
    return { content, outcome: { kind: 'no_verdict', prompt_kept: false, no_verdict_kind: 'callback_timed_out' } };
  }
  if (verdict.deny !== undefined) {
    const content = `UserPromptSubmit operation blocked by hook:\n${verdict.deny}\n\nOriginal prompt: ${prompt}`;
    return { content, outcome: { kind: 'blocked_by_hook', prompt_kept: false, reason: verdict.deny } };
  }
  if (verdict.stop !== undefined) {
    const content = `Operation stopped by hook: ${verdict.stop}`;
    return { content, outcome: { kind: 'stopped_by_hook', prompt_kept: true, reason: verdict.stop } };
  }
  return undefined;
}
