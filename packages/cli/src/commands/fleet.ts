import { Command, Option } from 'commander';
import type { AnswerFlags, ApprovalFlags, AuditFlags } from '../fleet/approvals.ts';
import type { FleetFlags, FollowFlags, PruneFlags, StatusFlags, SubmitFlags } from '../fleet/commands.ts';
import type { QuotaFlags } from '../fleet/quota.ts';
import type { ReleaseFlags } from '../fleet/release.ts';
import type { UpFlags, WorkerFlags } from '../fleet/serve.ts';
import { ownTerminal } from '../terminal/terminal.ts';
import { finish, printing } from './finish.ts';
import { scheduleCommand } from './fleet-schedule.ts';
import { fraction, orNone, port, positive, priority, several, wholeNumber, wholeOrZero } from './shared-flags.ts';

/** `cox fleet`. Its modules are loaded when it is called. */
export function fleetCommand(): Command {
  const fleet = new Command('fleet').description('run conversations on many machines, with PostgreSQL').addHelpText(
    'after',
    `
Examples:
  cox fleet up --demo                               database, workers and inspector on this machine
  cox fleet submit ann "Tidy up the tests" --follow
  cox fleet worker --database postgres://… --agent ./agent.mjs --slots 8
  cox fleet status --watch
  cox fleet approvals && cox fleet approve 0199… --hash 3fc91d… --by ann
  cox fleet schedule set nightly "Run the tests" --cron "0 3 * * *"

The database is --database, or COXSWAIN_DATABASE_URL; without either, the embedded PostgreSQL in .coxswain/postgres.
up, worker and migrate create the tables of a fleet; the other commands need one that exists.
Exit codes: 0 ok, 1 failed, 2 wrong usage, 130 interrupted.`,
  );
  addServers(fleet);
  addTurns(fleet);
  addPeople(fleet);
  addOperations(fleet);
  const schedule = scheduleCommand();
  addSchema(fleet);
  for (const command of [...fleet.commands, ...schedule.commands]) {
    command
      .option('--database <url>', 'the PostgreSQL database')
      .option('--schema <name>', 'the schema of the tables (coxswain)')
      .option('--dir <dir>', "the embedded PostgreSQL's folder (.coxswain/postgres)");
  }
  fleet.addCommand(schedule);
  fleet.addCommand(grantsCommand());
  return fleet;
}

function addServers(fleet: Command): void {
  fleet
    .command('up')
    .description('start the embedded database, workers and the inspector, until Ctrl-C')
    .option('--agent <file>', 'a module whose default export is defineAgent(…), or several by name: { review, deploy }')
    .option('--cli <path>', 'the CLI of turns whose options select none')
    .option('--demo', 'a scripted agent instead: no key, no network')
    .option('--workers <n>', 'worker processes (2)', wholeNumber)
    .option('--isolate', 'run each CLI in bubblewrap; the workers do not start without it')
    .option('--slots <n>', 'how many turns each worker runs at the same time (4)', wholeNumber)
    .option(
      '--ui-port <n>',
      "the port of the inspector's page (4680, or any free port if that is taken; 0: any free port)",
      port,
    )
    .option('--no-ui', 'no inspector')
    .action(async (flags: UpFlags) => {
      const { up } = await import('../fleet/serve.ts');
      finish(await up(flags, ownTerminal));
    });
  fleet
    .command('worker')
    .description('run turns, until SIGTERM')
    .option('--agent <file>', 'a module whose default export is defineAgent(…), or several by name: { review, deploy }')
    .option('--cli <path>', 'the CLI of turns whose options select none')
    .option('--demo', 'a scripted agent instead: no key, no network')
    .option('--isolate', 'run each CLI in bubblewrap; the worker does not start without it')
    .option('--slots <n>', 'turns at once (4)', wholeNumber)
    .option('--name <name>', 'the name of the worker in lists')
    .option('--credential <name>', 'the account whose rate limit its turns share (default)')
    .option('--drain <seconds>', 'how long running turns may continue after SIGTERM (30)', positive)
    .option('--keep-warm <seconds>', 'how long a process waits for the next turn of its conversation (0)', wholeOrZero)
    .option('--max-warm <n>', 'how many may wait (as many as slots)', wholeOrZero)
    .option('--prewarm <n>', 'how many processes wait for conversations that begin (0)', wholeOrZero)
    .option('--health-port <port>', 'serves /livez, /readyz and /metrics', wholeNumber)
    .option('--health-host <address>', 'where (127.0.0.1)')
    .option('--no-create', 'fail if the tables are missing or old, instead of creating or upgrading them')
    .addOption(new Option('--until-stdin-ends', 'also drain when stdin ends').hideHelp())
    .action(async (flags: WorkerFlags) => {
      const { worker } = await import('../fleet/serve.ts');
      finish(await worker(flags, ownTerminal));
    });
}

function addTurns(fleet: Command): void {
  fleet
    .command('submit')
    .description('submit a turn, and print its id')
    .argument('<key>', 'the conversation')
    .argument('<prompt...>')
    .option('--id <id>', 'submitting the same id again does not create a second turn')
    .option('--tenant <name>', 'the tenant that the turn is billed to')
    .option('--agent <name>', 'the agent that runs the conversation (default)')
    .option('--priority <n>', 'higher runs first', priority)
    .option('--data <json>', 'for the agent')
    .option('--after <seconds>', 'the earliest start, in seconds from now', positive)
    .option('--attribute <name=value>', 'what lists can filter by; repeat for more', several)
    .option('--max-usd <n>', 'how many dollars the turn may cost, over all its attempts', positive)
    .option('--attempts <n>', 'how often it is tried if the API fails, with growing pauses', wholeNumber)
    .option('--follow', 'print the answer as it arrives')
    .option('--json', 'with --follow: everything as NDJSON')
    .action(async (key: string, words: string[], flags: SubmitFlags) => {
      const { submit } = await import('../fleet/commands.ts');
      await printing(() => submit(key, words, flags, ownTerminal));
    });
  fleet
    .command('follow')
    .description('print the output of a turn, from the start and live')
    .argument('<turn>')
    .option('--after <seq>', 'only items after this number', wholeNumber)
    .option('--json', 'everything as NDJSON')
    .action(async (id: string, flags: FollowFlags) => {
      const { follow } = await import('../fleet/commands.ts');
      await printing(() => follow(id, flags, ownTerminal));
    });
  fleet
    .command('cancel')
    .description('remove a waiting turn, or interrupt a running one')
    .argument('<turn>')
    .option('--by <name>', 'who cancels')
    .action(async (id: string, flags: FleetFlags & { by?: string }) => {
      const { cancel } = await import('../fleet/commands.ts');
      await printing(() => cancel(id, flags, ownTerminal));
    });
  fleet
    .command('steer')
    .description('add to the prompt of a running turn')
    .argument('<turn>')
    .argument('<text...>')
    .option('--by <name>', 'who adds it')
    .action(async (id: string, words: string[], flags: FleetFlags & { by?: string }) => {
      const { steer } = await import('../fleet/commands.ts');
      await printing(() => steer(id, words, flags, ownTerminal));
    });
  fleet
    .command('turns')
    .description('list turns; --outcome dead for those that no worker could start')
    .option('--key <key>')
    .option('--tenant <name>')
    .option('--agent <name>')
    .addOption(
      new Option('--state <state>', 'only turns in this state').choices([
        'waiting',
        'claimed',
        'sent',
        'parked',
        'done',
      ]),
    )
    .option('--outcome <kind>', 'completed, interrupted, failed, dead …')
    .option('--group <id>', 'only turns that were submitted with this group')
    .option('--attribute <name=value>', 'only turns with this attribute; repeat for more', several)
    .option('-n, --limit <n>', 'how many (20)', wholeNumber)
    .option('--json', 'one JSON object per line')
    .action(async (flags) => {
      const { turns } = await import('../fleet/commands.ts');
      await printing(() => turns(flags, ownTerminal));
    });
  fleet
    .command('groups')
    .description('list groups of turns that were submitted together')
    .option('--open', 'only those with turns that have not ended')
    .option('-n, --limit <n>', 'how many (20)', wholeNumber)
    .option('--json', 'one JSON object per line')
    .action(async (flags) => {
      const { groups } = await import('../fleet/commands.ts');
      await printing(() => groups(flags, ownTerminal));
    });
  fleet
    .command('resend')
    .description('submit the prompt of a finished turn once more')
    .argument('<turn>')
    .option('--by <name>', 'who sends it')
    .action(async (id: string, flags: FleetFlags & { by?: string }) => {
      const { resend } = await import('../fleet/commands.ts');
      await printing(() => resend(id, flags, ownTerminal));
    });
}

function addPeople(fleet: Command): void {
  fleet
    .command('approvals')
    .description('list the approvals that wait for a person')
    .option('--json', 'one JSON object per line')
    .action(async (flags: FleetFlags & { json?: boolean }) => {
      const { approvals } = await import('../fleet/approvals.ts');
      await printing(() => approvals(flags, ownTerminal));
    });
  fleet
    .command('approval')
    .description('show the whole request of an approval, and record who saw it')
    .argument('<approval>')
    .option('--by <name>', 'who looks at it (the user name)')
    .option('--json', 'as JSON')
    .action(async (id: string, flags: ApprovalFlags) => {
      const { approval } = await import('../fleet/approvals.ts');
      await printing(() => approval(id, flags, ownTerminal));
    });
  answering(fleet.command('approve').description('allow what an agent asked for, or answer its question'))
    .option('--answer <choice>', 'the answer to a question; repeat for more, in their order', several)
    .action(async (id: string, flags: AnswerFlags) => {
      const { answer } = await import('../fleet/approvals.ts');
      await printing(() => answer(id, 'approve', [], flags, ownTerminal));
    });
  answering(fleet.command('deny').description('refuse it, with a reason'))
    .argument('[reason...]')
    .action(async (id: string, words: string[], flags: AnswerFlags) => {
      const { answer } = await import('../fleet/approvals.ts');
      await printing(() => answer(id, 'deny', words, flags, ownTerminal));
    });
  fleet
    .command('audit')
    .description('show what happened to approvals: who asked, saw, answered, was refused')
    .option('--approval <id>')
    .option('--key <key>')
    .option('--tenant <name>')
    .option('--kind <kind>', 'requested, seen, answered, refused, escalated, expired, delivered, reopened, void')
    .option('--by <name>', 'only what this person did')
    .option('--after <n>', 'only records after this number', wholeNumber)
    .option('-n, --limit <n>', 'how many (100)', wholeNumber)
    .option('--json', 'one JSON object per line')
    .action(async (flags: AuditFlags) => {
      const { audit } = await import('../fleet/approvals.ts');
      await printing(() => audit(flags, ownTerminal));
    });
}

function answering(command: Command): Command {
  return command
    .argument('<approval>')
    .option('--by <name>', 'who answers (the user name)')
    .option('--hash <hash>', 'the hash of what you have seen, or its beginning')
    .option('--group <name>', 'a group that you belong to; repeat for more', several);
}

function addOperations(fleet: Command): void {
  fleet
    .command('status')
    .description('show workers, turns, pauses, quotas and costs')
    .option('-w, --watch', 'refresh every second')
    .option('--json', 'as JSON')
    .action(async (flags: StatusFlags) => {
      const { status } = await import('../fleet/commands.ts');
      await printing(() => status(flags, ownTerminal));
    });
  fleet
    .command('workers')
    .description('list the workers with their agents, versions and releases of the CLI')
    .option('--json', 'one JSON object per line')
    .action(async (flags: FleetFlags & { json?: boolean }) => {
      const { workers } = await import('../fleet/workers.ts');
      await printing(() => workers(flags, ownTerminal));
    });
  fleet
    .command('release')
    .description('list staged releases, or give a version of an agent a share of its conversations')
    .argument('[agent]')
    .option('--agent-version <version>', 'the version of defineAgent() that its workers run')
    .option('--cli <release>', 'the release of the CLI that its workers run: 2.1.327')
    .option('--share <share>', 'the share of the conversations, from 0 to 1; 0 takes all back', fraction)
    .addOption(
      new Option(
        '--when-none <what>',
        'if no worker of a side lives: its turns wait, or any worker runs them (wait)',
      ).choices(['wait', 'any']),
    )
    .option('--by <name>', 'who sets it (the user name)')
    .option('--remove', 'any worker runs the turns of the agent')
    .option('--json', 'one JSON object per line')
    .action(async (agent: string | undefined, flags: ReleaseFlags) => {
      const { release } = await import('../fleet/release.ts');
      await printing(() => release(agent, flags, ownTerminal));
    });
  fleet
    .command('quota')
    .description('show quotas and costs so far, or change the quota of a tenant')
    .argument('[tenant]')
    .option('--max-concurrent <n>', 'turns at once, or none for no limit', orNone(wholeNumber))
    .option('--max-usd-per-day <n>', 'dollars a day (UTC), or none', orNone(positive))
    .option('--max-usd-per-turn <n>', 'dollars a turn, or none', orNone(positive))
    .option('--remove', 'remove the whole quota')
    .option('--json', 'one JSON object per line')
    .action(async (tenant: string | undefined, flags: QuotaFlags) => {
      const { quota } = await import('../fleet/quota.ts');
      await printing(() => quota(tenant, flags, ownTerminal));
    });
  fleet
    .command('prune')
    .description('remove old turns and conversations; transcripts are kept until their conversation is removed')
    .option('--turns <days>', 'turns that ended this many days ago or earlier, with their events', positive)
    .option(
      '--conversations <days>',
      'conversations without a turn for this many days, with their transcripts',
      positive,
    )
    .option('--audit <days>', 'records of the audit of approvals that are this many days old', positive)
    .action(async (flags: PruneFlags) => {
      const { prune } = await import('../fleet/commands.ts');
      await printing(() => prune(flags, ownTerminal));
    });
}

function addSchema(fleet: Command): void {
  fleet
    .command('migrate')
    .description('create the tables of a fleet, or upgrade them, as the user that owns them')
    .action(async (flags: FleetFlags) => {
      const { migrate } = await import('../fleet/schema.ts');
      await printing(() => migrate(flags, ownTerminal));
    });
}

function grantsCommand(): Command {
  return new Command('grants')
    .description('print the SQL of four roles: submitter, approver, worker and reader')
    .option('--schema <name>', 'the schema of the tables (coxswain)')
    .option('--prefix <name>', 'how the names of the roles begin (the schema)')
    .addHelpText(
      'after',
      `
Examples:
  cox fleet migrate --database "$OWNER_URL" && cox fleet grants | psql "$OWNER_URL"
  psql "$OWNER_URL" -c "create role runner login password '…' in role coxswain_worker"

Run it again after each upgrade. Workers with a role need --no-create.`,
    )
    .action(async (flags: { schema?: string; prefix?: string }) => {
      const { grants } = await import('../fleet/schema.ts');
      await printing(() => grants(flags, ownTerminal));
    });
}
