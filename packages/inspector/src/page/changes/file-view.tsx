import { useSignal } from '@preact/signals';
import type { ComponentChild } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import type { ChangedFile, Diff, Explanation, FileEdit } from '../../api.ts';
import { getJson } from '../connection/http.ts';
import { inRequestOrder } from '../connection/request-order.ts';
import { now } from '../layout/clock.ts';
import { attempt } from '../layout/toasts.tsx';
import { linkToChanges, linkToConversation } from '../route.ts';
import { dateTime, plural } from '../text/format.ts';
import { PathText } from '../text/path-text.tsx';
import { Size } from '../text/size.tsx';
import { visible } from '../text/visible.ts';
import { DiffView } from '../transcript/diff-view.tsx';
import { CopyPatch } from './copy-patch.tsx';
import { pathInside } from './file-tree.ts';

/** Number of edits that are shown at first. */
const EDITS = 5;

/** The edits of a file, each with the message that explains it, and its merged changes. */
export function FileView({
  id,
  base,
  file,
  folder,
}: {
  readonly id: string;
  readonly base: string;
  readonly file: ChangedFile;
  readonly folder: string | null;
}): ComponentChild {
  const diff = useSignal<Diff | null>(null);
  const read = useMemo(() => inRequestOrder<Diff>((found) => (diff.value = found)), []);
  const last = file.edits.at(-1)?.entry;
  useEffect(() => {
    void attempt(() => read(() => getJson(`${base}/diff?path=${encodeURIComponent(file.path)}`)));
  }, [last, file.edits.length]);
  const inside = pathInside(file.path, folder);
  return (
    <section class="changes-shown" aria-label={visible(inside)}>
      <div class="changes-head">
        <a class="button button-plain only-changes-narrow" href={linkToChanges(id)}>
          All files
        </a>
        <h3 class="cut grow">
          <PathText path={inside} />
        </h3>
        <CopyPatch base={base} path={file.path} label="Copy" />
      </div>
      <Edits id={id} edits={file.edits} />
      {file.merged ? null : (
        <p class="small quiet">
          Something else also changed this file, or an edit does not show where it is: such edits follow each other.
        </p>
      )}
      {diff.value === null ? (
        <p class="small quiet">Loading …</p>
      ) : diff.value.hunks.length === 0 ? (
        <p class="small quiet">The edits undo each other: the file is as it was.</p>
      ) : (
        <DiffView diff={diff.value} lines={400} />
      )}
    </section>
  );
}

function Edits({ id, edits }: { readonly id: string; readonly edits: readonly FileEdit[] }): ComponentChild {
  const all = useSignal(false);
  const shown = all.value ? edits : edits.slice(0, EDITS);
  return (
    <>
      <ol class="changes-edits">
        {shown.map((edit) => (
          <li key={edit.entry}>
            <p class="small changes-edit">
              <a href={linkToConversation(id, edit.entry)}>{visible(edit.tool)}</a>
              <Size added={edit.added} removed={edit.removed} />
              <span class="quiet numbers">{edit.at === null ? '' : dateTime(edit.at, now.value)}</span>
              {edit.agent === null ? null : <span class="tag small cut">{visible(edit.agent) || 'a subagent'}</span>}
            </p>
            {edit.why === null ? null : <Why id={id} why={edit.why} />}
          </li>
        ))}
      </ol>
      {shown.length === edits.length ? null : (
        <button type="button" class="button" onClick={() => (all.value = true)}>
          Show {plural(edits.length - shown.length, 'more edit')}
        </button>
      )}
    </>
  );
}

const WHOSE: Readonly<Record<Explanation['kind'], string>> = {
  text: 'The agent said',
  thinking: 'The agent thought',
  prompt: 'Asked for',
  task: 'The task',
};

function Why({ id, why }: { readonly id: string; readonly why: Explanation }): ComponentChild {
  return (
    <a class="changes-why" href={linkToConversation(id, why.entry)} dir="auto">
      <span class="hidden-visually">{WHOSE[why.kind]}: </span>
      <span title={WHOSE[why.kind]}>{visible(why.text)}</span>
    </a>
  );
}
