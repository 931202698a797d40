/** Work that must follow a change: what a message of the task queue says. */
import * as z from 'zod';
import { id } from '../contract/fields.ts';

export const Task = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('send-invitation'), invitationId: id('invitation') }),
  z.object({ kind: z.literal('purge-organization'), deleteBackupData: z.boolean() }),
  z.object({ kind: z.literal('start-backup'), backupId: id('backup') }),
  z.object({ kind: z.literal('start-verification'), backupId: id('backup') }),
  z.object({ kind: z.literal('erase-backup'), backupId: id('backup') }),
  /** Goes on after the backup named, if one is; a walk that another has overtaken ends. */
  z.object({ kind: z.literal('rewrap-keys'), walk: z.string(), after: id('backup').optional() }),
  /** Brings a move of a project to its end, whoever began it: finished if the project has moved, taken back if not. */
  z.object({ kind: z.literal('settle-move'), projectId: id('project'), moveId: z.string() }),
]);
export type Task = z.output<typeof Task>;

/** The id is the task's own: the same task delivered twice has the same one. */
export const TaskMessage = z.object({ id: id('task'), organizationId: id('organization'), task: Task });
export type TaskMessage = z.output<typeof TaskMessage>;
