/** The problem with a name that is not in the list of known ones. */
export function unknownName(kind: string, name: string, known: readonly string[]): string {
  const meant = suggest(name, known);
  if (meant !== undefined) return `is not a known ${kind}. Did you mean ${meant}?`;
  return known.length > 12 ? `is not a known ${kind}.` : `is not a known ${kind}; known are ${known.join(', ')}.`;
}

/** The known name that `name` was probably meant to be. */
export function suggest(name: string, known: readonly string[]): string | undefined {
  const folded = fold(name);
  let best: string | undefined;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const candidate of known) {
    const other = fold(candidate);
    // One slip in a short word, two in a long one: with more, `hooks` would suggest `tools`.
    const allowed = Math.min(folded.length, other.length) > 5 ? 2 : 1;
    if (Math.abs(folded.length - other.length) > allowed) continue;
    const distance = editDistance(folded, other);
    if (distance <= allowed && distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/**
 * The hint for an option of the official SDK (0.3.325) that has another name here or does not exist; options with the same
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
  agentProgressSummaries: NOTHING,
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
  planModeInstructions: NOTHING,
  pluginDelivery: 'plugins, which are always passed by flag: leave it out',
  projectConfigRoot: "extraArgs: { 'project-config-root': path }",
  resumeDropsTurn: "extraArgs: { 'resume-drops-turn': id }",
  resumeSessionAt: 'resumeAt',
  sessionStoreFlush: NOTHING,
  skills: "allowedTools: ['Skill(name)']",
  spawnClaudeCodeProcess: 'spawn, or transport',
  stderr: 'onStderr, which receives whole lines',
  supportedDialogKinds: 'onControlRequest',
  toolAliases: NOTHING,
  toolConfig: "env: { CLAUDE_CODE_QUESTION_PREVIEW_FORMAT: 'html' }",
  verbatimPrompts: 'session.push() with your own frame',
};

/** `max_turns`, `max-turns` and `maxTurns` are the same word. */
function fold(name: string): string {
  return name.replace(/[-_\s]/g, '').toLowerCase();
}

/** Insertions, deletions, replacements and swaps of neighbours between two words. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      let cost = Math.min(at(last, column) + 1, at(current, column - 1) + 1, at(last, column - 1) + (same ? 0 : 1));
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        cost = Math.min(cost, at(beforeLast, column - 2) + 1);
      }
      current.push(cost);
    }
    [beforeLast, last] = [last, current];
  }
  return at(last, b.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
