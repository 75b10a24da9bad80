/**
 * The hint for an option of the official SDK that has another name here or does not exist; options with the same
 * name are not listed. `docs/migration.md` lists all of them.
 */
export function officialHint(name: string): string | undefined {
  const instead = Object.hasOwn(INSTEAD, name) ? INSTEAD[name] : undefined;
  if (instead === undefined) return undefined;
  return `is an option of the official SDK; ${instead === NOTHING ? instead : `here it is ${instead}`}.`;
}

const NOTHING = 'there is no equivalent here, so leave it out';

const INSTEAD: Readonly<Record<string, string>> = {
  abortController: 'signal: pass controller.signal',
  additionalDirectories: 'addDirs',
  debugFile: "extraArgs: { 'debug-file': path }",
  enableFileCheckpointing: 'fileCheckpointing',
  executable: 'cli, a path, or spawn',
  executableArgs: 'spawn, or a wrapper script as cli',
  includeHookEvents: "extraArgs: { 'include-hook-events': true }",
  loadTimeoutMs: 'limits.storeLoadMs',
  managedSettings: "extraArgs: { 'managed-settings': json }",
  onUserDialog: 'onControlRequest',
  outputFormat: 'outputSchema: the schema itself',
  pathToClaudeCodeExecutable: 'cli',
  perTaskStopAffordance: NOTHING,
  permissionPromptToolName: 'permissionPromptTool',
  permissionPrompts: "extraArgs: { 'permission-prompts': 'none' }",
  pluginDelivery: 'plugins, which are always passed by flag: leave it out',
  projectConfigRoot: "extraArgs: { 'project-config-root': path }",
  resumeDropsTurn: "extraArgs: { 'resume-drops-turn': id }",
  resumeSessionAt: 'resumeAt',
  sessionStoreFlush: NOTHING,
  skills: "allowedTools: ['Skill(name)']",
  spawnClaudeCodeProcess: 'spawn, or transport',
  stderr: 'onStderr, which receives whole lines',
  supportedDialogKinds: 'onControlRequest',
  toolConfig: "env: { CLAUDE_CODE_QUESTION_PREVIEW_FORMAT: 'html' }",
  verbatimPrompts: 'session.push() with your own frame',
};
