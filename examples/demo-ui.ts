/**
 * Agents in a browser: scripted ones that work, ask for permissions, have questions and cost. `npm run demo:ui`; open the
 * printed address. With `--once` it ends when the page is served, as the tests of the examples need it.
 */
import { askInspector, inspect } from '@coxswain/inspector';
import { inMemoryCli } from '@coxswain/testkit';
import { openSession } from 'coxswain';
import { demoAgents } from './demo-ui-agents.ts';
import { openInBrowser } from './demo-ui-browser.ts';

const sessions = demoAgents().map(({ prompt, agent }) => {
  const { transport } = inMemoryCli(agent);
  const session = openSession({
    transport,
    includePartialMessages: true,
    canUseTool: askInspector(),
    allowPermissionUpdates: true,
  });
  return { session, prompt };
});
const inspector = await inspect(
  sessions.map(({ session }) => session),
  { demo: true },
);
console.log(`Open ${inspector.url}`);
// The page shows what happens to a turn; nothing is read here.
for (const { session, prompt } of sessions)
  session
    .send(prompt)
    .result()
    .catch(() => {});

if (process.argv.includes('--once')) {
  const page = await fetch(inspector.url);
  console.log(`The page is available: ${page.status}`);
} else {
  console.log('Ctrl+C ends it.');
  openInBrowser(inspector.url);
  await new Promise<void>((end) => process.once('SIGINT', end));
}
await Promise.all(sessions.map(({ session }) => session.close()));
await inspector.close();
