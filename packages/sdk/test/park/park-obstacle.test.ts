import { describe, expect, it } from 'vitest';
import type { PermissionRequest } from '../../src/callbacks/permission-request.ts';
import { PINNED_VERSION } from '../../src/cli/version.ts';
import { type ParkFacts, parkObstacle } from '../../src/park/park-obstacle.ts';

const request = { id: 'p1', kind: 'tool', toolName: 'Bash', toolUseId: 'toolu_1', input: { command: 'ls' } };

/** The facts of a request that can be parked on every release, with changes. */
function facts(changes: Partial<Omit<ParkFacts, 'request'>> = {}, asked: object = {}): ParkFacts {
  return {
    // Only the relevant fields.
    request: { ...request, ...asked } as unknown as PermissionRequest,
    ...{ hasStore: true, inTurn: true, release: PINNED_VERSION, hostServers: [], openTools: ['Bash'] },
    ...{ hasOutputSchema: false, hasBackgroundWork: false, hasSettingsFile: false },
    ...changes,
  };
}

describe('parkObstacle', () => {
  it.each([
    ['nothing', undefined, facts()],
    ['no store', 'no-store', facts({ hasStore: false })],
    ['no turn', 'no-turn', facts({ inTurn: false })],
    ['no call', 'no-turn', facts({}, { toolUseId: undefined })],
    ['an invalid call id', 'no-turn', facts({}, { toolUseId: "';ls" })],
    ['a subagent asks', 'subagent', facts({}, { agentId: 'a1' })],
    ['a subagent runs', 'subagent', facts({ openTools: ['Bash', 'Agent'] })],
    ['a subagent of an older release runs', 'subagent', facts({ openTools: ['Task', 'Bash'] })],
    ['a background task', 'background-work', facts({ hasBackgroundWork: true })],
    ['a tool of the host', 'host-tool', facts({ hostServers: ['calc'] }, { toolName: 'mcp__calc__add' })],
    ['a tool of another server', undefined, facts({ hostServers: ['calc'] }, { toolName: 'mcp__files__read' })],
    ['settings in a file', 'settings-file', facts({ hasSettingsFile: true })],
    ['structured output', undefined, facts({ hasOutputSchema: true })],
  ])('[G-8] %s: %s', (_what, obstacle, given) => expect(parkObstacle(given)).toBe(obstacle));

  it.each(['2.1.97', '2.1.197', '2.1.289', undefined])(
    '[G-8] refuses MCP tools and structured output on %s',
    (release) => {
      expect(parkObstacle(facts({ release }))).toBeUndefined();
      expect(parkObstacle(facts({ release }, { toolName: 'mcp__files__read' }))).toBe('mcp-tool');
      expect(parkObstacle(facts({ release, hasOutputSchema: true }))).toBe('structured-output');
    },
  );

  it('[G-8] accepts MCP tools and structured output from 2.1.290 on', () => {
    const both = facts({ release: '2.1.290', hasOutputSchema: true }, { toolName: 'mcp__files__read' });
    expect(parkObstacle(both)).toBeUndefined();
  });
});
