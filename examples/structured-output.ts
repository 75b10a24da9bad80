/** Structured output: the model fills in the schema, and the returned value is validated and typed. */
import { script } from '@coxswain/testkit';
import { query } from 'coxswain';
import { z } from 'zod';
import { pickAgent } from './agent.ts';

const Crew = z.object({
  boat: z.string(),
  seats: z.number().int().positive(),
  coxed: z.boolean(),
});

const scripted = script().otherwise((turn) => turn.structuredOutput({ boat: 'eight', seats: 8, coxed: true }));
await using agent = await pickAgent(scripted);

const prompt = agent.prompt ?? 'Describe the largest rowing boat that races at the Olympic Games.';
const crew = await query(prompt, { cli: agent.cli, outputSchema: Crew }).output();
console.log(`${crew.boat}: ${crew.seats} rowers${crew.coxed ? ' and a coxswain' : ''}`);
