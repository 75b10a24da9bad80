import { askInspector } from '@coxswain/inspector';
import { type Client, createClient, type Session } from 'coxswain';
import { DEMO_PROMPT, demoAgent, READABLE_MS } from '../demo/agent.ts';

/** Scripted agents for `cox ui --demo`. */
export interface UiDemo extends AsyncDisposable {
  readonly client: Client;
  /** Sends the agents their first prompts. */
  begin(): void;
}

/** The prompts: one agent works and asks to edit, one has a question, one a plan, one counts until it is interrupted. */
const PROMPTS = [DEMO_PROMPT, 'ask me something', 'make a plan', 'count'];

export async function startDemo(): Promise<UiDemo> {
  const { inMemoryCli } = await import('@coxswain/testkit');
  const { transport } = inMemoryCli(demoAgent({ paceMs: READABLE_MS }));
  const client = createClient({
    transport,
    canUseTool: askInspector(),
    allowPermissionUpdates: true,
    includePartialMessages: true,
  });
  const sessions: Session[] = [];
  return {
    client,
    begin: () => {
      for (const prompt of PROMPTS) {
        const session = client.openSession();
        sessions.push(session);
        // The page shows the outcome.
        session
          .send(prompt)
          .result()
          .catch(() => {});
      }
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(sessions.map((session) => session.close()));
    },
  };
}
