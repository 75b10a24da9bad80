// The wrapper of Braintrust, with the logger that Braintrust's own tests use.
import process from 'node:process';
import * as sdk from '@anthropic-ai/claude-agent-sdk';
import { _exportsForTestingOnly, initLogger, wrapClaudeAgentSDK } from 'braintrust';
import { report } from './report.mjs';
import { observedRun } from './tracing-run.mjs';

await _exportsForTestingOnly.simulateLoginForTests();
const logger = _exportsForTestingOnly.useTestBackgroundLogger();
initLogger({ projectName: 'driver', projectId: 'driver' });
await observedRun(wrapClaudeAgentSDK(sdk));
const rows = await logger.drain();
const names = new Map(rows.map(({ span_id, span_attributes }) => [span_id, span_attributes?.name]));
const spans = rows
  .map(({ span_attributes, span_parents, input, output, metadata, metrics }) => ({
    name: span_attributes?.name,
    type: span_attributes?.type,
    parent: names.get(span_parents?.[0]) ?? null,
    input,
    output,
    metadata: Object.keys(metadata ?? {}).sort(),
    metrics: Object.keys(metrics ?? {}).sort(),
  }))
  .sort((one, other) => JSON.stringify(one).localeCompare(JSON.stringify(other)));
report('spans', spans);
report(
  'spans: a tool',
  spans.some(({ type }) => type === 'tool'),
  true,
);
process.disconnect();
