/** All scenarios, in the order in which they run; each is a file in scenarios/ with `run()`. */
export const SCENARIOS = [
  { name: 'size' },
  { name: 'import' },
  { name: 'first' },
  { name: 'throughput' },
  { name: 'partials' },
  { name: 'line' },
  { name: 'hooks', oneCore: true },
  { name: 'permissions', oneCore: true },
  { name: 'telemetry', oneCore: true },
  { name: 'pool', oneCore: true },
  { name: 'million' },
  { name: 'parallel' },
  { name: 'idle' },
  { name: 'slow' },
  { name: 'one-shots' },
  { name: 'inspector' },
];
