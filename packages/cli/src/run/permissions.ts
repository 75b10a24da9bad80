import { visible } from '@coxswain/inspector/text';
import {
  allow,
  answerQuestions,
  type CanUseTool,
  deny,
  type PermissionDecision,
  type PermissionRequest,
} from 'coxswain';
import { type Decision, questionOf } from '../render/permission.ts';
import type { Asker } from '../terminal/ask.ts';
import type { Screen } from '../terminal/screen.ts';

/** What asking on a terminal needs. */
export interface AskContext {
  readonly screen: Screen;
  readonly asker: Asker;
  /** Asks while no other prompt is on the terminal. */
  alone<T>(ask: () => Promise<T>): Promise<T>;
  /** Called when the user refuses a call. */
  refused(toolUseId: string): void;
  /** Called when Ctrl-C is pressed while a question is open. */
  cancelled(): void;
}

/** Asks the user about permissions, questions and plans, one at a time. */
export function askOnTerminal(context: AskContext): CanUseTool {
  const { screen, asker } = context;
  return (request, { signal }) =>
    asker.inTurn(async () => {
      // The turn delivers the text before the question slightly later than the question itself.
      await new Promise((resolve) => setImmediate(resolve));
      if (signal.aborted) return deny('The question was withdrawn.');
      const outcome = await context.alone(() => screen.withPrompt(() => ask(request, context, signal)));
      if (outcome?.decision === 'deny' && request.toolUseId !== undefined) context.refused(request.toolUseId);
      if (outcome !== undefined) return outcome;
      if (!signal.aborted) context.cancelled();
      return deny('The user pressed Ctrl-C.', { interrupt: true });
    });
}

function ask(
  request: PermissionRequest,
  context: AskContext,
  signal: AbortSignal,
): Promise<PermissionDecision | undefined> {
  if (request.kind === 'question') return askQuestions(request, context, signal);
  return askPermission(request, context, signal);
}

async function askPermission(
  request: PermissionRequest,
  { asker }: AskContext,
  signal: AbortSignal,
): Promise<PermissionDecision | undefined> {
  const choose = async (whole: boolean): Promise<Decision | undefined> => {
    const { choices, ...question } = questionOf(request, whole);
    const key = await asker.key({ ...question, options: choices }, signal);
    return choices.find((choice) => choice.key === key)?.decision;
  };
  const first = await choose(false);
  const decision = first?.kind === 'show-all' ? await choose(true) : first;
  switch (decision?.kind) {
    case 'allow':
      return decision.rules.length > 0 ? allow({ updatedPermissions: decision.rules }) : allow();
    case 'deny':
      return deny('The user said no.');
    case 'stop':
      return deny('The user said no, and stopped the turn.', { interrupt: true });
    case 'say-why': {
      const why = await asker.text('What should it do instead?', signal);
      return why === undefined ? undefined : deny(why || 'The user said no.');
    }
    default:
      return undefined;
  }
}

type Question = Extract<PermissionRequest, { kind: 'question' }>;

async function askQuestions(
  request: Question,
  { asker }: AskContext,
  signal: AbortSignal,
): Promise<PermissionDecision | undefined> {
  const answers: Record<string, string | string[]> = {};
  for (const { question, options, multiSelect } of request.input.questions) {
    const message = visible(question);
    const chosen = multiSelect
      ? await asker.several(message, options, signal)
      : await asker.one(message, options, signal);
    if (chosen === undefined) return undefined;
    answers[question] = chosen;
  }
  return answerQuestions(answers);
}
