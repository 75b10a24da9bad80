import table from './remedies.json' with { type: 'json' };

/** What to do about an error or a warning of the SDK; '' for a code that is not one of them. */
export function remedyOf(code: string): string {
  const remedies: Readonly<Record<string, string>> = table;
  return Object.hasOwn(remedies, code) ? (remedies[code] ?? '') : '';
}
