import { deny, permissions } from 'coxswain';

/** The agent of this project: what it may do, and who decides about the rest. */
export default {
  settingSources: [],
  ...permissions({
    allow: ['Read', 'Edit', 'Bash(npm test)', 'Bash(npm run *)', 'Bash(git diff *)'],
    deny: ['Bash(npm publish *)', 'Bash(git push *)'],
    ask: ({ toolName }) => deny(`${toolName} needs a person.`),
  }),
};
