import {
  allow,
  answerQuestions,
  decideLater,
  deny,
  openSession,
  type PermissionRequest,
  permissions,
  query,
} from 'coxswain';

// #region policy
const answerText = await query('What changed since the last release?', {
  ...permissions({
    allow: ['Read', 'Grep', 'Bash(git log *)', 'Bash(git diff *)'],
    deny: ['WebFetch', 'Read(./.env)'],
    ask: (request) => deny(`${request.toolName} needs approval, and this run is unattended.`),
  }),
}).text();
// #endregion
console.log(answerText);

{
  // #region can-use-tool
  await using session = openSession({
    canUseTool(request, { signal }) {
      if (signal.aborted) return deny('Too late.');
      switch (request.toolName) {
        case 'Bash': // request.input is typed by the tool's name
          return request.input.command.startsWith('npm ') ? allow() : deny('Only npm here.');
        case 'Write':
          return allow({ updatedInput: { ...request.input, file_path: '/tmp/sandbox.txt' } }); // runs with a different input
        default:
          return deny('Not in this program.', { interrupt: true }); // refuses and ends the turn
      }
    },
  });
  console.log(await session.send('Install the dependencies and write a note.').text());
  // #endregion
}

{
  // #region updates
  await using session = openSession({
    allowPermissionUpdates: true,
    // Accepts the rules that the CLI suggests, so that it does not ask again.
    canUseTool: (request) => allow({ updatedPermissions: request.suggestions }),
  });
  // #endregion
  await session.ready;
}

{
  // #region questions
  await using session = openSession({
    canUseTool(request) {
      if (request.kind === 'question') {
        const choices = request.input.questions.map(({ question, options }) => [question, options[0]?.label ?? '']);
        return answerQuestions(Object.fromEntries(choices)); // the first choice of each question
      }
      if (request.kind === 'plan') return deny('Explain the second step first.'); // allow() approves the plan
      return allow();
    },
  });
  console.log(await session.send('Ask me which colour I like.').text());
  // #endregion
}

{
  const inbox: PermissionRequest[] = [];
  // #region later
  await using session = openSession({ canUseTool: () => decideLater() });
  const turn = session.send('Deploy it.');

  for await (const event of session.events()) {
    if (event.type === 'permission-requested') {
      inbox.push(event.request); // plain JSON: store it, or send it to a web page
      break;
    }
  }

  // Later, when the decision has arrived from a person or from another process:
  for (const { id } of session.pendingPermissions()) await session.answerPermission(id, allow());
  console.log(await turn.text());
  // #endregion
  console.log(`inbox: ${inbox.map(({ toolName }) => toolName)}`);
}
