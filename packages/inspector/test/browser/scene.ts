import { inMemoryCli, type Script } from '@coxswain/testkit';
import { type AgentOptions, openSession, type Session } from 'coxswain';
import { askInspector, type InspectOptions, type Inspector, inspect } from '../../src/index.ts';

/** A scripted agent with an inspector, closed together. */
export interface Scene extends AsyncDisposable {
  readonly session: Session;
  readonly inspector: Inspector;
  /** For further sessions with the same agent. */
  readonly transport: ReturnType<typeof inMemoryCli>['transport'];
  /** What the agent's CLI has received and run. */
  readonly runs: ReturnType<typeof inMemoryCli>['runs'];
}

/** Opens a session on a scripted agent and an inspector that shows it. */
export async function scene(agent: Script, options: AgentOptions = {}, how: InspectOptions = {}): Promise<Scene> {
  const { transport, runs } = inMemoryCli(agent);
  const session = openSession({ transport, includePartialMessages: true, canUseTool: askInspector(), ...options });
  const inspector = await inspect(session, how);
  return {
    session,
    inspector,
    transport,
    runs,
    [Symbol.asyncDispose]: async () => {
      await Promise.all([session.close(), inspector.close()]);
    },
  };
}

/** Sends a prompt; the page shows its outcome. */
export function send(session: Session, prompt: string): void {
  session
    .send(prompt)
    .result()
    .catch(() => {});
}

/** A question for AskUserQuestion. */
export const QUESTION = {
  question: 'Which boat?',
  header: 'Boat',
  multiSelect: false,
  options: [
    { label: 'Eight', description: 'eight rowers' },
    { label: 'Single', description: 'one rower' },
  ],
};
