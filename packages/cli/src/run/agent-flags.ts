import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { isObject } from '@coxswain/shared/is-object';
import type { AgentOptions, OutputSchema, SettingSource } from 'coxswain';
import { UsageError } from '../exit-codes.ts';

/** The flags that configure the agent and its permissions; `run`, `chat` and `record` share them. */
export interface AgentFlags {
  readonly model?: string;
  readonly effort?: string;
  readonly systemPrompt?: string;
  readonly appendSystemPrompt?: string;
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  readonly permissionMode?: string;
  readonly allowDangerouslySkipPermissions?: boolean;
  readonly maxTurns?: number;
  readonly maxBudgetUsd?: number;
  readonly resume?: string;
  readonly continue?: boolean;
  readonly fork?: boolean;
  readonly persist?: boolean;
  readonly cwd?: string;
  readonly addDir?: readonly string[];
  readonly mcpConfig?: string;
  readonly settingSources?: readonly SettingSource[];
  readonly timeout?: number;
  readonly cli?: string;
  readonly cliVersion?: string;
  readonly demo?: boolean;
}

/** The session options for these flags; flags that are not given are left out. */
export function agentOptions(flags: AgentFlags): AgentOptions {
  if (flags.resume !== undefined && flags.continue) throw new UsageError('--resume and --continue cannot be combined.');
  if (flags.fork && flags.resume === undefined && !flags.continue) {
    throw new UsageError('--fork needs --resume <id> or --continue: it continues in a copy of a conversation.');
  }
  return {
    model: flags.model,
    effort: flags.effort,
    systemPrompt: flags.systemPrompt,
    appendSystemPrompt: flags.appendSystemPrompt,
    allowedTools: flags.allow,
    disallowedTools: flags.deny,
    permissionMode: flags.permissionMode,
    allowDangerouslySkipPermissions: flags.allowDangerouslySkipPermissions,
    maxTurns: flags.maxTurns,
    maxBudgetUsd: flags.maxBudgetUsd,
    resume: flags.resume,
    continue: flags.continue,
    forkSession: flags.fork,
    persistSession: flags.persist === false ? false : undefined,
    cwd: flags.cwd,
    addDirs: flags.addDir,
    mcpConfigPath: flags.mcpConfig === undefined ? undefined : resolve(flags.mcpConfig),
    settingSources: flags.settingSources,
    timeoutMs: flags.timeout === undefined ? undefined : Math.max(1, Math.round(flags.timeout * 1000)),
    cli: flags.cli,
    cliVersion: flags.cliVersion,
  };
}

/** The JSON Schema in a file. @throws UsageError */
export async function schemaIn(file: string): Promise<OutputSchema> {
  try {
    const schema: unknown = JSON.parse(await readFile(file, 'utf8'));
    if (isObject(schema)) return schema;
  } catch (error) {
    throw new UsageError(`--schema ${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
  throw new UsageError(`--schema ${file} is not a JSON Schema: it must be an object.`);
}
