/**
 * The browser's speech recognition. Most browsers send the sound to a service of their maker, so it is used only after the
 * user agreed once in this browser.
 */
import { persisted } from '../../../kit/persisted.ts';

interface SpeechAlternative {
  readonly transcript: string;
}

interface SpeechEvent extends Event {
  readonly results: ArrayLike<ArrayLike<SpeechAlternative> & { readonly isFinal: boolean }>;
}

export interface Recognition extends EventTarget {
  lang: string;
  interimResults: boolean;
  start(): void;
  stop(): void;
  abort(): void;
  onresult: ((event: SpeechEvent) => void) | null;
  onerror: ((event: Event & { readonly error: string }) => void) | null;
  onend: (() => void) | null;
}

type RecognitionClass = new () => Recognition;

declare global {
  interface Window {
    SpeechRecognition?: RecognitionClass;
    webkitSpeechRecognition?: RecognitionClass;
  }
}

export const mayDictate = persisted('dictation', (raw) => raw === true);

const recognizer = (): RecognitionClass | undefined =>
  window.SpeechRecognition ?? window.webkitSpeechRecognition;

export const canDictate = (): boolean => recognizer() !== undefined;

export interface Dictation {
  /** Keeps the words so far. */
  stop(): void;
  /** Drops them. */
  abort(): void;
}

export interface DictationEvents {
  /** The words so far; `isFinal`: they will not change, and this is the last call. */
  recognized(text: string, isFinal: boolean): void;
  ended(fault?: string): void;
}

/** Listens until the user pauses. */
export function dictate(events: DictationEvents): Dictation | undefined {
  const Recognizer = recognizer();
  if (!Recognizer) return undefined;
  const recognition = new Recognizer();
  recognition.lang = navigator.language;
  recognition.interimResults = true;
  let fault: string | undefined;
  recognition.onresult = ({ results }) => {
    const parts = Array.from(results);
    const text = parts.map((part) => part[0]?.transcript ?? '').join('');
    events.recognized(text.trim(), parts.length > 0 && parts.every(({ isFinal }) => isFinal));
  };
  recognition.onerror = ({ error }) => {
    fault = faultOf(error);
  };
  recognition.onend = () => events.ended(fault);
  recognition.start();
  return { stop: () => recognition.stop(), abort: () => recognition.abort() };
}

function faultOf(error: string): string | undefined {
  switch (error) {
    case 'aborted':
    case 'no-speech':
      return undefined;
    case 'not-allowed':
    case 'service-not-allowed':
      return 'The browser doesn’t allow the microphone here. Allow it in the settings of this site.';
    case 'audio-capture':
      return 'No microphone was found.';
    case 'network':
      return 'The browser’s speech service can’t be reached.';
    case 'language-not-supported':
      return 'The browser’s speech service doesn’t know your language.';
    default:
      return 'Dictation failed. Try again, or use the microphone of the keyboard.';
  }
}
