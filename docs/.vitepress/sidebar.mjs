// The sidebar, in order: pages by their path in the repository.

/** @typedef {readonly [title: string, page: string]} Entry */

/** @type {readonly { readonly text: string, readonly pages: readonly Entry[] }[]} */
export const groups = [
  {
    text: 'Start',
    pages: [
      ['Quick start', 'docs/quick-start.md'],
      ['Choosing', 'docs/guides/choosing.md'],
      ['Concepts', 'docs/concepts.md'],
      ['Examples', 'examples/README.md'],
      ['From the official SDK', 'docs/migration.md'],
      ['FAQ', 'docs/faq.md'],
    ],
  },
  {
    text: 'Guides',
    pages: [
      ['Queries', 'docs/guides/queries.md'],
      ['Sessions', 'docs/guides/sessions.md'],
      ['Hooks', 'docs/guides/hooks.md'],
      ['Events and decisions', 'docs/guides/hooks-table.md'],
      ['Permissions', 'docs/guides/permissions.md'],
      ['Tools', 'docs/guides/tools.md'],
      ['Control operations', 'docs/guides/control.md'],
      ['Configuration', 'docs/guides/configuration.md'],
      ['Sessions on disk', 'docs/guides/sessions-on-disk.md'],
      ['Costs', 'docs/guides/costs.md'],
      ['Errors and limits', 'docs/guides/errors-and-limits.md'],
      ['The command line', 'docs/guides/command-line.md'],
    ],
  },
  {
    text: 'Testing',
    pages: [
      ['Testing your agent', 'docs/guides/testing.md'],
      ['The test kit', 'packages/testkit/README.md'],
      ['Record and replay', 'docs/guides/record-and-replay.md'],
      ['Faults', 'docs/guides/faults.md'],
      ['The scripted CLI and the real one', 'docs/guides/scripted-vs-real.md'],
      ['Rehearse a change', 'docs/guides/rehearsal.md'],
    ],
  },
  {
    text: 'Running for real',
    pages: [
      ['A complete service', 'docs/guides/service.md'],
      ['Sessions that restart', 'docs/guides/restart.md'],
      ['The session store', 'docs/guides/session-store.md'],
      ['Approvals that outlive the process', 'docs/guides/parked-requests.md'],
      ['Pools', 'docs/guides/pools.md'],
      ['Drop-in', 'docs/guides/drop-in.md'],
      ['Raw sessions', 'docs/guides/raw-sessions.md'],
      ['The inspector', 'docs/guides/inspector.md'],
      ['Fleet', 'docs/guides/fleet.md'],
      ['Operating a fleet', 'docs/guides/fleet-operations.md'],
      ['Approvals that take days', 'docs/guides/approvals.md'],
      ['Files of a conversation', 'docs/guides/workspaces.md'],
      ['Scaling', 'docs/scaling.md'],
      ['Transports', 'docs/guides/transports.md'],
      ['Processes', 'docs/guides/processes.md'],
      ['Runtimes', 'docs/guides/runtimes.md'],
      ['Security', 'docs/guides/security.md'],
      ['Threat model', 'docs/threat-model.md'],
      ['Reliability', 'docs/reliability.md'],
      ['Performance', 'docs/performance.md'],
      ['OpenTelemetry', 'docs/guides/opentelemetry.md'],
      ['Spans, attributes and metrics', 'docs/guides/opentelemetry-reference.md'],
    ],
  },
  {
    text: 'Reference',
    pages: [
      ['Options', 'docs/options.md'],
      ['Errors', 'docs/errors.md'],
      ['Warnings', 'docs/warnings.md'],
      ['Compatibility', 'docs/compatibility.md'],
      ['Drop-in: differences', 'docs/drop-in-differences.md'],
      ['Contract', 'docs/contract.md'],
      ['Architecture', 'docs/architecture.md'],
      ['The core in figures', 'docs/architecture-figures.md'],
      ['Versioning', 'VERSIONING.md'],
      ['Changes', 'CHANGELOG.md'],
      ['Contributing', 'CONTRIBUTING.md'],
    ],
  },
];
