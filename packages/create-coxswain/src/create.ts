#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { askFor } from './ask.ts';
import { LANGUAGES, PACKAGE_MANAGERS, ScaffoldError } from './choices.ts';
import { createProject } from './create-project.ts';
import { ownVersion } from './own-version.ts';
import { reportLines } from './report.ts';

const HELP = `Usage: npm create coxswain [folder] -- [options]

Makes a project with a Claude Code agent, a guard, a test, a rehearsal and a CI workflow.

Options:
  --language <name>          ${LANGUAGES.join(' or ')}; typescript by default
  --package-manager <name>   ${PACKAGE_MANAGERS.join(', ')}; by default the one that runs this command
  --folder <name>            the folder of the agent in the project; agent by default
  -y, --yes                  ask nothing
  -V, --version              show the version
  -h, --help                 show this help

Examples:
  npm create coxswain my-agent
  npm create coxswain my-agent -- --language javascript
  pnpm create coxswain my-agent --language typescript

Exit codes: 0 ok, 1 failed, 2 wrong usage, 130 interrupted.`;

try {
  await main();
} catch (error) {
  process.exitCode = explain(error);
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      language: { type: 'string' },
      'package-manager': { type: 'string' },
      folder: { type: 'string' },
      yes: { type: 'boolean', short: 'y', default: false },
      version: { type: 'boolean', short: 'V', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return console.log(HELP);
  if (values.version) return console.log(ownVersion());
  const [first, ...more] = positionals;
  if (more.length > 0) throw new ScaffoldError(`Only one folder, not also ${more.join(', ')}.`);
  const asked = values.yes ? { folder: first, language: values.language } : await askFor(first, values.language);
  if (asked.folder === undefined || asked.folder === '')
    throw new ScaffoldError('In which folder? For example: npm create coxswain my-agent');
  const report = createProject({
    folder: asked.folder,
    language: asked.language,
    packageManager: values['package-manager'],
    agentFolder: values.folder,
  });
  console.log(reportLines(report).join('\n'));
}

/** Prints the error and returns the exit code for it. */
function explain(error: unknown): number {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'ABORT_ERR') return 130;
  const isUsage = error instanceof ScaffoldError || code.startsWith('ERR_PARSE_ARGS');
  console.error(`create-coxswain: ${error instanceof Error ? error.message : error}`);
  if (isUsage) console.error('(--help shows the usage)');
  return isUsage ? 2 : 1;
}
