import { readFileSync } from 'node:fs';

/** The turns that ran on the process of an earlier turn. */
export interface WarmFindings {
  readonly reused: number;
  readonly problems: string[];
}

/**
 * No process received the prompt of a turn if its conversation had moved on since the last turn on that process: the last one must be
 * completed, and no turn in between may have reached an agent elsewhere. Every turn is a token: `on <process> <turn>` was logged before the
 * prompt was written to the process, and `saw <turn>` for each prompt that reached any process.
 */
export function checkWarm(
  agentLog: string,
  conversations: number,
  rows: readonly { readonly id: string; readonly outcome_kind: string }[],
): WarmFindings {
  const outcomes = new Map(rows.map((row) => [row.id, row.outcome_kind]));
  const reached = new Set<number>();
  const turnsOf = new Map<string, number[]>();
  for (const line of readFileSync(agentLog, 'utf8').split('\n')) {
    const [what, name = '', turn = ''] = line.split(' ');
    if (what === 'saw') reached.add(Number(name.slice(1)));
    else if (what === 'on') turnsOf.set(name, [...(turnsOf.get(name) ?? []), Number(turn.slice(1))]);
  }
  const problems: string[] = [];
  let reused = 0;
  for (const [name, turns] of turnsOf) {
    for (const [index, turn] of turns.entries()) {
      const last = turns[index - 1];
      if (last === undefined) continue;
      reused += 1;
      if (outcomes.get(`t${last}`) !== 'completed')
        problems.push(
          `t${turn} ran on the process ${name}, whose last turn t${last} ended as ${outcomes.get(`t${last}`)}`,
        );
      if ((turn - last) % conversations !== 0 || turn <= last)
        problems.push(`t${turn} ran on the process ${name} after t${last}`);
      for (let between = last + conversations; between < turn; between += conversations)
        if (reached.has(between)) problems.push(`t${turn} ran on the process ${name}, which never saw t${between}`);
    }
  }
  return { reused, problems };
}
