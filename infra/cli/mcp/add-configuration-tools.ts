/** Tools that read what surrounds the documents: the configuration that a backup holds, and how another one differs. */
import * as z from 'zod/mini';
import { findBackupId, findRecordId } from '../context/find-resource.ts';
import { backup, defineTool, listOf, ofLatest, type ToolHost } from './define-tool.ts';

const partNames = ['settings', 'indexes', 'fields', 'rules'] as const;
const parts = z
  .optional(z.array(z.enum(partNames)).check(z.minLength(1)))
  .check(z.describe('Only these: settings, indexes, fields (single-field settings and TTL policies), rules. Rules may be long'));

const part = z.optional(z.looseObject({ state: z.string(), reason: z.nullable(z.string()) }));

export const addConfigurationTools = (host: ToolHost): void => {
  defineTool(host, {
    name: 'read_configuration',
    title: 'The configuration in a backup',
    description:
      'What surrounded the documents when a backup was made: settings of the database, composite indexes, single-field settings and TTL policies, security rules with their text. Each part says whether it was captured, or why not. capturedAt is null if the backup holds no configuration.',
    input: { backupId: backup, projectId: ofLatest, parts },
    output: {
      backupId: z.string(),
      capturedAt: z.nullable(z.string()),
      settings: part,
      indexes: part,
      fields: part,
      rules: part,
    },
    run: async (client, { backupId: wanted, projectId: of, parts: chosen = partNames }, signal) => {
      const backupId = await findBackupId(client, wanted, await findRecordId(client, 'project', of));
      const { configuration } = await client.request('GET /backups/{backupId}/configuration', { params: { backupId }, signal });
      const shown = configuration ? chosen.map((name) => [name, configuration[name]] as const) : [];
      return { backupId, capturedAt: configuration?.capturedAt ?? null, ...Object.fromEntries(shown) };
    },
  });

  defineTool(host, {
    name: 'diff_configuration',
    title: 'Compare configurations',
    description:
      'Which indexes, TTL policies, single-field settings, settings of the database and security rules differ between a backup and another one, or the live database (against: live). added: the backup does not have it; removed: only the backup has it. unknown has the parts that one side does not know, withoutConfiguration what holds none.',
    input: {
      backupId: backup,
      projectId: ofLatest,
      against: z._default(backup, 'live').check(z.describe('Another backup, or live')),
      parts,
      limit: z._default(z.int().check(z.minimum(1), z.maximum(1_000)), 100).check(z.describe('How many differences to return')),
    },
    output: {
      backupId: z.string(),
      against: z.string(),
      differences: listOf({ part: z.string(), kind: z.string(), name: z.string(), change: z.string() }),
      differenceCount: z.int(),
      equal: z.int(),
      unknown: z.array(z.string()),
      withoutConfiguration: z.array(z.string()),
    },
    run: async (client, { backupId: wanted, projectId: of, against: other, parts: chosen = partNames, limit }, signal) => {
      const projectId = await findRecordId(client, 'project', of);
      const backupId = await findBackupId(client, wanted, projectId);
      const against = other === 'live' ? other : await findBackupId(client, other, projectId);
      const diff = await client.request('GET /backups/{backupId}/configuration/diff', {
        params: { backupId },
        query: { against },
        signal,
      });
      const differences = diff.differences.filter((one) => chosen.includes(one.part));
      return { ...diff, differences: differences.slice(0, limit), differenceCount: differences.length };
    },
  });
};
