import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { inMemoryCli, type Script, script, scriptedCli } from '@coxswain/testkit';
import { describe, expect, it } from 'vitest';
import { type PullRequest, review } from '../github-action/review.ts';

const DIFF = 'diff --git a/oars.ts b/oars.ts\n--- a/oars.ts\n+++ b/oars.ts\n@@ -1 +1 @@\n-count > 8\n+count >= 8\n';
const finding = { path: 'oars.ts', line: 1, text: 'An eight is refused.' };

describe('the example of a GitHub Action', () => {
  it('[K-1] posts one comment with the findings in files of the diff', async () => {
    const elsewhere = { path: '../../etc/passwd', line: 1, text: 'Look at this.' };
    const agent = script().otherwise((turn) =>
      turn
        .useTool('Read', { file_path: '/oars.ts' }, { result: 'count >= 8' })
        .structuredOutput({ summary: 'One defect.', findings: [finding, elsewhere] }),
    );
    await using github = await fakeGitHub(200);
    const { transport } = inMemoryCli(agent);
    expect(await review(github.pull, { transport })).toBe('https://example.org/r/1');
    expect(github.requests).toEqual([
      {
        url: '/repos/crew/boats/pulls/7/reviews',
        authorization: 'Bearer token-of-github',
        body: { event: 'COMMENT', body: 'One defect.\n- `oars.ts:1` An eight is refused.' },
      },
    ]);
  });

  it('[K-1] gives the agent no tool that writes, and no token', async () => {
    const agent = script().otherwise((turn) =>
      turn.useTool('Bash', { command: 'env' }).structuredOutput({ summary: 'Nothing.', findings: [] }),
    );
    await using github = await fakeGitHub(200);
    process.env.GITHUB_TOKEN = 'token-of-github';
    await using cli = await scriptedCli(agent);
    await review(github.pull, { cli: cli.path }).finally(() => delete process.env.GITHUB_TOKEN);
    const [run] = await cli.runs();
    expect(run?.tools[0]).toMatchObject({ name: 'Bash', outcome: 'unavailable' });
    expect(run?.envNames).not.toContain('GITHUB_TOKEN');
    expect(run?.envNames).toContain('PATH');
  });

  it.each<[string, Script, number, RegExp]>([
    ['the agent fails', script().otherwise((turn) => turn.maxTurns()), 200, /did not complete: max-turns/],
    [
      'GitHub refuses',
      script().otherwise((turn) => turn.structuredOutput({ summary: 'x', findings: [] })),
      403,
      /GitHub refused the review: 403/,
    ],
  ])('[K-1] fails if %s', async (_why, agent, status, message) => {
    await using github = await fakeGitHub(status);
    await expect(review(github.pull, { transport: inMemoryCli(agent).transport })).rejects.toThrow(message);
  });
});

async function fakeGitHub(status: number) {
  const requests: unknown[] = [];
  const server = createServer(async (request, response) => {
    const { url, headers } = request;
    requests.push({ url, authorization: headers.authorization, body: await json(request) });
    response.writeHead(status).end(JSON.stringify({ html_url: 'https://example.org/r/1' }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // it listens on a port
  const api = `http://127.0.0.1:${port}`;
  const pull: PullRequest = { api, token: 'token-of-github', repository: 'crew/boats', number: 7, diff: DIFF };
  return {
    requests,
    pull,
    async [Symbol.asyncDispose](): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
