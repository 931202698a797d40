/** Databases of a given size, served by a child process. */
import { join } from 'node:path';
import { FirestoreDatabase, probeSource } from '../../../shared/firestore/index.ts';
import { BenchProcesses, type Task } from './bench-processes.ts';

export class BenchDatabases {
  readonly processes: BenchProcesses;
  readonly #dir: string;
  readonly #filled = new Map<string, Task>();

  private constructor(processes: BenchProcesses, dir: string) {
    this.processes = processes;
    this.#dir = dir;
  }

  static async open(dir: string): Promise<BenchDatabases> {
    return new BenchDatabases(await BenchProcesses.open(dir), dir);
  }

  /** The database of that many documents, filled on first use. */
  async of(documents: number, hasReferences = true): Promise<Task> {
    const project = `bench-${documents}${hasReferences ? '' : '-plain'}`;
    const known = this.#filled.get(project);
    if (known) return known;
    const { url } = await this.processes.order({ do: 'fill', project, count: documents, hasReferences });
    const source = new FirestoreDatabase({ endpoint: url, projectId: project, token: async () => 'owner', random: () => 0.5 });
    const { readTime } = await probeSource(source);
    source.close();
    const { url: bucketUrl } = await this.processes.bucket();
    const task = { url, project, readTime, file: join(this.#dir, 'documents.ndjson.gz'), bucketUrl };
    this.#filled.set(project, task);
    return task;
  }

  end(): void {
    this.processes.end();
  }
}
