import { Child } from '../backup/task.ts';

/** A file of the bench as a process. */
export const child = (file: string, ...args: readonly string[]): Child => new Child(new URL(`../${file}`, import.meta.url), args);

/** What a database has. */
export interface Held {
  readonly count: number;
  readonly digest: string;
}

/** The database that is restored into; a process of its own. */
export class Server {
  readonly #child = child('writer.ts', 'serve');
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
