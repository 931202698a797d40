import { Child } from '../backup/bench-processes.ts';

/** Starts a file of test/bench as a child process. */
export const child = (file: string, ...args: readonly string[]): Child => new Child(new URL(`../${file}`, import.meta.url), args);

/** Contents of a database. */
export interface Held {
  readonly count: number;
  readonly digest: string;
}

/** The target database, in a process of its own. */
export class Server {
  readonly #child = child('firestore/measure-writer.ts', 'serve');
  readonly url: Promise<string> = this.#child.heard<string>();

  clear(project: string): Promise<Held> {
    return this.#child.ask<Held>({ do: 'clear', project });
  }

  digest(project: string): Promise<Held> {
    return this.#child.ask<Held>({ do: 'digest', project });
  }

  end(): void {
    this.#child.kill();
  }
}
