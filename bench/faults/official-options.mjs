/** Options of Coxswain translated for the official SDK, following docs/migration.md. Options without a counterpart are left out. */
export function officialOptions(sdk, options) {
  const { cli, env, model, maxTurns, allowedTools, systemPrompt, appendSystemPrompt, cwd, resume } = options;
  const { hooks, canUseTool, mcpServers, onStderr, onElicitation, limits } = options;
  return defined({
    pathToClaudeCodeExecutable: cli,
    env: { ...process.env, ANTHROPIC_API_KEY: options.apiKey, ...env },
    model,
    maxTurns,
    allowedTools,
    systemPrompt: appendSystemPrompt
      ? { type: 'preset', preset: 'claude_code', append: appendSystemPrompt }
      : systemPrompt,
    cwd,
    resume,
    hooks: hooks && hooksOf(hooks, limits),
    canUseTool: canUseTool && permissionOf(canUseTool),
    mcpServers: mcpServers && serversOf(sdk, mcpServers),
    stderr: onStderr,
    onElicitation,
  });
}

/** The timeout of a hook is passed to the CLI, in seconds. */
function hooksOf(hooks, limits) {
  const timeout = limits?.hookTimeoutMs === undefined ? {} : { timeout: limits.hookTimeoutMs / 1_000 };
  return Object.fromEntries(
    Object.entries(hooks).map(([event, run]) => [
      event,
      [{ ...timeout, hooks: [async (input) => hookOutput(event, await run(input))] }],
    ]),
  );
}

/** An invalid return value of a scenario is passed on unchanged. */
function hookOutput(event, value) {
  if (value === undefined) return {};
  if (value?.decision !== 'allow' && value?.decision !== 'deny') return value;
  return {
    hookSpecificOutput: {
      hookEventName: event,
      permissionDecision: value.decision,
      permissionDecisionReason: value.reason ?? '',
    },
  };
}

function permissionOf(canUseTool) {
  return async (name, input, { toolUseID } = {}) => {
    const value = await canUseTool({ name, input, id: toolUseID });
    if (value?.decision === 'allow') return { behavior: 'allow', updatedInput: input };
    if (value?.decision === 'deny') return { behavior: 'deny', message: value.reason };
    return value;
  };
}

/** A server that is a function has one tool, `add`. */
function serversOf(sdk, servers) {
  return Object.fromEntries(
    Object.entries(servers).map(([name, server]) => {
      if (typeof server !== 'function') return [name, server];
      const call = async (input) => {
        const reply = await server({ method: 'tools/call', params: { name: 'add', arguments: input } });
        return reply?.result ?? reply;
      };
      return [name, sdk.createSdkMcpServer({ name, version: '1.0.0', tools: [sdk.tool('add', 'Adds', {}, call)] })];
    }),
  );
}

function defined(options) {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}
