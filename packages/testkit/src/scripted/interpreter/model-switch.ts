import type { JsonObject, JsonValue } from '../../json.ts';
import type { Respond } from './answers.ts';
import type { Conversation } from './conversation.ts';
import { fireHooks } from './hooks.ts';
import { isDefault, resolveModel } from './models.ts';
import type { Program } from './tasks.ts';
import { newTurn } from './turn.ts';

/**
 * Switches the session to another model, unless a hook refuses. The real CLI asks the API about a name that it does not know;
 * every such model exists here, as on the fake API.
 */
export function* switchModel(conversation: Conversation, wanted: JsonValue | undefined, reply: Respond): Program {
  const name = typeof wanted === 'string' ? wanted.trim() : 'default';
  if (name === '') {
    const error = 'Model "(unrecognized model name)" is not a recognized model id. Run /model to see available models.';
    reply.error(error, { error_code: 'catalog_unknown', model: conversation.model });
    return;
  }
  const model = resolveModel(name, conversation.usualModel);
  if (model === conversation.model) return reply.success({ model });
  const turn = conversation.turn ?? newTurn(conversation, { prompt: '' });
  const input = about(conversation, name, model);
  const { deny, stop, ask } = yield* fireHooks(conversation, turn, 'PreModelSwitch', { input });
  const refused = deny ?? stop ?? ask;
  if (refused !== undefined) {
    const error = `Model switch blocked by a PreModelSwitch hook: ${refused}`;
    reply.error(error, { error_code: 'blocked_by_hook', model: conversation.model });
    return;
  }
  conversation.model = model;
  // The change is part of the conversation's history, once there is one.
  if (conversation.resultCount > 0) tellChange(conversation, name, model);
  reply.success({ model });
  yield* fireHooks(conversation, turn, 'PostModelSwitch', { input });
}

function about(conversation: Conversation, requested: string, to: string): JsonObject {
  const used = [...conversation.modelUsage.values()];
  return {
    from_model: conversation.model,
    to_model: to,
    requested_model: isDefault(requested) ? null : requested,
    source: 'sdk',
    context_tokens: used.reduce((sum, usage) => sum + usage.inputTokens + usage.outputTokens, 0),
    prompt_cache_warm: used.length > 0,
    cache_ttl: '5m',
    estimated_cache_write_usd: 0,
    pricing: 'catalog',
  };
}

function tellChange(conversation: Conversation, name: string, model: string): void {
  const shown = model === name ? model : `${name} (${model})`;
  const content = `<local-command-stdout>Set model to \`${shown}\`</local-command-stdout>`;
  const said = { parent_tool_use_id: null, timestamp: conversation.timestamp(), isReplay: true };
  conversation.emit({ type: 'user', message: { role: 'user', content }, ...said });
}
