// The run that every tracing wrapper observes: a question, an in-process tool, a hook, and methods of the query object.
import process from 'node:process';
import { z } from 'zod';
import { report } from './report.mjs';

/**
 * Runs it on a wrapped SDK and reports the results of the wrapper.
 * @param {typeof import('@anthropic-ai/claude-agent-sdk')} sdk
 */
export async function observedRun({ query, tool, createSdkMcpServer }) {
  const hooked = [];
  const noteTool = async ({ tool_name }) => {
    hooked.push(tool_name);
    return {};
  };
  const depth = tool('depth', 'The depth of the water.', { at: z.string() }, async ({ at }) => ({
    content: [{ type: 'text', text: `four metres at ${at}` }],
  }));
  const running = query({
    prompt: 'How deep is it?',
    options: {
      cwd: process.env.DRIVER_PROJECT,
      pathToClaudeCodeExecutable: process.env.CLAUDE_CODE_EXECUTABLE,
      model: 'sonnet',
      mcpServers: { harbour: createSdkMcpServer({ name: 'harbour', tools: [depth] }) },
      allowedTools: ['mcp__harbour__depth'],
      hooks: { PreToolUse: [{ hooks: [noteTool] }] },
    },
  });
  const kinds = [];
  let models;
  let usage;
  for await (const message of running) {
    kinds.push([message.type, message.subtype].filter(Boolean).join(' '));
    if (message.type === 'system' && message.subtype === 'init') {
      models = (await running.supportedModels?.())?.map(({ value }) => value);
      usage = typeof (await running.getContextUsage?.())?.totalTokens;
    }
  }
  report('messages', kinds);
  report('hook of the program', hooked, ['mcp__harbour__depth']);
  report('supportedModels()', models);
  report('getContextUsage()', usage);
}
