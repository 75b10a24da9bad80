import type { ApiScript } from '@coxswain/testkit';
import { decideLater, type OpenSessionOptions, type ParkedRequest, type Session, type Turn } from 'coxswain';
import { isolatedHome } from '../harness/isolated-home.ts';
import { realCli } from '../harness/real-cli.ts';
import type { StagedScript } from '../parked/measured.ts';
import { openParking, type ParkingStage } from '../parked/stage.ts';

/** A session that resumes a parked request in a configuration directory without the conversation. */
export interface Elsewhere extends AsyncDisposable {
  readonly session: Session;
  readonly turn: Turn;
}

/** A stage whose sessions are parked and resumed through the public API. */
export interface ParkStage extends ParkingStage {
  /** Sends a prompt, and parks the first request. */
  parkFirst(options?: OpenSessionOptions): Promise<ParkedRequest>;
  /** Opens a session with the parked request as read from a database. */
  elsewhere(parked: OpenSessionOptions['parked'], options?: OpenSessionOptions): Promise<Elsewhere>;
}

/** True for releases that do not wait for MCP servers, and lose structured output, when they resume. */
export function isOlder(version: string): boolean {
  return Number(version.split('.')[2]) < 290;
}

/** Opens a stage for this release. */
export async function openParkStage(script: StagedScript, version: string): Promise<ParkStage> {
  let stage: ParkingStage | undefined;
  const opened = (): ParkingStage => {
    if (!stage) throw new Error('The stage is not open yet.');
    return stage;
  };
  const api: ApiScript = script(opened);
  stage = await openParking(api, version);
  const { store } = stage;
  const started = stage;
  return {
    ...started,
    async parkFirst(options = {}) {
      const cli = realCli(version);
      const session = started.open({ sessionStore: store, cli, canUseTool: () => decideLater(), ...options });
      const turn = session.send('first prompt');
      turn.result().catch(() => {});
      for await (const item of turn.items({ permissions: true })) {
        if (item.kind === 'permission-requested') return session.park(item.id);
      }
      throw new Error('Nothing was asked.');
    },
    async elsewhere(parked, options = {}) {
      const home = await isolatedHome(started.api.url);
      const session = started.open({
        sessionStore: store,
        cli: realCli(version),
        cwd: home.project,
        parked: JSON.parse(JSON.stringify(parked)),
        ...options,
        env: { ...home.env(), ...options.env },
      });
      const turn = session.parkedTurn;
      if (!turn) throw new Error('The session has no parked turn.');
      turn.result().catch(() => {});
      return {
        session,
        turn,
        async [Symbol.asyncDispose]() {
          await session.close();
          await home[Symbol.asyncDispose]();
        },
      };
    },
  };
}
