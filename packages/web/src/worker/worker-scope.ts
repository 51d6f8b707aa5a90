/** The parts of a service worker's scope that are used. The types of a page and of a worker exclude each other. */
interface LongEvent extends Event {
  waitUntil(work: Promise<unknown>): void;
}

export interface FetchEvent extends LongEvent {
  readonly request: Request;
  respondWith(response: Promise<Response>): void;
}

export interface PushEvent extends LongEvent {
  readonly data: { text(): string } | null;
}

export interface NotificationEvent extends LongEvent {
  readonly action: string;
  readonly notification: { readonly data: unknown; close(): void };
}

interface WorkerEvents {
  readonly install: LongEvent;
  readonly activate: LongEvent;
  readonly fetch: FetchEvent;
  readonly push: PushEvent;
  readonly notificationclick: NotificationEvent;
}

interface PageClient {
  readonly url: string;
  focus(): Promise<unknown>;
  postMessage(message: unknown): void;
}

interface WorkerScope {
  readonly location: { readonly origin: string };
  readonly registration: { showNotification(title: string, options: object): Promise<void> };
  readonly clients: {
    claim(): Promise<void>;
    matchAll(options: { type: 'window' }): Promise<readonly PageClient[]>;
    openWindow(url: string): Promise<unknown>;
  };
  skipWaiting(): Promise<void>;
  addEventListener<K extends keyof WorkerEvents>(type: K, listener: (event: WorkerEvents[K]) => void): void;
}

export const scope = globalThis as unknown as WorkerScope;
