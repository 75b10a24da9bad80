import type { ExitReport, TransportSignal } from 'coxswain/transport';
import { inputLine } from './agent.ts';
import type { Rule } from './rule.ts';
import { agent, must } from './stage.ts';

const READY = { print: 'contract: ready\n' };

const ENDED_BY: Readonly<Record<TransportSignal, ExitReport['ended']>> = {
  interrupt: 'interrupted',
  terminate: 'terminated',
  kill: 'killed',
};

/** Rules about the end of a transport. */
export const endingRules: readonly Rule[] = [
  {
    name: 'exit: the report has the code, and is the same every time',
    agent: agent({ exit: 7 }),
    async check(stage) {
      await stage.start();
      const report = await stage.exited();
      const { exitCode, signal, ended } = report;
      must(
        exitCode === 7 && signal === null && ended === 'by-itself',
        `The report is ${JSON.stringify(report)} for an agent that exits with 7`,
      );
      must((await stage.exited()) === report, 'exited gives another report the second time');
    },
  },
  {
    name: 'exit: exited also settles without a reader',
    agent: agent(READY, { complain: 'contract: hm\n' }, { exit: 0 }),
    async check(stage) {
      await stage.start();
      must((await stage.exited()).exitCode === 0, 'The agent did not end well');
    },
  },
  ...(['interrupt', 'terminate', 'kill'] as const).map(
    (signal): Rule => ({
      name: `signal: ${signal} ends an agent, as the report states`,
      agent: agent(READY, { hang: true }),
      async check(stage) {
        await stage.start();
        await stage.readUntil('contract: ready');
        stage.transport.signal(signal);
        const { ended } = await stage.exited();
        must(ended === ENDED_BY[signal], `The report has ${ended} after ${signal}`);
        while (!(await stage.next()).done);
      },
    }),
  ),
  {
    name: 'signal: kill ends an agent that ignores other signals',
    needs: 'ignore-signals',
    agent: agent({ ignore: 'signals' }, READY, { expect: 'still there' }, { print: 'contract: yes\n' }, { hang: true }),
    async check(stage) {
      await stage.start();
      await stage.readUntil('contract: ready');
      const { transport } = stage;
      transport.signal('interrupt');
      transport.signal('terminate');
      await stage.within('write()', transport.write(inputLine('still there')));
      await stage.readUntil('contract: yes');
      transport.signal('kill');
      const { ended } = await stage.exited();
      must(ended === 'killed', `The report has ${ended} after kill`);
    },
  },
  {
    name: 'signal: a signal before the start or after the exit does nothing',
    agent: agent({ exit: 0 }),
    async check(stage) {
      const { transport } = stage;
      for (const signal of SIGNALS) transport.signal(signal);
      await stage.start();
      const report = await stage.exited();
      for (const signal of SIGNALS) transport.signal(signal);
      must(report.ended === 'by-itself' && report.exitCode === 0, `The report is ${JSON.stringify(report)}`);
      must((await stage.exited()) === report, 'A signal after the exit changed the report');
    },
  },
  {
    name: 'exit: ending(), unref() and destroy(), where they exist, may be called at any time',
    agent: agent(READY, { hang: true }),
    async check(stage) {
      const { transport } = stage;
      transport.ending?.();
      transport.unref?.();
      await stage.start();
      await stage.readUntil('contract: ready');
      transport.ending?.();
      transport.unref?.();
      transport.signal('kill');
      await stage.exited();
      transport.ending?.();
      transport.unref?.();
      await stage.within('destroy()', Promise.resolve(transport.destroy?.()));
      await stage.within('a second destroy()', Promise.resolve(transport.destroy?.()));
    },
  },
];

const SIGNALS: readonly TransportSignal[] = ['interrupt', 'terminate', 'kill'];
