import { useSignal } from '@preact/signals';
import type { ComponentChild } from 'preact';
import { useEffect } from 'preact/hooks';
import type { EntriesPage, Entry, EntryHead, TaskInfo, ToolEntry } from '../../api.ts';
import { getJson } from '../connection/http.ts';
import { openTranscript } from '../conversation/open-transcript.ts';
import { now } from '../layout/clock.ts';
import { Icon } from '../layout/icon.tsx';
import { linkToConversation } from '../route.ts';
import { duration } from '../text/format.ts';
import { visible } from '../text/visible.ts';

/** Number of recent entries searched for subagents. */
const LOOK_BACK = 1_000;

type AgentEntry = ToolEntry & EntryHead;

/** The subagents as a tree, and the background tasks. */
export function Agents({ id, tasks }: { readonly id: string; readonly tasks: readonly TaskInfo[] }): ComponentChild {
  const earlier = useSignal<readonly Entry[]>([]);
  useEffect(() => {
    const stop = new AbortController();
    getJson<EntriesPage>(
      `api/conversations/${encodeURIComponent(id)}/entries?from=-${LOOK_BACK}&limit=${LOOK_BACK}`,
      stop.signal,
    ).then(
      (page) => {
        earlier.value = page.entries;
      },
      () => {}, // the transcript view shows the error
    );
    return () => stop.abort();
  }, [id]);
  const agents = agentsOf(earlier.value, id);
  if (agents.length === 0 && tasks.length === 0)
    return <p class="quiet small">No subagents and no background tasks.</p>;
  return (
    <>
      {agents.length === 0 ? null : (
        <section>
          <h3 class="section-title">Subagents</h3>
          <ul class="tree small">{branch(agents, null, id, 0)}</ul>
        </section>
      )}
      {tasks.length === 0 ? null : (
        <section>
          <h3 class="section-title">Background tasks</h3>
          <ul class="tree small">
            {tasks.map((task) => (
              <li key={task.id} class="tree-row">
                <Icon name={task.state === 'running' ? 'running' : task.status === 'failed' ? 'failed' : 'done'} />
                <span class="cut grow">{visible(task.description)}</span>
                <span class="quiet">{task.status ?? task.state}</span>
                <span class="numbers quiet">
                  {duration((task.endedAt ?? Math.max(now.value, task.startedAt)) - task.startedAt)}
                </span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

/** The calls that started subagents: the fetched ones, with the newest versions from the transcript. */
function agentsOf(earlier: readonly Entry[], id: string): readonly AgentEntry[] {
  const transcript = openTranscript.value?.conversation === id ? openTranscript.value : null;
  const found = new Map<number, AgentEntry>();
  for (const entry of earlier) if (isAgent(entry)) found.set(entry.n, entry);
  if (transcript !== null) {
    transcript.version.value;
    const total = transcript.total.value ?? 0;
    for (let n = Math.max(0, total - LOOK_BACK); n < total; n++) {
      const entry = transcript.at(n);
      if (entry !== undefined && isAgent(entry)) found.set(n, entry);
    }
  }
  return [...found.values()].sort((a, b) => a.n - b.n);
}

function isAgent(entry: Entry): entry is AgentEntry {
  return entry.kind === 'tool' && entry.subagent !== null;
}

function branch(agents: readonly AgentEntry[], parent: string | null, id: string, depth: number): ComponentChild[] {
  if (depth > 5) return [];
  return agents
    .filter((agent) => agent.parent === parent)
    .map((agent) => {
      const below = branch(agents, agent.id, id, depth + 1);
      return (
        <li key={agent.id}>
          <a class="tree-row" href={linkToConversation(id, agent.n)}>
            <Icon
              name={
                agent.state === 'ok'
                  ? 'done'
                  : agent.state === 'running'
                    ? 'running'
                    : agent.state === 'asking'
                      ? 'needs-me'
                      : 'failed'
              }
            />
            <span class="cut grow">{visible(agent.subagent?.description ?? agent.argument)}</span>
            <span class="quiet">{visible(agent.subagent?.type ?? '')}</span>
            <span class="numbers quiet">{agent.durationMs === null ? agent.state : duration(agent.durationMs)}</span>
          </a>
          {below.length === 0 ? null : <ul class="tree">{below}</ul>}
        </li>
      );
    });
}
