type Text = { [name: string]: string };
type Values = { [name: string]: string | number | boolean | string[] };
type Any = { [field: string]: unknown };
type GitOptions = { ref?: string; path?: string; sparsePaths?: string[]; skipLfs?: boolean };
type NpmSource = { source: 'npm'; package: string; version?: string; registry?: string };

/** Where a marketplace of plugins is. */
type MarketplaceSource =
  | { source: 'url'; url: string; headers?: Text; headersHelper?: string }
  | ({ source: 'github'; repo: string } & GitOptions)
  | ({ source: 'git'; url: string } & GitOptions)
  | NpmSource
  | { source: 'file'; path: string }
  | { source: 'directory'; path: string }
  | { source: 'skills-dir' }
  | { source: 'hostPattern'; hostPattern: string }
  | { source: 'pathPattern'; pathPattern: string }
  | {
      source: 'settings';
      name: string;
      plugins: ListedPlugin[];
      owner?: { name: string; email?: string; url?: string };
    };

type ListedPlugin = {
  name: string;
  source:
    | string
    | NpmSource
    | { source: 'url'; url: string; ref?: string; sha?: string }
    | { source: 'github'; repo: string; ref?: string; sha?: string }
    | { source: 'git-subdir'; url: string; path: string; ref?: string; sha?: string }
    | { source: 'archive'; url: string; sha256?: string }
    | { source: 'command'; command: string; timeout?: number; mode?: 'copy' | 'link' }
    | { source: 'unsupported'; error?: string };
  description?: string;
  version?: string;
  strict?: boolean;
  engines?: Any;
  headers?: Text;
  headersHelper?: string;
};

type Marketplaces = {
  [name: string]: {
    source: MarketplaceSource;
    installLocation?: string;
    autoUpdate?: boolean;
    pluginDigests?: { [plugin: string]: string[] };
  };
};

/** The settings of plugins, skills and marketplaces. */
export interface PluginSettings {
  enabledPlugins?: { [plugin: string]: boolean | string[] | Any };
  prependPlugins?: string[];
  appendPlugins?: string[];
  pluginConfigs?: { [plugin: string]: { mcpServers?: { [server: string]: Values }; options?: Values } | Any };
  pluginTrustMessage?: string;
  pluginSuggestionMarketplaces?: string[];
  extraKnownMarketplaces?: Marketplaces;
  additionalMarketplaces?: Marketplaces;
  strictKnownMarketplaces?: MarketplaceSource[];
  allowedMarketplaces?: MarketplaceSource[];
  blockedMarketplaces?: MarketplaceSource[];
  disableCommandPluginSources?: boolean;
  disableSideloadFlags?: boolean;
  strictPluginOnlyCustomization?: boolean | ('skills' | 'agents' | 'hooks' | 'mcp')[];
  allowedChannelPlugins?: { marketplace: string; plugin: string }[];
  channelsEnabled?: boolean;
  syncClaudeAiSkills?: boolean;
  syncClaudeAiPlugins?: boolean;
  skillListingMaxDescChars?: number;
  skillListingBudgetFraction?: number;
  skillOverrides?: { [skill: string]: 'off' | 'on' | 'name-only' | 'user-invocable-only' };
  disableBundledSkills?: boolean;
  disableSkillShellExecution?: boolean;
}
