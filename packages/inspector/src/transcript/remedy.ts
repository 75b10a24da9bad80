import table from './remedies.json' with { type: 'json' };

/** The remedy for an error or a warning of the SDK; '' for other codes. */
export function remedyOf(code: string): string {
  const remedies: Readonly<Record<string, string>> = table;
  return Object.hasOwn(remedies, code) ? (remedies[code] ?? '') : '';
}
