// The wrapper of LangSmith, with a client that keeps the runs.
import process from 'node:process';
import * as sdk from '@anthropic-ai/claude-agent-sdk';
import { wrapClaudeAgentSDK } from 'langsmith/experimental/anthropic';
import { report } from './report.mjs';
import { observedRun } from './tracing-run.mjs';

const runs = new Map();
const client = {
  async createRun(run) {
    runs.set(run.id, { ...run });
  },
  async updateRun(id, run) {
    runs.set(id, { ...runs.get(id), ...run });
  },
};
await observedRun(wrapClaudeAgentSDK(sdk, { client, tracingEnabled: true }));
const traced = [...runs.values()].map(({ id, name, run_type, parent_run_id, outputs, error, end_time }) => ({
  name,
  run_type,
  parent: runs.get(parent_run_id)?.name ?? null,
  ended: end_time !== undefined,
  error,
  outputs: JSON.parse(JSON.stringify(outputs ?? null)),
  known: runs.has(id),
}));
report('runs', traced);
report(
  'runs: a tool',
  traced.some(({ run_type }) => run_type === 'tool'),
  true,
);
process.disconnect();
