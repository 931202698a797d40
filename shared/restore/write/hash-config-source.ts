import { SourceError } from '../../firestore/index.ts';
import { log } from '../../platform/index.ts';
import { type HashConfig, readHashConfig } from '../../project/index.ts';
import type { WriteRun } from './write-progress.ts';

/** Where the passwords of a backup were hashed: asked once a run, and kept in memory only. */
export class HashConfigSource {
  readonly #run: Pick<WriteRun, 'parties' | 'open' | 'restore' | 'engine' | 'halt'>;
  #config: Promise<HashConfig | undefined> | undefined;

  constructor(run: Pick<WriteRun, 'parties' | 'open' | 'restore' | 'engine' | 'halt'>) {
    this.#run = run;
  }

  /** Undefined where the project is no longer connected, or does not show it. */
  config(): Promise<HashConfig | undefined> {
    this.#config ??= this.#ask();
    return this.#config;
  }

  async #ask(): Promise<HashConfig | undefined> {
    const { context: parties, open, restore, deps: engine, control: halt } = this.#run;
    // An imported backup can belong to a project here that it was not made of.
    const [, of] = /^projects\/([^/]+)\//.exec(open.archive.manifest.source) ?? [];
    const project = [context.project, context.target].find((one) => one?.sourceProjectId === of);
    if (!project) return undefined;
    try {
      return await readHashConfig(deps.openToolkit(context.tenant, project), control.storing);
    } catch (error) {
      if (!(error instanceof SourceError) || error.isTransient || error.code === 'CANCELLED') throw error;
      log.warn('the parameters of a project’s hashes cannot be read', { restoreJobId: restore.id, projectId: project.id });
      return undefined;
    }
  }
}
