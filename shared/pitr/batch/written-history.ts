/** When the documents of a batch exist, as a restore that replays it will find them. */
export class WrittenHistory {
  /** Times in microseconds, negative for deletions; not in order. */
  readonly #changes = new Map<string, number[]>();

  version(name: string, at: number): void {
    this.#add(name, at);
  }

  deletion(name: string, at: number): void {
    this.#add(name, -at);
  }

  get names(): Iterable<string> {
    return this.#changes.keys();
  }

  /** How many changes of a document are written. */
  changesOf(name: string): number {
    return this.#changes.get(name)?.length ?? 0;
  }

  /** Undefined if nothing is written of it up to that moment. */
  existsAt(name: string, moment: number): boolean | undefined {
    let last = 0;
    for (const change of this.#changes.get(name) ?? [])
      if (Math.abs(change) <= moment && Math.abs(change) >= Math.abs(last)) last = change;
    return last === 0 ? undefined : last > 0;
  }

  /** The next change after a moment. */
  nextAfter(name: string, moment: number): { readonly at: number; readonly isDeletion: boolean } | undefined {
    let next: number | undefined;
    for (const change of this.#changes.get(name) ?? [])
      if (Math.abs(change) > moment && (next === undefined || Math.abs(change) < Math.abs(next))) next = change;
    return next === undefined ? undefined : { at: Math.abs(next), isDeletion: next < 0 };
  }

  /** At how many of these ascending moments more, or fewer, of the documents exist than before. */
  tallyAt(moments: readonly number[], existedBefore: (name: string) => boolean, names: Iterable<string>): readonly number[] {
    const tally = moments.map(() => 0);
    for (const name of names) {
      const changes = (this.#changes.get(name) ?? []).toSorted((a, b) => Math.abs(a) - Math.abs(b));
      const before = existedBefore(name);
      let [exists, next] = [before, 0];
      for (const [n, moment] of moments.entries()) {
        for (; next < changes.length && Math.abs(changes[next] ?? 0) <= moment; next++) exists = (changes[next] ?? 0) > 0;
        if (exists !== before) tally[n] = (tally[n] ?? 0) + (exists ? 1 : -1);
      }
    }
    return tally;
  }

  #add(name: string, change: number): void {
    const known = this.#changes.get(name);
    if (known) known.push(change);
    else this.#changes.set(name, [change]);
  }
}
