import { openFleet, serveHealth, startWorker } from '@coxswain/fleet';
import { describe, expect, it } from 'vitest';
import { prometheusText } from '../../src/fleet/prometheus.ts';
import { quick as limits, scriptedAgent } from '../support/agents.ts';
import { testDatabase } from '../support/database.ts';
import { databaseProxy } from '../support/proxy.ts';

interface Parsed {
  readonly help: string;
  readonly type: string;
  readonly samples: ReadonlyMap<string, number>;
}

/** Parses the text format of Prometheus; throws at the first line that Prometheus would refuse, or that lacks HELP or TYPE. */
function parsed(text: string): ReadonlyMap<string, Parsed> {
  expect(text.endsWith('\n')).toBe(true);
  const metrics = new Map<string, Parsed & { readonly samples: Map<string, number> }>();
  let help: readonly string[] = [];
  let current = '';
  for (const line of text.slice(0, -1).split('\n')) {
    const comment = /^# (HELP|TYPE) ([a-zA-Z_:][\w:]*) (\S.*)$/.exec(line);
    if (comment?.[1] === 'HELP') {
      help = comment.slice(2);
      continue;
    }
    if (comment?.[1] === 'TYPE') {
      const [, , name = '', type = ''] = comment;
      if (help[0] !== name || metrics.has(name)) throw new Error(`No HELP before, or a second time: ${line}`);
      if ((type === 'counter') !== name.endsWith('_total')) throw new Error(`The name does not fit the type: ${line}`);
      current = name;
      metrics.set(name, { help: help[1] ?? '', type, samples: new Map() });
      continue;
    }
    const [, name = '', labels = '', value = ''] =
      /^([a-zA-Z_:][\w:]*)(\{[a-z_]+="(?:[^"\\\n]|\\[\\"n])*"\})? (-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/.exec(line) ?? [];
    const metric = metrics.get(name);
    if (name !== current || metric === undefined || metric.samples.has(labels)) throw new Error(`Wrong line: ${line}`);
    metric.samples.set(labels, Number(value));
  }
  return metrics;
}

describe('GET /metrics', () => {
  it('has HELP and TYPE for every metric of the worker and the fleet', async () => {
    const { database, schema } = await testDatabase();
    await using fleet = await openFleet({ database, schema, limits });
    await using worker = await startWorker({ database, schema, limits, agent: scriptedAgent(), slots: 3 });
    await using health = await serveHealth(worker, { port: 0, fleet });
    await (await fleet.submit({ key: 'ann', prompt: 'one' })).outcome();
    await expect.poll(() => worker.health().turnsEnded).toBe(1);
    const response = await fetch(`http://127.0.0.1:${health.port}/metrics`);
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    const metrics = parsed(await response.text());
    for (const [name, { samples }] of metrics) expect(samples.size, name).toBeGreaterThan(0);
    const value = (name: string, labels = ''): number | undefined => metrics.get(name)?.samples.get(labels);
    expect(metrics.get('coxswain_worker_turns_ended_total')).toMatchObject({ type: 'counter' });
    expect(value('coxswain_worker_turns_ended_total')).toBe(1);
    expect(value('coxswain_worker_slots')).toBe(3);
    expect(value('coxswain_worker_database_writable')).toBe(1);
    expect(value('coxswain_fleet_workers_alive')).toBe(1);
    expect(value('coxswain_fleet_outcomes_last_hour', '{kind="completed"}')).toBe(1);
  });

  it('[F-12] still has the metrics of the worker if the database hangs or the fleet is closed', async () => {
    const { database, schema } = await testDatabase();
    await using worker = await startWorker({ database, schema, limits, agent: scriptedAgent() });
    await using wire = await databaseProxy(database);
    const hanging = await openFleet({ database: wire.url, schema, limits });
    const closed = await openFleet({ database, schema, limits });
    await closed.close();
    wire.freeze();
    for (const fleet of [closed, hanging]) {
      await using health = await serveHealth(worker, { port: 0, fleet });
      const response = await fetch(`http://127.0.0.1:${health.port}/metrics`);
      expect(response.status).toBe(200);
      const names = [...parsed(await response.text()).keys()];
      expect(names).toContain('coxswain_worker_database_reachable');
      expect(names.filter((name) => name.startsWith('coxswain_fleet'))).toEqual([]);
    }
    wire.thaw();
    await hanging.close();
  });

  it('escapes the values of labels', () => {
    const values = [{ labels: { kind: 'a "b"\\\n' }, value: 1 }];
    const text = prometheusText([{ name: 'x', help: 'X.', type: 'gauge', values }]);
    expect([...(parsed(text).get('x')?.samples.keys() ?? [])]).toEqual(['{kind="a \\"b\\"\\\\\\n"}']);
  });
});
