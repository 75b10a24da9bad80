import { query } from '@anthropic-ai/claude-agent-sdk';

export async function ask(prompt: string): Promise<string> {
  let text = '';
  for await (const message of query({ prompt, options: { maxTurns: 1, model: 'haiku' } })) {
    if (message.type === 'result' && message.subtype === 'success') text = message.result;
    if (message.type === 'system' && message.subtype === 'init') console.log(message.session_id, message.tools.length);
    message.result; // wrong
  }
  query({ prompt, options: { maxTurn: 1 } }); // wrong
  query({ promt: prompt }); // wrong
  const wrong: number = text; // wrong
  return text + String(wrong);
}
