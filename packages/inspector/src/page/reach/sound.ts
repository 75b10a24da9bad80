/** Shortest interval between two sounds. */
const PAUSE_MS = 3_000;
let playedAt = Number.NEGATIVE_INFINITY;

/** Plays two short tones. Browsers allow that only after a person has used the page. */
export function playSound(): void {
  if (performance.now() - playedAt < PAUSE_MS) return;
  playedAt = performance.now();
  const context = new AudioContext();
  const volume = context.createGain();
  volume.gain.value = 0.08;
  volume.connect(context.destination);
  const tones = [660, 880].map((frequency, at) => {
    const tone = new OscillatorNode(context, { frequency });
    tone.connect(volume);
    tone.start(context.currentTime + at * 0.14);
    tone.stop(context.currentTime + at * 0.14 + 0.12);
    return tone;
  });
  tones.at(-1)?.addEventListener('ended', () => void context.close());
}
