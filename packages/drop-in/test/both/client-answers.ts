import { apiError, text, toolUse } from '@coxswain/testkit';
import type { Answers } from './client-run.ts';

const write = (path: string, content: string) => toolUse('Write', { file_path: path, content });
const slowly = text('one two three four five six seven eight nine ten', { chunkSize: 4, everyMs: 1000 });

/** The model's answers to the prompts of the drivers in `clients/drivers`, by driver. */
export const ANSWERS = {
  acp: (project) => ({
    'Say hello.': [text('Hello from the model.')],
    'Write a file.': [write(`${project}/boat.txt`, 'one'), text('As you like.')],
    'Write it now.': [write(`${project}/boat.txt`, 'one'), text('Done.')],
    'Count slowly.': [slowly],
    'Write another.': [write(`${project}/second.txt`, 'two'), text('Done again.')],
    'What did you say first?': [text('I said hello.')],
    'Are you back?': [text('I am back.')],
  }),
  'ai-sdk': (project) => ({
    'Say hello.': [text('Hello from the model.')],
    'Say it again.': [text('Hello again.')],
    'Describe the boat.': [toolUse('StructuredOutput', { name: 'Argo', oars: 50 }), text('There.')],
    'How deep is it?': [toolUse('mcp__harbour__depth', { at: 'the pier' }), text('Four metres.')],
    'Write a file.': [write(`${project}/boat.txt`, 'one'), text('As you like.')],
    'Count slowly.': [slowly],
    'Use a bad key.': [apiError(401, { message: 'invalid x-api-key' })],
    'Be overloaded.': [apiError(529, { message: 'Overloaded' })],
  }),
  langsmith: observed,
  braintrust: observed,
  openinference: observed,
  langfuse: observed,
  mastra: observed,
} satisfies Record<string, Answers>;

/** For `tracing-run.mjs` and `mastra.mjs`. */
function observed(): ReturnType<Answers> {
  return {
    'Say hello.': [text('Hello from the model.')],
    'How deep is it?': [toolUse('mcp__harbour__depth', { at: 'the pier' }), text('Four metres.')],
  };
}
