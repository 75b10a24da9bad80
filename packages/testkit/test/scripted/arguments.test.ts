import { describe, expect, it } from 'vitest';
import { parseArguments } from '../../src/scripted/arguments.ts';

describe('the arguments of a scripted CLI', () => {
  it('[K-1] are recognized in both spellings', () => {
    const spaced = parseArguments(['--print', '--model', 'opus', '--max-turns', '3', '--input-format', 'stream-json']);
    const joined = parseArguments(['--print', '--model=opus', '--max-turns=3', '--input-format=stream-json']);
    for (const args of [spaced, joined]) {
      expect(args).toMatchObject({ model: 'opus', maxTurns: 3, streamInput: true, words: [] });
    }
  });

  it('[K-1] keep unknown flags with their values', () => {
    const { flags, words } = parseArguments(['--unheard', 'of', '--on', '--print', 'a', 'prompt']);
    expect(Object.fromEntries(flags)).toEqual({ '--unheard': ['of'], '--on': [], '--print': [] });
    expect(words).toEqual(['a', 'prompt']);
  });

  it('[K-1] treat everything after -- as the prompt', () => {
    expect(parseArguments(['--print', '--', '--not', 'a flag']).words).toEqual(['--not', 'a flag']);
  });

  it('[K-1] accept lists of tools with commas, spaces and rules', () => {
    const args = parseArguments(['--allowedTools', 'Read,Bash(git log, x:*)', 'mcp__a__b', '--disallowedTools=Write']);
    expect(args.allowedTools).toEqual(['Read', 'Bash(git log, x:*)', 'mcp__a__b']);
    expect(args.disallowedTools).toEqual(['Write']);
  });
});
