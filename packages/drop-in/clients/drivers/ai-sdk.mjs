// Drives the Claude Code provider of the AI SDK through `ai`.
import process from 'node:process';
import { generateObject, generateText, streamText } from 'ai';
import { createClaudeCode, createCustomMcpServer, isAuthenticationError } from 'ai-sdk-provider-claude-code';
import { z } from 'zod';
import { failure, report } from './report.mjs';

const created = [];
const calls = [];
const claude = createClaudeCode({
  defaultSettings: {
    cwd: process.env.DRIVER_PROJECT,
    pathToClaudeCodeExecutable: process.env.CLAUDE_CODE_EXECUTABLE,
    logger: false,
    onQueryCreated: (query) => created.push(query),
  },
});
const harbour = createCustomMcpServer({
  name: 'harbour',
  tools: {
    depth: {
      description: 'The depth of the water.',
      inputSchema: z.object({ at: z.string() }),
      handler: async (args) => {
        calls.push(args);
        return { content: [{ type: 'text', text: 'four metres' }] };
      },
    },
  },
});

const generated = await generateText({ model: claude('sonnet'), prompt: 'Say hello.' });
report('generateText', generated.text, 'Hello from the model.');
report('generateText: reason', generated.finishReason, 'stop');
report('generateText: usage', generated.usage);
report('generateText: metadata', metadataOf(generated));
report('generateText: warnings', generated.warnings);
const { sessionId } = generated.providerMetadata['claude-code'];

const streamed = streamText({ model: claude('sonnet', { resume: sessionId }), prompt: 'Say it again.' });
const parts = [];
for await (const part of streamed.fullStream) parts.push(part.type);
report('streamText: parts', once(parts));
report('streamText: text', await streamed.text, 'Hello again.');
report('streamText: resumed', (await streamed.providerMetadata)['claude-code'].sessionId === sessionId, true);

const boat = z.object({ name: z.string(), oars: z.number() });
const objects = { model: claude('sonnet'), schema: boat };
const made = await generateObject({ ...objects, prompt: 'Describe the boat.' });
report('object output', made.object, { name: 'Argo', oars: 50 });
const withTool = claude('sonnet', { mcpServers: { harbour }, allowedTools: ['mcp__harbour__depth'] });
const asked = streamText({ model: withTool, prompt: 'How deep is it?' });
const seen = [];
for await (const part of asked.fullStream) {
  if (part.type.startsWith('tool-')) seen.push(pick(part, ['type', 'toolName', 'input', 'output', 'dynamic']));
}
report('tool: text', await asked.text, 'Four metres.');
report('tool: called with', calls, [{ at: 'the pier' }]);
report('tool: parts', seen);

const refused = [];
async function noteTool({ tool_name }) {
  refused.push(tool_name);
  return {};
}
const guarded = claude('sonnet', {
  canUseTool: async (name, input) => {
    refused.push([name, input]);
    return { behavior: 'deny', message: 'Not here.' };
  },
  hooks: { PreToolUse: [{ matcher: 'Write', hooks: [noteTool] }] },
  permissionMode: 'default',
});
report('denied: text', (await generateText({ model: guarded, prompt: 'Write a file.' })).text, 'As you like.');
report('denied: asked', refused);

const controller = new AbortController();
const aborted = streamText({
  model: claude('sonnet'),
  prompt: 'Count slowly.',
  abortSignal: controller.signal,
  onError: () => {},
});
const abortedParts = [];
const abortFailure = await failure(
  (async () => {
    for await (const part of aborted.fullStream) {
      abortedParts.push(part.type);
      if (part.type === 'text-delta') controller.abort(new Error('enough'));
    }
  })(),
);
report('abort: parts', once(abortedParts));
report('abort: error', abortFailure?.message);

for (const prompt of ['Use a bad key.', 'Be overloaded.']) {
  const error = await failure(generateText({ model: claude('sonnet'), prompt, maxRetries: 0 }));
  report(`error: ${prompt}`, {
    name: error?.name,
    message: error?.message,
    authentication: isAuthenticationError(error),
    retryable: error?.isRetryable,
    data: error?.data,
  });
}
const missing = claude('sonnet', { pathToClaudeCodeExecutable: '/no/such/claude' });
const notFound = await failure(generateText({ model: missing, prompt: 'Say hello.', maxRetries: 0 }));
report('error: no executable', [notFound?.name, notFound?.message.split('. ')[0]]);

report('queries created', created.length);
process.disconnect();

function metadataOf({ providerMetadata }) {
  const { durationMs, ...rest } = providerMetadata['claude-code'];
  return { ...rest, timed: typeof durationMs };
}

function pick(part, names) {
  return Object.fromEntries(names.filter((name) => name in part).map((name) => [name, part[name]]));
}

/** Repeats of one kind stand once. */
function once(kinds) {
  return kinds.filter((one, index) => one !== kinds[index - 1]);
}
