import { SourceError } from '../../firestore/index.ts';
import { log } from '../../platform/index.ts';
import { type HashConfig, readHashConfig } from '../../project/index.ts';
import type { WriteRun } from './write-progress.ts';

/** The password hash configuration of the backed-up project. Read once per run and kept in memory only. */
export class HashConfigSource {
  readonly #run: WriteRun;
  #config: Promise<HashConfig | undefined> | undefined;

  constructor(run: WriteRun) {
    this.#run = run;
  }

  /** Undefined if the project is disconnected or does not permit reading it. */
  config(): Promise<HashConfig | undefined> {
    this.#config ??= this.#read();
    return this.#config;
  }

  async #read(): Promise<HashConfig | undefined> {
    const { context, open, restore, deps, control } = this.#run;
    // An imported backup may belong to another project than it was made from.
    const [, of] = /^projects\/([^/]+)\//.exec(open.archive.manifest.source) ?? [];
    const project = [context.project, context.target].find((one) => one?.sourceProjectId === of);
    if (!project) return undefined;
    try {
      return await readHashConfig(deps.openToolkit(context.tenant, project), control.storing);
    } catch (error) {
      if (!(error instanceof SourceError) || error.isTransient || error.code === 'CANCELLED') throw error;
      log.warn('password hash configuration cannot be read', { restoreJobId: restore.id, projectId: project.id });
      return undefined;
    }
  }
}
