import type { Language, PackageManager } from './choices.ts';
import { scriptCommand } from './package-manager.ts';

/** The README of a new project. */
export function readme(name: string, manager: PackageManager, folder: string, language: Language): string {
  const extension = language === 'typescript' ? 'ts' : 'js';
  const command = (script: string): string => `\`${scriptCommand(manager, script)}\``;
  return `# ${name}

An agent on [Coxswain](https://www.npmjs.com/package/coxswain) that finds out which test fails, and why. It may read this folder and run
three commands.

| command | |
| --- | --- |
| ${command('test')} | tests the guard on a scripted model: no key, no network |
| ${command('rehearse')} | runs recorded conversations on the real Claude Code, which it downloads: no key |
| ${command('agent')} | runs the agent; needs [Claude Code](https://code.claude.com/docs), installed and logged in |

- \`${folder}/agent.${extension}\`: what the agent may do. The guard lists what runs; everything else is refused.
- \`${folder}/agent.test.${extension}\`: a model that tries more than it may.
- \`${folder}/conversations/\`: recorded conversations. \`npx cox rehearse <transcript> --keep ${folder}/conversations\` adds yours.
- \`.github/workflows/agent.yml\`: runs all of it for every pull request.
`;
}
