let audio: AudioContext | undefined;

/** Plays two soft tones without a sound file. Silent if the browser forbids sound before the first click. */
export function playSound(): void {
  audio ??= new AudioContext();
  const { currentTime, destination } = audio;
  const volume = audio.createGain();
  volume.connect(destination);
  volume.gain.setValueAtTime(0.08, currentTime);
  volume.gain.exponentialRampToValueAtTime(0.0001, currentTime + 0.4);
  for (const [at, pitch] of [660, 880].entries()) {
    const tone = audio.createOscillator();
    tone.frequency.value = pitch;
    tone.connect(volume);
    tone.start(currentTime + at * 0.12);
    tone.stop(currentTime + at * 0.12 + 0.2);
  }
}
