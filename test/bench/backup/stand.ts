/** A database of a given size, served and ready to be read, and what a work needs to know of it. */
import { join } from 'node:path';
import { FirestoreDatabase, probeSource } from '../../../shared/firestore/index.ts';
import { type Task, World } from './task.ts';

export class Stand {
  readonly world: World;
  readonly #dir: string;
  readonly #filled = new Map<string, Task>();

  private constructor(world: World, dir: string) {
    this.world = world;
    this.#dir = dir;
  }

  static async open(dir: string): Promise<Stand> {
    return new Stand(await World.open(dir), dir);
  }

  /** The database of that many documents, made when it is first asked for. */
  async of(documents: number, hasReferences = true): Promise<Task> {
    const project = `bench-${documents}${hasReferences ? '' : '-plain'}`;
    const known = this.#filled.get(project);
    if (known) return known;
    const { url } = await this.world.order({ do: 'fill', project, count: documents, hasReferences });
    const source = new FirestoreDatabase({ endpoint: url, projectId: project, token: async () => 'owner', random: () => 0.5 });
    const { readTime } = await probeSource(source);
    source.close();
    const { url: bucketUrl } = await this.world.bucket();
    const task = { url, project, readTime, file: join(this.#dir, 'documents.ndjson.gz'), bucketUrl };
    this.#filled.set(project, task);
    return task;
  }

  end(): void {
    this.world.end();
  }
}
