import type { Conversation } from './conversation.ts';
import { failStart, resumeProblem } from './resume.ts';
import { serve } from './serve.ts';
import { type Program, timedOut } from './tasks.ts';

/** One-shot mode: the prompt is all of stdin, or on the command line, or both. */
export function* oneShot(conversation: Conversation): Program {
  const { args } = conversation;
  const problem = resumeProblem(conversation);
  if (problem !== undefined) return failStart(conversation, problem);
  const onArgv = args.words.join(' ');
  // An open, silent stdin delays the CLI by three seconds.
  while (!conversation.inputEnded && conversation.input === '') {
    const woken = yield { on: 'notice', name: 'input', ms: 3000 };
    if (woken !== timedOut) continue;
    conversation.stderr('Warning: no stdin data received in 3s, proceeding without it.');
    break;
  }
  while (!conversation.inputEnded && conversation.input !== '') yield { on: 'notice', name: 'input', ms: null };
  const text = [onArgv, conversation.input].filter((part) => part !== '').join('\n');
  if (text === '') {
    conversation.stderr(
      'Error: Input must be provided either through stdin or as a prompt argument when using --print',
    );
    return conversation.exit(1);
  }
  conversation.inputEnded = true;
  conversation.prompts.push({ uuid: undefined, content: text, text, timestamp: conversation.timestamp() });
  yield* serve(conversation);
}
