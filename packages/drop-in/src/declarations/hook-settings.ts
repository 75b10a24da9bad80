type Common = { if?: string; timeout?: number; statusMessage?: string; once?: boolean };

type SettingsHook =
  | (Common & {
      type: 'command';
      command: string;
      args?: string[];
      shell?: 'bash' | 'powershell';
      onFailure?: 'continue' | 'block';
      async?: boolean;
      asyncRewake?: boolean;
    })
  | (Common & { type: 'prompt'; prompt: string; model?: string; continueOnBlock?: boolean })
  | (Common & { type: 'agent'; prompt: string; model?: string })
  | (Common & {
      type: 'http';
      url: string;
      onFailure?: 'continue' | 'block';
      headers?: { [name: string]: string };
      allowedEnvVars?: string[];
    })
  | (Common & { type: 'mcp_tool'; server: string; tool: string; input?: { [name: string]: unknown } });

/** The settings of hooks. */
export interface HookSettings {
  hooks?: { [event: string]: { matcher?: string; hooks: SettingsHook[] }[] };
  disableAllHooks?: boolean;
  allowManagedHooksOnly?: boolean;
  allowedHttpHookUrls?: string[];
  httpHookAllowedEnvVars?: string[];
}
