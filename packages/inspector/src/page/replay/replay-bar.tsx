import type { ComponentChild } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import { Icon } from '../layout/icon.tsx';
import { onKey } from '../layout/shortcuts.ts';
import { type Recording, SPEEDS } from './recording.ts';

/** Play, pause, speed and the current moment. */
export function ReplayBar({
  player,
  onClose,
}: {
  readonly player: Recording;
  readonly onClose: () => void;
}): ComponentChild {
  const playing = player.playing.value;
  const toggle = (): void => (player.playing.peek() ? player.pause() : player.play());
  useLayoutEffect(() => {
    player.play();
    const removes = [onKey('p', toggle), onKey('Escape', onClose)];
    return () => {
      player.pause();
      for (const remove of removes) remove();
    };
  }, [player]);
  return (
    <fieldset class="replay" aria-label="Replay">
      <button
        type="button"
        class="button button-icon"
        aria-label={playing ? 'Pause' : 'Play'}
        title="Play or pause (p)"
        onClick={toggle}
      >
        <Icon name={playing ? 'pause' : 'running'} />
      </button>
      <input
        type="range"
        class="grow"
        aria-label="Moment of the recording"
        aria-valuetext={`${moment(player.position.value)} of ${moment(player.durationMs)}`}
        min={0}
        max={Math.max(1, Math.round(player.durationMs))}
        step={1}
        value={Math.round(player.position.value)}
        onInput={(event) => player.seek(Number(event.currentTarget.value))}
      />
      <span class="small numbers quiet">
        {moment(player.position.value)} / {moment(player.durationMs)}
      </span>
      <select
        class="field replay-speed small"
        aria-label="Speed"
        value={player.speed.value}
        onChange={(event) => {
          player.speed.value = Number(event.currentTarget.value);
        }}
      >
        {SPEEDS.map((speed) => (
          <option key={speed} value={speed}>
            {speed}×
          </option>
        ))}
      </select>
      <button
        type="button"
        class="button button-plain button-icon"
        aria-label="End the replay"
        title="End the replay (Esc)"
        onClick={onClose}
      >
        <Icon name="close" />
      </button>
    </fieldset>
  );
}

/** `1:05.3`: minutes, seconds and tenths. */
function moment(ms: number): string {
  const tenths = Math.floor(ms / 100);
  const seconds = Math.floor(tenths / 10);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}.${tenths % 10}`;
}
