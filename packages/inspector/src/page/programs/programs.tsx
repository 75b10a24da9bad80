import { signal } from '@preact/signals';
import type { ComponentChild } from 'preact';
import { useEffect } from 'preact/hooks';
import type { OpenedProgram, ProgramInfo, ProgramsPage } from '../../api.ts';
import { getJson, post, RequestError } from '../connection/http.ts';
import { serverInfo } from '../connection/server-info.ts';
import { now } from '../layout/clock.ts';
import { Icon } from '../layout/icon.tsx';
import { attempt } from '../layout/toasts.tsx';
import { age, folderName } from '../text/format.ts';
import { visible } from '../text/visible.ts';

/** Poll interval while the list is visible. */
const POLL_MS = 5_000;

const page = signal<ProgramsPage>({ programs: [], canOpen: false });

/** Other programs of this user with an open inspector; a click opens it. Hidden if the list is empty. */
export function Programs(): ComponentChild {
  const isListed = serverInfo.value?.has.programs === true;
  useEffect(() => (isListed ? follow() : undefined), [isListed]);
  const { programs, canOpen } = page.value;
  if (programs.length === 0) return null;
  return (
    <section class="programs" aria-label="Running programs">
      <h2 class="programs-title small quiet">Running programs</h2>
      <ul class="plain-list">
        {programs.map((program) => (
          <li key={program.id}>
            <Program program={program} canOpen={canOpen} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Program({ program, canOpen }: { readonly program: ProgramInfo; readonly canOpen: boolean }): ComponentChild {
  const { id, name, pid, cwd, startedAt, readOnly } = program;
  const what = (
    <>
      <span class="row-title cut" dir="auto">
        {visible(name)}
      </span>
      <span class="row-line small">
        <span class="cut" title={visible(cwd)}>
          {visible(folderName(cwd))}
        </span>
        <span class="numbers">pid {pid}</span>
        {readOnly ? <span>read-only</span> : null}
        <span class="grow" />
        <span class="numbers row-age">{age(startedAt, now.value)}</span>
      </span>
    </>
  );
  if (!canOpen) {
    return (
      <div class="program" title={`On its machine: cox ui --attach ${pid}`}>
        {what}
      </div>
    );
  }
  return (
    <button type="button" class="program" title="Open its inspector" onClick={() => void open(id)}>
      {what}
      <Icon name="chevron" />
    </button>
  );
}

async function open(id: string): Promise<void> {
  await attempt(async () => {
    const { url } = await post<OpenedProgram>(`api/programs/${encodeURIComponent(id)}/open`, {});
    location.assign(url);
  });
  await load();
}

function follow(): () => void {
  void load();
  const timer = setInterval(() => document.hidden || void load(), POLL_MS);
  return () => clearInterval(timer);
}

/** If the request fails, keeps the old list; the bar reports the lost connection. */
async function load(): Promise<void> {
  try {
    const found = await getJson<ProgramsPage>('api/programs');
    if (JSON.stringify(found) !== JSON.stringify(page.peek())) page.value = found;
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
  }
}
