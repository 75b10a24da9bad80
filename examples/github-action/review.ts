/** Reviews a pull request: the workflow is review.yml. The agent reads; only this program writes, and only one review. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { type AgentOptions, outcomeOf, permissions, query } from 'coxswain';
import { z } from 'zod';

// #region schema
const Review = z.object({
  summary: z.string(),
  findings: z.array(z.object({ path: z.string(), line: z.number().int().positive(), text: z.string() })).max(20),
});
// #endregion

/** What the workflow passes. */
export interface PullRequest {
  readonly api: string;
  readonly token: string;
  readonly repository: string;
  readonly number: number;
  readonly diff: string;
}

// #region review
/** The URL of the review. Tests pass options that choose the CLI. */
export async function review(pull: PullRequest, options: AgentOptions = {}): Promise<string> {
  const stream = query(
    // The diff was written by a stranger, who may address the model: see the rules and the environment below.
    `Review this diff. Report only defects: what breaks, for which input.\n<diff>\n${pull.diff.slice(0, 200_000)}\n</diff>`,
    {
      ...options,
      ...permissions({ allow: ['Read', 'Grep', 'Glob'], deny: ['Bash', 'Edit', 'Write', 'WebFetch', 'WebSearch'] }),
      permissionMode: 'dontAsk',
      settingSources: [], // the branch may contain settings and hooks of the stranger
      strictMcpConfig: true,
      inheritEnv: ['PATH', 'HOME', 'ANTHROPIC_API_KEY', 'ANTHROPIC_BASE_URL'], // not GITHUB_TOKEN
      outputSchema: Review,
      maxTurns: 30,
      maxBudgetUsd: 1,
      timeoutMs: 10 * 60_000,
    },
  );
  const outcome = outcomeOf(await stream.result());
  if (outcome.kind !== 'completed') throw new Error(`The review did not complete: ${outcome.kind}.`);
  const { summary, findings } = await stream.output();
  const inDiff = new Set([...pull.diff.matchAll(/^\+\+\+ b\/(.+)$/gm)].map(([, path]) => path));
  const shown = findings.filter(({ path }) => inDiff.has(path));
  const response = await fetch(`${pull.api}/repos/${pull.repository}/pulls/${pull.number}/reviews`, {
    method: 'POST',
    headers: { authorization: `Bearer ${pull.token}`, accept: 'application/vnd.github+json' },
    body: JSON.stringify({
      event: 'COMMENT', // it never approves, and never blocks
      body: [summary, ...shown.map(({ path, line, text }) => `- \`${path}:${line}\` ${text}`)].join('\n'),
    }),
    signal: AbortSignal.timeout(30_000),
  });
  if (!response.ok) throw new Error(`GitHub refused the review: ${response.status} ${await response.text()}`);
  return z.object({ html_url: z.string() }).parse(await response.json()).html_url;
}
// #endregion

// #region main
if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { GITHUB_EVENT_PATH = '', GITHUB_REPOSITORY = '', GITHUB_TOKEN = '', GITHUB_API_URL = '' } = process.env;
  const event = z
    .object({ pull_request: z.object({ number: z.number(), base: z.object({ sha: z.string() }) }) })
    .parse(JSON.parse(readFileSync(GITHUB_EVENT_PATH, 'utf8')));
  const { number, base } = event.pull_request;
  const diff = execFileSync('git', ['diff', `${base.sha}...HEAD`], { encoding: 'utf8', maxBuffer: 64 * 2 ** 20 });
  console.log(await review({ api: GITHUB_API_URL, token: GITHUB_TOKEN, repository: GITHUB_REPOSITORY, number, diff }));
}
// #endregion
