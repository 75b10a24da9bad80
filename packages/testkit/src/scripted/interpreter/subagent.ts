import { asJson, type JsonObject } from '../../json.ts';
import { resultUsage } from '../../messages/usage.ts';
import type { Step, SubagentStep } from '../script-data.ts';
import { tellOpenTasks } from './background.ts';
import type { Conversation } from './conversation.ts';
import { toolResultMeta, userFrame } from './frames/messages.ts';
import { fireHooks } from './hooks.ts';
import { ruleFor } from './rules.ts';
import { closeMessage } from './speech.ts';
import { tellProgress, tellTaskEnd } from './subagent-task.ts';
import { newTaskId } from './task-id.ts';
import { join, type Program } from './tasks.ts';
import type { ToolsOutcome } from './tool-use.ts';
import { newTurn, type Speaker, type Turn } from './turn.ts';

/** Plays steps in a turn. */
type Play = (conversation: Conversation, turn: Turn, steps: readonly Step[]) => Program<unknown>;

/** A running subagent. */
interface Subagent {
  readonly step: SubagentStep;
  readonly toolUseId: string;
  readonly task: { readonly task_id: string; readonly run_id: string };
  readonly own: Turn;
}

/** Runs a subagent, and waits for it unless it works in the background. */
export function* runSubagent(
  conversation: Conversation,
  turn: Turn,
  step: SubagentStep,
  toolUseId: string,
  play: Play,
): Program<ToolsOutcome> {
  const { agentType, background } = step;
  turn.subagents.set(agentType, (turn.subagents.get(agentType) ?? 0) + 1);
  const agent = newSubagent(conversation, step, toolUseId);
  if (background) {
    startInBackground(conversation, turn, agent, play);
  } else {
    announce(conversation, agent);
    const { prompt } = step;
    const asking = conversation.tasks.start(askStart(conversation, agent));
    conversation.write(userFrame(conversation, agent.own, [{ type: 'text', text: prompt }]));
    yield* join([asking]);
    yield* work(conversation, agent, play);
    tellTaskEnd(conversation, agent.own, agent.task, toolUseId);
    report(conversation, turn, agent);
  }
  return { stopped: false, interrupted: false, responses: [] };
}

function newSubagent(conversation: Conversation, step: SubagentStep, toolUseId: string): Subagent {
  const { description, agentType, prompt, background } = step;
  const task = { task_id: newTaskId(conversation, 'a'), run_id: newTaskId(conversation, '0') };
  const fields = { agent_id: task.task_id, subagent_type: agentType, task_description: description };
  const speaker: Speaker = {
    fields: { parent_tool_use_id: toolUseId, ...fields },
    quiet: true,
    speaks: background,
    toolCalled: (call) => tellProgress(conversation, own, { ...task, tool_use_id: toolUseId }, agentType, call),
  };
  const own: Turn = newTurn(conversation, { prompt, speaker });
  return { step, toolUseId, task, own };
}

function announce(conversation: Conversation, { step, task, toolUseId }: Subagent): void {
  conversation.emit({
    type: 'system',
    subtype: 'task_started',
    ...task,
    tool_use_id: toolUseId,
    description: step.description,
    subagent_type: step.agentType,
    is_backgrounded: step.background,
    spawn_depth: 1,
    task_type: 'local_agent',
    prompt: step.prompt,
  });
}

function startInBackground(conversation: Conversation, turn: Turn, agent: Subagent, play: Play): void {
  const { step, task, toolUseId } = agent;
  const { agentType, description } = step;
  const output_file = `/tmp/claude/tasks/${task.task_id}.output`;
  const listed = { ...task, task_type: 'local_agent', subagent_type: agentType, description };
  const ids = { ...task, tool_use_id: toolUseId, output_file };
  conversation.background.set(task.task_id, { isAgent: true, description, listed, ids });
  tellOpenTasks(conversation);
  announce(conversation, agent);
  const text = `Async agent launched successfully.\nagentId: ${task.task_id}\nThe agent is working in the background. You will be notified automatically when it completes.`;
  const tool_use_result = {
    isAsync: true,
    status: 'async_launched',
    agentId: task.task_id,
    description,
    prompt: step.prompt,
    outputFile: output_file,
  };
  handBack(conversation, turn, toolUseId, [{ type: 'text', text }], tool_use_result);
  conversation.tasks.start(inBackground(conversation, turn, agent, play));
}

/** Its work starts when its turn has spoken, so that a script is deterministic. */
function* inBackground(conversation: Conversation, turn: Turn, agent: Subagent, play: Play): Program {
  const { step, task, own, toolUseId } = agent;
  while (turn.phase !== 'over') yield { on: 'notice', name: 'turn over', ms: null };
  yield* askStart(conversation, agent);
  yield* work(conversation, agent, play);
  if (!conversation.background.delete(task.task_id)) return;
  tellTaskEnd(conversation, own, task, toolUseId);
  tellOpenTasks(conversation);
  const origin = { kind: 'task-notification', producer: 'session-task', runId: task.run_id };
  const steps = step.after ?? [{ step: 'say', text: own.lastText, everyMs: null }];
  conversation.notifications.push({ origin, steps });
  conversation.tasks.notify('work');
}

function* askStart(conversation: Conversation, { own }: Subagent): Program {
  yield* fireHooks(conversation, own, 'SubagentStart', { input: {} });
}

/** Plays the subagent's steps, and further ones while a SubagentStop hook continues it. */
function* work(conversation: Conversation, { step, own }: Subagent, play: Play): Program {
  let steps: readonly Step[] | undefined = step.steps;
  while (steps !== undefined) {
    yield* play(conversation, own, steps);
    closeMessage(conversation, own, 'end_turn');
    steps = yield* askStop(conversation, own);
  }
}

function* askStop(conversation: Conversation, own: Turn): Program<readonly Step[] | undefined> {
  const verdict = yield* fireHooks(conversation, own, 'SubagentStop', {
    input: {
      stop_hook_active: own.stopHookActive,
      agent_transcript_path: `/tmp/claude/subagents/agent-${own.speaker.fields.agent_id}.jsonl`,
      last_assistant_message: own.lastText,
      background_tasks: [...conversation.background.values()].map(({ listed }) => listed),
      session_crons: [],
    },
  });
  const feedback = verdict.deny ?? verdict.context;
  if (feedback === undefined) return undefined;
  own.stopHookActive = true;
  const text = `Stop hook feedback:\n${feedback}`;
  return ruleFor(conversation, text, 'specific')?.steps ?? [{ step: 'say', text: 'Very well.', everyMs: null }];
}

function report(conversation: Conversation, turn: Turn, { own, step, task, toolUseId }: Subagent): void {
  const content = [{ type: 'text', text: own.lastText }];
  handBack(conversation, turn, toolUseId, content, {
    status: 'completed',
    prompt: step.prompt,
    agentId: task.task_id,
    agentType: step.agentType,
    content,
    resolvedModel: conversation.model,
    totalDurationMs: conversation.now() - own.startedAt,
    totalTokens: own.usage.inputTokens + own.usage.outputTokens,
    totalToolUseCount: own.userMessages,
    usage: asJson(resultUsage(own.usage)),
    canContinueAgent: true,
  });
}

function handBack(
  conversation: Conversation,
  turn: Turn,
  toolUseId: string,
  content: readonly JsonObject[],
  tool_use_result: JsonObject,
): void {
  turn.openTools.delete(toolUseId);
  turn.userMessages += 1;
  const block = { tool_use_id: toolUseId, type: 'tool_result', content };
  const meta = toolResultMeta(toolUseId, { permission_decision: { decision: 'accept', source: 'config' } });
  conversation.write(userFrame(conversation, turn, [block], { tool_use_result, ...meta }));
}
