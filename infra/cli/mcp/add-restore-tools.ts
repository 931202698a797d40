/** Tools that plan restores and, only if the server was started with --allow-restore, start what a plan has shown. */
import * as z from 'zod/mini';
import type { Client } from '../../../shared/client/index.ts';
import { mergeModes } from '../base/choices.ts';
import { badInput, CliFailure } from '../base/cli-failure.ts';
import { exitCodes } from '../base/exit-codes.ts';
import { findBackupId, findRecordId, findRestoreId } from '../context/find-resource.ts';
import { backup, defineTool, moment, path, project, type ToolHost } from './define-tool.ts';
import { planMinutes, type RestoreBody, ShownPlans } from './shown-plans.ts';

/** Planning a large database takes longer than a call; after this the assistant is told to narrow it. */
const planMs = 120_000;

const job = { restoreJobId: z.string(), status: z.string(), phase: z.string(), targetProjectName: z.string() };

export const addRestoreTools = (host: ToolHost, { allowRestore }: { readonly allowRestore: boolean }): void => {
  const plans = new ShownPlans();

  defineTool(host, {
    name: 'plan_restore',
    title: 'Plan a restore',
    description: `What a restore would create, overwrite and delete, compared with the target now. Writes nothing. From a backup (backupId) or a moment of point-in-time recovery (projectId and at).${
      allowRestore
        ? ` Returns a planId, valid once and for ${planMinutes} minutes: show the plan to the person before start_restore.`
        : ''
    }`,
    input: {
      backupId: z.optional(backup),
      projectId: z.optional(project).check(z.describe('With at: the project of the moment; else the project of latest')),
      at: z.optional(moment),
      targetProjectId: z.optional(project).check(z.describe('Another project to restore into; the source project by default')),
      collections: z.optional(z.array(path).check(z.minLength(1), z.maxLength(100))),
      documentIds: z
        .optional(z.array(path).check(z.minLength(1), z.maxLength(1_000)))
        .check(z.describe('Paths of documents, such as users/ada')),
      mergeMode: z
        ._default(z.enum(Object.keys(mergeModes) as [keyof typeof mergeModes]), 'overwrite')
        .check(z.describe('rollback also deletes documents in scope that the backup does not have')),
    },
    output: {
      planId: z.string(),
      create: z.int(),
      overwrite: z.int(),
      skip: z.int(),
      delete: z.int(),
      unchanged: z.int(),
      deletions: z.array(z.string()).check(z.describe('Paths that would be deleted')),
      note: z.string(),
    },
    run: async (client, input, signal) => {
      const body = await bodyOf(client, input);
      const plan = await planOf(client, body, signal);
      const { deleteDigest } = plan;
      if (deleteDigest === undefined) throw new CliFailure(exitCodes.failed, 'the service returned a plan without its digest');
      const planId = plans.add(body, deleteDigest);
      return allowRestore
        ? { planId, validMinutes: planMinutes, ...plan }
        : { planId, note: 'This server cannot start restores: it was started without --allow-restore.', ...plan };
    },
  });

  defineTool(host, {
    name: 'restore_status',
    title: 'Status of a restore',
    description: 'Phase, progress and result of a restore.',
    input: {
      restoreJobId: z
        .string()
        .check(z.minLength(1), z.maxLength(100), z.describe('Id of a restore, the beginning of one, or latest')),
      projectId: z.optional(project).check(z.describe('The project of latest')),
    },
    output: job,
    run: async (client, { restoreJobId: wanted, projectId: of }, signal) => {
      const restoreJobId = await findRestoreId(client, wanted, { project: of });
      return client.request('GET /backups/restore/{restoreJobId}', { params: { restoreJobId }, signal });
    },
  });

  if (!allowRestore) return;
  defineTool(host, {
    name: 'start_restore',
    title: 'Start a planned restore',
    description:
      'Starts the restore of a plan that plan_restore has shown. It overwrites documents of the target and deletes exactly those that the plan lists; if others would be deleted now, it fails and writes nothing. Ask the person first. It can be undone for 7 days.',
    input: { planId: z.string().check(z.maxLength(100)) },
    output: { ...job, note: z.string() },
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
    run: async (client, { planId }, signal) => {
      const body = plans.take(planId);
      const job = await client.request('POST /backups/restore', { body, signal });
      if (!('restoreJobId' in job)) throw new CliFailure(exitCodes.failed, 'the service returned a plan instead of a job');
      const { restoreJobId, status, phase, targetProjectName } = job;
      return { restoreJobId, status, phase, targetProjectName, note: 'Follow it with restore_status.' };
    },
  });
};

interface PlanInput {
  readonly backupId?: string | undefined;
  readonly projectId?: string | undefined;
  readonly at?: string | undefined;
  readonly targetProjectId?: string | undefined;
  readonly collections?: readonly string[] | undefined;
  readonly documentIds?: readonly string[] | undefined;
  readonly mergeMode: keyof typeof mergeModes;
}

const bodyOf = async (client: Client, input: PlanInput): Promise<RestoreBody> => {
  const { backupId: stored, projectId: of, at, targetProjectId: target, collections, documentIds, mergeMode } = input;
  if ((stored === undefined) === (at === undefined)) throw badInput('name either backupId, or projectId and at');
  if (at !== undefined && of === undefined) throw badInput('at needs the projectId of the moment');
  const projectId = await findRecordId(client, 'project', of);
  const targetProjectId = await findRecordId(client, 'project', target);
  return {
    ...(stored === undefined ? { projectId, pointInTime: at } : { backupId: await findBackupId(client, stored, projectId) }),
    ...(targetProjectId !== undefined && { targetProjectId }),
    ...(collections && { collections: [...collections] }),
    ...(documentIds && { documentIds: [...documentIds] }),
    options: { mergeMode },
  };
};

interface Plan {
  readonly deleteDigest?: string | undefined;
  readonly [part: string]: unknown;
}

/** The plan of a dry run. A large target is planned by a job, which is waited for. */
const planOf = async (client: Client, body: RestoreBody, signal: AbortSignal): Promise<Plan> => {
  const planned = await client.request('POST /backups/restore', {
    body: { ...body, options: { ...body.options, dryRun: true } },
    signal,
  });
  if (!('restoreJobId' in planned)) return planned;
  const { restoreJobId } = planned;
  const tooLong = AbortSignal.timeout(planMs);
  try {
    const { plan, status, error } = await client.waitFor('restore', restoreJobId, { signal: AbortSignal.any([signal, tooLong]) });
    if (!plan) throw new CliFailure(exitCodes.failed, `planning ended as ${status}: ${error?.message ?? 'there is no plan'}`);
    return plan;
  } catch (error) {
    if (!tooLong.aborted) throw error;
    throw new CliFailure(exitCodes.failed, 'planning takes too long; plan some collections or documents only', { cause: error });
  }
};
