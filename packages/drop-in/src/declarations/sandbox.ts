// `| undefined` is for programs that compile with `exactOptionalPropertyTypes`.
export type SandboxNetworkConfig = {
  allowedDomains?: string[] | undefined;
  deniedDomains?: string[] | undefined;
  strictAllowlist?: boolean | undefined;
  allowManagedDomainsOnly?: boolean | undefined;
  allowUnixSockets?: string[] | undefined;
  allowAllUnixSockets?: boolean | undefined;
  allowLocalBinding?: boolean | undefined;
  allowMachLookup?: string[] | undefined;
  httpProxyPort?: number | undefined;
  socksProxyPort?: number | undefined;
  tlsTerminate?: { caCertPath?: string | undefined; caKeyPath?: string | undefined } | undefined;
};

export type SandboxFilesystemConfig = {
  allowWrite?: string[] | undefined;
  denyWrite?: string[] | undefined;
  denyRead?: string[] | undefined;
  allowRead?: string[] | undefined;
  allowManagedReadPathsOnly?: boolean | undefined;
  disabled?: boolean | undefined;
};

export type SandboxIgnoreViolations = Record<string, string[]>;

type Credential = {
  mode: 'deny' | 'mask';
  extract?: string | undefined;
  onExtractNoMatch?: 'deny' | 'error' | 'warn' | undefined;
  decode?: 'jwt' | undefined;
  maskClaims?: string[] | undefined;
  injectHosts?: string[] | undefined;
};

/** Which secrets commands in the sandbox may read. */
export type SandboxCredentialsConfig = {
  files?: (Credential & { path: string; maskDuplicates?: boolean | undefined })[] | undefined;
  envVars?: (Credential & { name: string })[] | undefined;
  allowPlaintextInject?: boolean | undefined;
  awsPairs?: { accessKeyIdVar: string; secretAccessKeyVar: string; sessionTokenVar?: string | undefined }[] | undefined;
  sigv4?:
    | {
        streaming?: 'deny' | 'passthrough' | undefined;
        presigned?: 'deny' | 'passthrough' | undefined;
        sigv4a?: 'deny' | 'passthrough' | undefined;
      }
    | undefined;
};

export type SandboxSettings = {
  enabled?: boolean | undefined;
  failIfUnavailable?: boolean | undefined;
  autoAllowBashIfSandboxed?: boolean | undefined;
  allowUnsandboxedCommands?: boolean | undefined;
  network?: SandboxNetworkConfig | undefined;
  filesystem?: SandboxFilesystemConfig | undefined;
  credentials?: SandboxCredentialsConfig | undefined;
  ignoreViolations?: SandboxIgnoreViolations | undefined;
  excludedCommands?: string[] | undefined;
  enableWeakerNestedSandbox?: boolean | undefined;
  allowNestedUserNamespaces?: boolean | undefined;
  enableWeakerNetworkIsolation?: boolean | undefined;
  allowAppleEvents?: boolean | undefined;
  ripgrep?: { command: string; args?: string[] | undefined } | undefined;
  bwrapPath?: string | undefined;
  socatPath?: string | undefined;
  [field: string]: unknown;
};
