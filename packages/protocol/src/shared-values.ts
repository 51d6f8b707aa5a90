/** Values shared by key: created for the first user, closed after the last. */
export class SharedValues<Key, Value> {
  readonly #held = new Map<Key, { readonly value: Value; users: number }>();
  readonly #close: (value: Value) => void;

  constructor(close: (value: Value) => void) {
    this.#close = close;
  }

  hold(key: Key, create: () => Value): { readonly value: Value; readonly release: () => void } {
    const held = this.#held.get(key) ?? { value: create(), users: 0 };
    this.#held.set(key, held);
    held.users += 1;
    let isReleased = false;
    const release = () => {
      if (isReleased) return;
      isReleased = true;
      held.users -= 1;
      if (held.users > 0 || this.#held.get(key) !== held) return;
      this.#held.delete(key);
      this.#close(held.value);
    };
    return { value: held.value, release };
  }

  closeAll(): void {
    const all = [...this.#held.values()];
    this.#held.clear();
    for (const { value } of all) this.#close(value);
  }
}
