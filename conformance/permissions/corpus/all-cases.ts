import type { Case } from '../case.ts';
import {
  allCommands,
  allCommandsByStar,
  allowedCommands,
  askedCommands,
  deniedCommands,
  restrictedCommands,
} from './command-rules.ts';
import { commands } from './commands.ts';
import { addedDirectory, allowedFiles, deniedFiles, deniedReads, searches } from './file-rules.ts';
import { modes, modesWithRules } from './modes.ts';
import { pages, serverTools } from './other-tools.ts';
import { shellSyntax } from './shell-syntax.ts';

/** Every case that is measured. */
export const allCases: readonly Case[] = [
  commands,
  shellSyntax,
  allowedCommands,
  deniedCommands,
  restrictedCommands,
  allCommands,
  allCommandsByStar,
  askedCommands,
  ...deniedFiles,
  deniedReads,
  ...allowedFiles,
  addedDirectory,
  searches,
  ...modes,
  ...modesWithRules,
  ...pages,
  ...serverTools,
];
