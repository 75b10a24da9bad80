import type { JsonObject, Step } from '../script-data.ts';
import { tellOpenTasks } from './background.ts';
import type { Conversation, QueuedPrompt } from './conversation.ts';
import { lifecycle, sendResult } from './endings.ts';
import { initFrame } from './frames/init.ts';
import { replayFrame } from './frames/messages.ts';
import { unansweredResult } from './frames/result.ts';
import { fireHooks, type HookVerdict, tellFailures, tellNotes } from './hooks.ts';
import { settleServers } from './mcp.ts';
import { playTurn } from './play.ts';
import { ruleFor } from './rules.ts';
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
      if (conversation.background.size === 0 || !conversation.inputEnded) tellState(conversation, 'idle');
      wasIdle = true;
      yield { on: 'notice', name: 'work', ms: null };
      continue;
    }
    wasIdle = false;
  }
}

/** Tells the host whether the session works, where it asked to be told. */
export function tellState(conversation: Conversation, state: 'running' | 'idle'): void {
  if (conversation.world.env.CLAUDE_CODE_SDK_READS_SESSION_STATE !== '1' || conversation.state === state) return;
  if (conversation.state === undefined && state === 'idle') return;
  conversation.state = state;
  conversation.emit({ type: 'system', subtype: 'session_state_changed', state, sdk_host_only: true });
}

function nothingLeft({ inputEnded, background, ignored }: Conversation): boolean {
  return inputEnded && background.size === 0 && !ignored.has('EOF');
}

function* answerPrompts(conversation: Conversation, prompts: readonly QueuedPrompt[], wasIdle: boolean): Program {
  const prompt = prompts.map(({ text }) => text).join('\n');
  const turn = newTurn(conversation, { prompt, prompts });
  conversation.record({ kind: 'prompt', text: prompt });
  tellState(conversation, 'running');
  if (!wasIdle && conversation.args.replayUserMessages) {
    // Merged prompts are said back one by one first; the turn's own replay holds them all.
    for (const waiting of prompts.slice(0, -1)) conversation.write(replayFrame(conversation, waiting, waiting.content));
  }
  for (const { uuid } of prompts) lifecycle(conversation, uuid, 'started');
  if (prompt.trim() === '/clear') return clear(conversation, turn);
  const task = conversation.tasks.start(promptTurn(conversation, turn));
  yield* underWay(conversation, turn, task);
}

function* promptTurn(conversation: Conversation, turn: Turn): Program {
  const { prompt } = turn;
  // A real turn takes a while to begin: what comes right behind its prompt is seen before it does.
  yield* sleep(conversation.args.streamInput ? 1 : 0);
  yield* settleServers(conversation);
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

function endUnanswered(conversation: Conversation, turn: Turn, text: string): void {
  sendResult(conversation, turn, unansweredResult(conversation, turn, text), false);
  for (const { uuid } of turn.prompts) lifecycle(conversation, uuid, 'completed');
}

/** `/clear` begins a new session; costs are counted anew. */
function clear(conversation: Conversation, turn: Turn): void {
  const id = conversation.world.newId();
  const uuid = turn.prompts.at(-1)?.uuid;
  conversation.emit({
    type: 'conversation_reset',
    new_conversation_id: id,
    uuid: id,
    trigger: 'clear',
    ...(uuid !== undefined && { user_message_uuid: uuid }),
    timestamp: conversation.timestamp(),
  });
  conversation.sessionId = conversation.world.newId();
  conversation.totalCostUsd = 0;
  conversation.modelUsage.clear();
  conversation.usageSinceResult.clear();
  tellOpenTasks(conversation);
  conversation.write(initFrame(conversation, turn));
  endUnanswered(conversation, turn, '');
}
