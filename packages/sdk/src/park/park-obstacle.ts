import { compareVersions } from '@coxswain/shared/version';
import type { PermissionRequest } from '../callbacks/permission-request.ts';
import type { ParkObstacle } from '../errors/park.ts';
import { isToolOf } from '../options/server-names.ts';
import { isCallId } from './open-calls.ts';

/** What decides whether a request can be parked. */
export interface ParkFacts {
  readonly request: PermissionRequest;
  readonly hasStore: boolean;
  /** Whether the request belongs to a turn. */
  readonly inTurn: boolean;
  readonly release: string | undefined;
  /** The names of the tool servers in this process. */
  readonly hostServers: readonly string[];
  /** Whether the settings are in a file, to which no hook can be added. */
  readonly hasSettingsFile: boolean;
  readonly hasOutputSchema: boolean;
  readonly hasBackgroundWork: boolean;
  /** The names of the tools that the model has called and that have no result in the store. */
  readonly openTools: readonly string[];
}

/** Why a request cannot be parked; undefined if it can. Measured on the releases of docs/compatibility.md. */
export function parkObstacle(facts: ParkFacts): ParkObstacle | undefined {
  const { request, hostServers, release } = facts;
  if (!facts.hasStore) return 'no-store';
  if (request.agentId !== undefined) return 'subagent';
  if (!facts.inTurn || !isCallId(request.toolUseId)) return 'no-turn';
  if (hostServers.some((server) => isToolOf(server, request.toolName))) return 'host-tool';
  if (facts.hasSettingsFile) return 'settings-file';
  if (facts.hasBackgroundWork) return 'background-work';
  // A subagent called in the same message would start from the beginning.
  if (facts.openTools.some((tool) => AGENT_TOOLS.has(tool))) return 'subagent';
  if (release !== undefined && compareVersions(release, WAITS_SINCE) >= 0) return undefined;
  if (request.toolName.startsWith('mcp__')) return 'mcp-tool';
  return facts.hasOutputSchema ? 'structured-output' : undefined;
}

const AGENT_TOOLS: ReadonlySet<string> = new Set(['Agent', 'Task']);

/** The first measured release that waits for MCP servers and keeps structured output when it resumes a parked request. */
const WAITS_SINCE = '2.1.290';
