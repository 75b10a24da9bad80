import { addContext, deny, type Hooks, modifyInput, openSession, query, replaceOutput, stopTurn } from 'coxswain';
import type { HookInputBase } from 'coxswain/types';

// #region guard
const hooks: Hooks = {
  PreToolUse: [
    {
      matcher: 'Write|Edit', // exact names; 'mcp__files__.*' is a regular expression
      onFailure: 'block', // if this hook throws, the tool does not run
      timeoutMs: 5_000,
      async run(input, { signal }) {
        if (input.tool_name !== 'Write' && input.tool_name !== 'Edit') return undefined;
        const path = input.tool_input.file_path; // typed by the tool's name
        const response = await fetch(`http://localhost:8181/may-write?path=${encodeURIComponent(path)}`, { signal });
        return response.ok ? undefined : deny(`${path} must not be changed.`);
      },
    },
  ],
};
// #endregion

// #region decisions
const more: Hooks = {
  UserPromptSubmit: () => addContext('Today is release day: change nothing under src/.'),
  PreToolUse: [
    { matcher: 'Bash', run: ({ tool_input }) => modifyInput({ ...tool_input, timeout: 60_000 }) },
    { matcher: 'WebFetch', run: () => stopTurn('This agent works offline.') },
  ],
  PostToolUse: {
    matcher: 'Bash',
    run({ tool_response: output }) {
      // The output has the structure of the tool; the replacement must have the same structure.
      const found = typeof output === 'object' && output !== null && 'stdout' in output ? String(output.stdout) : '';
      return found.includes('PRIVATE KEY') ? replaceOutput({ ...Object(output), stdout: '(a key)' }) : undefined;
    },
  },
  Stop: ({ last_assistant_message }) =>
    /tests pass/i.test(last_assistant_message ?? '') ? undefined : deny('Run the tests before you stop.'),
  // A hook that only observes returns nothing.
  SubagentStop: ({ agent_type }) => console.log(`${agent_type} is done`),
};
// #endregion

// #region newer
declare module 'coxswain' {
  interface HookInputs {
    MoonRose: HookInputBase<'MoonRose'> & { readonly phase: string };
  }
}

const withNewerEvents: Hooks = {
  ...more,
  MoonRose: { newerEvent: true, run: (input) => addContext(`The moon is ${input.phase}.`) },
};
// #endregion

await query('Write the file.', {
  hooks,
  onWarning: ({ code, context }) => console.log(code, context.failure ?? '', context.policy ?? ''),
}).text();

await using session = openSession({ hooks: withNewerEvents });
console.log(await session.send('Show the key, then stop.').text());
console.log((await session.send('Fetch a page.').result()).terminal_reason);
