import type { ApiTurn, ToolDefinition } from '../fake-api/request-body.ts';
import { checkObjectPattern, checkText, checkToolName, checkTurnPattern, type TurnPattern } from './arguments.ts';
import type { ToolName } from './call.ts';
import { differences, fits, type Pattern, show, type TextPattern, textFits } from './pattern.ts';
import { sortOut } from './received.ts';
import { findText, shorten } from './texts.ts';
import { type Verdict, verdict } from './verdict.ts';

/** The request was for this model. */
export function toHaveModel(received: unknown, model: TextPattern): Verdict {
  checkText('toHaveModel', model);
  const { requests } = sortOut(received, ['requests']);
  return findText('a request for the model', 'Models asked', unique(requests.map((request) => request.model)), model);
}

/** The system prompt contains this. */
export function toHaveSystemPrompt(received: unknown, text: TextPattern): Verdict {
  checkText('toHaveSystemPrompt', text);
  const { requests } = sortOut(received, ['requests']);
  return findText('a system prompt with', 'System prompts', unique(requests.map(({ system }) => system)), text);
}

/** The model was offered this tool, directly or deferred. */
export function toHaveOfferedTool(received: unknown, name: ToolName, definition?: Pattern): Verdict {
  checkToolName('toHaveOfferedTool', name);
  checkObjectPattern('toHaveOfferedTool', 'definition', definition);
  const { requests } = sortOut(received, ['requests']);
  const offered = requests.flatMap(({ toolDefinitions }) => toolDefinitions).filter((tool) => fits(name, tool.name));
  const deferred = requests.flatMap(({ deferredTools }) => deferredTools).filter((tool) => fits(name, tool));
  const shown = typeof name === 'string' ? name : show(name);
  return verdict({
    pass:
      definition === undefined ? offered.length + deferred.length > 0 : offered.some((tool) => fits(definition, tool)),
    wanted: `the model to be offered ${shown}${definition === undefined ? '' : ` as ${show(definition)}`}`,
    listed: 'Tools it was offered',
    seen: unique(
      requests.flatMap(({ toolDefinitions, deferredTools }) => [
        ...toolDefinitions.map((tool) => [tool.name, ...wrongIn(tool)].join('\n  ')),
        ...deferredTools.map((tool) => `${tool} (deferred)`),
      ]),
    ),
  });

  function wrongIn(tool: ToolDefinition): string[] {
    return definition !== undefined && offered.includes(tool) ? differences(definition, tool) : [];
  }
}

/** The conversation so far has a matching message. */
export function toHaveTurn(received: unknown, pattern: TurnPattern): Verdict {
  checkTurnPattern(pattern);
  const { requests } = sortOut(received, ['requests']);
  const turns = requests.flatMap((request) => request.turns);
  // The longest conversation contains the earlier requests.
  const [longest = []] = requests.map((request) => request.turns).sort((a, b) => b.length - a.length);
  return verdict({
    pass: turns.some((turn) => turnFits(pattern, turn)),
    wanted: `a conversation with ${show(pattern)}`,
    listed: 'The conversation',
    seen: longest.map(({ role, text, toolUses }) =>
      [role, shorten(text), ...toolUses.map((use) => `→ ${use.name} ${show(use.input)}`)].join(' '),
    ),
  });
}

function turnFits({ role, text, tool, input }: TurnPattern, turn: ApiTurn): boolean {
  if (role !== undefined && role !== turn.role) return false;
  if (text !== undefined && !textFits(text, turn.text)) return false;
  if (tool === undefined && input === undefined) return true;
  return turn.toolUses.some((use) => fits({ ...(tool && { name: tool }), ...(input !== undefined && { input }) }, use));
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}
