/** `0.4 s`, `12 s`, `3 min 05 s`. */
export function duration(ms: number): string {
  const seconds = ms / 1000;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  if (seconds < 59.5) return `${Math.round(seconds)} s`;
  const whole = Math.round(seconds);
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes} min ${two(whole % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${two(minutes % 60)} min`;
}

/** `812`, `8.1k`, `1.25M`. */
export function count(value: number): string {
  if (value < 1000) return `${Math.round(value)}`;
  if (value < 999_500) return `${trimmed(value / 1000, value < 99_950 ? 1 : 0)}k`;
  return `${trimmed(value / 1_000_000, 2)}M`;
}

/** `$0.0184`, `$1.20`. */
export function usd(value: number): string {
  return `$${value.toFixed(value !== 0 && Math.abs(value) < 1 ? 4 : 2)}`;
}

/** `312 B`, `1.5 MB`. */
export function bytes(value: number): string {
  if (value < 1000) return `${value} B`;
  if (value < 1_000_000) return `${(value / 1000).toFixed(0)} kB`;
  return `${(value / 1_000_000).toFixed(1)} MB`;
}

/** `1 tool call`, `3 tool calls`. */
export function plural(value: number, one: string): string {
  return `${value} ${one}${value === 1 ? '' : 's'}`;
}

/** `just now`, `5 min ago`, `3 days ago`, then the date. */
export function ago(at: number, now: number): string {
  const minutes = Math.floor((now - at) / 60_000);
  if (minutes < 1) return 'just now';
  if (minutes < 60) return `${minutes} min ago`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${hours} h ago`;
  const days = Math.floor(hours / 24);
  return days < 14 ? `${plural(days, 'day')} ago` : new Date(at).toISOString().slice(0, 10);
}

function trimmed(value: number, digits: number): string {
  return value.toFixed(digits).replace(/\.0+$/, '');
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}
