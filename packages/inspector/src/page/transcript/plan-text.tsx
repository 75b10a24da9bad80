import { useSignal } from '@preact/signals';
import type { ComponentChild } from 'preact';
import type { Cut, ToolEntry } from '../../api.ts';
import { getText } from '../connection/http.ts';
import { attempt } from '../layout/toasts.tsx';
import { useHiddenPart } from '../needs/hidden-parts.ts';
import { plural } from '../text/format.ts';
import { Markdown } from '../text/markdown.tsx';
import { MarkdownText } from '../text/markdown-text.ts';

/** A plan as Markdown, with a button for the rest of a long one. */
export function PlanText({ plan }: { readonly plan: Cut }): ComponentChild {
  const whole = useSignal<string | null>(null);
  const shown = whole.value ?? plan.text;
  const rest = plan.length - shown.length;
  const showAll = async (): Promise<void> => {
    const { more } = plan;
    if (more !== null) await attempt(async () => (whole.value = await getText(more)));
  };
  const words = rest > 0 ? `${plural(rest, 'character')} of the plan` : null;
  useHiddenPart(words, showAll);
  return (
    <>
      <Markdown blocks={new MarkdownText().blocks(shown)} />
      {words === null ? null : (
        <button type="button" class="button button-plain small" onClick={() => void showAll()}>
          Show {words}
        </button>
      )}
    </>
  );
}

/** Number of characters of a plan that are looked for in an output: outputs are cut earlier than plans. */
const COMPARED = 500;

/** Whether the output of a call only confirms its plan: the CLI repeats the whole plan in it. */
export function repeatsPlan({ plan, result, state }: ToolEntry): boolean {
  const start = plan?.text.trim().slice(0, COMPARED) ?? '';
  return state === 'ok' && start !== '' && (result?.text.includes(start) ?? false);
}
