import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { askInspector, inspect } from '@coxswain/inspector';
import { createClient, deny } from 'coxswain';

{
  // #region client
  const client = createClient({
    canUseTool: askInspector(), // permissions, questions and plans wait for a person
    includePartialMessages: true, // text appears while the model writes it
  });
  await using inspector = await inspect(client);
  console.log(`Open ${inspector.url}`);

  const answer = await client.query('How many rowers has an eight?').text();
  // #endregion
  console.log(answer);
}

{
  // #region first
  const client = createClient({
    canUseTool: askInspector((request) => {
      if (request.toolName === 'WebFetch') return deny('No network in this program.');
      return undefined; // a person decides
    }),
  });
  // #endregion
  console.log(typeof client.defaults.canUseTool);
}

{
  const client = createClient();
  const userOf = async (request: Request): Promise<string | undefined> =>
    request.headers.get('x-user-of-my-proxy') ?? undefined;
  // #region remote
  const inspector = await inspect(client, {
    host: '0.0.0.0',
    port: Number(process.env.PORT ?? 0),
    allowedHosts: ['agents.example.com'], // exactly what browsers have in their address bar
    async auth(request) {
      const user = await userOf(request); // your own session, a header of your proxy …
      return user === undefined ? undefined : { user };
    },
    onAudit: ({ by, action, note }) => console.log(`${by}: ${action} ${note}`),
  });
  // #endregion
  console.log(`port ${inspector.port}`);
  await inspector.close();
}

{
  const client = createClient();
  const folder = await mkdtemp(join(tmpdir(), 'inspector-push-'));
  // #region push
  const inspector = await inspect(client, {
    push: {
      subject: 'mailto:ops@example.com', // whom a push service can ask about the messages
      file: join(folder, 'push.json'), // the keys of the server and the subscribed browsers
    },
  });
  // #endregion
  await inspector.close();
  await rm(folder, { recursive: true, force: true });
}
