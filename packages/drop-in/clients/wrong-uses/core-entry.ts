import { AbortError, type Options, query, type SDKMessage } from '@anthropic-ai/claude-agent-sdk/core';

const options: Options = { abortController: new AbortController(), stderr: (data) => process.stderr.write(data) };
export async function first(): Promise<SDKMessage | undefined> {
  try {
    for await (const message of query({ prompt: 'Hello.', options })) return message;
  } catch (error) {
    if (!(error instanceof AbortError)) throw error;
  }
  return undefined;
}
export const quiet: Options = { stderr: false }; // wrong
export const text = async (): Promise<string> => (await first())?.text; // wrong
