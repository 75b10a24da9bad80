import { type AnyCoxswainError, isCoxswainError, outcomeOf, type Session, type UserContent } from 'coxswain';
import type { PromptBlock, Scenario } from '../scenario/scenario.ts';
import type { ModelSide } from './model-side.ts';
import { type Folders, toStage } from './paths.ts';
import { LONGEST_SILENCE_MS } from './patience.ts';

/** Sends the prompts of a scenario, and closes the session. */
export async function play(session: Session, scenario: Scenario, model: ModelSide, folders: Folders): Promise<Played> {
  const outcomes: string[] = [];
  let failure: AnyCoxswainError | undefined;
  try {
    for (const [turn, { prompt }] of scenario.turns.entries()) {
      model.begin(turn);
      const ended = await send(session, contentOf(prompt, folders));
      outcomes.push(typeof ended === 'string' ? ended : ended.code);
      if (typeof ended !== 'string') failure ??= ended;
      // A turn that ended early leaves replies: a refusal ended it, or the recording continued by itself.
      for (let rest = model.left; rest > 0 && model.left > 0; rest -= 1) await send(session, CONTINUE);
    }
    await ofAgents(model);
  } finally {
    await session.close();
  }
  return { outcomes, failure };
}

/** How the turns of a scenario ended. */
interface Played {
  /** The kind of the outcome of each turn, or the code of its error. */
  readonly outcomes: readonly string[];
  /** The first error of a turn. */
  readonly failure: AnyCoxswainError | undefined;
}

const CONTINUE = '(The recording continues here.)';

/** The kind of the outcome of a turn, or its error. */
async function send(session: Session, prompt: UserContent): Promise<string | AnyCoxswainError> {
  try {
    return outcomeOf(await session.send(prompt).result()).kind;
  } catch (error) {
    if (isCoxswainError(error)) return error;
    throw error;
  }
}

/** Subagents in the background may still run when the last turn has ended. */
async function ofAgents(model: ModelSide): Promise<void> {
  while (model.leftOfAgents > 0 && (await model.nextRequest(LONGEST_SILENCE_MS)));
}

function contentOf(prompt: readonly PromptBlock[], folders: Folders): UserContent {
  const blocks = prompt.map((block) =>
    block.type === 'text'
      ? { type: 'text', text: toStage(block.text, folders) }
      : { type: 'image', source: block.source },
  );
  // Blocks of a recorded prompt have the structure that the API accepted.
  return blocks as unknown as UserContent;
}
