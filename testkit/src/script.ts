// The vocabulary in which a test defines the model's answers. Pure data and its constructors: nothing here opens a
// socket or waits. A script is a list of steps, a step is one answer of the model, and an answer is a list of
// parts.

/** The input of a script: the request as the fake parsed it. */
export interface ScriptContext {
  readonly keyword: string;
  /** Number of assistant messages after the marker: 0 for the first answer. */
  readonly step: number;
  /** How often this answer was requested before (retries). */
  readonly attempt: number;
  readonly userText: string;
  readonly model: string;
  readonly tools: readonly string[];
  /** The agent's working directory, as its request states it. */
  readonly cwd: string;
  /** The path for the agent's plan, if its request states it. */
  readonly planFile: string | undefined;
}

/** The stream stops here until the test calls `release(name)`. */
export interface Hold {
  readonly type: 'hold';
  readonly name: string;
}

/** The socket is destroyed here. */
export interface Cut {
  readonly type: 'cut';
}

/** An SSE `error` event ends the stream here. */
export interface StreamError {
  readonly type: 'stream-error';
  readonly errorType: string;
  readonly message: string;
}

export type Control = Hold | Cut | StreamError;
export type Piece = string | Control;

export interface Pace {
  /** Characters per delta; default 20. */
  readonly chunk?: number;
  /** A hold of this name before every delta: one `release` lets one delta through. */
  readonly gate?: string;
  /** Milliseconds between deltas. For benchmarks only: tests use holds. */
  readonly delayMs?: number;
}

export interface Prose {
  readonly type: 'text' | 'thinking';
  readonly pieces: readonly Piece[];
  readonly pace: Pace;
}

export type ToolInput = Record<string, unknown>;

export interface ToolUse {
  readonly type: 'tool_use';
  readonly name: string;
  readonly input: ToolInput | ((context: ScriptContext) => ToolInput);
  readonly pace: Pace;
}

export type Part = Prose | ToolUse | Control;

export interface Usage {
  readonly input_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly cache_read_input_tokens: number;
  readonly output_tokens: number;
}

export interface MessageAnswer {
  readonly type: 'message';
  readonly parts: readonly Part[];
  /** Default: `tool_use` if there is one, else `end_turn`. */
  readonly stopReason?: string;
  readonly usage?: Partial<Usage>;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Failure {
  readonly type: 'failure';
  readonly status: number;
  readonly errorType: string;
  readonly message: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Attempts {
  readonly type: 'attempts';
  readonly steps: readonly Step[];
}

export type Step = Part | readonly Part[] | MessageAnswer | Failure | Attempts;
export type Script = readonly Step[] | ((context: ScriptContext) => readonly Step[]);

export const hold = (name: string): Hold => ({ type: 'hold', name });

export const cut = (): Cut => ({ type: 'cut' });

export const streamError = (errorType = 'overloaded_error', message = 'Overloaded'): StreamError => ({
  type: 'stream-error',
  errorType,
  message,
});

function prose(type: Prose['type'], content: string | readonly Piece[], pace: Pace): Prose {
  return { type, pieces: typeof content === 'string' ? [content] : content, pace };
}

/** One text block; holds, a cut or an error can be placed between its pieces. */
export const text = (content: string | readonly Piece[], pace: Pace = {}): Prose =>
  prose('text', content, pace);

export const thinking = (content: string | readonly Piece[], pace: Pace = {}): Prose =>
  prose('thinking', content, pace);

export const toolUse = (name: string, input: ToolUse['input'], pace: Pace = {}): ToolUse => ({
  type: 'tool_use',
  name,
  input,
  pace,
});

/** An answer with a special stop reason, usage or response headers. */
export const answer = (
  parts: Part | readonly Part[],
  options: Omit<MessageAnswer, 'type' | 'parts'> = {},
): MessageAnswer => ({ type: 'message', parts: 'type' in parts ? [parts] : parts, ...options });

const errorTypes: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
  500: 'api_error',
  529: 'overloaded_error',
};

/** An HTTP error instead of an answer. */
export function failure(
  status: number,
  options: { message?: string; retryAfter?: number; headers?: Record<string, string> } = {},
): Failure {
  const retry = options.retryAfter === undefined ? {} : { 'retry-after': String(options.retryAfter) };
  const errorType = errorTypes[status] ?? 'api_error';
  return {
    type: 'failure',
    status,
    errorType,
    message: options.message ?? `scripted ${errorType}`,
    headers: { ...retry, ...options.headers },
  };
}

/** The first step for the first attempt, the second for its retry and so on; the last one repeats. */
export const attempts = (...steps: Step[]): Attempts => ({ type: 'attempts', steps });

/** A script's answer in this context; undefined for an empty script. */
export function resolveStep(script: Script, context: ScriptContext): MessageAnswer | Failure | undefined {
  const steps = typeof script === 'function' ? script(context) : script;
  let step = steps[Math.min(context.step, steps.length - 1)];
  while (step !== undefined && 'type' in step && step.type === 'attempts') {
    step = step.steps[Math.min(context.attempt, step.steps.length - 1)];
  }
  if (step === undefined) return undefined;
  if (!('type' in step)) return { type: 'message', parts: step };
  return step.type === 'message' || step.type === 'failure' ? step : { type: 'message', parts: [step] };
}
