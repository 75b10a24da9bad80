import type { HookSettings } from './hook-settings.ts';
import type { ManagedSettings } from './managed-settings.ts';
import type { PermissionMode } from './permissions.ts';
import type { PluginSettings } from './plugin-settings.ts';
import type { SandboxSettings } from './sandbox.ts';
import type { TerminalSettings } from './terminal-settings.ts';

export type SettingSource = 'user' | 'project' | 'local';
export type ConfigScope = SettingSource;
export type ResolvedSettingSource = SettingSource | 'managed' | 'flag';
export type PolicySettingsOrigin = 'helper' | 'remote' | 'plist' | 'hklm' | 'file' | 'parent' | 'hkcu';

/** Settings of the CLI. Unknown ones are accepted. */
export interface Settings extends HookSettings, ManagedSettings, PluginSettings, TerminalSettings {
  $schema?: string;
  env?: Record<string, string>;
  permissions?: PermissionSettings;
  sandbox?: Defined<SandboxSettings>;
  autoMode?: {
    allow?: string[];
    soft_deny?: string[];
    hard_deny?: string[];
    environment?: string[];
    classifyAllShell?: boolean;
  };
  skipDangerousModePermissionPrompt?: boolean;
  skipAutoPermissionPrompt?: boolean;
  useAutoModeDuringPlan?: boolean;

  model?: string;
  fallbackModel?: string[];
  availableModels?: string[];
  enforceAvailableModels?: boolean;
  availableModelsMatch?: 'prefix' | 'exact';
  deniedModels?: string[];
  modelOverrides?: { [model: string]: string };
  modelPicker?: {
    options: { model: string; label?: string; description?: string; behavesAs?: string }[];
    replaceBuiltInOptions?: boolean;
  };
  modelPricing?: {
    multiplier?: number;
    overrides?: { [model: string]: { input: number; output: number; cacheRead: number; cacheWrite: number } };
  };
  modelSettings?: {
    [model: string]: {
      effortLevel?: Effort;
      maxEffortLevel?: Effort | 'max';
      autoCompactWindow?: number | 'auto';
      [field: string]: unknown;
    };
  };
  advisorModel?: string;
  switchModelsOnFlag?: boolean;
  effortLevel?: Effort;
  maxEffortLevel?: Effort | 'max';
  ultracode?: boolean;
  alwaysThinkingEnabled?: boolean;
  fastMode?: boolean;
  fastModePerSessionOptIn?: boolean;
  promptCacheTtl?: '5m' | '1h';
  subagentPromptCacheTtl?: '5m' | '1h';
  autoContinueAtUsageLimit?: boolean;

  outputStyle?: string;
  agent?: string;
  claudeMd?: string;
  claudeMdExcludes?: string[];
  plansDirectory?: string;
  autoMemoryEnabled?: boolean;
  autoMemoryDirectory?: string;
  autoDreamEnabled?: boolean;
  autoCompactEnabled?: boolean;
  autoCompactWindow?: number;
  precomputeCompactionEnabled?: boolean;
  idleCompaction?: boolean;
  fileCheckpointingEnabled?: boolean;
  cleanupPeriodDays?: number;
  desktopSessionCleanupPeriodDays?: number;
  includeCoAuthoredBy?: boolean;
  includeGitInstructions?: boolean;
  attribution?: boolean | { commit?: string; pr?: string; sessionUrl?: boolean; [field: string]: unknown };
  attributionProject?: string;
  attributionProjectPolicy?: { default?: string };
  worktree?: {
    symlinkDirectories?: string[];
    sparsePaths?: string[];
    baseRef?: 'fresh' | 'head';
    bgIsolation?: 'none' | 'worktree';
    location?: string;
  };
  defaultShell?: 'bash' | 'powershell';
  bashOutputMaxChars?: number;
  taskOutputMaxChars?: number;
  skipWebFetchPreflight?: boolean;
  enableArtifact?: boolean;
  enableWorkflows?: boolean;
  workflowSizeGuideline?: 'unrestricted' | 'small' | 'medium' | 'large';
  teammateMode?: 'auto' | 'iterm2' | 'tmux' | 'in-process';
  remote?: { defaultEnvironmentId?: string };
  remoteControlAtStartup?: boolean;
  autoUploadSessions?: boolean;
  isolatePeerMachines?: boolean;
  crossSessionInbound?: 'accept' | 'hold' | 'refuse';
  daemonColdStart?: 'ask' | 'transient';
  autoUpdatesChannel?: 'latest' | 'stable' | 'rc';
  sshConfigs?: {
    id: string;
    name: string;
    sshHost: string;
    sshPort?: number;
    sshIdentityFile?: string;
    startDirectory?: string;
  }[];
  sshHostCommands?: unknown[];
  [setting: string]: unknown;
}

/** Without `undefined` at any depth: a file of settings has none. */
type Defined<T> = T extends (infer Element)[]
  ? Defined<Element>[]
  : T extends object
    ? { [K in keyof T]: Defined<Exclude<T[K], undefined>> }
    : T;

type Effort = 'low' | 'medium' | 'high' | 'xhigh';

type PermissionSettings = {
  allow?: string[];
  deny?: string[];
  ask?: string[];
  defaultMode?: PermissionMode;
  disableBypassPermissionsMode?: 'disable';
  disableAutoMode?: 'disable';
  additionalDirectories?: string[];
  blockReadsOutsideWorkingDirectories?: boolean;
  blockWritesOutsideWorkingDirectories?: boolean;
  blockReadsExemptPaths?: string[];
  workingDirectoriesAsGiven?: string[];
  denyInsteadOfPrompting?: boolean;
  [field: string]: unknown;
};

export type ProvenanceEntry = { source: ResolvedSettingSource; path?: string; policyOrigin?: PolicySettingsOrigin };

export type ResolveSettingsOptions = {
  cwd?: string;
  settingSources?: SettingSource[];
  managedSettings?: Settings;
  serverManagedSettings?: Settings;
};

/** The effective settings and their sources. */
export type ResolvedSettings = {
  effective: Settings;
  provenance: Partial<Record<keyof Settings, ProvenanceEntry>>;
  sources: Array<{
    source: ResolvedSettingSource;
    settings: Settings;
    path?: string;
    policyOrigin?: PolicySettingsOrigin;
  }>;
  machinePolicy?: { didNotLoad: false | Array<'profile' | 'registry' | 'file'> };
};

export type DeniedModelsMatch = { denied: boolean[]; warnings: string[] };
