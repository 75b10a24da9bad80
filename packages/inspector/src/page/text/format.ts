import type { CostInfo } from '../../api.ts';

/** `$0.0184`, `$1.20`, `$134`: enough digits to compare; amounts below a dollar have equal precision. */
export function usd(amount: number): string {
  if (amount === 0) return '$0';
  if (amount < 0.00005) return '<$0.0001';
  if (amount < 0.99995) return `$${amount.toFixed(4)}`;
  return amount < 99.995 ? `$${amount.toFixed(2)}` : `$${Math.round(amount).toLocaleString('en-US')}`;
}

/** A cost, with `≈` if a part of it was computed from list prices; '' if no cost is known: a turn reports it at its end. */
export function spent(cost: { readonly usd: number; readonly estimated: number } | null): string {
  return cost === null || cost.usd === 0 ? '' : costText(cost);
}

/** A cost, also if it is zero. */
export function costText({ usd: amount, estimated }: { readonly usd: number; readonly estimated: number }): string {
  return `${estimated > 0 ? '≈' : ''}${usd(amount)}`;
}

/** `$0.04`, `$1.5k`: an amount with few digits, for axes. */
export function roughUsd(amount: number): string {
  return `$${amount < 1_000 ? Number(amount.toPrecision(2)) : count(amount)}`;
}

/** `950`, `12.4k`, `3.1M`. */
export function count(amount: number): string {
  if (amount < 1_000) return String(Math.round(amount));
  if (amount < 999_950) return `${trim(amount / 1_000)}k`;
  return `${trim(amount / 1_000_000)}M`;
}

/** `80 ms`, `1.2 s`, `3 min 5 s`, `2 h 10 min`. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${trim(ms / 1_000)} s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 3_600) return pair(Math.floor(seconds / 60), 'min', seconds % 60, 's');
  const minutes = Math.round(seconds / 60);
  return pair(Math.floor(minutes / 60), 'h', minutes % 60, 'min');
}

/** `30 s`, `2.5 min`: a duration in one unit, for axes. */
export function roughDuration(ms: number): string {
  if (ms < 60_000) return ms === 0 ? '0' : `${trim(ms / 1_000)} s`;
  return ms < 3_600_000 ? `${trim(ms / 60_000)} min` : `${trim(ms / 3_600_000)} h`;
}

/** `now`, `40s`, `5m`, `3h`, `2d`: how long ago. */
export function age(at: number, now: number): string {
  const seconds = Math.max(0, Math.floor((now - at) / 1_000));
  if (seconds < 5) return 'now';
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)}h`;
  return `${Math.floor(seconds / 86_400)}d`;
}

/** The time of day, with seconds. */
export function clock(at: number): string {
  return new Date(at).toLocaleTimeString('en-GB');
}

/** The time of day, with the date if it is another day: `16 Nov 2026, 14:05:09`. */
export function dateTime(at: number, now: number): string {
  const date = new Date(at);
  if (date.toDateString() === new Date(now).toDateString()) return clock(at);
  return `${date.toLocaleDateString('en-GB', { day: 'numeric', month: 'short', year: 'numeric' })}, ${clock(at)}`;
}

/** `Today`, `Yesterday`, `Mon 16 Nov`, with the year if it is another one. */
export function dayName(at: number, now: number): string {
  const date = new Date(at);
  const days = Math.round((new Date(now).setHours(0, 0, 0, 0) - new Date(at).setHours(0, 0, 0, 0)) / 86_400_000);
  if (days <= 0) return 'Today';
  if (days === 1) return 'Yesterday';
  const year = date.getFullYear() === new Date(now).getFullYear() ? {} : ({ year: 'numeric' } as const);
  return date.toLocaleDateString('en-GB', { weekday: 'short', day: 'numeric', month: 'short', ...year });
}

/** `340 B`, `12 KB`, `5.2 MB`. */
export function bytes(size: number): string {
  if (size < 1_000) return `${size} B`;
  return size < 999_500 ? `${trim(size / 1_000)} KB` : `${trim(size / 1_000_000)} MB`;
}

/** `claude-sonnet-4-5-20250929` as `sonnet-4-5`. */
export function modelName(model: string): string {
  return model.replace(/^claude-/, '').replace(/-\d{8}$/, '');
}

/** The last part of the path of a folder. */
export function folderName(path: string | null): string {
  return path?.split(/[/\\]/).findLast((part) => part !== '') ?? '';
}

/** `12.4k tokens`; '' if none are known. */
export function tokensText({ tokens }: Pick<CostInfo, 'tokens'>): string {
  const sum = Object.values(tokens).reduce((all, amount) => all + amount, 0);
  return sum === 0 ? '' : `${count(sum)} tokens`;
}

/** `1 message`, `3 messages`. */
export function plural(amount: number, noun: string): string {
  return `${amount.toLocaleString('en-US')} ${noun}${amount === 1 ? '' : 's'}`;
}

function trim(value: number): string {
  return value < 9.95 ? value.toFixed(1).replace(/\.0$/, '') : String(Math.round(value));
}

function pair(big: number, bigUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${big} ${bigUnit}` : `${big} ${bigUnit} ${small} ${smallUnit}`;
}
