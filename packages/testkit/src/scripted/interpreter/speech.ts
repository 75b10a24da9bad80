import { asJson, type JsonObject } from '../../json.ts';
import { messageUsage } from '../../messages/usage.ts';
import type { Conversation } from './conversation.ts';
import { assistantFrame, messageStart, streamEvent } from './frames/messages.ts';
import { addUsage, cutUsage, noUsage, tokensOf, type Usage } from './frames/usage.ts';
import { fireHooks } from './hooks.ts';
import { costOfTokens } from './models.ts';
import { replayPrompts } from './replay.ts';
import { Interrupted, type Program, sleep } from './tasks.ts';
import { type ApiMessage, type Turn, uuidsOf } from './turn.ts';

/** Writes a text, block by block and, with partial messages, word by word. */
export function* speakText(conversation: Conversation, turn: Turn, text: string, everyMs: number): Program {
  const message = openMessage(conversation, turn);
  beginBlock(conversation, turn, message, { type: 'text', text: '' });
  let said = '';
  try {
    for (const piece of pieces(conversation, text, everyMs)) {
      yield* sleep(everyMs);
      said += piece;
      delta(conversation, turn, message, { type: 'text_delta', text: piece });
    }
  } catch (error) {
    if (error instanceof Interrupted && said !== '') {
      sendBlock(conversation, turn, message, { type: 'text', text: said }, { aborted: true });
    }
    throw error;
  }
  message.outputTokens += tokensOf(text);
  turn.lastText = text;
  yield* askBeforeDisplay(conversation, turn, text);
  endBlock(conversation, turn, message, { type: 'text', text });
}

/** A host with MessageDisplay hooks learns of a text before it is shown. */
function* askBeforeDisplay(conversation: Conversation, turn: Turn, delta: string): Program {
  if (turn.speaker.quiet || !conversation.hooks.some(({ event }) => event === 'MessageDisplay')) return;
  if (!streams(conversation, turn)) replayPrompts(conversation, turn);
  const message_id = conversation.world.newId();
  const input = { turn_id: turn.promptId, message_id, index: 0, final: true, delta };
  yield* fireHooks(conversation, turn, 'MessageDisplay', { input, toolUseId: `${message_id}-0` });
}

/** Writes thinking; the token count is reported as it grows. */
export function* speakThought(
  conversation: Conversation,
  turn: Turn,
  thought: { readonly text: string; readonly signature: string },
  everyMs: number,
): Program {
  const { text, signature } = thought;
  const message = openMessage(conversation, turn);
  const startedAt = conversation.now();
  beginBlock(conversation, turn, message, { type: 'thinking', thinking: '', signature: '' });
  let tokens = 0;
  for (const piece of words(text)) {
    yield* sleep(everyMs);
    tokens += tokensOf(piece);
    if (!turn.speaker.quiet) {
      const count = { estimated_tokens: tokens, estimated_tokens_delta: tokensOf(piece) };
      conversation.emit({ type: 'system', subtype: 'thinking_tokens', ...count });
    }
    delta(conversation, turn, message, { type: 'thinking_delta', thinking: piece }, { thinking_display: 'updates' });
  }
  delta(conversation, turn, message, { type: 'signature_delta', signature });
  message.outputTokens += tokens;
  message.thinkingTokens += tokens;
  const extra = { thinking_duration_ms: conversation.now() - startedAt, thinking_display: 'updates' };
  endBlock(conversation, turn, message, { type: 'thinking', thinking: text, signature }, extra);
}

export function speakRedactedThought(conversation: Conversation, turn: Turn, data: string): void {
  const message = openMessage(conversation, turn);
  const block = { type: 'redacted_thinking', data };
  beginBlock(conversation, turn, message, block);
  endBlock(conversation, turn, message, block);
}

/** Writes the block of a tool call; its outcome is handled elsewhere. */
export function speakToolUse(
  conversation: Conversation,
  turn: Turn,
  call: { name: string; input: JsonObject },
): string {
  const message = openMessage(conversation, turn);
  const id = `toolu_scripted${message.number}_${message.blocks}`;
  const json = JSON.stringify(call.input);
  message.outputTokens += tokensOf(json);
  beginBlock(conversation, turn, message, { type: 'tool_use', id, name: call.name, input: {} });
  const middle = json.indexOf(':') + 1;
  for (const partial_json of [json.slice(0, middle), json.slice(middle)]) {
    if (partial_json !== '') delta(conversation, turn, message, { type: 'input_json_delta', partial_json });
  }
  const block = { type: 'tool_use', id, name: call.name, input: call.input };
  turn.speaker.toolCalled?.(call);
  endBlock(conversation, turn, message, block, mcpMeta(id, call.name));
  turn.openTools.add(id);
  return id;
}

/** Ends the current API message, if any, and counts its cost. */
export function closeMessage(conversation: Conversation, turn: Turn, stopReason: string): void {
  const { message } = turn;
  if (message === undefined) return;
  const event = {
    type: 'message_delta',
    delta: { stop_reason: stopReason, stop_sequence: null },
    usage: asJson(messageUsage(message.inputTokens, message.outputTokens)),
  };
  stream(conversation, turn, message, event);
  stream(conversation, turn, message, { type: 'message_stop' });
  turn.stopReason = stopReason;
  turn.message = undefined;
  countUsage(conversation, turn, message);
}

/** Ends the stream of a message that was cut off. */
export function abandonMessage(conversation: Conversation, turn: Turn): void {
  const { message } = turn;
  if (message === undefined) return;
  if (message.blockOpen) stream(conversation, turn, message, { type: 'content_block_stop', index: message.blocks });
  const cut = { container: null, stop_details: null, stop_reason: null, stop_sequence: null };
  const usage = cutUsage(message.inputTokens, message.outputTokens);
  stream(conversation, turn, message, { type: 'message_delta', context_management: null, delta: cut, usage });
  const abandoned = { api_message_id: message.id, from_block_index: message.blocks + 1 };
  stream(conversation, turn, message, { type: 'message_stop' }, { abandoned_blocks: abandoned });
  turn.message = undefined;
}

function openMessage(conversation: Conversation, turn: Turn): ApiMessage {
  if (turn.message) return turn.message;
  turn.phase = 'speaking';
  turn.apiMessages += 1;
  turn.requestedAt ??= conversation.now();
  const number = conversation.nextMessage();
  const message: ApiMessage = {
    id: `msg_scripted${number}`,
    number,
    startedAt: conversation.now(),
    inputTokens: 10 + tokensOf(turn.prompt),
    blocks: 0,
    outputTokens: 0,
    thinkingTokens: 0,
    blockOpen: false,
  };
  turn.message = message;
  turn.firstTokenAt ??= conversation.now();
  if (streams(conversation, turn)) beginStream(conversation, turn, message);
  return message;
}

function beginStream(conversation: Conversation, turn: Turn, message: ApiMessage): void {
  const uuids = uuidsOf(turn);
  const answers = uuids.length > 0 ? { user_message_uuids: uuids } : {};
  conversation.emit({ type: 'system', subtype: 'status', status: 'requesting', ...answers });
  const first = turn.announced ? {} : { user_message_uuid: uuids.at(-1), ...answers, owed_rows: [] };
  replayPrompts(conversation, turn);
  const extra = { ttft_ms: 0, thinking_display: 'updates', ...(uuids.length > 0 && first) };
  stream(conversation, turn, message, messageStart(conversation, message), extra);
}

function beginBlock(conversation: Conversation, turn: Turn, message: ApiMessage, block: JsonObject): void {
  message.blockOpen = true;
  const extra = block.type === 'thinking' ? { thinking_display: 'updates' } : {};
  stream(
    conversation,
    turn,
    message,
    { type: 'content_block_start', index: message.blocks, content_block: block },
    extra,
  );
}

function delta(
  conversation: Conversation,
  turn: Turn,
  message: ApiMessage,
  piece: JsonObject,
  extra: JsonObject = {},
): void {
  stream(conversation, turn, message, { type: 'content_block_delta', index: message.blocks, delta: piece }, extra);
}

function endBlock(
  conversation: Conversation,
  turn: Turn,
  message: ApiMessage,
  block: JsonObject,
  extra: JsonObject = {},
): void {
  sendBlock(conversation, turn, message, block, extra);
  stream(conversation, turn, message, { type: 'content_block_stop', index: message.blocks });
  message.blockOpen = false;
  message.blocks += 1;
}

function sendBlock(
  conversation: Conversation,
  turn: Turn,
  message: ApiMessage,
  block: JsonObject,
  extra: JsonObject = {},
): void {
  const { quiet, speaks } = turn.speaker;
  const heard = speaks === true || conversation.initialized?.forwardSubagentText === true;
  if (quiet && block.type !== 'tool_use' && !heard) return;
  if (!streams(conversation, turn)) replayPrompts(conversation, turn);
  conversation.write(assistantFrame(conversation, turn, message, block, extra));
  turn.announced = true;
}

function stream(
  conversation: Conversation,
  turn: Turn,
  message: ApiMessage,
  event: JsonObject,
  extra: JsonObject = {},
): void {
  if (streams(conversation, turn)) conversation.write(streamEvent(conversation, message, event, extra));
}

function streams(conversation: Conversation, turn: Turn): boolean {
  return conversation.args.partialMessages && !turn.speaker.quiet;
}

/** A text that is not streamed needs no pieces. */
function pieces(conversation: Conversation, text: string, everyMs: number): readonly string[] {
  return conversation.args.partialMessages || everyMs > 0 ? words(text) : [text];
}

function words(text: string): readonly string[] {
  return text.match(/\s*\S+\s*|\s+/g) ?? [];
}

function mcpMeta(id: string, name: string): JsonObject {
  const [, server, tool] = /^mcp__(.+?)__(.+)$/.exec(name) ?? [];
  if (server === undefined || tool === undefined) return {};
  const display = tool.charAt(0).toUpperCase() + tool.slice(1);
  return { tool_use_meta: [{ id, display_name: display, server_display_name: server, tool_name: tool }] };
}

function countUsage(conversation: Conversation, turn: Turn, message: ApiMessage): void {
  const { model } = conversation;
  const { inputTokens, outputTokens, thinkingTokens } = message;
  const usage: Usage = {
    inputTokens,
    outputTokens,
    thinkingTokens,
    costUsd: costOfTokens(model, inputTokens, outputTokens),
  };
  turn.usage = addUsage(turn.usage, usage);
  turn.apiMs += conversation.now() - message.startedAt;
  for (const totals of [conversation.modelUsage, conversation.usageSinceResult]) {
    totals.set(model, addUsage(totals.get(model) ?? noUsage, usage));
  }
  conversation.totalCostUsd += usage.costUsd;
  conversation.totalApiMs += conversation.now() - message.startedAt;
}
