/** Holds equal values once: 100,000 candidates share few scopes, schedules and policies, and name each other. */
export class Interner {
  readonly #texts = new Map<string, string>();
  readonly #objects = new Map<string, object>();

  text(text: string): string {
    const known = this.#texts.get(text);
    if (known === undefined) this.#texts.set(text, text);
    return known ?? text;
  }

  object<T extends object>(object: T): T {
    const name = JSON.stringify(object);
    const known = this.#objects.get(name);
    if (known === undefined) this.#objects.set(name, object);
    return (known as T | undefined) ?? object;
  }
}
