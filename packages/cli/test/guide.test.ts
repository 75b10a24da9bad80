import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { runCox } from './run-cox.ts';

const GUIDE = readFileSync(new URL('../../../docs/guides/command-line.md', import.meta.url), 'utf8');

describe('the guide to the command line', () => {
  it('[L-2] shows the current help', async () => {
    const blocks = [...GUIDE.matchAll(/<!-- help: cox (.*?) -->\n```text\n([\s\S]*?)```/g)];
    expect(blocks.length).toBeGreaterThan(0);
    for (const [, args = '', shown] of blocks) expect(shown).toBe((await runCox(args.split(' '))).stdout);
  });

  it('[L-1, L-2] lists every flag of cox run, and no other', async () => {
    const help = (await runCox(['run', '--help'])).stdout;
    const table = /## cox run\n[\s\S]*?\n### /.exec(GUIDE)?.[0] ?? '';
    const cells = [...table.matchAll(/^\| (`.*?) \| (.*) \|$/gm)].map(([row]) => row).join('\n');
    const flagsIn = (text: string): string[] => [...new Set(text.match(/--[a-z-]+(?=[ `,]|$)/gm) ?? [])].sort();
    const options = help.slice(0, help.indexOf('\nExamples:')).match(/^ {2}(?:-\w, )?--[a-z-]+/gm) ?? [];
    expect(flagsIn(cells)).toEqual(flagsIn(options.join('\n')).filter((flag) => flag !== '--help'));
  });

  it('[L-1] lists every command', async () => {
    const help = (await runCox(['--help'])).stdout;
    const commands = [...help.matchAll(/^ {2}([a-z]+) (?:\[| {2})/gm)].map(([, name]) => name);
    expect(commands).toEqual([
      'run',
      'chat',
      'sessions',
      'record',
      'replay',
      'rehearse',
      'bisect',
      'prove',
      'ui',
      'doctor',
      'init',
      'cli',
      'fleet',
    ]);
    for (const name of commands) expect(GUIDE).toMatch(new RegExp(`^## .*cox ${name}\\b`, 'm'));
  });

  it('[L-1] lists every command of cox fleet, and the flags of its schedules', async () => {
    const table = /## cox fleet\n[\s\S]*$/.exec(GUIDE)?.[0] ?? '';
    const help = (await runCox(['fleet', '--help'])).stdout;
    const commands = [...help.matchAll(/^ {2}([a-z]+)(?: \[| <| {2})/gm)].map(([, name]) => name);
    expect(commands.length).toBeGreaterThan(10);
    for (const name of commands) expect(table, name).toMatch(new RegExp(`^\\|.*\`(?:cox fleet )?${name}\\b`, 'm'));
    const flags = (await runCox(['fleet', 'schedule', 'set', '--help'])).stdout.match(/^ {2}--[a-z-]+/gm) ?? [];
    const shared = ['--database', '--schema', '--dir', '--help'];
    for (const flag of flags.map((one) => one.trim())) if (!shared.includes(flag)) expect(table, flag).toContain(flag);
  });
});
