/** Replacement for a secret. */
export const MASK = '[redacted]';

/** Replaces what has the shape of a secret: Anthropic keys, bearer and basic credentials. */
export function withoutSecretShapes(text: string): string {
  return PATTERNS.reduce((clean, pattern) => clean.replace(pattern, MASK), text);
}

const PATTERNS: readonly RegExp[] = [/sk-ant-[A-Za-z0-9_-]{6,}/g, /\b(?<=(?:bearer|basic)\s+)[A-Za-z0-9._~+/=-]{8,}/gi];
