import type { ComponentChild } from 'preact';
import type { SourceKind } from '../../api.ts';
import { serverInfo } from '../connection/server-info.ts';
import { CopyButton } from '../layout/copy-button.tsx';
import { visible } from '../text/visible.ts';

/** Shown when there is no conversation: how to start one that appears in a source of this page. */
export function NoAgents(): ComponentChild {
  const sources = serverInfo.value?.sources ?? [];
  const kinds = sources.map(({ kind }) => kind);
  // Every page can show its own process, which is not a hint beside other sources.
  const shown = KINDS.filter((kind) => kinds.includes(kind));
  const hints = shown.length > 1 ? shown.filter((kind) => kind !== 'process') : shown;
  return (
    <div class="empty">
      <h2>{hints.includes('recording') && hints.length === 1 ? 'No recordings here' : 'No agents yet'}</h2>
      {(hints.length === 0 ? (['process'] as const) : hints).map((kind) => (
        <Hint key={kind} kind={kind} />
      ))}
      {sources.map((source) => (
        <p key={source.id} class="small quiet">
          Watching {visible(source.label)}
        </p>
      ))}
    </div>
  );
}

const KINDS: readonly SourceKind[] = ['fleet', 'disk', 'recording', 'process'];

const HINTS: Readonly<Record<SourceKind, readonly [words: string, code: string]>> = {
  fleet: [
    'Submit a turn to this fleet, and it appears here:',
    'npx @coxswain/cli fleet submit ann "Explain this folder"',
  ],
  disk: ['Start one on this machine, and it appears here:', 'npx @coxswain/cli run "Explain this folder"'],
  recording: ['Record one, and show it with cox ui:', 'npx @coxswain/cli record demo.ndjson "Explain this folder"'],
  process: [
    'Show the sessions of your own program:',
    "import { inspect } from '@coxswain/inspector';\n\nconst { url } = await inspect(session);",
  ],
};

function Hint({ kind }: { readonly kind: SourceKind }): ComponentChild {
  const [words, code] = HINTS[kind];
  return (
    <>
      <p>{words}</p>
      <div class="copyable">
        <pre>
          <code>{code}</code>
        </pre>
        <CopyButton text={code} label="Copy" />
      </div>
    </>
  );
}
