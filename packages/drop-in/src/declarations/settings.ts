export type SettingSource = 'user' | 'project' | 'local';
export type ConfigScope = SettingSource;
export type ResolvedSettingSource = SettingSource | 'managed' | 'flag';
export type PolicySettingsOrigin = 'helper' | 'remote' | 'plist' | 'hklm' | 'file' | 'parent' | 'hkcu';

/** Settings of the CLI. The most common ones are typed; all others are accepted. */
export interface Settings {
  $schema?: string;
  apiKeyHelper?: string;
  model?: string;
  env?: Record<string, string>;
  outputStyle?: string;
  effortLevel?: 'low' | 'medium' | 'high' | 'xhigh';
  cleanupPeriodDays?: number;
  includeCoAuthoredBy?: boolean;
  enabledPlugins?: Record<string, boolean | string[]>;
  permissions?: {
    allow?: string[];
    deny?: string[];
    ask?: string[];
    defaultMode?: string;
    disableBypassPermissionsMode?: 'disable';
    additionalDirectories?: string[];
    [field: string]: unknown;
  };
  sandbox?: SandboxSettings;
  [setting: string]: unknown;
}

export type SandboxNetworkConfig = {
  allowedDomains?: string[];
  deniedDomains?: string[];
  strictAllowlist?: boolean;
  allowManagedDomainsOnly?: boolean;
  allowUnixSockets?: string[];
  allowAllUnixSockets?: boolean;
  allowLocalBinding?: boolean;
  allowMachLookup?: string[];
  httpProxyPort?: number;
  socksProxyPort?: number;
  [field: string]: unknown;
};

export type SandboxFilesystemConfig = {
  allowWrite?: string[];
  denyWrite?: string[];
  denyRead?: string[];
  allowRead?: string[];
  [field: string]: unknown;
};

export type SandboxIgnoreViolations = Record<string, string[]>;
export type SandboxCredentialsConfig = Record<string, unknown>;

export type SandboxSettings = {
  enabled?: boolean;
  failIfUnavailable?: boolean;
  autoAllowBashIfSandboxed?: boolean;
  allowUnsandboxedCommands?: boolean;
  network?: SandboxNetworkConfig;
  filesystem?: SandboxFilesystemConfig;
  credentials?: SandboxCredentialsConfig;
  ignoreViolations?: SandboxIgnoreViolations;
  excludedCommands?: string[];
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
