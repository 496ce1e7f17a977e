// The click of a stone, made here and off unless the user wants it.

/** @type {AudioContext | undefined} */ let audio;

/** A short knock. */
export function knock() {
  audio = audio || new AudioContext();
  const now = audio.currentTime, gain = audio.createGain(), tone = audio.createOscillator();
  tone.type = "triangle";
  tone.frequency.setValueAtTime(620, now);
  tone.frequency.exponentialRampToValueAtTime(170, now + 0.05);
  gain.gain.setValueAtTime(0.25, now);
  gain.gain.exponentialRampToValueAtTime(0.001, now + 0.09);
  tone.connect(gain).connect(audio.destination);
  tone.start(now);
  tone.stop(now + 0.1);
}
