/** The smallest useful program: one question, one answer. */
import { script } from '@coxswain/testkit';
import { query } from 'coxswain';
import { pickAgent } from './agent.ts';

const scripted = script().otherwise((turn) => turn.say('The coxswain steers the boat and sets the pace of the crew.'));
await using agent = await pickAgent(scripted);

const answer = await query(agent.prompt ?? 'In one sentence: what does a coxswain do?', { cli: agent.cli }).text();
console.log(answer);
