/** The environment of exports: backups in stores of this process, and a workflow that runs the real steps. */
import type { DestinationRecord } from '../../../shared/destination/index.ts';
import type { ExportDeps } from '../../../shared/export/export-deps.ts';
import {
  advanceExport,
  answerExportStep,
  cleanUpExport,
  type ExportRecord,
  exportKey,
  exportShard,
  isStaleStep,
  startExport,
} from '../../../shared/export/index.ts';
import type { ExportRequest } from '../../../shared/export/start/export-request.ts';
import { organizationKey } from '../../../shared/organization/index.ts';
import { commit, newId } from '../../../shared/platform/index.ts';
import { type ProjectRecord, projectKey } from '../../../shared/project/index.ts';
import type { BackupRecord } from '../../../shared/stored-backup/index.ts';
import { createEnv } from './backup-env.ts';
import { RestoreEnv } from './restore-env.ts';

export const createExportEnv = (): Promise<ExportEnv> => createEnv(ExportEnv);

interface RunExportOptions {
  /** Called before every step; its error is that of a crashed function, and the step is repeated. */
  readonly beforeStep?: (name: string) => Promise<void> | void;
  /** Runs every shard twice, as after a lost response. */
  readonly isRepeated?: boolean;
}

/** A crash that no step handles. */
export class CrashError extends Error {}

export class ExportEnv extends RestoreEnv {
  sizes: NonNullable<ExportDeps['sizes']> = {};

  get exportDeps(): ExportDeps {
    const { clock, openStore, dataKeyOf } = this.deps;
    return { clock, openStore, dataKeyOf, random: () => 0.5, sizes: this.sizes };
  }

  /** Like POST /exports; returns the id of the export. */
  async startExport(backup: BackupRecord, more: Partial<ExportRequest> = {}): Promise<string> {
    const { table, tenant } = this;
    const request: ExportRequest = {
      backup,
      pointInTime: null,
      projectId: backup.projectId,
      project: table.get<ProjectRecord>(projectKey.project(tenant, backup.projectId)),
      destination: table.get<DestinationRecord>(organizationKey.storageDestination(tenant, this.destinationId))!,
      format: 'ndjson',
      columns: null,
      exactText: false,
      collections: ['*'],
      ...more,
    };
    const createdBy = { type: 'user', id: newId('user') };
    const { record, writes } = startExport(tenant, request, { createdBy, now: this.clock.now() });
    await commit(writes);
    return record.id;
  }

  exportOf = (id: string): ExportRecord => this.table.get<ExportRecord>(exportKey.export(this.tenant, id))!;

  /** Runs the steps as the workflow does. A crashed step is repeated. */
  async runExport(
    exportId: string,
    { beforeStep = () => undefined, isRepeated = false }: RunExportOptions = {},
  ): Promise<ExportRecord> {
    const step = { tenant: this.tenant, exportId, attempt: this.exportOf(exportId).attempt };
    const deps = this.exportDeps;
    const repeated = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
      for (;;) {
        try {
          await beforeStep(name);
          return await work();
        } catch (error) {
          if (!(error instanceof CrashError)) throw error;
        }
      }
    };
    for (let error: unknown; ; error = undefined) {
      const progress = await repeated('advance', () =>
        answerExportStep(
          step,
          () =>
            advanceExport(step, { error, deps }).catch((failed: unknown) => {
              if (isStaleStep(failed)) return 'again' as const;
              throw failed;
            }),
          deps.clock,
        ),
      );
      if (progress === 'done') break;
      if (progress === 'wait') throw new Error('the export waits');
      if (typeof progress !== 'object') continue;
      for (let n = 0; n < progress.map * (isRepeated ? 2 : 1); n++) {
        const shard = n % progress.map;
        await repeated(`shard ${shard}`, () =>
          answerExportStep({ ...step }, () => exportShard({ ...step, shard }, deps), deps.clock),
        );
      }
    }
    await cleanUpExport(this.tenant, exportId, { deps });
    return this.exportOf(exportId);
  }

  /** The files of an export by name, without the manifest. */
  filesOf({ path }: Pick<ExportRecord, 'path'>): ReadonlyMap<string, Buffer> {
    const { objects } = this.stores.get(path)!;
    return new Map([...objects].filter(([name]) => name !== 'manifest.json').map(([name, bytes]) => [name, Buffer.from(bytes)]));
  }
}
